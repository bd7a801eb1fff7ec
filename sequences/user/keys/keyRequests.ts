/** Requests that change keys, on a side of a connection: windows, fast registration, invalidation. */
import { SendWr, type Sge } from '../../../agents/verbs/verbsItems.ts';
import { nextKey } from '../../../env/verbs/mkeys/keyTags.ts';
import type { FastMr, Mw } from '../../../env/verbs/verbsObjects.ts';
import { ACCESS, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { QpSide } from '../qpSide.ts';
import { RegisteredBuffer } from '../memory/registeredBuffer.ts';

/** Remote rights, all of them. */
export const WINDOW_ACCESS = ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;
/** What a region needs that windows of all rights are bound to. */
export const BINDABLE = WINDOW_ACCESS | ACCESS.localWrite | ACCESS.mwBind;

/** How such a request is posted. */
export interface KeyOptions {
  readonly fence?: boolean;
  /** Default true. */
  readonly signaled?: boolean;
}

/** How a window is bound. */
export interface BindOptions extends KeyOptions {
  /** `ACCESS` bits of the other side. Default: all. */
  readonly access?: number;
  /** Addresses on the wire are offsets, of type 2. */
  readonly zeroBased?: boolean;
  /** Key that it is to have. Default: the next tag. */
  readonly key?: number;
  /** Type that software takes the window for. Default: its own. */
  readonly type?: 1 | 2;
}

/** Registers memory of a side that windows may be bound to: the bytes of `buffer`, with its own key. */
export function* bindable(
  side: QpSide,
  buffer: RegisteredBuffer,
  access = BINDABLE,
  pd = side.qp.pd,
): Proc<RegisteredBuffer> {
  const { hi, lo, length } = buffer;
  const mr = yield* side.api.regMr(pd, { hi, lo, length, access });
  return new RegisteredBuffer(hi, lo, length, mr.key, mr);
}

/**
 * Posts the bind of a window to `buffer`, memory that has been registered for windows. Does not wait for it.
 * @returns the buffer under the key of the window, for the peer to use when that is done
 */
export function* bindWindow(
  side: QpSide,
  mw: Mw,
  buffer: RegisteredBuffer,
  options: BindOptions = {},
): Proc<RegisteredBuffer> {
  const { access = WINDOW_ACCESS, zeroBased = false, key = nextKey(mw.key), type = mw.type } = options;
  const { hi, lo, length } = buffer;
  const change = { key, mrKey: buffer.key, hi, lo, length, access, zeroBased, type };
  yield* post(side, { opcode: WR_OPCODE.bindMw, change }, options);
  mw.key = key;
  return windowOf(buffer, key, zeroBased);
}

/** Posts the registration of the pages of `buffer` by a request. @returns the buffer under the new key */
export function* registerFast(
  side: QpSide,
  mr: FastMr,
  { hi, lo, length }: RegisteredBuffer,
  options: KeyOptions & { readonly access?: number; readonly key?: number } = {},
): Proc<RegisteredBuffer> {
  const { access = BINDABLE, key = nextKey(mr.key) } = options;
  yield* post(side, { opcode: WR_OPCODE.regMr, change: { key, mrKey: 0, hi, lo, length, access, type: 0 } }, options);
  mr.key = key;
  return new RegisteredBuffer(hi, lo, length, key);
}

/** Posts the invalidation of a key of the own side. */
export function invalidate(side: QpSide, { key }: { readonly key: number }, options: KeyOptions = {}): Proc<void> {
  return post(side, { opcode: WR_OPCODE.localInv, imm: key }, options);
}

/** Posts a SEND that invalidates a key of the peer. @param data null: without any */
export function sendInvalidating(
  side: QpSide,
  data: RegisteredBuffer | null,
  { key }: { readonly key: number },
  options: KeyOptions & { readonly solicited?: boolean } = {},
): Proc<void> {
  const flags = options.solicited === true ? SEND_FLAG.solicited : 0;
  return post(side, { opcode: WR_OPCODE.sendWithInv, imm: key, flags }, options, data);
}

function* post(
  side: QpSide,
  request: Partial<Pick<SendWr, 'opcode' | 'imm' | 'change' | 'flags'>>,
  { fence = false, signaled = true }: KeyOptions,
  data: RegisteredBuffer | null = null,
): Proc<void> {
  const wr = new SendWr();
  Object.assign(wr, request);
  wr.flags |= (fence ? SEND_FLAG.fence : 0) | (signaled ? SEND_FLAG.signaled : 0);
  if (data !== null) {
    wr.setNumSge(1);
    data.fill(wr.sges[0] as Sge);
  }
  wr.wrId = side.sendsPosted;
  const posted = side.api.postSend(side.qp, [wr], 1);
  side.sendsPosted++;
  yield* posted;
}

/** A buffer as its window names it: by address, or by offset. */
function windowOf({ hi, lo, length }: RegisteredBuffer, key: number, zeroBased: boolean): RegisteredBuffer {
  return zeroBased ? new RegisteredBuffer(0, 0, length, key) : new RegisteredBuffer(hi, lo, length, key);
}

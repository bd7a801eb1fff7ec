/**
 * What a side of a connection refuses before anything is written or posted: arguments that mean nothing, operations
 * that the service type does not have, and what no longer fits. `side.api` posts those operations all the same, for
 * sequences that want to see the NIC refuse them.
 */
import { HostApiError, type MisuseKind } from '../../env/verbs/hostErrors.ts';
import { describe } from '../../env/verbs/qpTransitions.ts';
import type { Mr, Qp } from '../../env/verbs/verbsObjects.ts';
import { QP_TYPE, QP_TYPE_NAME, WR_OPCODE } from '../../rdma/verbs.ts';
import type { RegisteredBuffer } from './memory/registeredBuffer.ts';

/** Bytes of a scatter/gather entry at most. */
const LONGEST_ENTRY = 2 ** 31 - 1;
const LARGEST_IMM = 2 ** 32 - 1;
const ON_PURPOSE = 'buffer.unchecked() of it may be used anywhere, to see it refused';

/** Refuses a length that cannot be registered. @param taken bytes of the area that are given out already, of `areaBytes` */
export function checkLength(qp: Qp, call: string, length: number, taken: number, areaBytes: number): void {
  const left = Math.max(0, areaBytes - taken);
  const what = `${call}(${length})`;
  if (!(Number.isInteger(length) && length >= 0)) {
    const range = `give a whole number of bytes, 0 .. ${areaBytes}`;
    throw refusal(qp, 'ATTRIBUTE', `${what} is no length`, range, length);
  }
  if (length <= left) return;
  const rest = `${what} is more than the ${left} bytes that are left of the area, which has ${areaBytes}`;
  const hint = 'register less, or use again what is registered; what was deregistered stays taken';
  throw refusal(qp, 'LIMIT', rest, hint, length);
}

/** Refuses operations that the service type of the queue pair does not have. */
export function checkOperation(qp: Qp, opcode: number): void {
  const fetch = opcode >= WR_OPCODE.rdmaRead;
  if (opcode === WR_OPCODE.send || qp.type === QP_TYPE.rc || (qp.type === QP_TYPE.uc && !fetch)) return;
  const service = QP_TYPE_NAME[qp.type];
  const what = `${service} has no ${operationName(opcode)}`;
  const hint = `leave ${service} out of the sequence's \`services\`, or look at connection.type first`;
  throw refusal(qp, 'UNSUPPORTED', what, hint, qp.type);
}

function operationName(opcode: number): string {
  if (opcode > WR_OPCODE.rdmaRead) return 'atomics';
  return opcode === WR_OPCODE.rdmaRead ? 'RDMA READ' : 'RDMA WRITE';
}

/** Refuses datagrams from and to connected queue pairs. */
export function checkDatagram(from: Qp, to: Qp): void {
  const wrong = [from, to].find((qp) => qp.type !== QP_TYPE.ud);
  if (wrong === undefined) return;
  const what = `sendTo concerns ${describe(wrong)}, which is connected`;
  throw refusal(from, 'UNSUPPORTED', what, 'use send() on RC and UC', wrong.type);
}

/** Refuses immediate data that have more than 32 bits, and any with a READ. */
export function checkImmediate(qp: Qp, opcode: number, imm: number | undefined): void {
  if (imm === undefined) return;
  if (opcode === WR_OPCODE.rdmaRead) {
    const what = `a READ with immediate data (imm: ${imm}) does not exist`;
    throw refusal(qp, 'UNSUPPORTED', what, 'leave imm out; SEND and WRITE can have it', imm);
  }
  if (Number.isInteger(imm) && imm >= 0 && imm <= LARGEST_IMM) return;
  throw refusal(qp, 'ATTRIBUTE', `imm is ${imm}`, `give a whole number, 0 .. ${LARGEST_IMM}`, imm);
}

/** Refuses scatter/gather lists that are too long. @param own entries that the side itself puts in front */
export function checkData(qp: Qp, buffers: readonly RegisteredBuffer[], own: number): void {
  const most = qp.maxSge - own;
  if (buffers.length > most) {
    const what = `a list of ${buffers.length} buffers is over the ${most} entries of this run`;
    throw refusal(qp, 'TOO_MANY_SGE', what, 'use fewer, or raise +SG_NUM', buffers.length);
  }
  for (const [i, { length }] of buffers.entries()) {
    if (length <= LONGEST_ENTRY) continue;
    const what = `buffer ${i} of the list has ${length} bytes, an entry may have ${LONGEST_ENTRY}`;
    throw refusal(qp, 'TOO_LONG', what, 'take part() of it', length);
  }
}

/** Refuses inline data that a READ cannot have, or that do not fit into the request. */
export function checkInline(qp: Qp, opcode: number, buffers: readonly RegisteredBuffer[]): void {
  if (opcode === WR_OPCODE.rdmaRead)
    throw refusal(
      qp,
      'UNSUPPORTED',
      'a READ has no data to be inline',
      'leave inline out; SEND and WRITE can have it',
      1,
    );
  const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  if (length <= qp.maxInline) return;
  const what = `${length} bytes are more than the ${qp.maxInline} that may be inline`;
  throw refusal(qp, 'TOO_LONG', what, 'use fewer, or raise +MAX_INLINE', length);
}

/**
 * Refuses data that no key of this side opens: memory of the other side, of another protection domain, or deregistered.
 * A buffer that names no region is taken as it is.
 * @param keyless nobody asks for the key: software itself, or a request that takes its data inline
 */
export function checkLocal(qp: Qp, buffers: readonly RegisteredBuffer[], keyless: boolean): void {
  for (const { mr } of buffers) {
    if (mr?.alive === false && !keyless) throw voidKey(qp, 'the data are', mr);
    if (mr === undefined || mr.pd === qp.pd) continue;
    const what = `the data are ${ownerOf(mr, qp)}`;
    throw refusal(qp, 'ACCESS', what, `give what source or sink of this side returned; ${ON_PURPOSE}`, mr.host);
  }
}

/** Refuses a content that is longer or shorter than its buffer. */
export function checkFilling(qp: Qp, buffer: RegisteredBuffer, length: number): void {
  if (length === buffer.length) return;
  const what = `fill() with ${length} bytes, and the buffer has ${buffer.length}`;
  throw refusal(qp, 'ATTRIBUTE', what, 'give as many, or take part() of the buffer', length);
}

/** Refuses a target that no key of the peer opens. */
export function checkTarget(qp: Qp, peer: Qp, { mr }: RegisteredBuffer): void {
  if (mr?.alive === false) throw voidKey(qp, 'the target is', mr);
  if (mr === undefined || mr.pd === peer.pd) return;
  const what = `the target is ${ownerOf(mr, peer)}, and the peer is ${describe(peer)}`;
  throw refusal(qp, 'ACCESS', what, `give what source or sink of the other side returned; ${ON_PURPOSE}`, mr.host);
}

function voidKey(qp: Qp, what: string, mr: Mr): HostApiError {
  return refusal(qp, 'ACCESS', `${what} in a region that was deregistered`, `use another; ${ON_PURPOSE}`, mr.key);
}

/** Refuses a request that its queue has no room for. */
export function checkRoom(qp: Qp, queue: 'send' | 'receive'): void {
  const [outstanding, most, wait, parameter] =
    queue === 'send'
      ? ([qp.sendOutstanding, qp.maxSendWr, 'sent', 'MAX_SEND_WR'] as const)
      : ([qp.recvOutstanding, qp.maxRecvWr, 'received', 'MAX_RECV_WR'] as const);
  if (outstanding < most) return;
  const what = `all ${most} requests that the ${queue} queue holds are outstanding`;
  throw refusal(qp, 'QUEUE_FULL', what, `wait for some with ${wait}() first, or raise +${parameter}`, outstanding);
}

/** Refuses to deregister what has no region at this host. */
export function checkRegistered(qp: Qp, { mr }: RegisteredBuffer): void {
  if (mr?.host === qp.host) return;
  const what = mr === undefined ? 'the buffer names no region' : `the buffer is memory of host ${mr.host}`;
  throw refusal(qp, 'ATTRIBUTE', what, 'give what source or sink of this side returned, or a part of it', mr?.host);
}

function ownerOf(mr: Mr, qp: Qp): string {
  const host = `memory of host ${mr.host}`;
  return mr.host === qp.host ? `${host} in another protection domain than that of ${describe(qp)}` : host;
}

function refusal(qp: Qp, kind: MisuseKind, what: string, hint: string, value: unknown): HostApiError {
  return new HostApiError(kind, describe(qp), what, hint, value);
}

/** Memory of a side at the ends of what can be registered. */
import { ACCESS } from '../../../rdma/verbs.ts';
import { type MrChange, reregMr } from '../../../env/verbs/reregister.ts';
import type { Mr } from '../../../env/verbs/verbsObjects.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { QpSide } from '../qpSide.ts';
import { RegisteredBuffer } from '../memory/registeredBuffer.ts';

const RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;
/** Upper half of the last addresses of 48 bits. */
const LAST_HI = 0xffff;

/**
 * Registers a region of no bytes, within memory of the side. @param length bytes of the buffer that is returned, which it does not have
 */
export function* emptyRegion(side: QpSide, length = 0): Proc<RegisteredBuffer> {
  const { hi, lo } = yield* side.sink(Math.max(1, length));
  const mr = yield* side.api.regMr(side.qp.pd, { hi, lo, length: 0, access: RIGHTS });
  return new RegisteredBuffer(hi, lo, length, mr.key, mr);
}

/** Registers the last `length` bytes that have an address of 48 bits, at most 2^31. */
export function* lastBytes(side: QpSide, length: number, access = RIGHTS): Proc<RegisteredBuffer> {
  const mr = yield* side.api.regMr(side.qp.pd, { hi: LAST_HI, lo: -length, length, access });
  return new RegisteredBuffer(LAST_HI, -length, length, mr.key, mr);
}

/** Registers a region anew, with what of it is to change. @param buffer all of it @returns the same, or its new range, under the new key */
export function* reregistered(side: QpSide, { mr }: RegisteredBuffer, change: MrChange): Proc<RegisteredBuffer> {
  const anew = yield* reregMr(side.api, mr as Mr, change);
  return new RegisteredBuffer(anew.hi, anew.lo, anew.length, anew.key, anew);
}

/** The address, as signed halves, behind which so many bytes have addresses of 64 bits, and no more. */
export function addressBeforeEnd(bytes: number): { readonly hi: number; readonly lo: number } {
  return { hi: -1, lo: -bytes };
}

/** What a device says of itself, and how many objects of each kind it holds. */
import type { DeviceAttributes, MrRequest } from '../../../env/verbs/hostApi.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { Cq, Mr, Mw, Qp } from '../../../env/verbs/verbsObjects.ts';
import { ACCESS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';
import { reads } from './rdma.ts';

const BYTES = 64;
/** Objects beside those of the case: rings of queues are regions of some NICs. */
const NEAR = 0.95;
/** Regions that are registered at once. */
const BATCH = 4096;
/** Queue pairs that are made behind the one whose number is the first that is smaller than that before it, and in all. */
const BEHIND = 32;
const MOST_PAIRS = 1 << 15;

/**
 * Makes objects until one more is refused for want of room: of as many as the device holds at most a few are somebody else's.
 * @param make that many at once, or none
 * @param batch how many at once at first; half as many whenever there is no room for them
 */
function* fill<T>(
  t: CaseBench,
  what: string,
  most: number,
  make: (count: number) => Proc<readonly T[]>,
  batch = 1,
): Proc<readonly T[]> {
  const made: T[] = [];
  for (let count = batch; count >= 1 && made.length <= most; ) {
    try {
      made.push(...(yield* make(count)));
    } catch (error) {
      if (!(error instanceof HostApiError) || error.kind !== 'LIMIT') throw error;
      count = Math.floor(count / 2);
    }
  }
  const isNear = made.length <= most && made.length >= NEAR * most;
  t.expect(isNear, `the device says that it holds ${most} ${what}, and has made ${made.length}`);
  return made;
}

/** The fields of a device that say how much of something there is, by their names. */
const AT_LEAST: Readonly<Partial<Record<keyof DeviceAttributes, number>>> = {
  maxQps: 2,
  maxCqs: 1,
  maxMrs: 2,
  maxSge: 1,
  maxQpWr: 1,
  maxCqEntries: 1,
  maxMtu: 1,
  maxRdAtomic: 1,
  maxDestRdAtomic: 1,
  maxSrqs: 0,
  maxSrqWr: 0,
  maxSrqSge: 0,
};

export const DEVICE_LIMITS = subject([], {
  *G103(t) {
    const { device, limits } = t.left.api;
    t.expect(device.name.length > 0, 'the device has no name');
    for (const [field, least] of Object.entries(AT_LEAST)) {
      const value = device[field as keyof DeviceAttributes] as number;
      t.expect(Number.isSafeInteger(value) && value >= least, `${field} is ${value}, expected ${least} or more`);
    }
    t.expect(device.maxMtu <= 5, `maxMtu is ${device.maxMtu}: there is no such code`);
    for (const field of ['maxQps', 'maxCqs', 'maxCqEntries', 'maxSge'] as const)
      t.expect(device[field] <= limits[field], `${field} is ${device[field]}, more than such a NIC can hold`);
    yield* t.quiet();
  },
  *G106(t) {
    const { api, qp } = t.left;
    const make = function* (): Proc<readonly Cq[]> {
      return [yield* api.createCq(qp.process, { entries: 1 })];
    };
    const made = yield* fill(t, 'completion queues', api.device.maxCqs, make);
    for (const cq of made) yield* api.destroyCq(cq);
  },
  *G107(t) {
    const { api, qp } = t.left;
    const { hi, lo } = yield* t.left.sink(BYTES);
    const request = { hi, lo, length: BYTES, access: ACCESS.localWrite };
    const make = (count: number): Proc<readonly Mr[]> => api.regMrs(qp.pd, new Array<MrRequest>(count).fill(request));
    const made = yield* fill(t, 'regions', api.device.maxMrs, make, BATCH);
    yield* api.deregMrs(made);
  },
  *G110(t) {
    const { api, qp } = t.left;
    const make = function* (): Proc<readonly Qp[]> {
      return [yield* api.createQp(qp.pd, t.qpInit({ maxSendWr: 1, maxRecvWr: 1 }))];
    };
    const made = yield* fill(t, 'queue pairs', api.device.maxQps, make);
    for (const each of made) yield* api.destroyQp(each);
  },
  *G222(t) {
    const { api, qp } = t.right;
    const [into, remote] = [yield* t.left.sink(BYTES), yield* t.right.source(BYTES)];
    const { sendCq, recvCq, type } = qp;
    const init = { type, sendCq, recvCq, maxSendWr: 1, maxRecvWr: 1, maxSge: 1 };
    let [before, made] = [0, 0];
    let left = Number.POSITIVE_INFINITY;
    for (; made < MOST_PAIRS && left > 0; made++, left--) {
      const other = yield* api.createQp(qp.pd, init);
      t.expect(other.qpn !== qp.qpn, `queue pair ${other.qpn} is there twice`);
      if (other.qpn < before && left > BEHIND) left = BEHIND;
      before = other.qpn;
      yield* api.destroyQp(other);
      if (made % 16 === 0) yield* reads(t, into, remote);
    }
    yield* reads(t, into, remote);
    t.expect(left === 0, `the numbers of ${made} queue pairs have not started over`);
  },
});

export const WINDOW_LIMITS = subject(['memoryWindows'], {
  *G108(t) {
    const { api, qp } = t.left;
    const { maxMws = 0 } = api.device;
    const make = function* (): Proc<readonly Mw[]> {
      return [yield* api.allocMw(qp.pd, 1)];
    };
    const made = yield* fill(t, 'memory windows', maxMws, make);
    t.expect(new Set(made.map(({ key }) => key)).size === made.length, 'two windows have one key');
    yield* t.expectRefusedCall('one window more', () => api.allocMw(qp.pd, 2), 'LIMIT');
    const [first, ...others] = made;
    if (first === undefined) return;
    yield* api.deallocMw(first);
    yield* api.deallocMw(yield* api.allocMw(qp.pd, 2));
    for (const mw of others) yield* api.deallocMw(mw);
  },
});

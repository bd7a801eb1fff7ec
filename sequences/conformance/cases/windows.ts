/** Memory windows, invalidation and fast registration. */
import type { Mw, MwType } from '../../../env/verbs/verbsObjects.ts';
import { ACCESS, WC_FLAG } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import {
  BINDABLE,
  bindable,
  bindWindow,
  invalidate,
  sendInvalidating,
  WINDOW_ACCESS,
} from '../../user/keys/keyRequests.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 600;
const WORD = 8;
const TYPES: readonly MwType[] = [1, 2];
const { localWrite, remoteRead, remoteWrite, mwBind } = ACCESS;

/** A region of the right side that windows may be bound to. */
function* region(t: CaseBench, length = BYTES, access = BINDABLE): Proc<RegisteredBuffer> {
  return yield* bindable(t.right, yield* t.right.words(length), access);
}

/** A window of the right side, bound to a part of a region. */
function* bound(
  t: CaseBench,
  type: MwType,
  part: RegisteredBuffer,
  access = WINDOW_ACCESS,
  side = t.right,
): Proc<RegisteredBuffer> {
  const mw = yield* side.api.allocMw(side.qp.pd, type);
  const window = yield* bindWindow(side, mw, part, { access });
  yield* t.sent('success', side);
  return window;
}

/** A READ of a range that must bring the bytes of `there`. */
function* readsRange(t: CaseBench, range: RegisteredBuffer, there: RegisteredBuffer): Proc<void> {
  const into = yield* t.left.sink(there.length);
  yield* t.left.read(into, range);
  yield* t.sent();
  const isRight = Buffer.compare(t.left.contents(into), t.right.contents(there)) === 0;
  t.expect(isRight, 'the READ has brought other bytes than there are');
}

function* writesRange(t: CaseBench, range: RegisteredBuffer, there: RegisteredBuffer): Proc<void> {
  const data = yield* t.left.source(there.length);
  yield* t.left.write(data, range);
  yield* t.sent();
  yield* t.quiet();
  const isRight = Buffer.compare(t.left.contents(data), t.right.contents(there)) === 0;
  t.expect(isRight, 'the target holds other bytes than were written');
}

/** A request with a key that opens nothing ends with an access error, and takes the connection to ERR. */
function* refusesRead(t: CaseBench, range: RegisteredBuffer, { left } = t.connectionAt(0)): Proc<void> {
  yield* left.read(yield* left.sink(range.length), range);
  yield* t.sent('remAccessErr', left);
}

function* refusesWrite(t: CaseBench, range: RegisteredBuffer): Proc<void> {
  yield* t.left.write(yield* t.left.source(range.length), range);
  yield* t.sent('remAccessErr');
}

/** The same on a window of each type: a connection that has failed is made anew for the second. */
function ofBoth(play: (t: CaseBench, type: MwType) => Proc<void>): (t: CaseBench) => Proc<void> {
  return function* (t) {
    for (const type of TYPES) {
      yield* play(t, type);
      if (type === 1) yield* t.connectAnew();
    }
  };
}

/** A bind that must fail. */
function* refusesBind(
  t: CaseBench,
  type: MwType,
  part: RegisteredBuffer,
  options: Parameters<typeof bindWindow>[3] = {},
): Proc<void> {
  const mw = yield* t.right.api.allocMw(t.right.qp.pd, type);
  yield* bindWindow(t.right, mw, part, options);
  yield* t.sent('mwBindErr', t.right);
}

export const WINDOWS = subject(['memoryWindows', 'naks', 'events'], {
  *G005(t) {
    const there = yield* region(t);
    for (const range of [there, yield* bound(t, 1, there), yield* bound(t, 2, there)]) {
      yield* readsRange(t, range, there);
      yield* writesRange(t, range, there);
    }
  },
  G038: ofBoth(function* (t, type) {
    const whole = yield* t.right.words(BYTES);
    const inside = yield* bindable(t.right, whole.part(100, 400));
    yield* refusesBind(t, type, inside.moved(-1));
  }),
  G039: ofBoth(function* (t, type) {
    const whole = yield* t.right.words(BYTES);
    const inside = yield* bindable(t.right, whole.part(100, 400));
    yield* refusesBind(t, type, inside.moved(1));
  }),
  G040: ofBoth(function* (t, type) {
    const there = yield* region(t);
    yield* refusesRead(t, (yield* bound(t, type, there.part(100, 200))).moved(-1));
  }),
  G041: ofBoth(function* (t, type) {
    const there = yield* region(t);
    yield* refusesRead(t, (yield* bound(t, type, there.part(100, 200))).moved(1));
  }),
  G042: ofBoth(function* (t, type) {
    const window = yield* bound(t, type, (yield* region(t)).part(100, 200));
    yield* t.left.read(yield* t.left.sink(0), window.part(50, 0).unchecked());
    yield* t.sent();
  }),
  G043: ofBoth(function* (t, type) {
    const window = yield* bound(t, type, (yield* region(t)).part(100, 200));
    yield* t.left.read(yield* t.left.sink(0), window.part(0, 0).moved(-50));
    yield* t.sent();
  }),
  G044: ofBoth(function* (t, type) {
    const there = yield* region(t);
    yield* refusesWrite(t, (yield* bound(t, type, there.part(100, 200))).moved(-1));
  }),
  G045: ofBoth(function* (t, type) {
    const there = yield* region(t);
    yield* refusesWrite(t, (yield* bound(t, type, there.part(100, 200))).moved(1));
  }),
  G046: ofBoth(function* (t, type) {
    const window = yield* bound(t, type, (yield* region(t)).part(100, 200));
    yield* t.left.write(yield* t.left.source(0), window.part(50, 0).unchecked());
    yield* t.sent();
  }),
  G047: ofBoth(function* (t, type) {
    const window = yield* bound(t, type, (yield* region(t)).part(100, 200));
    yield* t.left.write(yield* t.left.source(0), window.part(0, 0).moved(-50));
    yield* t.sent();
  }),
  *G053(t) {
    const there = yield* region(t);
    const { sendCq } = t.right.qp;
    yield* t.right.api.armCq(sendCq, false);
    yield* bound(t, 1, there);
    t.expectEqual('completion events', yield* t.completionEvents(sendCq), 1);
  },
  *G126(t) {
    const { api, qp } = t.right;
    for (const type of TYPES) {
      const mw = yield* api.allocMw(qp.pd, type);
      t.expectEqual('type of the window', mw.type, type);
      t.expectEqual('domain of the window', mw.pd, qp.pd);
      yield* api.deallocMw(mw);
    }
  },
  *G128(t) {
    const there = yield* region(t);
    for (const type of TYPES) yield* bound(t, type, there);
  },
  *G129(t) {
    const there = yield* region(t);
    for (const type of TYPES) yield* readsRange(t, yield* bound(t, type, there.part(8, 300)), there.part(8, 300));
  },
  *G131(t) {
    const there = yield* region(t);
    const other = t.connectionAt(1);
    const first = yield* bound(t, 1, there, WINDOW_ACCESS, other.right);
    yield* readsRange(t, first, there);
    yield* refusesRead(t, yield* bound(t, 2, there, WINDOW_ACCESS, other.right));
  },
  *G135(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 1, there);
    if (t.choicesOf(t.right.host).boundRegion === 'kept') {
      yield* t.expectRefusedCall('deregMr with a window bound', () => t.right.api.deregMr(mrOf(there)), 'IN_USE');
      yield* readsRange(t, window, there);
    } else {
      yield* t.right.api.deregMr(mrOf(there));
      yield* refusesRead(t, window);
    }
  },
  *G136(t) {
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 1);
    const old = yield* bindWindow(t.right, mw, there);
    yield* t.sent('success', t.right);
    yield* bindWindow(t.right, mw, there.part(0, 0));
    yield* t.sent('success', t.right);
    yield* refusesRead(t, old);
  },
  *G138(t) {
    const there = yield* region(t);
    yield* bound(t, 1, there);
    yield* t.right.renew();
  },
  *G139(t) {
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 1);
    const old = yield* bindWindow(t.right, mw, there);
    yield* t.sent('success', t.right);
    const other = t.connectionAt(1).right;
    const again = yield* bindWindow(other, mw, there.part(100, 200));
    yield* t.sent('success', other);
    yield* readsRange(t, again, there.part(100, 200));
    yield* refusesRead(t, old);
  },
  *G140(t) {
    const { api, qp } = t.right;
    const pd = api.allocPd(qp.process);
    const mw = yield* api.allocMw(pd, 1);
    yield* t.expectRefusedCall('deallocPd with a window', () => api.deallocPd(pd), 'IN_USE');
    yield* api.deallocMw(mw);
    api.deallocPd(pd);
  },
  *G141(t) {
    yield* flushedBind(t, 1);
  },
  *G142(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 2, there, remoteRead);
    yield* readsRange(t, window, there);
    yield* refusesWrite(t, window);
  },
  *G144(t) {
    yield* refusesBind(t, 2, (yield* region(t)).part(0, 0));
  },
  *G145(t) {
    const there = yield* region(t);
    const { api, qp } = t.right;
    const mws = [yield* api.allocMw(qp.pd, 2), yield* api.allocMw(qp.pd, 2)];
    const keys: number[] = [];
    for (const mw of mws) {
      const { key } = yield* bindWindow(t.right, mw, there, { key: (mw.key & ~0xff) | 0x5a });
      yield* t.sent('success', t.right);
      keys.push(key);
    }
    t.expect(keys[0] !== keys[1], `two windows have the key ${keys[0]}`);
    for (const key of keys) yield* readsRange(t, there.withKey(key), there);
  },
  *G146(t) {
    const { api, qp } = t.right;
    const keys = new Set<number>();
    const mws: Mw[] = [];
    for (let i = 0; i < 64; i++) mws.push(yield* api.allocMw(qp.pd, 2));
    for (const { key } of mws) keys.add(key >>> 8);
    t.expectEqual('different keys of 64 windows', keys.size, mws.length);
    for (const mw of mws) yield* api.deallocMw(mw);
  },
  *G148(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 2, there);
    yield* readsRange(t, window, there);
    yield* invalidate(t.right, window);
    yield* t.sent('success', t.right);
    yield* refusesRead(t, window);
  },
  *G150(t) {
    yield* invalidate(t.right, { key: 0x7777_01 });
    yield* t.oneOf(t.right.sent(), 'locQpOpErr', 'locProtErr');
  },
  *G151(t) {
    yield* refusesBind(t, 2, yield* region(t), { type: 1 });
  },
  *G152(t) {
    const there = yield* region(t);
    yield* bound(t, 2, there);
    yield* t.right.renew();
  },
  *G153(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 2, there);
    if (t.choicesOf(t.right.host).boundRegion === 'kept')
      yield* t.expectRefusedCall('deregMr with a window bound', () => t.right.api.deregMr(mrOf(there)), 'IN_USE');
    else {
      yield* t.right.api.deregMr(mrOf(there));
      yield* refusesRead(t, window);
    }
  },
  *G154(t) {
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 2);
    yield* bindWindow(t.right, mw, there);
    yield* t.sent('success', t.right);
    const other = t.connectionAt(1).right;
    yield* bindWindow(other, mw, there);
    yield* t.sent('mwBindErr', other);
  },
  *G155(t) {
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 2);
    yield* bindWindow(t.right, mw, there);
    yield* t.sent('success', t.right);
    yield* bindWindow(t.right, mw, there);
    yield* t.sent('mwBindErr', t.right);
  },
  *G156(t) {
    const window = yield* bound(t, 2, yield* region(t));
    const other = t.connectionAt(1).right;
    yield* invalidate(other, window);
    yield* t.oneOf(other.sent(), 'locQpOpErr', 'locProtErr');
  },
  *G157(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 2, there);
    yield* refusesRead(t, window, t.connectionAt(1));
  },
  *G158(t) {
    yield* flushedBind(t, 2);
  },
  G159: ofBoth(function* (t, type) {
    const [none, only] = [localWrite | mwBind, mwBind];
    const whole = yield* t.right.words(BYTES);
    for (const [access, rights, isRight] of [
      [none, WINDOW_ACCESS, true],
      [none, remoteRead, true],
      [only, remoteRead, true],
      [only, 0, true],
      [only, remoteWrite, false],
      [only, ACCESS.remoteAtomic, false],
      [localWrite, remoteRead, false],
    ] as const) {
      const there = yield* bindable(t.right, whole, access);
      const mw = yield* t.right.api.allocMw(t.right.qp.pd, type);
      yield* bindWindow(t.right, mw, there, { access: rights });
      yield* t.sent(isRight ? 'success' : 'mwBindErr', t.right);
      if (!isRight) yield* t.connectAnew();
    }
  }),
  *G160(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 2, there);
    for (let i = 0; i < 20; i++) yield* readsRange(t, window, there);
  },
  *G161(t) {
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 2);
    const window = yield* bindWindow(t.right, mw, there);
    yield* t.sent('success', t.right);
    yield* manyReads(t, window);
    yield* bindWindow(t.right, mw, there);
    yield* t.sent('mwBindErr', t.right);
    yield* someReads(t);
  },
  *G162(t) {
    const window = yield* bound(t, 2, yield* region(t));
    yield* manyReads(t, window);
    yield* invalidate(t.right, window);
    (yield* t.right.sent()).expected();
    yield* someReads(t);
  },
  *G163(t) {
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 2);
    const window = yield* bindWindow(t.right, mw, there);
    yield* t.sent('success', t.right);
    yield* manyReads(t, window);
    yield* t.right.api.deallocMw(mw);
    yield* someReads(t);
  },
  *G171(t) {
    const { api, qp } = t.right;
    const pd = api.allocPd(qp.process);
    const mw = yield* api.allocMw(pd, 2);
    yield* t.expectRefusedCall('deallocPd with a window', () => api.deallocPd(pd), 'IN_USE');
    yield* api.deallocMw(mw);
    api.deallocPd(pd);
  },
  *G174(t) {
    const { api, qp } = t.right;
    const there = yield* region(t);
    for (const type of TYPES) {
      const mw = yield* api.allocMw(api.allocPd(qp.process), type);
      yield* bindWindow(t.right, mw, there);
      const tolerated = type === 1 && t.choicesOf(t.right.host).bindsForeignWindows;
      yield* t.sent(tolerated ? 'success' : 'mwBindErr', t.right);
      if (type === 1) yield* t.connectAnew();
    }
  },
  G175: ofBoth(function* (t, type) {
    const { api, qp } = t.right;
    const there = yield* bindable(t.right, yield* t.right.words(BYTES), BINDABLE, api.allocPd(qp.process));
    yield* refusesBind(t, type, there);
  }),
  G176: ofBoth(function* (t, type) {
    const { api, qp } = t.right;
    const pd = api.allocPd(qp.process);
    const there = yield* bindable(t.right, yield* t.right.words(BYTES), BINDABLE, pd);
    const mw = yield* api.allocMw(pd, type);
    yield* bindWindow(t.right, mw, there);
    yield* t.sent('mwBindErr', t.right);
  }),
  *G188(t) {
    yield* refusesRead(t, yield* foreignWindow(t));
  },
  *G189(t) {
    yield* refusesWrite(t, yield* foreignWindow(t));
  },
  *G267(t) {
    const there = yield* region(t);
    yield* readsRange(t, yield* bound(t, 1, there), there);
  },
  *G268(t) {
    const there = yield* region(t);
    yield* readsRange(t, yield* bound(t, 2, there), there);
  },
  *G269(t) {
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 1);
    const old = yield* bindWindow(t.right, mw, there);
    yield* t.sent('success', t.right);
    const again = yield* bindWindow(t.right, mw, there);
    yield* t.sent('success', t.right);
    t.expect(again.key !== old.key, 'the key is the same');
    yield* readsRange(t, again, there);
    yield* refusesRead(t, old);
  },
  *G283(t) {
    const there = yield* region(t);
    yield* writesRange(t, yield* bound(t, 1, there), there);
  },
  *G284(t) {
    const there = yield* region(t);
    yield* writesRange(t, yield* bound(t, 2, there), there);
  },
  *T_068(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 2, there);
    if (t.choicesOf(t.right.host).boundRegion === 'kept') {
      yield* t.expectRefusedCall('deregMr with a window bound', () => t.right.api.deregMr(mrOf(there)), 'IN_USE');
      yield* readsRange(t, window, there);
      yield* invalidate(t.right, window);
      yield* t.sent('success', t.right);
      yield* t.right.api.deregMr(mrOf(there));
    } else {
      yield* t.right.api.deregMr(mrOf(there));
      yield* refusesRead(t, window);
      yield* t.connectAnew();
    }
    yield* refusesRead(t, there.unchecked());
  },
  *T_069(t) {
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 1);
    const first = yield* bindWindow(t.right, mw, there, { access: remoteRead });
    yield* t.sent('success', t.right);
    yield* readsRange(t, first, there);
    const second = yield* bindWindow(t.right, mw, there.part(0, 100));
    yield* t.sent('success', t.right);
    yield* readsRange(t, second, there.part(0, 100));
    const window = yield* bound(t, 2, there.part(100, 200), remoteRead);
    yield* readsRange(t, window, there.part(100, 200));
    yield* refusesWrite(t, window);
    yield* t.connectAnew();
    yield* refusesRead(t, first);
    yield* t.connectAnew();
    const readOnly = yield* bindable(t.right, yield* t.right.words(BYTES), mwBind);
    yield* refusesBind(t, 2, readOnly, { access: remoteWrite });
  },
});

export const WINDOW_ATOMICS = subject(['memoryWindows', 'naks', 'atomics'], {
  *G011(t) {
    const there = yield* region(t, WORD);
    for (const range of [there, yield* bound(t, 1, there), yield* bound(t, 2, there)]) {
      yield* t.left.fetchAdd(yield* t.left.sink(WORD), range, 1n);
      yield* t.sent();
      yield* t.left.compareSwap(yield* t.left.sink(WORD), range, 0n, 1n);
      yield* t.sent();
    }
  },
  *G190(t) {
    yield* t.left.fetchAdd(yield* t.left.sink(WORD), (yield* foreignWindow(t)).part(0, WORD), 1n);
    yield* t.sent('remAccessErr');
  },
  *G191(t) {
    yield* t.left.compareSwap(yield* t.left.sink(WORD), (yield* foreignWindow(t)).part(0, WORD), 0n, 1n);
    yield* t.sent('remAccessErr');
  },
});

export const UNSIGNALED_KEYS = subject(['memoryWindows', 'naks', 'unsignaled'], {
  *G137(t) {
    yield* unsignaledError(t, function* (side) {
      const mw = yield* side.api.allocMw(side.qp.pd, 1);
      const there = yield* bindable(side, yield* side.words(BYTES), localWrite);
      yield* bindWindow(side, mw, there, { signaled: false });
      return 'mwBindErr';
    });
  },
  *G143(t) {
    yield* t.right.renew({ signalAll: false });
    yield* t.connectAnew();
    const there = yield* region(t);
    const mw = yield* t.right.api.allocMw(t.right.qp.pd, 2);
    const window = yield* bindWindow(t.right, mw, there, { signaled: false });
    yield* invalidate(t.right, window);
    const { request } = yield* t.sent('success', t.right);
    t.expect(request.includes('LOCAL_INV') || t.right.sendsPosted === 2, `${request} is the first to complete`);
  },
  *G147(t) {
    yield* unsignaledError(t, function* (side) {
      const mw = yield* side.api.allocMw(side.qp.pd, 2);
      yield* bindWindow(side, mw, (yield* bindable(side, yield* side.words(BYTES))).part(0, 0), { signaled: false });
      return 'mwBindErr';
    });
  },
  *G149(t) {
    yield* t.right.renew({ signalAll: false });
    yield* t.connectAnew();
    const there = yield* region(t);
    const window = yield* bound(t, 2, there);
    yield* invalidate(t.right, window, { signaled: false });
    yield* t.quiet();
    yield* refusesRead(t, window);
  },
});

export const INVALIDATING_SENDS = subject(['memoryWindows', 'naks', 'events'], {
  *G247(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 2, there);
    const into = yield* t.right.sink(BYTES);
    yield* t.right.receive(into);
    yield* sendInvalidating(t.left, yield* t.left.source(BYTES), window);
    yield* t.sent();
    const { flags, imm, byteLen } = yield* t.received();
    t.expect((flags & WC_FLAG.withInv) !== 0, 'the completion does not say that a key was invalidated');
    t.expectEqual('invalidated key', imm >>> 0, window.key >>> 0);
    t.expectEqual('byte count', byteLen, BYTES);
    yield* refusesRead(t, window);
  },
  *G248(t) {
    const window = yield* bound(t, 2, yield* region(t));
    yield* t.right.receive([]);
    yield* sendInvalidating(t.left, null, window);
    yield* t.sent();
    const { imm } = yield* t.received();
    t.expectEqual('invalidated key', imm >>> 0, window.key >>> 0);
    yield* refusesRead(t, window);
  },
  *G249(t) {
    const window = yield* bound(t, 2, yield* region(t));
    yield* t.connectAnew({ rnrRetry: 1 });
    yield* sendInvalidating(t.left, null, window);
    yield* t.sent('rnrRetryExcErr');
  },
  *G250(t) {
    yield* refusedInvalidation(t, { key: 0x7777_01 });
  },
  *G251(t) {
    yield* refusedInvalidation(t, yield* bound(t, 1, yield* region(t)));
  },
  *G252(t) {
    yield* refusedInvalidation(t, yield* bound(t, 2, yield* region(t), WINDOW_ACCESS, t.connectionAt(1).right));
  },
  *T_062(t) {
    const there = yield* region(t);
    const window = yield* bound(t, 2, there);
    yield* readsRange(t, window, there);
    yield* t.right.receive(yield* t.right.sink(BYTES));
    yield* sendInvalidating(t.left, yield* t.left.source(BYTES), window);
    yield* t.received();
    yield* t.sent();
    yield* refusesRead(t, window);
  },
  *T_063(t) {
    yield* refusedInvalidation(t, yield* bound(t, 1, yield* region(t)));
    yield* t.connectAnew();
    yield* refusedInvalidation(t, yield* bound(t, 2, yield* region(t), WINDOW_ACCESS, t.connectionAt(1).right));
    yield* t.connectAnew();
    yield* refusedInvalidation(t, { key: 0x7777_01 });
  },
});

function mrOf({ mr }: RegisteredBuffer): NonNullable<RegisteredBuffer['mr']> {
  return mr as NonNullable<RegisteredBuffer['mr']>;
}

/** A window of type 1 of another domain of the right side. */
function* foreignWindow(t: CaseBench): Proc<RegisteredBuffer> {
  const { api, qp } = t.right;
  const other = t.connectionAt(1).right;
  // Bound by a queue pair of that domain.
  const pd = api.allocPd(qp.process);
  yield* other.renew({}, pd);
  yield* t.connectAnew({}, 1);
  const there = yield* bindable(other, yield* other.words(BYTES), BINDABLE, pd);
  const mw = yield* api.allocMw(pd, 1);
  const window = yield* bindWindow(other, mw, there);
  yield* t.sent('success', other);
  return window;
}

function* flushedBind(t: CaseBench, type: MwType): Proc<void> {
  const there = yield* region(t);
  const mw = yield* t.right.api.allocMw(t.right.qp.pd, type);
  yield* t.stop(t.right);
  yield* bindWindow(t.right, mw, there);
  yield* t.sent('wrFlushErr', t.right);
}

/** READs that are under way while something is done to their key. */
function* manyReads(t: CaseBench, window: RegisteredBuffer): Proc<void> {
  for (let i = 0; i < READS; i++) yield* t.left.read(yield* t.left.sink(window.length), window);
}

const READS = 8;

/** Each of them succeeds, or is refused or flushed. */
function* someReads(t: CaseBench): Proc<void> {
  for (let i = 0; i < READS; i++) yield* t.oneOf(t.left.sent(), 'success', 'remAccessErr', 'wrFlushErr', 'retryExcErr');
}

/** A SEND whose key may not be invalidated: its receive fails, and so does the SEND. */
function* refusedInvalidation(t: CaseBench, key: { readonly key: number }): Proc<void> {
  yield* t.right.receive([]);
  yield* sendInvalidating(t.left, null, key);
  const received = yield* t.right.received();
  received.expected();
  t.expect(received.status !== 0, 'the receive completed with success');
  yield* t.oneOf(t.left.sent(), 'retryExcErr', 'remAccessErr');
}

/** A request that asked for no completion and fails has one. */
function* unsignaledError(t: CaseBench, post: (side: QpSide) => Proc<'mwBindErr'>): Proc<void> {
  yield* t.right.renew({ signalAll: false });
  yield* t.connectAnew();
  yield* t.sent(yield* post(t.right), t.right);
}

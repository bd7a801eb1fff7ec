/** Rights of memory regions, and protection domains. */
import { ACCESS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';
import { reads, refusedRead, refusedWrite, writes } from './rdma.ts';

const BYTES = 600;
const WORD = 8;
const { localWrite, remoteWrite, remoteRead, remoteAtomic } = ACCESS;
const ALL = localWrite | remoteWrite | remoteRead | remoteAtomic;

export const RIGHTS = subject(['naks', 'events'], {
  *G007(t) {
    const readOnly = yield* t.region(t.left, BYTES, remoteRead);
    yield* writes(t, readOnly, yield* t.right.sink(BYTES));
    yield* t.left.read(readOnly, yield* t.right.source(BYTES));
    yield* t.sent('locProtErr');
  },
  *G008(t) {
    const there = yield* t.region(t.right, BYTES, localWrite | remoteRead);
    yield* reads(t, yield* t.left.sink(BYTES), there);
    yield* refusedWrite(t, there, there);
  },
  *G009(t) {
    const there = yield* t.region(t.right, BYTES, localWrite | remoteWrite);
    yield* writes(t, yield* t.left.source(BYTES), there);
    yield* refusedRead(t, there);
  },
  *G010(t) {
    const there = yield* t.region(t.right, BYTES, ALL & ~remoteAtomic);
    yield* writes(t, yield* t.left.source(BYTES), there);
    yield* reads(t, yield* t.left.sink(BYTES), there);
  },
});

export const ATOMIC_RIGHTS = subject(['naks', 'atomics'], {
  *G012(t) {
    yield* t.left.fetchAdd(yield* t.region(t.left, WORD, remoteRead), yield* t.right.words(WORD), 1n);
    yield* t.sent('locProtErr');
  },
  *G013(t) {
    const word = yield* t.region(t.right, WORD, localWrite | remoteAtomic | remoteRead);
    yield* t.left.fetchAdd(yield* t.left.sink(WORD), word, 1n);
    yield* t.left.compareSwap(yield* t.left.sink(WORD), word, 0n, 1n);
    yield* t.sent();
    yield* t.sent();
  },
  *G014(t) {
    const word = yield* t.region(t.right, WORD, localWrite | remoteAtomic | remoteWrite);
    yield* t.left.fetchAdd(yield* t.left.sink(WORD), word, 1n);
    yield* t.left.compareSwap(yield* t.left.sink(WORD), word, 0n, 1n);
    yield* t.sent();
    yield* t.sent();
  },
  *G015(t) {
    const word = yield* t.region(t.right, WORD, ALL & ~remoteAtomic);
    yield* t.left.fetchAdd(yield* t.left.sink(WORD), word, 1n);
    yield* t.sent('remAccessErr');
  },
});

/** Memory of a side under a key of another protection domain of its process. */
function* foreign(t: CaseBench, side: 'left' | 'right', length: number): Proc<RegisteredBuffer> {
  const { api, qp } = t[side];
  return yield* t.region(t[side], length, ALL, api.allocPd(qp.process));
}

export const FOREIGN_DOMAINS = subject(['naks', 'domains', 'events'], {
  *G177(t) {
    yield* t.left.send(yield* foreign(t, 'left', BYTES));
    yield* t.sent('locProtErr');
  },
  *G178(t) {
    yield* t.right.receive(yield* foreign(t, 'right', BYTES));
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.sent('remOpErr');
    yield* t.received('locProtErr');
  },
  *G179(t) {
    yield* t.left.read(yield* foreign(t, 'left', BYTES), yield* t.right.source(BYTES));
    yield* t.sent('locProtErr');
  },
  *G180(t) {
    yield* refusedRead(t, yield* foreign(t, 'right', BYTES));
  },
  *G181(t) {
    yield* t.left.write(yield* foreign(t, 'left', BYTES), yield* t.right.sink(BYTES));
    yield* t.sent('locProtErr');
  },
  *G182(t) {
    const there = yield* foreign(t, 'right', BYTES);
    yield* refusedWrite(t, there, there);
  },
});

export const FOREIGN_ATOMICS = subject(['naks', 'domains', 'atomics'], {
  *G183(t) {
    yield* t.left.fetchAdd(yield* foreign(t, 'left', WORD), yield* t.right.words(WORD), 1n);
    yield* t.sent('locProtErr');
  },
  *G184(t) {
    yield* t.left.fetchAdd(yield* t.left.sink(WORD), yield* foreign(t, 'right', WORD), 1n);
    yield* t.sent('remAccessErr');
  },
  *G185(t) {
    yield* t.left.compareSwap(yield* foreign(t, 'left', WORD), yield* t.right.words(WORD), 0n, 1n);
    yield* t.sent('locProtErr');
  },
  *G186(t) {
    yield* t.left.compareSwap(yield* t.left.sink(WORD), yield* foreign(t, 'right', WORD), 0n, 1n);
    yield* t.sent('remAccessErr');
  },
});

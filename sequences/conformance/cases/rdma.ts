/** WRITE and READ on reliable connections. */
import { ACCESS, WC_FLAG, WC_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { NO_KEY, type RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 600;
const LARGE = 100_000;
const IMM = 0x8765_4321;
/** More than one page of any kind. */
const FAR = 2 ** 26;

/** A READ of the whole of `remote`, which must succeed and bring its bytes. */
export function* reads(t: CaseBench, into: RegisteredBuffer, remote: RegisteredBuffer): Proc<void> {
  yield* t.left.read(into, remote);
  const { byteLen } = yield* t.sent();
  t.expectEqual('byte count', byteLen, into.length);
  const [found, wanted] = [t.left.contents(into), t.right.contents(remote)];
  t.expect(Buffer.compare(found, wanted) === 0, 'the READ has brought other bytes than there are');
}

/** A WRITE of all of `data`, which must succeed and be there. */
export function* writes(t: CaseBench, data: RegisteredBuffer, target: RegisteredBuffer): Proc<void> {
  yield* t.left.write(data, target);
  yield* t.sent();
  yield* t.quiet();
  const [found, wanted] = [t.right.contents(target), t.left.contents(data)];
  t.expect(Buffer.compare(found, wanted) === 0, 'the target holds other bytes than were written');
}

/** A request that the responder refuses for its key or range; `target` keeps what it holds. */
export function* refusedWrite(t: CaseBench, target: RegisteredBuffer, kept: RegisteredBuffer): Proc<void> {
  const before = t.right.contents(kept);
  yield* t.left.write(yield* t.left.source(target.length), target);
  yield* t.sent('remAccessErr');
  yield* t.expectAsyncEvent('qpAccessErr', t.right);
  t.expect(Buffer.compare(before, t.right.contents(kept)) === 0, 'the target has changed');
}

export function* refusedRead(t: CaseBench, remote: RegisteredBuffer): Proc<void> {
  const into = yield* t.left.sink(remote.length);
  const before = t.left.contents(into);
  yield* t.left.read(into, remote);
  yield* t.sent('remAccessErr');
  yield* t.expectAsyncEvent('qpAccessErr', t.right);
  t.expect(Buffer.compare(before, t.left.contents(into)) === 0, 'the buffer of the READ has changed');
}

export const RDMA = subject([], {
  *G263(t) {
    yield* reads(t, yield* t.left.sink(BYTES), yield* t.right.source(BYTES));
  },
  *G264(t) {
    yield* reads(t, yield* t.left.sink(LARGE), yield* t.right.source(LARGE));
  },
  *G275(t) {
    yield* writes(t, yield* t.left.source(BYTES), yield* t.right.sink(BYTES));
  },
  *G276(t) {
    yield* writes(t, yield* t.left.source(LARGE), yield* t.right.sink(LARGE));
  },
  *G279(t) {
    const [data, target] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    const before = t.right.contents(target);
    yield* t.right.receive([]);
    yield* t.left.write(data.part(0, 0), target.part(0, 0), { imm: IMM });
    yield* t.sent();
    t.expectEqual('immediate data', (yield* t.received()).imm, IMM);
    t.expect(Buffer.compare(before, t.right.contents(target)) === 0, 'memory has changed');
  },
  *G280(t) {
    const [data, target, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES), yield* t.right.sink(BYTES)];
    const before = t.right.contents(into);
    yield* t.right.receive(into);
    yield* t.left.write(data, target, { imm: IMM });
    yield* t.sent();
    const { opcode, byteLen, imm, flags } = yield* t.received();
    t.expectEqual('opcode', opcode, WC_OPCODE.recvRdmaWithImm);
    t.expectEqual('byte count', byteLen, BYTES);
    t.expectEqual('immediate data', imm, IMM);
    t.expect((flags & WC_FLAG.withImm) !== 0, 'the completion says nothing of immediate data');
    t.expect(Buffer.compare(before, t.right.contents(into)) === 0, 'the receive buffer has changed');
    t.expect(
      Buffer.compare(t.left.contents(data), t.right.contents(target)) === 0,
      'the target holds other bytes than were written',
    );
  },
  *G396(t) {
    yield* writes(t, yield* t.left.source(64), yield* t.right.sink(64));
  },
  *G397(t) {
    yield* reads(t, yield* t.left.sink(64), yield* t.right.source(64));
  },
  *G398(t) {
    const [data, target] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    for (let i = 0; i < 16; i++) yield* t.left.write(data.part(i, 32), target.part(i * 32, 32));
    for (let i = 0; i < 16; i++) yield* t.sent();
  },
});

/** Requests of no bytes, whose key and range nobody looks at. */
export const EMPTY = subject([], {
  *G026(t) {
    yield* reads(t, (yield* t.left.sink(8)).part(0, 0), (yield* t.right.source(8)).part(0, 0));
  },
  *G027(t) {
    yield* t.left.read((yield* t.left.sink(8)).part(0, 0), (yield* t.right.source(8)).part(0, 0).moved(FAR));
    yield* t.sent();
  },
  *G030(t) {
    yield* t.left.read((yield* t.left.sink(8)).part(0, 0), (yield* t.right.source(8)).part(0, 0).withKey(NO_KEY));
    yield* t.sent();
  },
  *G033(t) {
    yield* writes(t, (yield* t.left.source(8)).part(0, 0), (yield* t.right.sink(8)).part(0, 0));
  },
  *G034(t) {
    yield* t.left.write((yield* t.left.source(8)).part(0, 0), (yield* t.right.sink(8)).part(0, 0).moved(FAR));
    yield* t.sent();
  },
  *G037(t) {
    yield* t.left.write((yield* t.left.source(8)).part(0, 0), (yield* t.right.sink(8)).part(0, 0).withKey(NO_KEY));
    yield* t.sent();
  },
});

/** Ranges and keys that the responder refuses. */
export const REMOTE_ERRORS = subject(['naks', 'events'], {
  *G024(t) {
    yield* refusedRead(t, (yield* t.right.source(BYTES)).moved(-1));
  },
  *G123(t) {
    const remote = yield* t.right.source(BYTES);
    const into = yield* t.left.sink(BYTES);
    yield* t.left.read(into, remote);
    yield* t.sent();
    const closed = yield* t.right.reregister(remote, ACCESS.localWrite);
    yield* t.left.read(into, closed);
    yield* t.sent('remAccessErr');
  },
  *G025(t) {
    yield* refusedRead(t, (yield* t.right.source(BYTES)).moved(1));
  },
  *G031(t) {
    const target = yield* t.right.sink(BYTES);
    yield* refusedWrite(t, target.moved(-1), target);
  },
  *G032(t) {
    const target = yield* t.right.sink(BYTES);
    yield* refusedWrite(t, target.moved(1), target);
  },
  *G018(t) {
    yield* refusedRead(t, (yield* t.right.source(BYTES)).withKey(NO_KEY));
  },
  *G019(t) {
    const target = yield* t.right.sink(BYTES);
    yield* refusedWrite(t, target.withKey(NO_KEY), target);
  },
  *G272(t) {
    yield* refusedRead(t, (yield* t.right.source(BYTES)).withKey(NO_KEY));
    yield* t.expectState('err', t.left, t.right);
  },
  *G274(t) {
    yield* refusedRead(t, (yield* t.right.source(BYTES)).moved(FAR));
  },
  *G281(t) {
    const [data, target] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    const before = t.right.contents(target);
    yield* t.right.receive([]);
    yield* t.left.write(data, target.withKey(NO_KEY), { imm: IMM });
    yield* t.sent('remAccessErr');
    yield* t.received('locAccessErr');
    t.expect(Buffer.compare(before, t.right.contents(target)) === 0, 'memory has changed');
  },
  *G286(t) {
    const target = yield* t.right.sink(BYTES);
    yield* refusedWrite(t, target.withKey(NO_KEY), target);
    yield* t.expectState('err', t.left, t.right);
  },
  *G289(t) {
    const target = yield* t.right.sink(BYTES);
    yield* refusedWrite(t, target.moved(FAR), target);
  },
  *T_053(t) {
    // Behind the address of the last bytes that there can be, an end that is counted in 64 bits begins at 0 again.
    const target = yield* t.right.sink(BYTES);
    yield* refusedWrite(t, t.at(target, -1, -8, 16), target);
  },
});

/** A READ into memory that its key does not open: its responder does not hear of it. */
function* readIntoNothing(t: CaseBench): Proc<void> {
  const into = yield* t.left.sink(BYTES);
  const before = t.left.contents(into);
  yield* t.left.read(into.withKey(NO_KEY), yield* t.right.source(BYTES));
  yield* t.sent('locProtErr');
  t.expect(Buffer.compare(before, t.left.contents(into)) === 0, 'the buffer of the READ has changed');
  yield* t.expectState('rts', t.right);
}

/** Keys that the requester itself must refuse. */
export const LOCAL_ERRORS = subject([], {
  *T_050(t) {
    yield* readIntoNothing(t);
  },
  *G270(t) {
    yield* readIntoNothing(t);
  },
  *G285(t) {
    const target = yield* t.right.sink(BYTES);
    const before = t.right.contents(target);
    yield* t.left.write((yield* t.left.source(BYTES)).withKey(NO_KEY), target);
    yield* t.sent('locProtErr');
    yield* t.quiet();
    t.expect(Buffer.compare(before, t.right.contents(target)) === 0, 'the target has changed');
  },
  *G288(t) {
    const [data, target] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    yield* t.left.write(data.withKey(NO_KEY), target.withKey(NO_KEY));
    yield* t.sent('locProtErr');
  },
});

export const BOTH_ERRORS = subject(['naks'], {
  *G273(t) {
    const [into, remote] = [yield* t.left.sink(BYTES), yield* t.right.source(BYTES)];
    yield* t.left.read(into.withKey(NO_KEY), remote.withKey(NO_KEY));
    yield* t.sent('remAccessErr');
  },
});

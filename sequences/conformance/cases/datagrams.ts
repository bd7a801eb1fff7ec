/** Datagrams (roce-transport.md 7.2). */
import { GRH_BYTES, QP_STATE, WC_FLAG, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 200;

/** A datagram that must arrive. */
function* arrives(t: CaseBench): Proc<void> {
  const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
  yield* t.right.receive(into);
  yield* t.left.send(data);
  yield* t.sent();
  const { byteLen, flags, srcQp } = yield* t.received();
  t.expectEqual('byte count', byteLen, GRH_BYTES + BYTES);
  t.expectEqual('queue pair of the sender', srcQp, t.left.qp.qpn);
  t.expect((flags & WC_FLAG.grh) !== 0, 'the completion says nothing of a GRH');
  t.expect(Buffer.compare(t.left.contents(data), t.right.contents(into)) === 0, 'other bytes have arrived');
}

/** Nothing of what the left side sends now comes to the right one, whose receive stays; the next datagram does. */
function* isDropped(t: CaseBench, send: Proc<void>): Proc<void> {
  yield* send;
  yield* t.sent();
  yield* t.quiet();
  const before = t.right.qp.recvOutstanding;
  yield* t.left.send(yield* t.left.source(BYTES));
  yield* t.sent();
  yield* t.received();
  t.expectEqual('receives that are outstanding', t.right.qp.recvOutstanding, before - 1);
}

function* refusedOperation(t: CaseBench, opcode: number): Proc<void> {
  const [into, remote] = [yield* t.left.sink(8), yield* t.right.sink(8)];
  yield* t.post(t.left, { opcode, data: into, target: remote });
  yield* t.sent('locQpOpErr');
}

/** A datagram of a byte more than the path MTU: its queue pair stops with an error, or it succeeds and is not sent (11). */
function* isTooLong(t: CaseBench): Proc<void> {
  yield* t.left.send(yield* t.left.source(t.values.MTU + 1));
  const succeeds = t.tooLongDatagram(t.left.host) === WC_STATUS.success;
  yield* t.sent(succeeds ? 'success' : 'locLenErr');
  yield* t.expectState(succeeds ? 'rts' : 'sqe', t.left);
}

/** Software takes a queue pair from SQE to RTS. */
function* goesOn({ left: { api, qp } }: CaseBench): Proc<void> {
  if ((yield* api.queryQp(qp)).state === QP_STATE.sqe) yield* api.modifyQp(qp, { state: QP_STATE.rts });
}

/** A datagram by a handle of another domain: it does not arrive, and its sender is told so, unless its NIC says nothing. */
function* otherDomain(t: CaseBench, mayBeLost: boolean): Proc<void> {
  const { api, qp } = t.left;
  const pd = api.allocPd(qp.process);
  const handle = api.createAh(pd, t.right.host);
  yield* t.right.receive(yield* t.right.sink(BYTES));
  yield* t.left.send(yield* t.left.source(BYTES), { handle });
  if (mayBeLost) yield* t.oneOf(t.left.sent(), 'locQpOpErr', 'success');
  else {
    yield* t.sent('locQpOpErr');
    yield* t.expectState('sqe', t.left);
  }
  yield* t.quiet();
  t.expectEqual('receives that are outstanding', t.right.qp.recvOutstanding, 1);
  yield* goesOn(t);
  api.destroyAh(handle);
  api.deallocPd(pd);
  // What is behind the datagram goes on.
  yield* t.left.send(yield* t.left.source(BYTES));
  yield* t.sent();
  yield* t.received();
}

export const DATAGRAMS = subject(['ud'], {
  *G363(t) {
    yield* arrives(t);
  },
  *G402(t) {
    yield* arrives(t);
  },
  *G364(t) {
    yield* isTooLong(t);
  },
  *T_093(t) {
    yield* t.right.receive(yield* t.right.sink(t.values.MTU + 1));
    yield* isTooLong(t);
    yield* goesOn(t);
    for (const opcode of [WR_OPCODE.rdmaRead, WR_OPCODE.rdmaWrite, WR_OPCODE.atomicFetchAndAdd]) {
      yield* refusedOperation(t, opcode);
      yield* goesOn(t);
    }
    t.expectEqual('receives that are outstanding', t.right.qp.recvOutstanding, 1);
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.sent();
    yield* t.received();
  },
  *G365(t) {
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.sent();
    yield* t.quiet();
    yield* arrives(t);
  },
  *G368(t) {
    const into = yield* t.right.sink(BYTES);
    yield* t.right.receive(into.part(0, BYTES - 1));
    yield* t.right.receive(into);
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.sent();
    yield* t.quiet();
    t.expectEqual('receives that are outstanding', t.right.qp.recvOutstanding, 2);
    yield* t.left.send((yield* t.left.source(BYTES)).part(0, BYTES - 1));
    yield* t.sent();
    yield* t.received();
  },
  *G370(t) {
    yield* t.right.receive(yield* t.right.sink(BYTES));
    const data = yield* t.left.source(BYTES);
    yield* isDropped(t, t.post(t.left, { opcode: WR_OPCODE.send, data, remoteQpn: 0xff_fff0 }));
  },
  *G371(t) {
    yield* t.right.receive(yield* t.right.sink(BYTES));
    const data = yield* t.left.source(BYTES);
    yield* isDropped(t, t.left.sendTo(t.right, data, { qkey: t.right.qp.qkey ^ 1 }));
  },
  *G372(t) {
    yield* refusedOperation(t, WR_OPCODE.rdmaRead);
  },
  *G374(t) {
    yield* refusedOperation(t, WR_OPCODE.rdmaWrite);
  },
  *G375(t) {
    yield* refusedOperation(t, WR_OPCODE.atomicFetchAndAdd);
  },
  *G376(t) {
    yield* refusedOperation(t, WR_OPCODE.atomicCmpAndSwp);
  },
  *G187(t) {
    yield* otherDomain(t, true);
  },
  *T_094(t) {
    yield* otherDomain(t, false);
  },
  *G373(t) {
    const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    for (let i = 0; i < 8; i++) yield* t.right.receive(into);
    for (let i = 0; i < 8; i++) yield* t.left.send(data);
    for (let i = 0; i < 8; i++) {
      yield* t.sent();
      yield* t.received();
    }
  },
});

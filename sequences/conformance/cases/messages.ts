/** SEND and receive on reliable connections. */
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { NO_KEY } from '../../user/memory/registeredBuffer.ts';
import { ACCESS, QP_STATE, WC_FLAG, WC_OPCODE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { CaseBench } from '../caseBench.ts';
import { subject } from '../conformanceCase.ts';

const BYTES = 600;
/** Many packets at any path MTU. */
const LARGE = 100_000;
const IMM = 0x8765_4321;

/** A SEND of these bytes into a receive of as many, which must succeed. */
function* sends(t: CaseBench, data: RegisteredBuffer | [], into: RegisteredBuffer | [], imm?: number): Proc<void> {
  yield* t.right.receive(into);
  yield* t.left.send(data, imm === undefined ? {} : { imm });
  yield* t.sent();
  const { byteLen, opcode, flags, imm: got } = yield* t.received();
  t.expectEqual('byte count', byteLen, Array.isArray(data) ? 0 : data.length);
  t.expectEqual('opcode', opcode, WC_OPCODE.recv);
  t.expectEqual('immediate flag', (flags & WC_FLAG.withImm) !== 0, imm !== undefined);
  if (imm !== undefined) t.expectEqual('immediate data', got, imm);
}

/** Every byte has arrived. */
function compare(t: CaseBench, sent: RegisteredBuffer, into: RegisteredBuffer): void {
  const [from, to] = [t.left.contents(sent), t.right.contents(into.part(0, sent.length))];
  t.expect(Buffer.compare(from, to) === 0, 'the receive holds other bytes than were sent');
}

export const MESSAGES = subject([], {
  *G238(t) {
    const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    yield* sends(t, data, into);
    compare(t, data, into);
  },
  *G239(t) {
    const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    for (let i = 0; i < 500; i++) yield* sends(t, data.part(i, 64), into.part(0, 64));
  },
  *G240(t) {
    yield* sends(t, [], yield* t.right.sink(BYTES));
  },
  *G242(t) {
    const [data, into] = [yield* t.left.source(LARGE), yield* t.right.sink(LARGE)];
    yield* sends(t, data, into);
    compare(t, data, into);
  },
  *G246(t) {
    yield* sends(t, yield* t.left.source(BYTES), yield* t.right.sink(BYTES), IMM);
  },
  *G316(t) {
    yield* t.expectState('rts', t.left, t.right);
  },
  *G318(t) {
    const [data, into] = [yield* t.left.source(64), yield* t.right.sink(64)];
    const depth = Math.min(t.left.qp.maxSendWr, t.right.qp.maxRecvWr);
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < depth; i++) yield* t.right.receive(into);
      for (let i = 0; i < depth; i++) yield* t.left.send(data);
      for (let i = 0; i < depth; i++) {
        yield* t.sent();
        yield* t.received();
      }
    }
  },
  *G401(t) {
    yield* sends(t, yield* t.left.source(BYTES), yield* t.right.sink(BYTES));
  },
  *T_058(t) {
    const [data, into] = [yield* t.left.source(64), yield* t.right.sink(64)];
    for (let i = 0; i < 3; i++) {
      yield* sends(t, [], []);
      yield* sends(t, [], into);
      yield* sends(t, data.part(0, 0), []);
    }
  },
  *G021(t) {
    yield* sends(t, (yield* t.left.source(BYTES)).part(10, 0), (yield* t.right.sink(BYTES)).part(20, 0));
  },
  *G023(t) {
    const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
    yield* sends(t, data.part(0, 0).moved(BYTES + 7), into.part(0, 0).moved(-9));
  },
  *G001(t) {
    const all = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;
    yield* sends(t, yield* t.region(t.left, BYTES, all), yield* t.region(t.right, BYTES, all));
  },
  *G002(t) {
    yield* sends(t, yield* t.region(t.left, BYTES, ACCESS.remoteRead), yield* t.right.sink(BYTES));
  },
  *G004(t) {
    yield* sends(t, yield* t.left.source(BYTES), yield* t.region(t.right, BYTES, ACCESS.localWrite));
  },
});

export const LISTS = subject(
  [],
  {
    *G314(t) {
      const [data, into] = [yield* t.left.source(BYTES), yield* t.right.sink(BYTES)];
      const list = data.split(2);
      yield* t.right.receive(into);
      yield* t.left.send(list);
      list.length = 0;
      yield* t.sent();
      yield* t.received();
      compare(t, data, into);
    },
  },
  { entries: 2 },
);

/** A SEND that the receive which it meets cannot take. */
function* refused(t: CaseBench, into: RegisteredBuffer): Proc<void> {
  yield* t.right.receive(into);
  yield* t.left.send(yield* t.left.source(BYTES));
  yield* t.sent('remOpErr');
  yield* t.received('locProtErr');
  yield* t.expectState('err', t.left, t.right);
}

export const REFUSED_MESSAGES = subject(['naks'], {
  *G003(t) {
    yield* refused(t, yield* t.region(t.right, BYTES, 0));
  },
  *G253(t) {
    const data = yield* t.left.source(BYTES);
    yield* t.right.receive((yield* t.right.sink(BYTES)).part(0, BYTES - 1));
    yield* t.left.send(data);
    yield* t.sent('remInvReqErr');
    yield* t.received('locLenErr');
    yield* t.expectState('err', t.left, t.right);
  },
  *T_055(t) {
    const data = yield* t.left.source(BYTES);
    yield* t.right.receive((yield* t.right.sink(BYTES)).part(0, 1));
    yield* t.right.receive([]);
    yield* t.left.send(data);
    yield* t.sent('remInvReqErr');
    yield* t.received('locLenErr');
    yield* t.received('wrFlushErr');
    yield* t.expectState('err', t.left, t.right);
  },
  *G256(t) {
    const into = yield* t.right.sink(BYTES);
    yield* refused(t, into.moved(1 << 20));
  },
  *G257(t) {
    const into = yield* t.right.sink(BYTES);
    yield* t.right.receive(into);
    yield* t.right.deregister(into);
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.sent('remOpErr');
    yield* t.received('locProtErr');
    yield* t.expectState('err', t.left, t.right);
  },
  *G258(t) {
    yield* refused(t, (yield* t.right.sink(BYTES)).moved(1));
  },
  *G259(t) {
    // The list of the receive leaves its region, and the message does not: either is right.
    const into = yield* t.right.sink(BYTES);
    yield* t.right.receive(into.moved(100));
    yield* t.left.send((yield* t.left.source(BYTES)).part(0, 100));
    yield* t.oneOf(t.left.sent(), 'success', 'remOpErr');
    yield* t.oneOf(t.right.received(), 'success', 'locProtErr');
  },
  *G260(t) {
    yield* refused(t, (yield* t.right.sink(BYTES)).withKey(NO_KEY));
  },
  *G315(t) {
    const data = yield* t.left.source(BYTES);
    yield* t.right.receive((yield* t.right.sink(BYTES)).part(0, 1));
    yield* t.right.receive([]);
    for (let i = 0; i < 3; i++) yield* t.left.send(data);
    yield* t.sent('remInvReqErr');
    for (let i = 0; i < 2; i++) yield* t.sent('wrFlushErr');
    yield* t.received('locLenErr');
    yield* t.received('wrFlushErr');
    yield* t.expectState('err', t.left, t.right);
  },
});

/** A SEND for which no receive is there, at first or ever. */
export const NOT_READY = subject(['naks'], {
  *G254(t) {
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.sent('rnrRetryExcErr');
    yield* t.expectState('err', t.left);
  },
  *G255(t) {
    // With RNR retries that never end, the SEND waits for as long as there is no receive.
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.pause(200);
    t.expectEqual('requests that are outstanding', t.left.qp.sendOutstanding, 1);
    yield* t.right.receive(yield* t.right.sink(BYTES));
    yield* t.sent();
    yield* t.received();
  },
  *G282(t) {
    yield* t.left.write(yield* t.left.source(BYTES), yield* t.right.sink(BYTES), { imm: 1 });
    yield* t.sent('rnrRetryExcErr');
  },
  *G394(t) {
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.sent('rnrRetryExcErr');
    yield* t.sent('wrFlushErr');
  },
  *G395(t) {
    yield* t.left.send(yield* t.left.source(BYTES));
    yield* t.pause(50);
    yield* t.right.receive(yield* t.right.sink(BYTES));
    yield* t.sent();
    yield* t.received();
  },
});

export const SEND_ERRORS = subject([], {
  *G261(t) {
    yield* t.left.send((yield* t.left.source(BYTES)).withKey(NO_KEY));
    yield* t.sent('locProtErr');
    yield* t.expectState('err', t.left);
  },
  *G319(t) {
    const data = yield* t.left.source(BYTES);
    yield* t.left.send(data.withKey(NO_KEY));
    yield* t.left.send(data);
    yield* t.sent('locProtErr');
    yield* t.sent('wrFlushErr');
    yield* t.expectState('rts', t.right);
  },
  *G235(t) {
    yield* t.left.api.modifyQp(t.left.qp, { state: QP_STATE.err });
    yield* t.expectState('err', t.left);
  },
});

/** Data that the request holds itself. */
export const INLINE = subject(['inline'], {
  *G243(t) {
    const [data, into] = [yield* t.left.source(60), yield* t.right.sink(100)];
    const sent = t.left.contents(data);
    yield* t.right.receive(into);
    yield* t.left.send(data.withKey(NO_KEY), { inline: true });
    t.left.fill(data, new Uint8Array(60));
    yield* t.sent();
    yield* t.received();
    t.expect(Buffer.compare(sent, t.right.contents(into.part(0, 60))) === 0, 'what was posted has not arrived');
  },
  *T_064(t) {
    const [data, into] = [yield* t.left.source(100), yield* t.right.sink(100)];
    for (const length of [0, 1, 7, t.left.qp.maxInline]) {
      yield* t.right.receive(into);
      yield* t.left.send(data.part(0, length).withKey(NO_KEY), { inline: true });
      yield* t.sent();
      yield* t.received();
    }
    const tooLong = data.part(0, t.left.qp.maxInline + 1);
    yield* t.expectRefusedCall(
      'inline data that are too long',
      () => t.left.send(tooLong, { inline: true }),
      'TOO_LONG',
    );
  },
  *G244(t) {
    const data = yield* t.left.source(t.left.qp.maxInline + 1);
    yield* t.expectRefusedCall('inline data that are too long', () => t.left.send(data, { inline: true }), 'TOO_LONG');
  },
  *G245(t) {
    const [into, remote] = [yield* t.left.sink(32), yield* t.right.source(32)];
    const inlineRead = () => t.left.read(into, remote, { inline: true } as never);
    yield* t.expectRefusedCall('a READ with inline data', inlineRead, 'UNSUPPORTED');
  },
  *G278(t) {
    const [data, target] = [yield* t.left.source(33), yield* t.right.sink(100)];
    const before = t.right.contents(target.part(33, 67));
    yield* t.left.write(data, target.part(0, 33), { inline: true });
    yield* t.sent();
    yield* t.quiet();
    t.expect(Buffer.compare(before, t.right.contents(target.part(33, 67))) === 0, 'bytes behind the data have changed');
  },
});

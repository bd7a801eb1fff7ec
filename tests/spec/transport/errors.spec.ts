/** What a NIC refuses, and with which status both ends learn of it (roce-transport.md 4.2, 4.4 to 4.6, 5.1, 5.3). */

import { expect } from 'chai';
import { RecvWr, SendWr } from '../../../agents/verbs/verbsItems.ts';
import { ACCESS, QP_STATE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { type End, RcConnection } from '../support/rcConnection.ts';

type Drive = (test: Errors, a: End, b: End) => Proc;

/** The scoreboard is off: it would, rightly, complain about each of these runs. */
class Errors extends RcConnection {
  static drive: Drive;
  protected readonly settings = { checkLevel: CHECK_LEVEL.off };
  readonly sent: number[] = [];
  readonly received: number[] = [];
  readonly states: number[] = [];

  protected override *traffic(a: End, b: End): Proc {
    yield* Errors.drive(this, a, b);
    yield* delay(1_000_000);
    for (const end of [a, b]) this.states.push((yield* end.api.queryQp(end.qp)).state);
  }

  *sends(a: End, wrs: readonly SendWr[]): Proc {
    yield* a.api.postSend(a.qp, wrs, wrs.length);
    this.sent.push(...(yield* this.take(a, wrs.length, (wc) => wc.status)));
  }

  *receives(b: End, count: number): Proc {
    this.received.push(...(yield* this.take(b, count, (wc) => wc.status)));
  }
}

function send(opcode: number, a: End, b: End, change: (wr: SendWr) => void = () => {}): SendWr {
  const wr = new SendWr();
  wr.opcode = opcode;
  wr.setNumSge(1);
  const local = opcode === WR_OPCODE.rdmaRead ? a.target : a.source;
  const remote = opcode === WR_OPCODE.rdmaRead ? b.source : b.target;
  Object.assign(wr.sges[0] as object, { hi: local.hi, lo: local.lo, length: 3000, lkey: local.key });
  Object.assign(wr, { remoteHi: remote.hi, remoteLo: remote.lo, rkey: remote.key });
  change(wr);
  return wr;
}

function recv(b: End, length: number, lkey = b.target.key): RecvWr {
  const wr = new RecvWr();
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: b.target.hi, lo: b.target.lo + 8192, length, lkey });
  return wr;
}

describe('a request that a NIC must refuse', () => {
  function play(drive: Drive): Errors {
    Errors.drive = drive;
    const run = new Run({ seed: 1, testName: 'errors', sink: () => {} });
    run.factory.register('errors', Errors);
    run.runTest();
    return run.root.find('uvm_test_top') as Errors;
  }

  const { rdmaWrite, rdmaRead, send: sendOp, rdmaWriteWithImm } = WR_OPCODE;
  const S = WC_STATUS;
  const unknownRemote = { rkey: 0x7777 };
  const unknownLocal = { lkey: 0x7777 };
  /** What is wrong, on which operation, what it changes in the request or its SG entry, and the status. */
  const refusals: readonly (readonly [string, number, (wr: SendWr, b: End) => object, number])[] = [
    ['a WRITE with an unknown R_Key', rdmaWrite, (wr) => Object.assign(wr, unknownRemote), S.remAccessErr],
    [
      'a WRITE with the right index and another key tag',
      rdmaWrite,
      (wr) => Object.assign(wr, { rkey: wr.rkey + (1 << 20) }),
      S.remAccessErr,
    ],
    [
      'a WRITE that ends one byte behind the region',
      rdmaWrite,
      (wr, b) => Object.assign(wr, { remoteLo: b.target.lo + (1 << 20) - 2999 }),
      S.remAccessErr,
    ],
    [
      'a WRITE that begins one byte before the region',
      rdmaWrite,
      (wr) => Object.assign(wr, { remoteLo: wr.remoteLo - 1, remoteHi: wr.remoteHi - 1 }),
      S.remAccessErr,
    ],
    ['a READ with an unknown R_Key', rdmaRead, (wr) => Object.assign(wr, unknownRemote), S.remAccessErr],
    [
      'a WRITE with an unknown L_Key',
      rdmaWrite,
      (wr) => Object.assign(wr.sges[0] as object, unknownLocal),
      S.locProtErr,
    ],
    [
      'a READ into memory with an unknown L_Key',
      rdmaRead,
      (wr) => Object.assign(wr.sges[0] as object, unknownLocal),
      S.locProtErr,
    ],
  ];

  for (const [what, opcode, change, status] of refusals) {
    it(`${what}: status ${status}, what follows is flushed, the queue pair is in error (T-033, T-051)`, () => {
      const test = play(function* (self, a, b) {
        const good = send(rdmaWrite, a, b);
        yield* self.sends(a, [good, send(opcode, a, b, (wr) => change(wr, b)), good, good]);
      });
      expect(test.sent).to.deep.equal([S.success, status, S.wrFlushErr, S.wrFlushErr]);
      expect(test.states[0]).to.equal(QP_STATE.err);
    });
  }

  it('a WRITE to a region of another protection domain (T-051)', () => {
    const test = play(function* (self, a, b) {
      const other = b.api.allocPd(1);
      const range = { hi: b.target.hi, lo: b.target.lo + (1 << 21), length: 8192 };
      const mr = yield* b.api.regMr(other, { ...range, access: ACCESS.localWrite | ACCESS.remoteWrite });
      yield* self.sends(a, [send(rdmaWrite, a, b, (wr) => Object.assign(wr, { remoteLo: mr.lo, rkey: mr.key }))]);
    });
    expect(test.sent).to.deep.equal([S.remAccessErr]);
    expect(test.states).to.deep.equal([QP_STATE.err, QP_STATE.err]);
  });

  it('a WRITE to a region without the right to write (T-051)', () => {
    const test = play(function* (self, a, b) {
      const range = { hi: b.target.hi, lo: b.target.lo + (1 << 21), length: 8192 };
      const mr = yield* b.api.regMr(b.pd, { ...range, access: ACCESS.localWrite | ACCESS.remoteRead });
      yield* self.sends(a, [send(rdmaWrite, a, b, (wr) => Object.assign(wr, { remoteLo: mr.lo, rkey: mr.key }))]);
    });
    expect(test.sent).to.deep.equal([S.remAccessErr]);
  });

  it('a SEND longer than its receive: invalid request there, local length here (T-055)', () => {
    const test = play(function* (self, a, b) {
      yield* b.api.postRecv(b.qp, [recv(b, 2999), recv(b, 4000)], 2);
      yield* self.sends(a, [send(sendOp, a, b)]);
      yield* self.receives(b, 2);
    });
    expect(test.sent).to.deep.equal([S.remInvReqErr]);
    expect(test.received).to.deep.equal([S.locLenErr, S.wrFlushErr]);
    expect(test.states).to.deep.equal([QP_STATE.err, QP_STATE.err]);
  });

  it('a SEND into a receive with a bad L_Key: remote operation error, local protection error (T-056)', () => {
    const test = play(function* (self, a, b) {
      yield* b.api.postRecv(b.qp, [recv(b, 4000, 0x7777)], 1);
      yield* self.sends(a, [send(sendOp, a, b)]);
      yield* self.receives(b, 1);
    });
    expect(test.sent).to.deep.equal([S.remOpErr]);
    expect(test.received).to.deep.equal([S.locProtErr]);
  });

  it('a WRITE with immediate and a bad R_Key: the receive completes with a local access error (T-061)', () => {
    const test = play(function* (self, a, b) {
      yield* b.api.postRecv(b.qp, [recv(b, 100)], 1);
      const change = (wr: SendWr): void => {
        wr.rkey = 0x7777;
        (wr.sges[0] as { length: number }).length = 500;
      };
      yield* self.sends(a, [send(rdmaWriteWithImm, a, b, change)]);
      yield* self.receives(b, 1);
    });
    expect(test.sent).to.deep.equal([S.remAccessErr]);
    expect(test.received).to.deep.equal([S.locAccessErr]);
  });

  it('accepts a zero-length WRITE and READ whatever the R_Key (T-054)', () => {
    const test = play(function* (self, a, b) {
      const empty = (wr: SendWr): void => {
        wr.setNumSge(0);
        wr.rkey = 0x7777;
      };
      yield* self.sends(a, [send(rdmaWrite, a, b, empty), send(rdmaRead, a, b, empty)]);
    });
    expect(test.sent).to.deep.equal([S.success, S.success]);
    expect(test.states).to.deep.equal([QP_STATE.rts, QP_STATE.rts]);
  });

  it('flushes what is posted in the error state, on both queues (T-075)', () => {
    const test = play(function* (self, a, b) {
      yield* a.api.modifyQp(a.qp, { state: QP_STATE.err });
      yield* a.api.postRecv(a.qp, [recv(a, 64)], 1);
      yield* self.sends(a, [send(rdmaWrite, a, b), send(sendOp, a, b)]);
    });
    expect(test.sent.every((status) => status === S.wrFlushErr)).to.equal(true);
  });
});

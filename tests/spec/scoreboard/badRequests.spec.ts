import { expect } from 'chai';
import { ACCESS, QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { Entry } from './fakeWorld.ts';
import { DST_HI, FakeWorld, PROCESS, QPN, RECV_CQ, SEND_CQ, SRC_HI } from './fakeWorld.ts';

const { rdmaWrite, rdmaRead } = WR_OPCODE;
const LIST: Entry[] = [[SRC_HI, 0, 100]];
const INTO: Entry[] = [[DST_HI, 0, 100]];
const EMPTY: Entry[] = [];
const S = WC_STATUS;

/** Host 1 permits only `access` from now on; with `done` false, it is about to. */
function permit(w: FakeWorld, access: number, done: boolean, type: number = QP_TYPE.rc): void {
  const plain = { process: PROCESS, mtu: 1024, sqPsn: 0, rqPsn: 0, qkey: 0, ackTimeout: 0, rnrRetry: 7 };
  const queues = { sendCqn: SEND_CQ[1], recvCqn: RECV_CQ[1], remoteHost: 0, remoteQpn: QPN[0], signalAll: true };
  const info = { ...plain, ...queues, host: 1, qpn: QPN[1], type, access };
  if (done) w.oracle.qpChanged(info);
  else w.oracle.qpChanging(info);
}

describe('an operation that the peer does not permit', () => {
  const requests = [
    [LIST, { opcode: rdmaWrite }, ACCESS.remoteRead],
    [EMPTY, { opcode: rdmaWrite }, ACCESS.remoteRead],
    [INTO, { opcode: rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 0] as const }, ACCESS.remoteWrite],
    [[[DST_HI, 0, 8]] as Entry[], { opcode: WR_OPCODE.atomicFetchAndAdd }, ACCESS.remoteWrite],
  ] as const;

  it('must end with REM_INV_REQ_ERR, whatever its length; SUCCESS is reported', () => {
    for (const [entries, over, access] of requests) {
      for (const status of [S.remInvReqErr, S.remAccessErr, S.success]) {
        const w = new FakeWorld();
        permit(w, access, true);
        w.sendDone(w.send(entries, over), { status });
        w.oracle.finish();
        expect(w.ids()).to.deep.equal(status === S.remInvReqErr ? [] : [SCB.status]);
        if (status === S.success)
          expect(w.reports[0]?.text).to.contain('REM_INV_REQ_ERR because the peer does not permit the operation');
      }
    }
  });

  it('succeeds when the peer permits it again, and must not be refused then', () => {
    for (const status of [S.success, S.remInvReqErr]) {
      const w = new FakeWorld();
      permit(w, 0, true);
      permit(w, ACCESS.remoteWrite, true);
      const s = w.send(LIST, { opcode: rdmaWrite });
      w.scatter(1, [[DST_HI, 0, 100]], w.gather(0, LIST));
      w.sendDone(s, { status });
      w.oracle.quiet();
      expect(w.ids()).to.deep.equal(status === S.success ? [] : [SCB.status]);
    }
  });

  it('may be refused or not while that changes', () => {
    for (const status of [S.success, S.remInvReqErr, S.remAccessErr]) {
      for (const before of [true, false]) {
        const w = new FakeWorld();
        if (!before) permit(w, 0, false);
        const s = w.send(LIST, { opcode: rdmaWrite });
        if (before) permit(w, 0, false);
        permit(w, 0, true);
        if (status === S.success) w.scatter(1, [[DST_HI, 0, 100]], w.gather(0, LIST));
        w.sendDone(s, { status });
        w.oracle.quiet();
        w.oracle.finish();
        expect(w.ids()).to.deep.equal(status === S.remAccessErr ? [SCB.status] : []);
      }
    }
  });

  it('comes to nothing on UC, and its data must not arrive', () => {
    for (const arrives of [false, true]) {
      const w = new FakeWorld({}, QP_TYPE.uc);
      permit(w, 0, true, QP_TYPE.uc);
      const s = w.send(LIST, { opcode: rdmaWrite });
      if (arrives) w.scatter(1, [[DST_HI, 0, 100]], w.gather(0, LIST));
      w.sendDone(s);
      w.oracle.quiet();
      expect(w.ids()).to.deep.equal(arrives ? [SCB.strayWrite] : []);
    }
  });
});

describe('an operation that the service does not have', () => {
  it('must end with LOC_QP_OP_ERR', () => {
    const cases = [
      [QP_TYPE.uc, rdmaRead],
      [QP_TYPE.ud, rdmaRead],
      [QP_TYPE.ud, rdmaWrite],
      [QP_TYPE.ud, WR_OPCODE.rdmaWriteWithImm],
    ] as const;
    for (const [type, opcode] of cases) {
      for (const status of [S.locQpOpErr, S.success]) {
        const w = new FakeWorld({}, type);
        w.sendDone(w.send(INTO, { opcode }), { status });
        w.oracle.finish();
        expect(w.ids()).to.deep.equal(status === S.success ? [SCB.status] : []);
        expect(w.oracle.outstanding).to.equal(0);
      }
    }
  });

  it('is a datagram of more than one packet: LOC_LEN_ERR', () => {
    for (const [length, status, right] of [
      [1024, S.success, true],
      [1024, S.locLenErr, false],
      [1025, S.locLenErr, true],
      [1025, S.success, false],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.ud);
      w.sendDone(w.send([[SRC_HI, 0, length]]), { status });
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(right ? [] : [SCB.status]);
    }
  });
});

describe('a datagram with two mistakes', () => {
  it('may end with either error: its key and its length are looked at in no order', () => {
    for (const [status, lkey, right] of [
      [S.locLenErr, 0x7777, true],
      [S.locProtErr, 0x7777, true],
      [S.locProtErr, SRC_HI, false],
      [S.success, 0x7777, false],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.ud);
      w.sendDone(w.send([[SRC_HI, 0, 1025]], { lkeys: [lkey], unsent: true }), { status });
      expect(w.ids()).to.deep.equal(right ? [] : [SCB.status]);
    }
  });
});

describe('a message longer than 2^31 bytes', () => {
  const pieces = (count: number): Entry[] => Array.from({ length: count }, () => [SRC_HI, 0, 2 ** 27]);

  it('must end with LOC_LEN_ERR, whatever its peer would make of it', () => {
    for (const type of [QP_TYPE.rc, QP_TYPE.uc]) {
      for (const [count, status, right] of [
        [17, S.locLenErr, true],
        [17, S.remAccessErr, false],
        [17, S.success, false],
        [16, S.locLenErr, false],
      ] as const) {
        const w = new FakeWorld({}, type);
        w.sendDone(w.send(pieces(count), { opcode: rdmaWrite, unsent: true }), { status });
        expect(w.ids()).to.deep.equal(right ? [] : [SCB.status]);
      }
    }
  });
});

describe('a message longer than its receive', () => {
  function play(sender: number, receiver: number, senderFirst: boolean, room = 99): string[] {
    const w = new FakeWorld();
    const r = w.recv([[DST_HI, 0, room]]);
    const s = w.send(LIST);
    const done = [(): void => w.recvDone(r, s, { status: receiver }), (): void => w.sendDone(s, { status: sender })];
    for (const step of senderFirst ? done.reverse() : done) step();
    w.oracle.finish();
    return w.ids();
  }

  it('must end with LOC_LEN_ERR there and REM_INV_REQ_ERR here, in either order', () => {
    for (const order of [true, false]) {
      expect(play(S.remInvReqErr, S.locLenErr, order)).to.deep.equal([]);
      expect(play(S.success, S.success, order)).to.deep.equal([SCB.recvLen]);
    }
    expect(play(S.success, S.locLenErr, false)).to.deep.equal([SCB.status]);
  });

  it('is no excuse for these errors where the message fits', () => {
    for (const order of [true, false]) expect(play(S.remInvReqErr, S.locLenErr, order, 100)).to.include(SCB.status);
  });
});

describe('a WRITE with immediate whose remote key does not open the range', () => {
  it('ends its receive with LOC_ACCESS_ERR, before or after its sender hears of it; a plain one and a SEND do not', () => {
    for (const [opcode, found] of [
      [WR_OPCODE.rdmaWriteWithImm, 0],
      [WR_OPCODE.rdmaWrite, 1],
      [WR_OPCODE.send, 2],
    ] as const) {
      for (const senderFirst of [false, true]) {
        const w = new FakeWorld({ receivesMayRemain: true });
        const recv = w.recv(INTO);
        const send = w.send(LIST, { opcode, rkey: 0x7777 });
        if (senderFirst) w.sendDone(send, { status: S.remAccessErr });
        w.recvDone(recv, send, { status: S.locAccessErr });
        if (!senderFirst) w.sendDone(send, { status: S.remAccessErr });
        w.oracle.finish();
        expect(w.ids(), `opcode ${opcode}`).to.deep.equal(new Array(found).fill(SCB.status));
      }
    }
  });
});

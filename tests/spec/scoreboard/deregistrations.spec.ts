import { expect } from 'chai';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';
import { EMPTY_SEND } from './wirePackets.ts';

describe('a WRITE that has completed and whose region goes', () => {
  const SOURCE: Entry[] = [[SRC_HI, 40, 3000]];
  const WRITE = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] as const };

  /** Ids when only the first `arrived` bytes of a WRITE come, and its region is closed, or not, before the end. */
  function cut(type: number, arrived: number, gone: boolean): string[] {
    const w = new FakeWorld({}, type);
    const write = w.send(SOURCE, WRITE);
    w.sendDone(write);
    w.scatter(1, [[DST_HI, 5000, arrived]], w.gather(0, SOURCE).subarray(0, arrived));
    if (gone) w.oracle.mrDeregistering(1, DST_HI);
    w.oracle.quiet();
    w.oracle.finish();
    return w.ids();
  }

  it('may be cut short on UC, which completes it before it arrives', () => {
    expect([cut(QP_TYPE.uc, 1024, true), cut(QP_TYPE.uc, 0, true)]).to.deep.equal([[], []]);
    expect(cut(QP_TYPE.uc, 1024, false)).to.deep.equal([SCB.data]);
  });

  it('must be there on RC, where its completion says so', () => {
    expect(cut(QP_TYPE.rc, 1024, true)).to.deep.equal([SCB.data]);
    expect(cut(QP_TYPE.rc, 3000, true)).to.deep.equal([]);
  });
});

describe('a READ that is asked for again and answered meanwhile', () => {
  const TARGET: Entry[] = [[DST_HI, 40, 60]];
  const READ = { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 0] as const };

  /** Ids when the responder flushes a receive after what permitted the READ is gone. */
  function refused(retransmission: boolean, withdraw: (w: FakeWorld) => void): string[] {
    const w = new FakeWorld({ receivesMayRemain: true });
    const recv = w.recv([[DST_HI, 0x4000, 60]]);
    const read = w.send(TARGET, READ);
    const request = { ...EMPTY_SEND, opcode: BTH_CLASS.rc | BTH_OP.readRequest, rkey: SRC_HI, dmaLength: 60 };
    for (const again of [false, retransmission]) w.oracle.packet({ ...request, retransmission: again });
    w.scatter(0, TARGET, w.gather(1, [[SRC_HI, 0, 60]]));
    w.sendDone(read);
    withdraw(w);
    w.flushed(recv);
    return w.ids();
  }

  it('may be refused when its region goes or is forbidden, and take its responder to the error state', () => {
    const ways: readonly ((w: FakeWorld) => void)[] = [
      (w) => w.oracle.mrDeregistering(1, SRC_HI),
      (w) => w.oracle.qpChanging(w.info(1, QPN[1], QP_TYPE.rc, { access: 0 })),
    ];
    for (const way of ways) {
      expect(refused(true, way)).not.to.include(SCB.status);
      expect(refused(false, way)).to.include(SCB.status);
    }
  });
});

import { expect } from 'chai';
import { QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';

describe('a WRITE to a queue pair in ERR', () => {
  const SOURCE: Entry[] = [[SRC_HI, 40, 300]];
  const WRITE = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] as const };

  /** Ids when a WRITE is posted after the command has begun, or has `ended`, and is executed or not. */
  function written(type: number, ended: boolean, executed: boolean): string[] {
    const w = new FakeWorld({}, type);
    w.oracle.qpToErr(1, QPN[1]);
    if (ended) w.oracle.qpInErr(1, QPN[1]);
    const write = w.send(SOURCE, WRITE);
    if (executed) w.scatter(1, [[DST_HI, 5000, 300]], w.gather(0, SOURCE));
    w.sendDone(write, type === QP_TYPE.rc ? { status: WC_STATUS.retryExcErr } : {});
    w.oracle.quiet();
    w.oracle.finish();
    return w.ids();
  }

  it('must not be executed once the NIC has said that it is there', () => {
    for (const type of [QP_TYPE.rc, QP_TYPE.uc]) {
      expect(written(type, true, false), `type ${type}`).to.deep.equal([]);
      expect(written(type, true, true), `type ${type}`).to.deep.equal([SCB.strayWrite, SCB.guard]);
    }
  });

  it('may be executed as long as the command is under way', () => {
    expect(written(QP_TYPE.rc, false, true)).to.deep.equal([]);
  });
});

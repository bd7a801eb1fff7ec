import { expect } from 'chai';
import { QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, SRC_HI } from './fakeWorld.ts';

describe('a WRITE that has completed and whose region goes', () => {
  const SOURCE: Entry[] = [[SRC_HI, 40, 3000]];
  const WRITE = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] as const };

  /** Ids when only the first `arrived` bytes of a WRITE come, and its region is closed, or not, before the end. */
  function cut(type: number, arrived: number, gone: boolean): string[] {
    const w = new FakeWorld({}, type);
    const write = w.send(SOURCE, WRITE);
    w.sendDone(write);
    w.scatter(1, [[DST_HI, 5000, arrived]], w.gather(0, SOURCE).subarray(0, arrived));
    if (gone) w.oracle.mrGone(1, DST_HI);
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

import { expect } from 'chai';
import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import { WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, SRC_HI } from './fakeWorld.ts';

describe('two WRITEs to the same bytes that are outstanding together', () => {
  const sources: Entry[][] = [[[SRC_HI, 0, 100]], [[SRC_HI, 0x1000, 100]]];

  for (const [writesInAnyOrder, found] of [
    [true, []],
    [false, [SCB.data]],
  ] as const)
    it(`may ${writesInAnyOrder ? '' : 'not '}leave those of the first where ${writesInAnyOrder ? 'any order' : 'their own'} is promised`, () => {
      const w = new FakeWorld({ profile: { ...HANGU_PROFILE, writesInAnyOrder } });
      const remote = [DST_HI, 0x40] as const;
      const writes = sources.map((source) => w.send(source, { opcode: WR_OPCODE.rdmaWrite, remote }));
      for (const source of [...sources].reverse()) w.scatter(1, [[DST_HI, 0x40, 100]], w.gather(0, source));
      for (const write of writes) w.sendDone(write);
      w.oracle.quiet();
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(found);
    });
});

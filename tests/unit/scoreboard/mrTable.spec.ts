import { expect } from 'chai';
import fc from 'fast-check';
import type { MrInfo } from '../../../agents/verbs/verbsItems.ts';
import { MrTable, NO_REGION } from '../../../scoreboard/mrTable.ts';

const region: fc.Arbitrary<MrInfo> = fc.record({
  host: fc.integer({ min: 0, max: 3 }),
  process: fc.integer({ min: 0, max: 1 << 20 }),
  pd: fc.nat(),
  key: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 0xffff_ffff })),
  hi: fc.integer(),
  lo: fc.integer(),
  length: fc.oneof(fc.nat(), fc.integer({ min: 0, max: 2 ** 50 })),
  access: fc.nat({ max: 31 }),
  zeroBased: fc.boolean(),
});

const step = fc.oneof(
  region.map((info) => ({ add: true, info })),
  region.map((info) => ({ add: false, info })),
);

function described(mrs: MrTable, m: number): object {
  return {
    host: mrs.host(m),
    process: mrs.process(m),
    key: mrs.key(m),
    hi: mrs.hi(m),
    lo: mrs.lo(m),
    length: mrs.length(m),
    access: mrs.access(m),
    zeroBased: mrs.isZeroBased(m),
  };
}

function withoutPd({ pd: _, ...rest }: MrInfo): object {
  return rest;
}

describe('MrTable', () => {
  it('knows what was added last under each key of each host, and nothing that was removed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const mrs = new MrTable();
        const model = new Map<string, MrInfo>();
        for (const { add, info } of steps) {
          const name = `${info.host}/${info.key}`;
          if (add) {
            mrs.add(info);
            model.set(name, info);
          } else {
            mrs.remove(info.host, info.key);
            model.delete(name);
            expect(mrs.find(info.host, info.key)).to.equal(NO_REGION);
          }
        }
        for (const info of model.values()) {
          expect(described(mrs, mrs.find(info.host, info.key))).to.deep.equal(withoutPd(info));
          if (info.zeroBased) expect(mrs.zeroBasedMark(info.key)).to.equal(1);
        }
        const all = [...mrs.all()].map((m) => described(mrs, m));
        expect(all).to.have.deep.members([...model.values()].map(withoutPd));
      }),
      { numRuns: 50 },
    );
  });

  it('stays as small as what is registered, however often regions come and go', () => {
    const mrs = new MrTable();
    const info: MrInfo = { host: 0, process: 1, pd: 1, key: 0, hi: 1, lo: 2, length: 3, access: 4, zeroBased: false };
    for (let key = 1; key < 5000; key++) {
      mrs.add({ ...info, key });
      mrs.remove(0, key - 10);
    }
    expect([...mrs.all()].length).to.equal(10);
    expect(Math.max(...mrs.all())).to.be.below(200);
    expect(mrs.find(0, 4999)).not.to.equal(NO_REGION);
    expect(mrs.find(0, 4989)).to.equal(NO_REGION);
    expect(mrs.find(1, 4999)).to.equal(NO_REGION);
  });
});

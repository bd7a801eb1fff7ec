import { expect } from 'chai';
import fc from 'fast-check';
import { computeBudget } from '../../../env/budget.ts';
import type { BudgetConfig } from '../../../env/budget.ts';
import { IcmAllocator, pageOf } from '../../../env/providers/hangu/icmAllocator.ts';
import { planRings, ringProblems } from '../../../env/providers/hangu/ringPlan.ts';

const BASE: BudgetConfig = {
  hosts: 2,
  processes: 2,
  rcQps: 2,
  ucQps: 0,
  udQps: 0,
  doorbells: 1,
  sends: 0,
  writes: 1,
  reads: 0,
  sgNum: 1,
  sgBytes: 10,
  grain: 'sg',
};

function need(config: BudgetConfig, name: string): number {
  return computeBudget(config).items.find((i) => i.name === name)?.need ?? -1;
}

describe('computeBudget', () => {
  it('finds nothing wrong with a small run', () => {
    expect(computeBudget(BASE).problems).to.deep.equal([]);
    expect(need(BASE, 'queue pairs')).to.equal(2);
    expect(need(BASE, 'completion queues')).to.equal(2);
    expect(need(BASE, 'protection entries')).to.equal(3 * 2 + 2 + 2 * 2);
  });

  it('lets all limits of the published table work at once', () => {
    const largest = {
      ...BASE,
      rcQps: 4000,
      ucQps: 2191,
      udQps: 2001,
      doorbells: 10,
      sends: 10,
      writes: 10,
      reads: 10,
      sgNum: 6,
    };
    expect(computeBudget({ ...largest, grain: 'qp' }).problems).to.deep.equal([]);
  });

  it('says what to lower for every limit that is passed', () => {
    const cases: readonly (readonly [Partial<BudgetConfig>, string])[] = [
      [{ rcQps: 8193 }, 'queue pairs'],
      [{ rcQps: 4097, splitCq: true }, 'completion queues'],
      [{ rcQps: 8192, doorbells: 10, writes: 30, sgNum: 6 }, 'protection entries'],
      [{ rcQps: 4096, sgBytes: 8 * 2 ** 20 }, 'translation entries'],
      [{ writes: 30, doorbells: 10, sgNum: 6, sgBytes: 2 ** 27 }, 'bytes of an area'],
      [{ rcQps: 2000, writes: 30, qpsPerCq: 2000 }, 'completion queue entries'],
    ];
    for (const [change, name] of cases) {
      const problems = computeBudget({ ...BASE, ...change }).problems;
      expect(
        problems.some((p) => p.startsWith(`${name}: `)),
        name,
      ).to.equal(true);
      for (const p of problems) expect(p).to.match(/needed, \d+ possible; lower /);
    }
  });

  it('never needs less when something grows', () => {
    const small = fc.record({
      rcQps: fc.nat(50),
      ucQps: fc.nat(50),
      udQps: fc.nat(50),
      doorbells: fc.integer({ min: 1, max: 10 }),
      sends: fc.nat(10),
      writes: fc.nat(10),
      reads: fc.nat(10),
      sgNum: fc.integer({ min: 1, max: 6 }),
      sgBytes: fc.nat(100000),
    });
    fc.assert(
      fc.property(
        small,
        fc.constantFrom('rcQps', 'udQps', 'doorbells', 'sends', 'writes', 'sgNum', 'sgBytes'),
        (config, grown) => {
          const before = computeBudget({ ...BASE, ...config }).items;
          const after = computeBudget({ ...BASE, ...config, [grown]: config[grown as 'rcQps'] + 1 }).items;
          for (const [i, item] of before.entries()) {
            // The heaviest queue pair may change its type, and slots are rounded; their number alone says little.
            if (item.name.includes('slots')) continue;
            expect(after[i]?.need, item.name).to.be.at.least(item.need);
          }
        },
      ),
    );
  });
});

describe('planRings', () => {
  it('keeps the published geometry for connected queue pairs', () => {
    expect(planRings({ type: 2, maxSendWr: 30, maxRecvWr: 30, maxSge: 6 })).to.deep.equal({
      sqStrideLog: 7,
      rqStrideLog: 7,
      sqSlots: 32,
      rqSlots: 32,
    });
  });

  it('widens the slots of datagram queue pairs with six entries', () => {
    const plan = planRings({ type: 4, maxSendWr: 32, maxRecvWr: 32, maxSge: 7 });
    expect(plan).to.deep.equal({ sqStrideLog: 8, rqStrideLog: 8, sqSlots: 32, rqSlots: 64 });
  });

  it('always leaves one receive slot empty', () => {
    fc.assert(
      fc.property(fc.nat(5000), (maxRecvWr) => {
        expect(planRings({ type: 2, maxSendWr: 1, maxRecvWr, maxSge: 1 }).rqSlots).to.be.above(maxRecvWr);
      }),
    );
  });

  it('says what the NIC cannot do', () => {
    expect(ringProblems({ type: 2, maxSendWr: 1e6, maxRecvWr: 1, maxSge: 30 }, 0x80_0000).join()).to.match(
      /send ring.*lower maxSendWr/,
    );
    expect(ringProblems({ type: 2, maxSendWr: 1, maxRecvWr: 1, maxSge: 30 }, 0x80_0000).join()).to.match(
      /lower maxSge/,
    );
  });
});

describe('IcmAllocator', () => {
  it('maps every page exactly once, in chunks of at most 255, and gives all of them back', () => {
    const step = fc.record({ index: fc.nat(200000), count: fc.integer({ min: 1, max: 200000 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const icm = new IcmAllocator();
        const mapped = new Set<number>();
        for (const { index, count } of steps) {
          for (const chunk of icm.need('mtt', index, count)) {
            expect(chunk.pages).to.be.within(1, 255);
            for (let p = chunk.first; p < chunk.first + chunk.pages; p++) {
              expect(mapped.has(p)).to.equal(false);
              mapped.add(p);
            }
          }
          expect(mapped.has(pageOf('mtt', index)) && mapped.has(pageOf('mtt', index + count - 1))).to.equal(true);
        }
        expect(icm.pages).to.equal(mapped.size);
        for (const chunk of icm.releaseAll())
          for (let p = chunk.first; p < chunk.first + chunk.pages; p++) mapped.delete(p);
        expect([mapped.size, icm.pages]).to.deep.equal([0, 0]);
      }),
    );
  });

  it('finds the page by the number of the entry', () => {
    expect([pageOf('cqc', 254), pageOf('cqc', 256), pageOf('qpc', 15), pageOf('qpc', 16)]).to.deep.equal([3, 4, 0, 1]);
  });
});

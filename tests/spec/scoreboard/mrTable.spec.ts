import { expect } from 'chai';
import fc from 'fast-check';
import type { MrInfo } from '../../../agents/verbs/verbsItems.ts';
import { ACCESS } from '../../../rdma/verbs.ts';
import { MrTable, NO_REGION, type Region } from '../../../scoreboard/model/mrTable.ts';

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

function described(mrs: MrTable, m: Region): object {
  return {
    host: mrs.host(m),
    process: mrs.process(m),
    pd: mrs.pd(m),
    key: mrs.key(m),
    hi: mrs.hi(m),
    lo: mrs.lo(m),
    length: mrs.length(m),
    access: mrs.access(m),
    zeroBased: mrs.isZeroBased(m),
  };
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
          expect(described(mrs, mrs.find(info.host, info.key))).to.deep.equal(info);
          if (info.zeroBased) expect(mrs.zeroBasedMark(info.key)).to.equal(1);
        }
        const all = [...mrs.all()].map((m) => described(mrs, m));
        expect(all).to.have.deep.members([...model.values()]);
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

const REGION: MrInfo = {
  host: 0,
  process: 1,
  pd: 3,
  key: 7,
  hi: 5,
  lo: 0x9000_0000 | 0,
  length: 100,
  access: ACCESS.localWrite,
  zeroBased: false,
};

function opens(
  table: MrTable,
  host: number,
  key: number,
  pd: number,
  right: number,
  hi: number,
  lo: number,
  length: number,
): boolean {
  const m = table.find(host, key);
  return m !== NO_REGION && table.allows(m, pd, right) && table.holds(m, hi, lo, length);
}

describe('the rights of a key', () => {
  /** Each question is asked twice: the second answer may come from what was noted. */
  function covers(change: Partial<MrInfo>, asked: Partial<MrInfo & { right: number }> = {}): boolean {
    const table = new MrTable();
    const region = { ...REGION, ...change };
    table.add(region);
    const q = { right: 0, ...region, ...asked };
    const ask = (r: typeof q) => opens(table, r.host, r.key, r.pd, r.right, r.hi, r.lo, r.length);
    const first = ask(q);
    expect(ask({ ...region, right: 0 }), 'the region itself').to.equal(true);
    expect(ask(q), 'asked again').to.equal(first);
    table.remove(region.host, region.key);
    expect(ask({ ...region, right: 0 }), 'after its removal').to.equal(false);
    return first;
  }

  it('opens a region to its key, up to both ends', () => {
    const { lo } = REGION;
    expect(covers({})).to.equal(true);
    expect(covers({}, { lo: lo + 99, length: 1 })).to.equal(true);
    expect(covers({}, { lo: lo + 99, length: 2 })).to.equal(false);
    expect(covers({}, { lo: lo - 1, length: 1 })).to.equal(false);
    expect(covers({}, { hi: 4 })).to.equal(false);
    expect(covers({}, { lo: 0, length: 1 })).to.equal(false);
  });

  it('opens it to no other key, host or protection domain, and for no right that it lacks', () => {
    expect(covers({}, { key: 8 })).to.equal(false);
    expect(covers({}, { key: 7 + (1 << 12) })).to.equal(false);
    expect(covers({}, { host: 1 })).to.equal(false);
    expect(covers({}, { host: 8, key: 7 })).to.equal(false);
    expect(covers({}, { pd: 4 })).to.equal(false);
    expect(covers({}, { pd: -1 })).to.equal(true);
    expect(covers({}, { right: ACCESS.localWrite })).to.equal(true);
    expect(covers({}, { right: ACCESS.remoteRead })).to.equal(false);
  });

  it('knows regions that cross 4 GiB, long ones, and zero-based ones', () => {
    const crossing = { lo: -16, length: 4096 };
    expect(covers(crossing, { hi: 6, lo: 4079, length: 1 })).to.equal(true);
    expect(covers(crossing, { hi: 6, lo: 4080, length: 1 })).to.equal(false);
    expect(covers(crossing, { lo: 0, length: 1 })).to.equal(false);
    expect(covers({ lo: 0, length: 2 ** 33 }, { hi: 6, lo: 0, length: 2 ** 31 })).to.equal(true);
    const table = new MrTable();
    table.add({ ...REGION, zeroBased: true });
    expect(opens(table, 0, 7, 3, 0, 0, 99, 1)).to.equal(true);
    expect(opens(table, 0, 7, 3, 0, 0, 100, 1)).to.equal(false);
    expect(opens(table, 0, 7, 3, 0, REGION.hi, REGION.lo, 1)).to.equal(false);
  });

  it('keeps thousands of regions of several hosts apart, while others come and go', () => {
    const table = new MrTable();
    const lo = (key: number, host: number) => key * 0x1000 + host;
    for (let key = 1; key <= 3000; key++) {
      for (const host of [0, 1]) table.add({ ...REGION, host, key, lo: lo(key, host) });
      if (key % 3 === 0) table.remove(0, key);
    }
    for (let key = 1; key <= 3000; key++) {
      for (const host of [0, 1]) {
        const gone = host === 0 && key % 3 === 0;
        const m = table.find(host, key);
        expect(m === NO_REGION ? undefined : table.lo(m)).to.equal(gone ? undefined : lo(key, host));
        expect(opens(table, host, key, 3, 0, REGION.hi, lo(key, host), 100)).to.equal(!gone);
      }
    }
  });

  it('forgets a region that another one with its key replaces', () => {
    const table = new MrTable();
    table.add(REGION);
    expect(opens(table, 0, 7, 3, 0, REGION.hi, REGION.lo, 100)).to.equal(true);
    table.add({ ...REGION, length: 50 });
    expect(opens(table, 0, 7, 3, 0, REGION.hi, REGION.lo, 100)).to.equal(false);
  });

  it('keeps a region that is being deregistered until that is done, with its rights', () => {
    const table = new MrTable();
    table.add(REGION);
    table.deregistering(0, 7, 10);
    const m = table.find(0, 7);
    expect([table.anyDeregistering, table.isDeregistering(m)]).to.deep.equal([true, true]);
    expect([table.host(m), table.access(m)]).to.deep.equal([0, REGION.access]);
    table.deregistered(0, 7, 20);
    expect([table.anyDeregistering, table.find(0, 7)]).to.deep.equal([false, NO_REGION]);
  });

  it('knows, also when the region is gone, which messages its key may have opened it to', () => {
    const table = new MrTable();
    table.add(REGION);
    expect(table.validity(table.find(0, 7))).to.equal(undefined);
    table.deregistering(0, 7, 10);
    const valid = table.validity(table.find(0, 7));
    expect([valid?.every(9, 9), valid?.every()]).to.deep.equal([[true], [true, false]]);
    table.deregistered(0, 7, 20);
    expect([valid?.mayBe(true, 19), valid?.mayBe(true, 20)]).to.deep.equal([true, false]);
  });

  it('does not forget the region that has the key of one that was deregistered by then', () => {
    const table = new MrTable();
    table.add(REGION);
    table.deregistering(0, 7, 0);
    const valid = table.validity(table.find(0, 7));
    table.add({ ...REGION, length: 50 });
    const newer = table.find(0, 7);
    expect([table.isDeregistering(newer), table.validity(newer)]).to.deep.equal([false, undefined]);
    table.deregistered(0, 7, 1);
    expect(table.length(table.find(0, 7))).to.equal(50);
    expect(valid?.now).to.equal(false);
  });
});

import { expect } from 'chai';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { reregMr } from '../../../env/verbs/reregister.ts';
import { ACCESS } from '../../../rdma/verbs.ts';
import { mrQueried } from '../../../scoreboard/checks/mrQueries.ts';
import { cqQueried } from '../../../scoreboard/checks/cqQueries.ts';
import { ProviderBench } from '../env/support/providerBench.ts';

function opened() {
  const bench = new ProviderBench();
  bench.run(bench.api.openDevice());
  return { bench, api: bench.api };
}

function kindOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof HostApiError) return error.kind;
    throw error;
  }
  return 'none';
}

describe('queries of the host API', () => {
  it('say what a port is like, and its tables of GIDs and partitions', () => {
    const { api } = opened();
    const { ipv4, ipv6 } = api.netAddress(api.host);
    expect(api.queryPort()).to.deep.equal({ maxMtu: api.device.maxMtu, gidEntries: 2, pkeyEntries: 1 });
    expect(api.queryGid(1, 0)).to.deep.equal([0, 0, 0xffff, ipv4]);
    expect(api.queryGid(1, 1)).to.deep.equal(ipv6);
    expect(api.queryPkey(1, 0)).to.equal(0xffff);
    for (const wrong of [() => api.queryPort(2), () => api.queryGid(1, 2), () => api.queryGid(0, 0)])
      expect(kindOf(wrong)).to.equal('ATTRIBUTE');
    expect(kindOf(() => api.queryPkey(1, 1))).to.equal('ATTRIBUTE');
  });

  it('ask the NIC for a completion queue', () => {
    const { bench, api } = opened();
    const cq = bench.run(api.createCq(1, { entries: 5 }));
    expect(bench.run(api.queryCq(cq))).to.have.keys('entries', 'overflowed', 'written');
    bench.run(api.destroyCq(cq));
    expect(kindOf(() => bench.run(api.queryCq(cq)))).to.equal('GONE');
  });

  it('of completion queues are judged: size, overflow, and completions that are in memory', () => {
    const query = { host: 0, cqn: 3, entries: 8, written: 5, wasInError: false };
    const said = { entries: 8, overflowed: false, written: 5 };
    const findings = (over: object, answer: object): number => {
      let count = 0;
      const reporter = { error: () => count++ } as never;
      cqQueried({ reporter }, { ...query, ...over, said: { ...said, ...answer } });
      return count;
    };
    for (const [over, answer] of [
      [{}, {}],
      [{}, { written: 13 }],
      [{}, { overflowed: true }],
      [{ entries: undefined }, { entries: 16 }],
      [{ written: 0xffff_fffe }, { written: 1 }],
    ] as const)
      expect(findings(over, answer), JSON.stringify([over, answer])).to.equal(0);
    for (const [over, answer] of [
      [{}, { entries: 16 }],
      [{}, { written: 4 }],
      [{}, { written: 14 }],
      [{ wasInError: true }, {}],
    ] as const)
      expect(findings(over, answer), JSON.stringify([over, answer])).to.equal(1);
  });
});

describe('queries of memory regions', () => {
  const REGION = { hi: 0x8000, lo: 0x1081, length: 2 ** 32 + 5, access: ACCESS.localWrite | ACCESS.remoteRead };

  it('ask the NIC for it', () => {
    const { bench, api } = opened();
    const pd = api.allocPd(1);
    for (const zeroBased of [false, true]) {
      const mr = bench.run(api.regMr(pd, { ...REGION, length: 5000, zeroBased }));
      expect(bench.run(api.queryMr(mr))).to.have.keys('key', 'pd', 'hi', 'lo', 'length', 'access', 'zeroBased');
      bench.run(api.deregMr(mr));
      expect(kindOf(() => bench.run(api.queryMr(mr)))).to.equal('GONE');
    }
  });

  it('are judged: each field of the answer', () => {
    const registered = { host: 0, process: 1, pd: 7, key: 0x300, ...REGION, zeroBased: false };
    const findings = (answer: object): number => {
      let count = 0;
      const reporter = { error: () => count++ } as never;
      mrQueried({ reporter }, { registered, said: { ...registered, ...answer } });
      return count;
    };
    expect(findings({})).to.equal(0);
    for (const wrong of [
      { key: 1 },
      { pd: 8 },
      { hi: 0 },
      { lo: 0x1000 },
      { length: 5 },
      { access: 0 },
      { zeroBased: true },
    ])
      expect(findings(wrong), JSON.stringify(wrong)).to.equal(1);
  });
});

describe('a region that is registered anew', () => {
  it('has the rights that are asked for and its range, and the old one is gone', () => {
    const { bench, api } = opened();
    const pd = api.allocPd(1);
    const old = bench.run(api.regMr(pd, { hi: 0x8000, lo: 0x1000, length: 64, access: ACCESS.remoteRead }));
    const anew = bench.run(reregMr(api, old, { access: ACCESS.localWrite }));
    expect([anew.hi, anew.lo, anew.length, anew.access]).to.deep.equal([0x8000, 0x1000, 64, ACCESS.localWrite]);
    expect([old.alive, anew.alive, pd.users]).to.deep.equal([false, true, 1]);
    expect(kindOf(() => bench.run(reregMr(api, old, {})))).to.equal('GONE');
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { AREA_BYTES, BRING_UP, type ScenarioSource } from '../../../../config/scenario/scenario.ts';
import { DirectSource } from '../../../../config/scenario/drawn/directSource.ts';
import type { ExplicitQp } from '../../../../config/scenario/file/explicitScenario.ts';
import { explicitForm, scenarioText } from '../../../../config/scenario/file/dumpScenario.ts';
import { ExplicitSource } from '../../../../config/scenario/file/explicitSource.ts';
import { parseScenario } from '../../../../config/scenario/file/parseScenario.ts';
import { isAtomic } from '../../../../config/scenario/drawn/atomicDraws.ts';
import { RandomSource, takesReceive } from '../../../../config/scenario/drawn/randomSource.ts';
import { findCollisions } from '../../../../config/scenario/file/scenarioChecks.ts';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../../rdma/verbs.ts';
import type { ParameterValues } from '../../../../config/table/parameterTable.ts';
import { sgBytes } from '../../../../config/runConfig.ts';
import { configOf } from '../testConfig.ts';
import { type RegionData, type WorkData, contentOf, recvsOf, regionsOf, sendsOf } from './collect.ts';

const seeds = fc.nat(0xffff_ffff);

function random(seed: number): RandomSource {
  return new RandomSource(configOf('', 'test_random', seed), seed);
}

/** A directed scenario with the parameters of a random one. */
function directed(seed: number): DirectSource {
  return new DirectSource(configOf('', 'test_random', seed), seed);
}

for (const [name, make] of [
  ['RandomSource', random],
  ['DirectSource', directed],
] as const) {
  describe(`${name}, for any seed`, () => {
    it('lets no destination touch another buffer, and nothing leave its area', () => {
      fc.assert(
        fc.property(seeds, (seed) => void expect(findCollisions(make(seed))).to.deep.equal([])),
        { numRuns: 60 },
      );
    });

    it('posts a receive for every message, large enough, in the order of the messages', () => {
      fc.assert(
        fc.property(seeds, (seed) => forEachQp(make(seed), checkReceives)),
        { numRuns: 60 },
      );
    });

    it('covers every entry and remote range by a region with the number that requests use', () => {
      fc.assert(
        fc.property(seeds, (seed) => forEachQp(make(seed), checkRegions)),
        { numRuns: 25 },
      );
    });

    it('survives the way through the explicit form', () => {
      fc.assert(
        fc.property(seeds, (seed) => {
          const source = make(seed);
          const scenario = explicitForm(source, { PCIE_MPS: '1024' });
          const again = parseScenario(scenarioText(scenario), 'x.json');
          expect(again).to.deep.equal(scenario);
          const played = new ExplicitSource(again);
          expect(contentOf(played)).to.deep.equal(contentOf(source));
          expect(explicitForm(played, { PCIE_MPS: '1024' })).to.deep.equal(scenario);
        }),
        { numRuns: 25 },
      );
    });

    it('is the same for the same seed, in whatever order it is asked', () => {
      fc.assert(
        fc.property(seeds, (seed) => {
          const forward = contentOf(make(seed));
          const source = make(seed);
          for (let d = source.doorbells - 1; d >= 0; d--) recvsOf(source, source.hosts - 1, 0, d);
          expect(contentOf(source)).to.deep.equal(forward);
        }),
        { numRuns: 20 },
      );
    });
  });
}

describe('RandomSource', () => {
  it('keeps guard gaps between all buffers of a lane', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const source = random(seed);
        forEachQp(source, (s, h, q, d) => {
          const ranges = [...sendsOf(s, h, q, d), ...recvsOf(s, h, q, d)].flatMap((w) => w.sges);
          const sorted = ranges.sort((a, b) => a.area - b.area || a.offset - b.offset);
          for (let i = 1; i < sorted.length; i++) {
            const [a, b] = [sorted[i - 1] as (typeof sorted)[0], sorted[i] as (typeof sorted)[0]];
            if (a.area === b.area) expect(b.offset).to.be.above(a.offset + a.length);
          }
        });
      }),
      { numRuns: 40 },
    );
  });

  it('keeps to the limits: entries, message lengths, the MTU on UD, what services can do', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const config = configOf('', 'test_random', seed);
        const source = new RandomSource(config, seed);
        forEachQp(source, (s, h, q, d) => {
          const { type } = s.qp(h, q);
          for (const w of sendsOf(s, h, q, d)) {
            const total = w.sges.reduce((sum, x) => sum + x.length, 0);
            expect(w.sges.length).to.be.at.most(config.values.SG_NUM);
            if (isAtomic(w.opcode)) expect(total).to.equal(8);
            else expect(total).to.be.at.most(sgBytes(config.values) * config.values.SG_NUM);
            if (type === QP_TYPE.ud) expect(total).to.be.at.most(config.values.MTU);
            if (type === QP_TYPE.ud) expect(w.opcode).to.be.oneOf([WR_OPCODE.send, WR_OPCODE.sendWithImm]);
            if ((w.flags & SEND_FLAG.inline) !== 0) expect(total).to.be.at.most(s.qp(h, q).maxInline);
            if (w.opcode === WR_OPCODE.rdmaRead) expect(w.flags & SEND_FLAG.inline).to.equal(0);
            if (type === QP_TYPE.uc) expect(w.opcode).to.not.equal(WR_OPCODE.rdmaRead);
          }
          for (const w of recvsOf(s, h, q, d)) expect(w.sges.length).to.be.at.most(s.qp(h, q).maxSge);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('reaches the corners: empty messages and entries, inline data, the MTU and its neighbours, odd starts, page crossings', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const config = configOf('', 'test_random', seed);
      forEachQp(new RandomSource(config, seed), (s, h, q, d) => {
        for (const w of sendsOf(s, h, q, d)) note(w, config.values, seen);
      });
    }
    const corners = [
      'empty message',
      'empty entry',
      'inline',
      'mtu-1',
      'mtu',
      'mtu+1',
      'odd',
      'crosses',
      'crosses 4 GiB',
      'ends at page',
      'starts page',
    ];
    expect([...seen]).to.include.members(corners);
  });

  it('puts some requests of every kind in some other order than SEND, WRITE, READ', () => {
    const source = new RandomSource(
      configOf('+RC_QP_NUM=2 +SEND_WQE_NUM=3 +WRITE_WQE_NUM=3 +READ_WQE_NUM=3', 'test_random', 1),
      1,
    );
    const opcodes = sendsOf(source, 0, 0, 0).map((w) => w.opcode & ~1);
    expect([...opcodes].sort()).to.deep.equal([0, 0, 0, 2, 2, 2, 4, 4, 4]);
    expect(opcodes).to.not.deep.equal([2, 2, 2, 0, 0, 0, 4, 4, 4]);
  });
});

describe('ExplicitSource', () => {
  it('counts as busy the queue pairs up to the last one that has work', () => {
    fc.assert(
      fc.property(seeds, fc.nat(40), (seed, kept) => {
        const scenario = explicitForm(directed(seed), {});
        const hosts = scenario.hosts.map((host) => ({
          ...host,
          qps: host.qps.map((qp, i) => (i < kept ? qp : idle(qp))),
        }));
        const source = new ExplicitSource({ ...scenario, hosts });
        const worked = hosts.map(() => 0);
        forEachQp(source, (_, host, qp, d) => {
          const count = sendsOf(source, host, qp, d).length + recvsOf(source, host, qp, d).length;
          if (count > 0) worked[host] = Math.max(worked[host] as number, qp + 1);
        });
        expect(hosts.map((_, host) => source.busyQps(host))).to.deep.equal(worked);
      }),
      { numRuns: 40 },
    );
  });
});

/** The regions stay: its peer may name them. */
function idle(qp: ExplicitQp): ExplicitQp {
  return { ...qp, doorbells: qp.doorbells.map((d) => ({ ...d, sends: [], recvs: [] })) };
}

type Visit = (source: ScenarioSource, host: number, qp: number, doorbell: number) => void;

function forEachQp(source: ScenarioSource, visit: Visit): void {
  for (let host = 0; host < source.hosts; host++) {
    for (let qp = 0; qp < source.qpCount(host); qp++) {
      for (let d = 0; d < source.doorbells; d++) visit(source, host, qp, d);
    }
  }
}

function checkReceives(source: ScenarioSource, host: number, qp: number, doorbell: number): void {
  const plan = source.qp(host, qp);
  const recvs = recvsOf(source, host, qp, doorbell);
  const sends = plan.peer === undefined ? [] : sendsOf(source, plan.peer.host, plan.peer.qp, doorbell);
  const taking = sends.filter((w) => takesReceive(w.opcode));
  expect(recvs.length).to.equal(taking.length);
  expect(recvs.length).to.be.at.most(plan.maxRecvWr);
  const grh = plan.type === QP_TYPE.ud ? 40 : 0;
  taking.forEach((w, i) => {
    if (grh > 0) expect(recvs[i]?.sges[0]?.length).to.equal(40);
    if (w.opcode === WR_OPCODE.rdmaWriteWithImm) return;
    expect(bytes(recvs[i] as WorkData)).to.be.at.least(bytes(w) + grh);
  });
}

function checkRegions(source: ScenarioSource, host: number, qp: number, doorbell: number): void {
  const here = byNumber(source, host, qp, doorbell);
  const sends = sendsOf(source, host, qp, doorbell);
  for (const w of [...sends, ...recvsOf(source, host, qp, doorbell)]) {
    for (const s of w.sges) expectCovered(here, s.region, s.area, s.offset, s.length);
  }
  const { peer } = source.qp(host, qp);
  if (peer === undefined) return;
  for (const w of sends.filter((x) => ![2, 3].includes(x.opcode))) {
    const there = byNumber(source, peer.host, w.remoteQp ?? peer.qp, doorbell);
    expectCovered(there, w.remote[2], w.remote[0], w.remote[1], bytes(w));
  }
}

function byNumber(source: ScenarioSource, host: number, qp: number, doorbell: number): Map<number, RegionData> {
  const all = [...regionsOf(source, host, qp, BRING_UP), ...regionsOf(source, host, qp, doorbell)];
  const map = new Map(all.map((r) => [r.number, r]));
  expect(map.size).to.equal(all.length);
  for (const r of all) {
    expect(r.number).to.be.within(0, source.regionNumbers - 1);
    expect(r.offset + r.length).to.be.at.most(AREA_BYTES);
  }
  return map;
}

function expectCovered(
  regions: Map<number, RegionData>,
  number: number,
  area: number,
  offset: number,
  length: number,
): void {
  const r = regions.get(number) as RegionData;
  expect(r, `region ${number}`).to.not.equal(undefined);
  expect(r.area).to.equal(area);
  expect(r.offset).to.be.at.most(offset);
  expect(r.offset + r.length).to.be.at.least(offset + length);
}

function bytes(w: WorkData): number {
  return w.sges.reduce((sum, s) => sum + s.length, 0);
}

function note(w: WorkData, { MTU: mtu, DATA_OFFSET }: ParameterValues, seen: Set<string>): void {
  const total = bytes(w);
  if (total === 0) seen.add('empty message');
  if ((w.flags & SEND_FLAG.inline) !== 0) seen.add('inline');
  for (const d of [-1, 0, 1]) if (total === mtu + d) seen.add(d === 0 ? 'mtu' : `mtu${d > 0 ? '+' : ''}${d}`);
  for (const s of w.sges) {
    const left = 2 ** 32 - DATA_OFFSET - s.offset;
    if (left > 0 && left < s.length) seen.add('crosses 4 GiB');
    if (s.length === 0 && total > 0) seen.add('empty entry');
    if (s.offset % 2 === 1) seen.add('odd');
    if (s.length > 0 && s.offset % 4096 === 0) seen.add('starts page');
    if (s.length > 0 && (s.offset + s.length) % 4096 === 0) seen.add('ends at page');
    if (Math.floor(s.offset / 4096) !== Math.floor((s.offset + s.length - 1) / 4096) && s.length > 1)
      seen.add('crosses');
  }
}

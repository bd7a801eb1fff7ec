import { expect } from 'chai';
import { withDrawnKnobs } from '../../../bin/run/drawKnobs.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import type { NicEntry } from '../../../env/nicKind.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import { knobMistake } from '../../../dut-model/nicKnob.ts';
import { resolveParameters } from '../../../config/parameters.ts';
import { Plusargs } from '../../../uvm/cmdline/plusargs.ts';

const SEEDS = Array.from({ length: 400 }, (_, i) => i + 1);

type Knobs = Readonly<Record<string, number>>;

describe('drawn knobs', () => {
  it('are the same for a seed every time, and others for another', () => {
    expect(SEEDS.map((seed) => drawn(seed))).to.deep.equal(SEEDS.map((seed) => drawn(seed)));
    expect(new Set(SEEDS.map((seed) => JSON.stringify(drawn(seed)))).size).to.be.above(150);
  });

  it('leave half of the runs as they are', () => {
    const plain = SEEDS.filter((seed) => Object.keys(drawn(seed)).length === 0).length;
    expect(plain).to.be.within(150, 250);
  });

  it('take every corner of every knob that has some, and nothing else', () => {
    const seen = new Map<string, Set<number>>();
    for (const seed of SEEDS)
      for (const [name, value] of Object.entries(drawn(seed))) seen.set(name, (seen.get(name) ?? new Set()).add(value));
    const cornered = hangu().knobs.filter(({ corners = [] }) => corners.length > 0);
    expect([...seen.keys()].sort()).to.deep.equal(cornered.map(({ name }) => name.toLowerCase()).sort());
    for (const { name, corners } of cornered)
      expect(seen.get(name.toLowerCase()), name).to.deep.equal(new Set(corners));
  });

  it('are values that the knob takes', () => {
    for (const knob of hangu().knobs)
      for (const corner of knob.corners ?? []) expect(knobMistake(knob, corner), knob.name).to.equal(undefined);
  });

  it('do not touch a given knob, however it is spelled, and the others stay as they are', () => {
    for (const seed of SEEDS) {
      const { psn_window: _, ...others } = drawn(seed);
      expect(drawn(seed, '+NIC_PSNWINDOW=64')).to.deep.equal({ ...others, psnwindow: 64 });
    }
  });

  it('are there in random tests alone, and only while they are wanted and the model has some', () => {
    const sum = (draws: (seed: number) => Knobs): number =>
      SEEDS.reduce((n, seed) => n + Object.keys(draws(seed)).length, 0);
    expect(sum((seed) => drawn(seed))).to.be.above(0);
    expect(sum((seed) => drawn(seed, '', 'test_direct_param'))).to.equal(0);
    expect(sum((seed) => drawn(seed, '+DRAW_KNOBS=0'))).to.equal(0);
    expect(sum((seed) => drawn(seed, '', 'test_random', [{ ...hangu(), knobs: [] }]))).to.equal(0);
  });

  it('are shown as they would be typed, and typing them gives the same run', async () => {
    const registry = await loadRegistry();
    const seed = SEEDS.find((candidate) => 'requests_per_qp' in drawn(candidate)) as number;
    const play = (...plusargs: string[]) => {
      let log = '';
      const result = runOne({ testName: 'test_random', seed, plusargs }, registry, {
        sink: (text) => (log += `${text}\n`),
      });
      return { log, result };
    };
    const { log, result } = play();
    const note = /KNOBS_DRAWN: (\+.*)/.exec(log)?.[1] as string;
    expect(result.parameters).to.have.property('NIC_REQUESTS_PER_QP', drawn(seed).requests_per_qp);
    expect(result.transcript.hash).to.equal(play('+DRAW_KNOBS=0', ...note.split(' ')).result.transcript.hash);
    expect(result.transcript.hash).not.to.equal(play('+DRAW_KNOBS=0').result.transcript.hash);
  });
});

function hangu(): NicEntry {
  return NIC_CATALOG.find(({ name }) => name === 'hangu') as NicEntry;
}

function drawn(seed: number, line = '', test = 'test_random', nics = NIC_CATALOG): Knobs {
  const plusargs = new Plusargs(line.split(' ').filter((word) => word !== ''));
  return withDrawnKnobs(resolveParameters(plusargs, test, seed), nics).config.nicKnobs;
}

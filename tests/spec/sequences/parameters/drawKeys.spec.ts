/** What random runs draw besides where requests change keys. */

import { expect } from 'chai';
import { withDrawnKnobs } from '../../../../bin/run/drawKnobs.ts';
import type { ResolvedParameters } from '../../../../config/parameters.ts';
import { resolveParameters } from '../../../../config/parameters.ts';
import { HANGU_DEVICE_LIMITS } from '../../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { NIC_CATALOG } from '../../../../dut-model/nicCatalog.ts';
import { Plusargs } from '../../../../uvm/cmdline/plusargs.ts';

const LINEAGE = ['test_random_verbs', 'test_sequence'];
const SEEDS = Array.from({ length: 60 }, (_, i) => i + 1);

function drawn(seed: number, ...args: string[]): ResolvedParameters {
  return resolveParameters(new Plusargs(args), LINEAGE, seed, { limitsOf: () => HANGU_DEVICE_LIMITS });
}

function knobs(seed: number, ...args: string[]): readonly string[] {
  return Object.keys(withDrawnKnobs(drawn(seed, ...args), NIC_CATALOG).config.nicKnobs);
}

describe('draws for requests that change keys', () => {
  it('bring numbers that come again, few tags, and copies that come late, each in some runs and not in all', () => {
    const runs = SEEDS.map((seed) => drawn(seed, '+KEY_PCT=20', '+DRAW_FAULTS=0.5').config.values);
    const shares = [
      runs.filter(({ KEYS_SOON }) => KEYS_SOON),
      runs.filter(({ KEY_TAGS }) => KEY_TAGS === 1),
      runs.filter(({ NET_FAULT }) => /duplicate after=\w+ opcode=request probability=/.test(NET_FAULT)),
    ];
    for (const { length } of shares) {
      expect(length).to.be.above(3);
      expect(length).to.be.below(SEEDS.length * 0.7);
    }
  });

  it('bring each choice about keys, and a small cache of them', () => {
    const seen = new Set(SEEDS.flatMap((seed) => knobs(seed, '+KEY_PCT=20')));
    const choices = ['mw_type2a', 'dereg_bound', 'bind_foreign', 'inv_nak', 'inv_protection', 'inv_unfenced'];
    expect([...seen]).to.include.members([...choices, 'mpt_cache']);
  });

  it('leave runs alone that change no keys, and what is given', () => {
    for (const seed of SEEDS.slice(0, 20)) {
      const { values } = drawn(seed, '+KEY_PCT=0', '+DRAW_FAULTS=0').config;
      expect([values.KEYS_SOON, values.KEY_TAGS, values.NET_FAULT]).to.deep.equal([false, 0, '']);
      expect(knobs(seed, '+KEY_PCT=0')).not.to.include('mw_type2a');
      const given = drawn(seed, '+KEY_PCT=20', '+KEY_TAGS=3', '+LOSS_PCT=1', '+NIC_INV_NAK=0');
      expect([given.config.values.KEY_TAGS, given.config.values.NET_FAULT]).to.deep.equal([3, '']);
      const { nicKnobs } = withDrawnKnobs(given, NIC_CATALOG).config;
      const choice = Object.entries(nicKnobs).filter(([name]) => name.toUpperCase() === 'INV_NAK');
      expect(choice.map(([, value]) => value)).to.deep.equal([0]);
    }
  });
});

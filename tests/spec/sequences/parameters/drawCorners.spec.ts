/** Corners that coincide in random tests. */

import { expect } from 'chai';
import { resolveParameters, type ResolvedParameters } from '../../../../config/parameters.ts';
import { HANGU_DEVICE_LIMITS } from '../../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { NO_LIMITS } from '../../../../env/deviceLimits.ts';
import { Plusargs } from '../../../../uvm/cmdline/plusargs.ts';

const LINEAGES = [['test_random'], ['test_random_verbs', 'test_sequence']] as const;
const SEEDS = Array.from({ length: 150 }, (_, i) => i + 1);

function drawn(lineage: readonly string[], seed: number, ...args: string[]): ResolvedParameters {
  return resolveParameters(new Plusargs(args), lineage, seed, { limitsOf: () => HANGU_DEVICE_LIMITS });
}

describe('corners that coincide', () => {
  for (const lineage of LINEAGES) {
    it(`can be played in ${lineage[0]} whatever is drawn`, () => {
      for (const seed of SEEDS)
        expect(drawn(lineage, seed, '+DRAW_CORNERS=1').problems, `seed ${seed}`).to.deep.equal([]);
    });

    it(`change no run of ${lineage[0]} that draws none`, () => {
      for (const seed of SEEDS.slice(0, 40)) {
        const plain = drawn(lineage, seed).config.values;
        const none = drawn(lineage, seed, '+DRAW_CORNERS=0').config.values;
        expect(none).to.deep.equal(plain);
      }
    });
  }

  it('bring faults of the link and of PCIe into one run, and of what is sent again', () => {
    const runs = SEEDS.map((seed) => drawn(LINEAGES[1], seed, '+DRAW_CORNERS=1', '+DRAW_FAULTS=0').config.values);
    const both = runs.filter(({ NET_FAULT, PCIE_FAULT }) => NET_FAULT !== '' && PCIE_FAULT !== '');
    expect(both.length).to.be.above(SEEDS.length / 4);
    expect(runs.filter(({ NET_FAULT }) => NET_FAULT.includes('transmission=retransmission')).length).to.be.above(20);
    expect(runs.filter(({ NET_FAULT }) => NET_FAULT.includes('nic_reset')).length).to.be.above(5);
    expect(runs.filter(({ UNEQUAL_PCT }) => UNEQUAL_PCT > 0).length).to.be.above(SEEDS.length / 4);
  });

  it('keep rules that were drawn before', () => {
    for (const seed of SEEDS) {
      const before = drawn(LINEAGES[1], seed, '+DRAW_FAULTS=1', '+KEY_PCT=0').config.values.NET_FAULT;
      const after = drawn(LINEAGES[1], seed, '+DRAW_FAULTS=1', '+KEY_PCT=0', '+DRAW_CORNERS=1').config.values.NET_FAULT;
      expect(after.startsWith(before)).to.equal(true);
    }
  });

  it('leave alone what is given, and what the NIC cannot do', () => {
    const limits = { ...NO_LIMITS, nicReset: false, failedReads: false };
    for (const seed of SEEDS) {
      const args = new Plusargs(['+DRAW_CORNERS=1', '+RETRY_CNT=5', '+UNEQUAL_PCT=7', '+DRAW_FAULTS=0']);
      const { values } = resolveParameters(args, LINEAGES[1], seed, { limitsOf: () => limits }).config;
      expect([values.RETRY_CNT, values.UNEQUAL_PCT]).to.deep.equal([5, 7]);
      expect(values.NET_FAULT).not.to.include('nic_reset');
      expect(values.PCIE_FAULT).not.to.match(/\b(ur|ca|poison|lose)\b/);
    }
  });
});

/** What random tests draw beyond their usual stimulus. */

import { expect } from 'chai';
import { resolveParameters, type ResolvedParameters } from '../../../../config/parameters.ts';
import { HANGU_DEVICE_LIMITS } from '../../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { Plusargs } from '../../../../uvm/cmdline/plusargs.ts';

const LINEAGES = [['test_random'], ['test_random_verbs', 'test_sequence']] as const;
const SEEDS = Array.from({ length: 400 }, (_, i) => i + 1);

function drawn(lineage: readonly string[], seed: number, ...args: string[]): ResolvedParameters {
  return resolveParameters(new Plusargs(args), lineage, seed, { limitsOf: () => HANGU_DEVICE_LIMITS });
}

describe('stimulus that reaches further', () => {
  for (const lineage of LINEAGES) {
    const [test] = lineage;

    it(`can be played in ${test} whatever is drawn, and is as common as was asked for`, () => {
      let changed = 0;
      for (const seed of SEEDS) {
        const wide = drawn(lineage, seed, '+DRAW_WIDE=1');
        expect(wide.problems, `seed ${seed}`).to.deep.equal([]);
        const plain = drawn(lineage, seed, '+DRAW_WIDE=0');
        if (JSON.stringify({ ...wide.config.values, DRAW_WIDE: 0 }) !== JSON.stringify(plain.config.values)) changed++;
      }
      expect(changed).to.be.above(SEEDS.length * 0.4);
      const third = SEEDS.filter((seed) => {
        const { values } = drawn(lineage, seed, '+DRAW_WIDE=0.3').config;
        return (
          JSON.stringify({ ...values, DRAW_WIDE: 0 }) !==
          JSON.stringify(drawn(lineage, seed, '+DRAW_WIDE=0').config.values)
        );
      });
      expect(third.length).to.be.within(changed * 0.15, changed * 0.45);
    });

    it(`leaves alone in ${test} what is given`, () => {
      const given = ['+ACK_TIMEOUT=7', '+LINK_GBPS=33', '+RC_QP_NUM=2', '+PSN=17', '+MTU=512'];
      for (const seed of SEEDS) {
        const { values } = drawn(lineage, seed, '+DRAW_WIDE=1', ...given).config;
        expect([values.ACK_TIMEOUT, values.LINK_GBPS, values.RC_QP_NUM, values.PSN, values.MTU]).to.deep.equal([
          ...[7, 33, 2, '17', 512],
        ]);
      }
    });
  }

  it('has one run in fifty with very many messages on one connection', () => {
    const long = SEEDS.filter((seed) => drawn(LINEAGES[1], seed, '+DRAW_WIDE=1').config.values.SEQ_COUNT === 40);
    expect(long.length).to.be.within(2, 18);
    for (const seed of long) {
      const { values } = drawn(LINEAGES[1], seed, '+DRAW_WIDE=1').config;
      expect([values.RC_QP_NUM + values.UC_QP_NUM, values.UD_QP_NUM, values.PSN]).to.deep.equal([1, 0, 'wrap']);
    }
  });
});

/** Parameters anywhere in the ranges that docs/parameters.md gives: a run passes, or is refused before time 0. */

import { expect } from 'chai';
import fc from 'fast-check';
import { loadRegistry, type Registry, testLineage } from '../../../bin/registry.ts';
import { checkSpec } from '../../../bin/run/checkSpec.ts';
import { resolveParameters } from '../../../config/parameters.ts';
import { Plusargs } from '../../../uvm/cmdline/plusargs.ts';
import { anyParameters, predictedWork } from '../support/anyParameters.ts';
import { play, playOn } from './harness.ts';

const TESTS = ['test_direct_param', 'test_random', 'test_random_verbs', 'test_smoke'] as const;
/** Runs of the property: `FC_RUNS` raises them. */
const RUNS = Number(process.env['FC_RUNS'] ?? 4);
/** Requests of a run at most, as predicted: with `FC_RUNS` as many as a user may have in mind. */
const MOST_WORK = process.env['FC_RUNS'] === undefined ? 2000 : 1e5;
/**
 * What the parameters themselves ask for, said in the run: a limit of simulated time, an ACK time-out that is shorter than
 * answers take, more than the NIC says that it can do.
 */
const ASKED_FOR: ReadonlySet<string | undefined> = new Set(['PH_TIMEOUT', 'SEQ_GIVEN_UP', 'HCA_LIMITS']);

describe('parameters anywhere in their documented ranges', () => {
  let registry: Registry;
  before(async () => {
    registry = await loadRegistry();
  });

  it('make a run that passes or is refused before time 0', () => {
    const anySeed = fc.integer({ min: 0, max: 0xffff_ffff });
    const property = fc.property(fc.constantFrom(...TESTS), anyParameters, anySeed, (test, parameters, seed) => {
      const plusargs = [`+UVM_TESTNAME=${test}`, ...parameters];
      if (checkSpec({ testName: test, seed, plusargs }, registry).length > 0) return;
      const { values } = resolveParameters(new Plusargs(plusargs), testLineage(test, registry), seed).config;
      if (predictedWork(test, values) > MOST_WORK) return;
      const { verdict, message, signature } = playOn(registry, test, parameters.join(' '), seed);
      expect(['passed', 'vacuous'].includes(verdict) || ASKED_FOR.has(signature?.id), message).to.equal(true);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('let random calls wait for no drain that cannot end: a peer may have stopped, and no timer says so', async () => {
    const line = '+ACK_TIMEOUT=0 +DRAW_KNOBS=0 +RC_QP_NUM=3 +UC_QP_NUM=0 +UD_QP_NUM=0 +SEQ_COUNT=2';
    for (const seed of [14, 18]) {
      const run = await play('test_random_verbs', line, seed);
      expect(run.verdict, run.log).to.equal('passed');
    }
  });

  it('come to rest although no time is given for that', async () => {
    const run = await play('test_random', '+SETTLE=0ps', 3);
    expect(run.verdict, run.log).to.equal('passed');
  });

  it('call nothing stuck that a slow bus keeps waiting, however short a stall time is asked for', async () => {
    const slow = '+PCIE_DOWN_NS=5000 +PCIE_MRRS=128 +NIC_DMA_TAGS=1 +DRAW_KNOBS=0';
    const run = await play('test_random_verbs', `+UC_QP_NUM=2 +RC_QP_NUM=0 +UD_QP_NUM=1 ${slow} +STALL_TIME=1us`, 126);
    expect(run.verdict, run.log).to.equal('passed');
  });

  it('draw the rest of a run that rings no doorbell', async () => {
    for (let seed = 1; seed <= 5; seed++)
      expect((await play('test_random', '+DB_NUM=0', seed)).verdict).to.equal('vacuous');
  });

  it('resize no completion queue beyond what a driver can', async () => {
    const deep = '+RC_QP_NUM=1 +UC_QP_NUM=0 +UD_QP_NUM=0 +MAX_RECV_WR=32000 +DRAW_KNOBS=0 +SEQ_COUNT=2';
    for (const test of ['test_random_verbs', 'test_sequence']) {
      const run = await play(test, `${test === 'test_sequence' ? '+UVM_TEST_SEQ=resized_queues' : ''} ${deep}`, 3);
      expect(run.verdict, run.log).to.equal('passed');
    }
  });
});

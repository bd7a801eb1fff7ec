/** Many atomics of many queue pairs on four words, under loss: right ones pass, and what is executed or answered wrongly is found. */

import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';
import { countsOf, type GroupHits } from '../../../uvm/coverage/coverageCollector.ts';

const RC_ALONE = ['+UC_QP_NUM=0', '+UD_QP_NUM=0', '+PROC_NUM=1', '+ACK_TIMEOUT=6'];
const STORM = ['+UVM_TEST_SEQ=atomic_storm', '+RC_QP_NUM=16', '+SEQ_COUNT=1', '+LOSS_PCT=2', ...RC_ALONE];
/** Of each queue pair 100. */
const ATOMICS = 1600;

describe('a storm of atomics under loss', () => {
  let registry: Registry;

  before(async () => {
    registry = await loadRegistry();
  });

  function play(...plusargs: readonly string[]): RunResult & { readonly log: string } {
    const log: string[] = [];
    const testName = 'test_sequence';
    const spec = { testName, seed: 1, plusargs: [`+UVM_TESTNAME=${testName}`, ...plusargs] };
    const result = runOne(spec, registry, { sink: (text) => log.push(text) });
    return { ...result, log: log.join('\n') };
  }

  function missed(coverage: readonly GroupHits[] | undefined): readonly string[] {
    const found = coverage?.find(({ group }) => group.name === 'atomic_cg');
    if (found === undefined) throw new Error('there is no atomic_cg');
    const counts = countsOf(found.hits);
    const names = found.group.items.flatMap((item) => item.bins.map(({ name }) => `${item.name}.${name}`));
    return names.filter((_, bin) => !counts.has(bin));
  }

  it('has an order in which every result and every change of the words is right', () => {
    const run = play(...STORM);
    expect(run.verdict, run.message).to.equal('passed');
    expect(run.log.match(/SCB_ATOMICS\] (.*)/)?.[1]).to.equal(`${ATOMICS} atomics, 0 orders undecided`);
    expect(run.counts['faults']).to.be.greaterThan(20);
  });

  it('meets everything of atomics that is covered but for what a compare-and-swap cannot do', () => {
    const { coverage } = play(...STORM, '+COV');
    const rest = missed(coverage).filter((bin) => !bin.startsWith('outcome_x_sharers.'));
    expect(rest).to.deep.equal(['operation_x_outcome.sums_go_round']);
  });

  for (const bug of ['atomic_executed_again', 'aq_neighbour', 'atomic_not_alone'])
    it(`finds ${bug}`, () => {
      const run = play(...STORM, `+DUT_FAULT=${bug}`, '+UVM_MAX_QUIT_COUNT=1');
      expect(run.verdict).to.equal('failed');
      expect(run.signature?.id).to.match(/^(SCB_ATOMIC_(WRITE|ORDER|RESULT)|WIRE_ATOMIC_REPEAT)$/);
    });
});

import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../../bin/registry.ts';
import { runOne } from '../../../../bin/run/runOne.ts';
import type { RunResult } from '../../../../bin/run/runSpec.ts';
import { stepsOf, withoutSteps } from '../../../../config/scenario/calls/callEdits.ts';
import { type CallScenario, isWait } from '../../../../config/scenario/calls/callScenario.ts';
import { callText } from '../../../../config/scenario/calls/callText.ts';
import { parseCalls } from '../../../../config/scenario/calls/parseCalls.ts';

const FEW = '+HOST_NUM=2 +RC_QP_NUM=1 +UC_QP_NUM=1 +UD_QP_NUM=1 +SEQ_COUNT=1';

describe('a run that is written out as calls', () => {
  let registry: Registry;
  before(async () => {
    registry = await loadRegistry();
  });

  function recorded(test: string, line: string, seed = 1): { readonly run: RunResult; readonly calls: CallScenario } {
    const plusargs = [`+UVM_TESTNAME=${test}`, ...line.split(' ')];
    let calls: CallScenario | undefined;
    const observer = {
      recorded: (scenario: CallScenario) => {
        calls = scenario;
      },
    };
    const run = runOne({ testName: test, seed, plusargs }, registry, { sink: () => {}, calls: observer });
    return { run, calls: calls as CallScenario };
  }

  function played(calls: CallScenario, plusargs: readonly string[] = []): RunResult {
    const scenarioFile = { path: '', sha256: '', scenario: null, calls, problems: [] };
    return runOne({ testName: calls.test, seed: calls.seed, plusargs, scenarioFile }, registry, { sink: () => {} });
  }

  it('is read back from its text as it was', () => {
    const { calls } = recorded('test_random_verbs', FEW, 6);
    expect(parseCalls(callText(calls, ['a comment']), 'calls.yaml')).to.deep.equal(calls);
  });

  it('goes over the ports of the NICs in the same way when nothing is left to completions', () => {
    const { run, calls } = recorded('test_sequence', '+UVM_TEST_SEQ=wrong_keys', 2);
    const again = played(calls);
    expect(again.verdict).to.equal('passed');
    expect(again.transcript.hash).to.equal(run.transcript.hash);
  });

  for (const [test, line] of [
    ['test_smoke', '+CASEID=smoke'],
    ['test_random', '+HOST_NUM=2'],
    ['test_random_verbs', FEW],
    ['test_sequence', '+UVM_TEST_SEQ=solicited_events'],
    ['test_sequence', '+UVM_TEST_SEQ=zero_based'],
    ['test_sequence', '+UVM_TEST_SEQ=refused_commands'],
    ['test_sequence', '+UVM_TEST_SEQ=refused_packets +RC_QP_NUM=2'],
    ['test_sequence', '+UVM_TEST_SEQ=bad_responses +RC_QP_NUM=2'],
    ['test_sequence', '+UVM_TEST_SEQ=dropped_packets +RC_QP_NUM=1 +UD_QP_NUM=1'],
    ['test_sequence', '+UVM_TEST_SEQ=pcie_errors +RC_QP_NUM=2 +UC_QP_NUM=0 +UD_QP_NUM=0'],
  ] as const) {
    it(`passes as ${test} ${line} does`, () => {
      const { run, calls } = recorded(test, line);
      expect(run.verdict, run.message).to.equal('passed');
      const again = played(calls);
      expect(again.verdict, again.message).to.equal('passed');
      expect(again.counts['checks']).to.be.greaterThan(0);
    });
  }

  it('has the rules that a sequence gives to PCIe, which fail the same requests', () => {
    const { run, calls } = recorded(
      'test_sequence',
      '+UVM_TEST_SEQ=pcie_errors +RC_QP_NUM=1 +UC_QP_NUM=0 +UD_QP_NUM=0',
    );
    const given = stepsOf(calls).filter((step) => !isWait(step) && step.call === 'addFault' && step.on === 'pcie');
    expect(given).to.have.length.above(4);
    const again = played(calls);
    expect(run.counts['error_completions']).to.be.greaterThan(0);
    expect(again.counts['error_completions'], again.message).to.equal(run.counts['error_completions']);
    const without = played(withoutSteps(calls, new Set(given)));
    expect(without.counts['error_completions'], without.message).to.equal(0);
  });

  for (const bug of ['cqe_remote_qpn', 'cqe_immediate_zero']) {
    it(`finds ${bug} as the run does`, () => {
      const { run, calls } = recorded('test_smoke', `+IMM=100 +DUT_FAULT=${bug}`);
      expect(run.verdict).to.equal('failed');
      const again = played(calls, [`+DUT_FAULT=${bug}`]);
      expect(again.verdict).to.equal('failed');
      expect(again.signature?.id).to.equal(run.signature?.id);
    });
  }

  it('leaves out what software must not do, and says so', () => {
    const { calls } = recorded('test_sequence', '+UVM_TEST_SEQ=ping_pong +RC_QP_NUM=1');
    const [first, ...others] = calls.stages;
    // Nobody connects the queue pairs any more, so that nothing can be sent.
    const again = played({ ...calls, stages: [first as CallScenario['stages'][number], ...others.slice(1)] });
    expect(again.counts['UVM_WARNING']).to.be.greaterThan(0);
  });
});

/** Atomics in scenario files, and in runs that are written out as calls: they come back as they were. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';
import type { CallScenario } from '../../../config/scenario/calls/callScenario.ts';
import { callText } from '../../../config/scenario/calls/callText.ts';
import { parseCalls } from '../../../config/scenario/calls/parseCalls.ts';
import { explicitForm, scenarioText } from '../../../config/scenario/file/dumpScenario.ts';
import type { ExplicitScenario } from '../../../config/scenario/file/explicitScenario.ts';
import { ExplicitSource } from '../../../config/scenario/file/explicitSource.ts';
import { parseScenario } from '../../../config/scenario/file/parseScenario.ts';
import { RandomSource } from '../../../config/scenario/drawn/randomSource.ts';
import { readScenario } from '../../../config/scenario/file/scenarioFile.ts';
import { configOf } from '../sequences/testConfig.ts';

const MIX = '+HOST_NUM=2 +RC_QP_NUM=3 +READ_WQE_NUM=4 +WRITE_WQE_NUM=4 +DB_NUM=2 +ATOMIC_PCT=50';
const OPCODES = ['ATOMIC_CMP_AND_SWP', 'ATOMIC_FETCH_AND_ADD'] as const;

function operandsIn({ hosts }: ExplicitScenario): readonly string[] {
  const sends = hosts.flatMap(({ qps }) => qps.flatMap((q) => q.doorbells.flatMap((bell) => bell.sends)));
  return sends
    .filter(({ opcode }) => OPCODES.some((name) => name === opcode))
    .map(({ opcode, add, compare, swap }) => [opcode, add, compare, swap].join(' '));
}

describe('atomics that are written out', () => {
  let registry: Registry;
  let folder = '';

  before(async () => {
    registry = await loadRegistry();
    folder = mkdtempSync(join(tmpdir(), 'atomic-scenarios-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('come back from the text of a scenario with their operands and words', () => {
    const met = new Set<string>();
    for (let seed = 1; seed <= 10; seed++) {
      const source = new RandomSource(configOf(MIX, 'test_random', seed), seed);
      const scenario = explicitForm(source, {});
      const again = parseScenario(scenarioText(scenario), 'x.json');
      expect(again).to.deep.equal(scenario);
      expect(explicitForm(new ExplicitSource(again), {})).to.deep.equal(scenario);
      for (const operands of operandsIn(scenario)) met.add(operands);
    }
    for (const opcode of OPCODES) expect([...met].filter((text) => text.startsWith(opcode))).to.have.length.above(10);
  });

  it('go over the ports of the NICs in the same way when they are played from a scenario', () => {
    const path = join(folder, 'case.json');
    const play = (...more: string[]): RunResult => {
      const plusargs = ['+UVM_TESTNAME=test_random', ...more];
      const scenarioFile = more.length > 0 ? undefined : readScenario(path, folder);
      return runOne({ testName: 'test_random', seed: 5, plusargs, scenarioFile }, registry, { sink: () => {} });
    };
    const run = play(...MIX.split(' '), `+DUMP_SCENARIO=${path}`);
    expect(run.verdict, run.message).to.equal('passed');
    expect(operandsIn(parseScenario(readFileSync(path, 'utf8'), path))).to.have.length.above(5);
    const again = play();
    expect(again.verdict, again.message).to.equal('passed');
    expect(again.transcript.hash).to.equal(run.transcript.hash);
  });

  for (const line of [
    '+UVM_TEST_SEQ=atomic_counters +RC_QP_NUM=2 +SEQ_COUNT=1',
    '+UVM_TEST_SEQ=shared_words +RC_QP_NUM=4 +SEQ_COUNT=2',
    '+UVM_TEST_SEQ=fenced_atomics +RC_QP_NUM=2 +SEQ_COUNT=1',
  ])
    it(`send the same frames at the same time as calls of ${line}`, () => {
      const [first, second] = [join(folder, 'recorded.pcap'), join(folder, 'played.pcap')];
      const { run, calls } = recorded(`${line} +UC_QP_NUM=0 +UD_QP_NUM=0 +PCAP=${first}`);
      expect(run.verdict, run.message).to.equal('passed');
      const text = callText(calls, []);
      expect(text).to.match(/opcode: ATOMIC_FETCH_AND_ADD.*add: /);
      const read = parseCalls(text, 'calls.yaml');
      expect(read).to.deep.equal(calls);
      const again = played(read, `+PCAP=${second}`);
      expect(again.verdict, again.message).to.equal('passed');
      expect(readFileSync(second).equals(readFileSync(first))).to.equal(true);
    });

  function recorded(line: string): { readonly run: RunResult; readonly calls: CallScenario } {
    const testName = 'test_sequence';
    const plusargs = [`+UVM_TESTNAME=${testName}`, ...line.split(' ')];
    let calls: CallScenario | undefined;
    const observer = {
      recorded: (scenario: CallScenario) => {
        calls = scenario;
      },
    };
    const run = runOne({ testName, seed: 2, plusargs }, registry, { sink: () => {}, calls: observer });
    return { run, calls: calls as CallScenario };
  }

  function played(calls: CallScenario, ...plusargs: readonly string[]): RunResult {
    const scenarioFile = { path: '', sha256: '', scenario: null, calls, problems: [] };
    return runOne({ testName: calls.test, seed: calls.seed, plusargs, scenarioFile }, registry, { sink: () => {} });
  }
});

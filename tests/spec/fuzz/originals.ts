/** Inputs that are right. */

import { resolveParameters } from '../../../config/parameters.ts';
import { RUN_RECORD_FORMAT } from '../../../regress/verdict.ts';
import { DirectSource } from '../../../config/scenario/drawn/directSource.ts';
import { explicitForm, scenarioText } from '../../../config/scenario/file/dumpScenario.ts';
import { Plusargs } from '../../../uvm/cmdline/plusargs.ts';
import { EXHAUST_FORMAT } from '../../../bin/exhaust/exhaustSchema.ts';
import { databaseOf } from '../../../regress/coverage/database.ts';
import { storeText } from '../../../regress/coverage/writeStore.ts';
import { FAILURE_FORMAT } from '../../../regress/failures/failureEntry.ts';
import { hitting, runNamed, TRAFFIC } from '../regress/coverage/databases.ts';
import { aJob, aPlan, aResult } from '../support/jobs.ts';
import type { Originals } from './hostileInputs.ts';

const TEST = 'test_direct_param';
const LINE = `+UVM_TESTNAME=${TEST} +RC_QP_NUM=1 +UD_QP_NUM=1 +SEND_WQE_NUM=1 +WRITE_WQE_NUM=1 +DATA_CNT=10`;

/** A scenario of two hosts and the record of a run. */
export function originals(): Originals {
  const plusargs = LINE.split(' ');
  const { config } = resolveParameters(new Plusargs(plusargs), TEST, 1);
  const record = {
    format: RUN_RECORD_FORMAT,
    id: 'x',
    test: TEST,
    seed: 1,
    argv: plusargs,
    cwd: '.',
    plusargs,
    parameters: { HOST_NUM: 2 },
    versions: { harness: '0.1.0', commit: '', node: '20', generator: '3', sources: '' },
    transcript: { hash: 'a'.repeat(32), events: 5, checkpoints: [`1 2 ${'b'.repeat(32)}`] },
    verdict: 'passed',
    exitCode: 0,
    counts: { checks: 3 },
    simulatedTimePs: 5,
    wallMs: 1,
    started: '2026-01-01T00:00:00.000Z',
    signature: null,
    endedBy: null,
    unused: [],
    scenario: { kind: 'generated', path: '', sha256: '' },
    testPath: { path: '', sha256: '' },
    files: { log: 'out/x/run.log' },
    replay: `./hca_test ${LINE} --seed 1`,
  };
  const run = runNamed('a', { hits: hitting(TRAFFIC, { 0: 1, 1: 1 }) });
  return {
    scenario: scenarioText(explicitForm(new DirectSource(config, 1))),
    record: JSON.stringify(record),
    calls: CALLS,
    store: storeText(databaseOf([TRAFFIC], [run])),
    ...stored(),
  };
}

/** What regressions leave behind. */
function stored(): Pick<Originals, 'journal' | 'closure' | 'exhaustPlan' | 'exhaustUnit' | 'failure'> {
  const argv = LINE.split(' ');
  const jobs = ['a', 'b', 'c/0-s1'].map((id) => aJob({ id, argv, cwd: '/tmp' }));
  const results = [aResult({ id: 'a' }), aResult({ id: 'b', status: 'failed', folder: '/tmp/x', log: 'y' })];
  const generation = { number: 1, folder: 'generation-001', runs: 1, passed: 1, bins: 9, covered: 3, gained: 3 };
  const spot = { host: 0, ordinal: 3, kind: 'drop' };
  const findings = { placements: 1, hashes: ['x'], failures: [] };
  const closure = {
    format: 1,
    source: 'l.yaml',
    argv: ['run', 'l.yaml', '--until-coverage', '90'],
    cwd: '.',
    sources: '',
    seed: 1,
    goal: 90,
    started: '2026-01-02T03:04:05.000Z',
    end: '',
    generations: [{ ...generation, wallMs: 5, weights: [['+MTU=256', 2]] }],
  };
  const plan = {
    format: EXHAUST_FORMAT,
    source: 'l.yaml',
    scenarios: [{ name: 'one', argv, cwd: '/tmp' }],
    faults: 1,
    kinds: ['drop'],
    // No frame is permitted beyond the first: nothing is played by workers.
    maxFrames: 1,
    sources: '',
  };
  const failure = {
    format: FAILURE_FORMAT,
    status: 'open',
    ...{ test: TEST, seed: 1, dut: 'hangu', signature: '[SCB_DATA] x', testPath: '', testSha256: '' },
    args: ['+UVM_VERBOSITY=UVM_LOW'],
    scenario: 'x.yaml',
  };
  const lines = [{ kind: 'plan', plan: aPlan({ jobs }) }, ...results.map((result) => ({ kind: 'result', result }))];
  return {
    journal: `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
    closure: JSON.stringify(closure),
    exhaustPlan: JSON.stringify(plan),
    exhaustUnit: JSON.stringify({
      unit: 'one/0.3.drop',
      scenario: 'one',
      findings: { ...findings, first: spot },
      wallMs: 1,
    }),
    failure: JSON.stringify(failure),
  };
}

const CALLS = `format: rnic-verify scenario 2
test: test_smoke
seed: 1
hosts: 2
processes: 1
receivesMayRemain: true
parameters: {}
faults: []
laziness: {}
stages:
- threads:
  - name: host0
    steps:
    - { call: openDevice, "on": host0 }
    - { call: allocPd, "on": host0, as: host0.pd0, args: { process: 1 } }
    - { call: createCq, "on": host0, as: host0.cq0, args: { process: 1, entries: 16 } }
    - { wait: 5us }
`;

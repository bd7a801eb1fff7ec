/** Inputs that are right. */

import { resolveParameters } from '../../../config/parameters.ts';
import { RUN_RECORD_FORMAT } from '../../../regress/verdict.ts';
import { DirectSource } from '../../../sequences/scenario/directSource.ts';
import { explicitForm, scenarioText } from '../../../sequences/scenario/dumpScenario.ts';
import { Plusargs } from '../../../uvm/cmdline/plusargs.ts';
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
  return { scenario: scenarioText(explicitForm(new DirectSource(config, 1))), record: JSON.stringify(record) };
}

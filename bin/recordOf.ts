/** What a run leaves for machines, from what was asked for and what came of it. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunRecord, Versions } from '../regress/runRecord.ts';
import { RUN_RECORD_FORMAT } from '../regress/verdict.ts';
import type { TestCall } from './calledAs.ts';
import type { TestCommand } from './cli/testCommand.ts';
import { replayLine } from './replayLine.ts';
import { exitCodeOfInterrupt } from './interrupts.ts';
import { exitCodeOf, type RunResult } from './runSpec.ts';

/** What is the same for all records of one run. */
export interface RecordSettings {
  readonly versions: Versions;
  /** As typed. */
  readonly argv: readonly string[];
  /** How the user calls `hca_test`. */
  readonly call: TestCall;
  readonly id: string;
  readonly folder: string;
  /** Over the sources of the folder that `+TEST_PATH` names; default: not known, or no such folder. */
  readonly testSha256?: string;
  /** Folder in which the run was asked for; default: the current one. */
  readonly cwd?: string;
}

/** The result of a run that ended without saying how, or goes on; `id` is what its signature is called. */
export function unfinished(id: string, message: string): RunResult {
  return {
    verdict: 'error',
    message,
    signature: { id, component: 'reporter', message, time: 0 },
    endedBy: null,
    unused: [],
    counts: {},
    simulatedTimePs: 0,
    transcript: { hash: '', events: 0 },
    parameters: {},
  };
}

/** What a record says beyond the result of the run. */
export interface Around {
  readonly started: Date;
  readonly wallMs: number;
  /** Path of the log; undefined = none is kept. */
  readonly log: string | undefined;
}

/** The record of a run that has ended, or of one that has not: `UNFINISHED`. */
export function recordOf(command: TestCommand, settings: RecordSettings, result: RunResult, around: Around): RunRecord {
  const { interruptedBy } = result;
  return {
    format: RUN_RECORD_FORMAT,
    id: settings.id,
    test: command.testName,
    seed: command.seed,
    argv: [...settings.argv],
    cwd: settings.cwd ?? process.cwd(),
    plusargs: command.plusargs.map((token) => token.text),
    parameters: { ...result.parameters },
    versions: settings.versions,
    transcript: { ...result.transcript },
    verdict: result.verdict,
    exitCode: interruptedBy === undefined ? exitCodeOf(result.verdict) : exitCodeOfInterrupt(interruptedBy),
    counts: { ...result.counts },
    simulatedTimePs: result.simulatedTimePs,
    wallMs: Math.round(around.wallMs * 1000) / 1000,
    started: around.started.toISOString(),
    signature: result.signature,
    endedBy: result.endedBy,
    unused: [...result.unused],
    scenario: scenarioOf(command, settings.cwd),
    testPath: { path: command.testPath ?? '', sha256: settings.testSha256 ?? '' },
    files: filesOf(command, settings, around),
    replay: replayLine(command, settings.call),
  };
}

function scenarioOf(command: TestCommand, cwd = '.'): RunRecord['scenario'] {
  if (command.scenario === undefined) return { kind: 'generated', path: '', sha256: '' };
  const sha256 = createHash('sha256')
    .update(readFileSync(resolve(cwd, command.scenario)))
    .digest('hex');
  return { kind: 'file', path: command.scenario, sha256 };
}

function filesOf(command: TestCommand, settings: RecordSettings, around: Around): Record<string, string> {
  const files: Record<string, string> = {};
  if (around.log !== undefined) files['log'] = around.log;
  if (command.pcap !== undefined)
    files['pcap'] = command.pcap === '' ? join(settings.folder, 'wire.pcap') : command.pcap;
  if (command.dumpScenario !== undefined) files['scenario'] = command.dumpScenario;
  return files;
}

/**
 * Plays one checked command and leaves its record: shared by `hca_test` and by the workers of a regression.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeJson } from '../regress/atomicFile.ts';
import type { RunRecord, Versions } from '../regress/runRecord.ts';
import { RUN_RECORD_FORMAT } from '../regress/verdict.ts';
import type { ByteStore } from '../uvm/bytes/byteStore.ts';
import { LogFile } from './cli/syncOutput.ts';
import type { TestCommand } from './cli/testCommand.ts';
import { checkSpec } from './checkSpec.ts';
import { closingLines } from './closingLine.ts';
import type { Registry } from './registry.ts';
import { replayLine } from './replayLine.ts';
import { runOne } from './runOne.ts';
import { exitCodeOf, type RunHooks, type RunProgress, type RunResult, type RunSpec } from './runSpec.ts';

/** Plays one run; `runOne` in production. Replaced by specs. */
export type PlayOne = (spec: RunSpec, registry: Registry, hooks: RunHooks, bytes?: ByteStore) => RunResult;

export interface PlaySettings {
  readonly registry: Registry;
  readonly versions: Versions;
  /** As typed, for the record. */
  readonly argv: readonly string[];
  /** How the user calls `hca_test`. */
  readonly program: string;
  readonly id: string;
  readonly folder: string;
  /** Which runs leave a record, and a log that the command does not name. */
  readonly keep: 'failures' | 'all' | 'none';
  /** Receives the log besides the file. */
  readonly echo?: (text: string) => void;
  readonly progress?: (progress: RunProgress) => void;
  readonly bytes?: ByteStore;
  readonly play?: PlayOne;
}

/** The run as the harness sees it, from a command whose own problems have been reported. */
export function specOf(command: TestCommand, folder: string): RunSpec {
  const named = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`+${name}=${value}`];
  const pcap = command.pcap === '' ? join(folder, 'wire.pcap') : command.pcap;
  const files = [
    ...named('PCAP', pcap),
    ...named('SCENARIO', command.scenario),
    ...named('DUMP_SCENARIO', command.dumpScenario),
  ];
  const { testName, seed } = command;
  return { testName, seed, plusargs: [...command.plusargs.map((token) => token.text), ...files] };
}

/** Everything wrong with a command, its flags and its values together. */
export function problemsOf(command: TestCommand, registry: Registry): string[] {
  return [...command.problems, ...checkSpec(specOf(command, ''), registry)];
}

/** Plays a command without problems; writes log and record as `keep` says. */
export function playCommand(command: TestCommand, settings: PlaySettings): RunRecord {
  const started = new Date();
  const start = performance.now();
  const log = new LogFile(command.log ?? join(settings.folder, 'run.log'));
  const spec = specOf(command, settings.folder);
  const result = (settings.play ?? runOne)(
    spec,
    settings.registry,
    hooksOf(command, settings, log, start),
    settings.bytes,
  );
  const kept = settings.keep === 'all' || (settings.keep === 'failures' && result.verdict !== 'passed');
  const record = recordOf(command, settings, result, { started, wallMs: performance.now() - start, log, kept });
  for (const line of closingLines(record)) log.line(line);
  log.close(kept || command.log !== undefined);
  if (kept) writeJson(join(settings.folder, 'run.json'), record);
  return record;
}

function hooksOf(command: TestCommand, settings: PlaySettings, log: LogFile, start: number): RunHooks {
  const limit = start + command.timeoutSeconds * 1000;
  return {
    sink: (text) => {
      log.line(text);
      settings.echo?.(text);
    },
    heartbeat: (progress) => {
      settings.progress?.(progress);
      if (performance.now() < limit) return undefined;
      return `no end after ${command.timeoutSeconds} s of wall-clock time; --timeout sets the limit`;
    },
  };
}

interface Around {
  readonly started: Date;
  readonly wallMs: number;
  readonly log: LogFile;
  readonly kept: boolean;
}

function recordOf(command: TestCommand, settings: PlaySettings, result: RunResult, around: Around): RunRecord {
  return {
    format: RUN_RECORD_FORMAT,
    id: settings.id,
    test: command.testName,
    seed: command.seed,
    argv: [...settings.argv],
    cwd: process.cwd(),
    plusargs: command.plusargs.map((token) => token.text),
    parameters: { ...result.parameters },
    versions: settings.versions,
    transcript: { ...result.transcript },
    verdict: result.verdict,
    exitCode: exitCodeOf(result.verdict),
    counts: { ...result.counts },
    simulatedTimePs: result.simulatedTimePs,
    wallMs: Math.round(around.wallMs * 1000) / 1000,
    started: around.started.toISOString(),
    signature: result.signature,
    endedBy: result.endedBy,
    scenario: scenarioOf(command),
    files: filesOf(command, settings, around),
    replay: replayLine(command, settings.program),
  };
}

function scenarioOf(command: TestCommand): RunRecord['scenario'] {
  if (command.scenario === undefined) return { kind: 'generated', path: '', sha256: '' };
  const sha256 = createHash('sha256').update(readFileSync(command.scenario)).digest('hex');
  return { kind: 'file', path: command.scenario, sha256 };
}

function filesOf(command: TestCommand, settings: PlaySettings, around: Around): Record<string, string> {
  const files: Record<string, string> = {};
  if (around.kept || command.log !== undefined) files['log'] = around.log.path;
  if (command.pcap !== undefined)
    files['pcap'] = command.pcap === '' ? join(settings.folder, 'wire.pcap') : command.pcap;
  if (command.dumpScenario !== undefined) files['scenario'] = command.dumpScenario;
  return files;
}

/** What a run leaves for machines, from what was asked for and what came of it. */

import { join } from 'node:path';
import type { RuleOutcome } from '../../agents/link/faults/faultInjector.ts';
import type { PcieRuleOutcome } from '../../agents/pcie/faults/pcieInjector.ts';
import type { TIME_LINE_FILE } from '../../regress/page/timeLine.ts';
import type { RunRecord, Versions } from '../../regress/runRecord.ts';
import { RUN_RECORD_FORMAT } from '../../regress/verdict.ts';
import type { TestCall } from '../calledAs.ts';
import { EVENTS_FILE } from './failure/eventsFile.ts';
import type { LoadedCommand } from './loadedCommand.ts';
import { writtenCheckpoint } from './replay/replayDifference.ts';
import { replayLine } from './replay/replayLine.ts';
import { exitCodeOfInterrupt } from './limits/interrupts.ts';
import { exitCodeOf, type RunResult, type RunSoFar } from './runSpec.ts';

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

/** Beside the record: what explains a failure, for people. */
export const FAILURE_PAGE = 'failure.md';
export const TRACE_FILE = 'trace.json';
/** Beside the record of a failure: what pages draw. */
export const TIME_LINE: typeof TIME_LINE_FILE = 'timeline.json';

/** Of a run of which nothing more is known. */
const NOTHING_KNOWN: RunSoFar = {
  counts: {},
  simulatedTimePs: 0,
  transcript: { hash: '', events: 0 },
  parameters: {},
};

/**
 * The result of a run that ended without saying how, or goes on; `id` is what its signature is called.
 * @param soFar what is known of it; default: nothing
 */
export function unfinished(id: string, message: string, soFar: RunSoFar = NOTHING_KNOWN): RunResult {
  return {
    verdict: 'error',
    message,
    signature: { id, component: 'reporter', message, time: soFar.simulatedTimePs },
    endedBy: null,
    unused: [],
    ...soFar,
  };
}

/** What a record says beyond the result of the run. */
export interface Around {
  readonly started: Date;
  readonly wallMs: number;
  /** Path of the log; undefined = none is kept. */
  readonly log: string | undefined;
  /** What came of playing it once more; default: that was not done. */
  readonly secondPlay?: RunRecord['secondPlay'];
  /** What explains the failure; default: nothing does. */
  readonly failure?: RunRecord['failure'];
}

/**
 * The record of a run that has ended, or of one that has not: `UNFINISHED`. Nothing is read for it: files may have
 * changed since the run began.
 */
export function recordOf(
  command: LoadedCommand,
  settings: RecordSettings,
  result: RunResult,
  around: Around,
): RunRecord {
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
    transcript: transcriptOf(result),
    verdict: result.verdict,
    exitCode: interruptedBy === undefined ? exitCodeOf(result.verdict) : exitCodeOfInterrupt(interruptedBy),
    counts: { ...result.counts },
    simulatedTimePs: result.simulatedTimePs,
    wallMs: Math.round(around.wallMs * 1000) / 1000,
    started: around.started.toISOString(),
    signature: result.signature,
    endedBy: result.endedBy,
    errorIds: errorIdsOf(result),
    findings: result.findings ?? { errors: [], isWhole: false },
    secondPlay: around.secondPlay ?? null,
    failure: around.failure ?? null,
    unused: [...result.unused],
    scenario: scenarioOf(command),
    faultFile: { path: command.faultFile?.path ?? '', sha256: command.faultFile?.sha256 ?? '' },
    faults: recordedFaults(result),
    testPath: { path: command.testPath ?? '', sha256: settings.testSha256 ?? '' },
    files: filesOf(command, settings, around),
    replay: replayLine(command, settings.call),
  };
}

function errorIdsOf({ errorIds, signature }: RunResult): string[] {
  return [...(errorIds ?? (signature === null ? [] : [signature.id]))];
}

function recordedFaults({ faults, pcieFaults, injections }: RunResult): RunRecord['faults'] {
  if (faults === undefined && pcieFaults === undefined && injections === undefined) return null;
  const { rules = [], hosts = [] } = faults ?? {};
  const injected = (injections ?? []).map(({ text, source, sent }) => ({ packet: text, source, sent }));
  return { rules: rules.map(recordedRule), pcie: (pcieFaults ?? []).map(recordedRule), injected, hosts: [...hosts] };
}

function recordedRule({ text, source, matched, fired, schedule }: RuleOutcome | PcieRuleOutcome) {
  return { rule: text, source, matched, fired, schedule: schedule === null ? null : [...schedule] };
}

function transcriptOf({ transcript }: RunResult): RunRecord['transcript'] {
  const { hash, events, checkpoints = [] } = transcript;
  return { hash, events, checkpoints: checkpoints.map(writtenCheckpoint) };
}

function scenarioOf({ scenarioFile }: LoadedCommand): RunRecord['scenario'] {
  if (scenarioFile === undefined) return { kind: 'generated', path: '', sha256: '' };
  const { path, sha256 } = scenarioFile;
  return { kind: 'file', path, sha256 };
}

function filesOf(command: LoadedCommand, settings: RecordSettings, around: Around): Record<string, string> {
  const files: Record<string, string> = {};
  if (around.log !== undefined) files['log'] = around.log;
  if (command.pcap !== undefined)
    files['pcap'] = command.pcap === '' ? join(settings.folder, 'wire.pcap') : command.pcap;
  if (command.trace !== undefined)
    files['trace'] = command.trace === '' ? join(settings.folder, TRACE_FILE) : command.trace;
  if (command.dumpScenario !== undefined) files['scenario'] = command.dumpScenario;
  if (around.failure !== undefined && around.failure !== null) {
    files['failure'] = join(settings.folder, FAILURE_PAGE);
    files['events'] = join(settings.folder, EVENTS_FILE);
    files['timeline'] = join(settings.folder, TIME_LINE);
  }
  return files;
}

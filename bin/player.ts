/** Plays jobs of a regression in a worker process, one after another, with one byte store. */

import { FAILURE_PAGE } from './run/recordOf.ts';
import { logTime } from '../uvm/report/reportMessage.ts';
import { join, resolve } from 'node:path';
import { GroupSender, type MeasuredRun } from '../regress/coverage/measuredRun.ts';
import type { Job } from '../regress/job.ts';
import { endAtOnce } from '../regress/pool/parentWatch.ts';
import type { Measured, PlayedJob, Player, PlayerHost, PlayerSettings } from '../regress/pool/player.ts';
import type { RunRecord } from '../regress/runRecord.ts';
import { shortText } from '../regress/shortText.ts';
import { ByteStore } from '../uvm/bytes/byteStore.ts';
import { callOf } from './calledAs.ts';
import { parseTestCommand, type TestCommand } from './cli/commands/testCommand.ts';
import { reasonOf } from './run/closingLine.ts';
import { faultEffect } from './run/faultEffect.ts';
import { LateErrors } from './run/limits/lateErrors.ts';
import { type LoadedCommand, loadCommand } from './run/loadedCommand.ts';
import { inOwnFolder } from './run/ownFolder.ts';
import { makeOutputFolders } from './run/outputPaths.ts';
import { isKept, jobProblems, type PlayOne, playCommand, problemsWith } from './run/playCommand.ts';
import { openRun } from './run/runOne.ts';
import { Registries } from './registries.ts';
import { loadRegistry, type Registry } from './registry.ts';
import { currentVersions, projectRoot } from './versions.ts';

/** Called by the worker process. */
export async function createPlayer(settings: PlayerSettings, host: PlayerHost): Promise<Player> {
  return playerOf(await loadRegistry(), settings, host);
}

/** A player with a given registry, for a process that plays nothing else; `play` replaces `openRun` in specs. */
export function playerOf(registry: Registry, settings: PlayerSettings, host: PlayerHost, play?: PlayOne): Player {
  const versions = currentVersions(projectRoot());
  const bytes = ByteStore.create();
  const registries = new Registries(registry, () => {}, settings.testFolders);
  const start = process.cwd();
  const sender = new GroupSender();
  const lateErrors = new LateErrors((error, id) => host.stray(error, id));
  return {
    async play(job: Job, attempt = 1): Promise<PlayedJob & Measured> {
      // Log files and option files of a script are relative to where the script would have been.
      if (process.cwd() !== job.cwd) process.chdir(job.cwd);
      const folder = folderOf(job, settings.out);
      const typed = parseTestCommand(job.argv);
      const command = loadCommand(settings.stored === true ? inOwnFolder(typed, folder) : typed, job.cwd);
      const open = await registries.open(command.testPath, job.cwd);
      const found = problemsWith(open, command, (own) => jobProblems(command, own, job.cwd));
      const problems = found.length > 0 ? found : makeOutputFolders(command, job.cwd, false);
      if (problems.length > 0) return misused(job, command, problems);
      const named = { argv: job.argv, call: callOf(job, start), id: job.id, folder };
      const common = { registry: open.registry, testSha256: open.sha256, versions, bytes, ...named };
      const limited = { ...command, timeoutSeconds: limitOf(job, command, settings) };
      const lost: string[] = [];
      const onLost = (problem: string): void => void lost.push(problem);
      const replaced = play === undefined ? {} : { play };
      const played = (record: RunRecord): PlayedJob => withLosses(playedOf(record, settings, folder), lost);
      const onExit = (record: RunRecord): void => host.ending(job.id, played(record));
      const kept = { keep: settings.keep, pageAtOnce: attempt > 1, onLost, onExit, lateErrors };
      const watched = isWatched(job, command, settings) ? { endsAtSignal: endAtOnce } : {};
      const measured: MeasuredRun[] = [];
      const onCoverage = (run: MeasuredRun): void => void measured.push(sender.fresh(run));
      const counted = { coverage: settings.coverage === true, onCoverage };
      const record = await playCommand(limited, { ...common, ...kept, ...watched, ...counted, ...replaced });
      const playOne: PlayOne = (spec, own, hooks) => (play ?? openRun)(spec, own, hooks, bytes);
      const effect = await effectOf(limited, record, open.registry, { play: playOne, lateErrors });
      const outcome = { ...played(record), ...effect };
      const [coverage] = measured;
      return coverage === undefined ? outcome : { ...outcome, coverage };
    },
  };
}

/** Nobody waits for a comparison that the limit of the run does not leave time for. */
const SPARE_SECONDS = 1;

/** What a planted bug did to a run that passes with it: played without the bug in what is left of its time. */
async function effectOf(
  command: LoadedCommand,
  record: RunRecord,
  registry: Registry,
  { play, lateErrors }: { readonly play: PlayOne; readonly lateErrors: LateErrors },
): Promise<Pick<PlayedJob, 'bugEffect'>> {
  const took = record.wallMs / 1000;
  const left = command.timeoutSeconds === undefined ? Infinity : command.timeoutSeconds - took - SPARE_SECONDS;
  if (record.verdict !== 'passed' || left < took) return {};
  const limited = left === Infinity ? command : { ...command, timeoutSeconds: left };
  const effect = await faultEffect(limited, record, registry, play, undefined, lateErrors);
  return effect === undefined ? {} : { bugEffect: shortText(effect.text) };
}

/** Folder of a run within that of its regression. */
export function folderOf(job: Pick<Job, 'id'>, out: string): string {
  return join(out, 'runs', job.id.replaceAll('/', '.'));
}

/** Whether the runner looks after the limit of a job: it does not know of one in the arguments that is shorter. */
function isWatched(job: Job, { timeoutSeconds: own }: TestCommand, settings: PlayerSettings): boolean {
  const given = givenLimit(job, settings);
  return given !== undefined && given > 0 && (own === undefined || own >= given);
}

/** Limit that the runner knows (s). */
function givenLimit(job: Job, settings: PlayerSettings): number | undefined {
  return job.timeoutSeconds > 0 ? job.timeoutSeconds : settings.timeoutSeconds;
}

/** The shorter one of what the arguments and what the regression say; undefined when neither says anything. */
function limitOf(job: Job, command: TestCommand, settings: PlayerSettings): number | undefined {
  const given = givenLimit(job, settings);
  const limits = [command.timeoutSeconds, given].filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** The run used up its wall-clock time and had nothing against the NIC so far. */
function isTimeout(record: RunRecord): boolean {
  return record.verdict === 'error' && record.signature?.id === 'RUN_LIMIT';
}

function statusOf(record: RunRecord): PlayedJob['status'] {
  if (record.secondPlay?.outcome === 'differs') return 'nondeterministic';
  return isTimeout(record) ? 'timeout' : record.verdict;
}

function playedOf(record: RunRecord, settings: PlayerSettings, folder: string): PlayedJob {
  const kept = isKept(settings.keep, record);
  return {
    status: statusOf(record),
    test: record.test,
    seed: record.seed,
    simulatedTimePs: record.simulatedTimePs,
    checks: record.counts['checks'] ?? 0,
    transcript: record.transcript.hash,
    signature: shortSignature(record.signature),
    errorIds: record.errorIds,
    message: shortText(reasonOf(record)),
    replay: record.replay,
    folder: kept ? folder : '',
    log: record.files['log'] === undefined ? '' : resolve(record.cwd, record.files['log']),
    ...causeOf(record, kept ? folder : ''),
    ...findingsOf(record),
    unused: record.unused,
    switchedOff: record.counts['errors_switched_off'] ?? 0,
  };
}

/** What the page of a failure says in short. @param folder of the record; '' when none was kept */
export function causeOf({ failure }: RunRecord, folder: string): Pick<PlayedJob, 'cause'> {
  if (failure === null) return {};
  const { accuses, lines, time } = failure;
  const deciding = lines.filter(({ text, decides }) => decides && !text.startsWith('UVM_'));
  // What comes behind the error is what was missing; else the latest event has led to it.
  const line = deciding.find((each) => each.time > time) ?? deciding.at(-1);
  const decides = line === undefined ? '' : shortText(`${logTime(line.time)}: ${line.text}`);
  return { cause: { page: folder === '' ? '' : join(folder, FAILURE_PAGE), accuses: accuses.map(shortText), decides } };
}

function findingsOf({ verdict, findings, parameters, plusargs }: RunRecord): Pick<PlayedJob, 'findings'> {
  if (verdict === 'passed') return {};
  return { findings: { ...findings, dut: String(parameters['DUT'] ?? ''), plusargs } };
}

/** Nobody can rely on a run whose log or record is missing; a failure stays one. */
function withLosses(played: PlayedJob, lost: readonly string[]): PlayedJob {
  if (lost.length === 0) return played;
  const status = played.status === 'passed' ? 'error' : played.status;
  return { ...played, status, lost, message: [played.message, ...lost].filter((text) => text !== '').join('; ') };
}

function shortSignature(signature: RunRecord['signature']): RunRecord['signature'] {
  return signature === null ? null : { ...signature, message: shortText(signature.message) };
}

function misused({ where }: Job, { testName, seed }: TestCommand, problems: readonly string[]): PlayedJob {
  const message = `${where}: ${problems.join(' | ')}`;
  const none = {
    simulatedTimePs: 0,
    checks: 0,
    transcript: '',
    signature: null,
    errorIds: [],
    replay: '',
    folder: '',
    log: '',
    unused: [],
    switchedOff: 0,
  };
  return { ...none, status: 'usage', test: testName, seed, message };
}

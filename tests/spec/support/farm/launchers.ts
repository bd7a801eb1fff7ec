/** Every launcher, with a scripted player and times that suit specs. */

import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FarmSettings } from '../../../../regress/farm/farmFiles.ts';
import { FarmFolder } from '../../../../regress/farm/farmFolder.ts';
import { FarmLauncher, type FarmOptions } from '../../../../regress/farm/farmLauncher.ts';
import { holderOf } from '../../../../regress/farm/lease.ts';
import type { ChunkCommand, Scheduler } from '../../../../regress/farm/scheduler.ts';
import { LsfScheduler } from '../../../../regress/farm/schedulers/lsf.ts';
import { SlurmScheduler } from '../../../../regress/farm/schedulers/slurm.ts';
import { newTemplateScheduler } from '../../../../regress/farm/schedulers/template.ts';
import type { Launcher } from '../../../../regress/launcher.ts';
import { LocalLauncher } from '../../../../regress/pool/localLauncher.ts';
import { bundledFile, bundledUrl } from '../bundled.ts';
import { aJob } from '../jobs.ts';

/** A launcher, as the contract sees it. */
export interface LauncherUnderTest {
  readonly name: string;
  /** @param out folder of the regression, the same for one that goes on */
  open(out: string, changes?: Partial<FarmOptions>): Launcher;
  /** Processes that play, which may be killed. */
  pids(out: string): readonly number[];
  /** Stand-ins take the place of its commands. */
  readonly standsIn: boolean;
}

const SOURCES = 'of the spec';
export const RUNS_OF_CHUNK = 4;

/** Of this process before the newest pool was made. They belong to others: the compiler of test folders is one. */
let otherChildren: readonly number[] = [];

const local: LauncherUnderTest = {
  name: 'local',
  standsIn: false,
  open: (out) => {
    otherChildren = childrenOf(process.pid);
    return new LocalLauncher({
      workers: 2,
      workerFile: bundledFile('regress/worker.ts'),
      nodeArguments: [],
      heapMb: 100,
      playerUrl: bundledUrl('tests/spec/support/scriptedPlayer.ts'),
      settings: { out, keep: 'none', timeoutSeconds: 30 },
      timeoutSeconds: 30,
      attempts: 2,
      describe: ({ id }) => ({ test: 't', seed: 1, replay: `replay ${id}` }),
    });
  },
  pids: () => childrenOf(process.pid).filter((pid) => !otherChildren.includes(pid)),
};

/** A launcher whose chunks a scheduler starts. */
export function onFarm(
  name: string,
  scheduler: (command: ChunkCommand) => Scheduler,
  standsIn = false,
): LauncherUnderTest {
  return {
    name,
    standsIn,
    open: (out, changes = {}) =>
      new FarmLauncher({ ...farmOptions(out, (farm) => scheduler({ farm, command: chunkCommand(farm) })), ...changes }),
    pids: (out) => {
      const [session] = FarmFolder.sessions(out).toReversed();
      return session === undefined ? [] : holdersOf(session);
    },
  };
}

export function farmSettings(changes: Partial<FarmSettings> = {}): FarmSettings {
  return {
    sources: SOURCES,
    node: process.versions.node,
    probe: { job: aJob({ id: 'probe', argv: ['pass'] }), transcript: 'x' },
    testFolders: {},
    keep: 'none',
    stored: false,
    coverage: false,
    timeoutSeconds: 30,
    heapMb: 100,
    workers: 1,
    beatMs: 200,
    ...changes,
  };
}

function farmOptions(out: string, scheduler: (session: FarmFolder) => Scheduler): FarmOptions {
  return {
    out,
    settings: async () => farmSettings(),
    scheduler,
    runsOfChunk: () => RUNS_OF_CHUNK,
    attempts: 2,
    mostBarren: 3,
    patience: { lostMs: 20_000, settleMs: 200 },
    pace: { resultsMs: 20, leasesMs: 50, schedulerMs: 100 },
    describe: ({ id }) => ({ test: 't', seed: 1, replay: `replay ${id}` }),
    clear: () => undefined,
  };
}

function chunkCommand({ path }: FarmFolder): string[] {
  return [...chunkProgram(), path];
}

/** Plays chunks with the scripted player. */
export function chunkProgram(): string[] {
  const runner = bundledFile('tests/spec/support/chunkRunner.ts');
  const player = [bundledFile('regress/worker.ts'), bundledUrl('tests/spec/support/scriptedPlayer.ts')];
  return [process.execPath, runner, ...player, SOURCES];
}

/** Stand-ins for commands of schedulers, in a folder that is on the PATH until they are closed. */
export class StandIns {
  readonly folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  readonly #path = process.env['PATH'] ?? '';

  constructor(...names: readonly string[]) {
    const program = fileURLToPath(new URL('standIn.sh', import.meta.url));
    for (const name of names) symlinkSync(program, join(this.folder, name));
    process.env['STAND_IN'] = this.folder;
    process.env['PATH'] = `${this.folder}:${this.#path}`;
  }

  /** Command lines, with each word in brackets. */
  get calls(): readonly string[] {
    return readFileSync(join(this.folder, 'calls'), 'utf8').trim().split('\n');
  }

  close(): void {
    process.env['PATH'] = this.#path;
    delete process.env['STAND_IN'];
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const onThisMachine = { slots: 2, status: undefined, cancel: undefined };
/** As `qsub` does: hands over, prints what the job is called, and ends. */
const handsOver = {
  submit: 'setsid {command} >/dev/null 2>&1 </dev/null & echo your job; echo $!',
  status: 'kill -0 {id} 2>/dev/null',
  cancel: 'kill -TERM -{id}',
  slots: 2,
};

/** All that need no server. */
export const LAUNCHERS: readonly LauncherUnderTest[] = [
  local,
  onFarm('template', (command) => newTemplateScheduler({ ...command, ...onThisMachine, submit: '{command}' })),
  onFarm('template that hands over', (command) => newTemplateScheduler({ ...command, ...handsOver })),
  onFarm('slurm (stand-in)', (command) => new SlurmScheduler({ ...command, slots: undefined, words: [] }), true),
  onFarm('lsf (stand-in)', (command) => new LsfScheduler({ ...command, slots: undefined, words: [] }), true),
];

function holdersOf(session: FarmFolder): number[] {
  return session.chunkNumbers().flatMap((chunk) => holderOf(session, chunk)?.pid ?? []);
}

export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/**
 * `hca_regress watch <list>...`: plays what a change of a source, a list or an input touches, as soon as it is written.
 *
 *   event -> FolderWatch -> wait until nothing more changes -> hca_regress run … --touched-by <file>…
 *
 * Each play is a process of its own, which builds what has changed. A further change stops it, and what it was to play is
 * played with what that change touches.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counted } from '../../uvm/report/counted.ts';
import { regressProgram } from '../calledAs.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { parseRegressCommand, type RegressCommand } from '../cli/commands/regressCommand.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { REGRESS_FLAGS } from '../cli/regressFlags.ts';
import { testFoldersIn } from '../cli/testFolders.ts';
import type { Outputs } from '../many/playRegression.ts';
import { listPath } from '../many/shippedLists.ts';
import { projectDefaults } from '../project/projectDefaults.ts';
import { exitCodeOfInterrupt, type Interrupt } from '../run/limits/interrupts.ts';
import { EXIT } from '../run/runSpec.ts';
import { projectRoot } from '../versions.ts';
import { FolderWatch } from './folderWatch.ts';

const EPILOGUE = [
  'Flags and plusargs are those of run. Nothing is played until something changes; a run is played when its test, its sequence or',
  'its kind of NIC imports a changed file at whatever distance, when it reads one, or when every run goes through one. Regressions',
  'of watch are not in the history. Ctrl-C ends.',
].join('\n');
/** A file is written in several steps, and editors save several files at once (ms). */
const QUIET_MS = 300;
const SIGNALS: readonly Interrupt[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Flags of `run` that mean nothing here. */
const NOT_HERE = ['--resume', '--failed', '--until-coverage', '--dry-run', '-n', '--touched-by', '--out'];

/**
 * @param words behind `watch`
 * @param program that plays; default: the one that was called
 * @returns the exit code
 */
export async function watchCommand(
  words: readonly string[],
  { out, err }: Outputs,
  program: readonly string[] = [resolve(regressProgram())],
): Promise<number> {
  const defaults = await projectDefaults();
  const command = parseRegressCommand(['run', ...words], defaults);
  if (command.action === 'help') {
    out.line(await helpText(commandUsage('watch'), REGRESS_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const foreign = words.filter((word) => NOT_HERE.includes(word.replace(/=.*$/s, '')));
  const problems = [
    ...defaults.problems,
    ...command.problems,
    ...foreign.map((word) => `${word} (command line): has no meaning for watch; leave it out`),
  ];
  if (problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  return await new Watch(words, command, program, { out, err }).run();
}

/** One process that plays, and the files for which it does. */
interface Play {
  readonly files: readonly string[];
  readonly child: ChildProcess;
}

class Watch {
  readonly #words: readonly string[];
  readonly #command: RegressCommand;
  readonly #program: readonly string[];
  readonly #out: Outputs['out'];
  readonly #err: Outputs['err'];
  readonly #pending = new Set<string>();
  readonly #watch = new FolderWatch((path) => this.#changed(path));
  #timer: NodeJS.Timeout | undefined;
  #play: Play | undefined;
  #by: Interrupt | undefined;
  #end: () => void = () => {};

  constructor(words: readonly string[], command: RegressCommand, program: readonly string[], { out, err }: Outputs) {
    this.#words = words;
    this.#command = command;
    this.#program = program;
    this.#out = out;
    this.#err = err;
  }

  async run(): Promise<number> {
    for (const signal of SIGNALS) process.on(signal, this.#stop);
    try {
      const asked = await this.#asked();
      if (typeof asked === 'number') return this.#by === undefined ? asked : exitCodeOfInterrupt(this.#by);
      for (const folder of this.#sourceFolders(asked)) this.#watch.add(folder, true);
      for (const source of this.#command.sources) this.#watch.add(dirname(resolve(listPath(source))), false);
      const runs = counted(asked.length, 'run');
      this.#out.line(
        `watching ${counted(this.#watch.size, 'folder')} for ${runs} of ${this.#command.sources.join(', ')}; Ctrl-C ends`,
      );
      if (this.#by === undefined) await new Promise<void>((end) => (this.#end = end));
      return this.#by === undefined ? EXIT.passed : exitCodeOfInterrupt(this.#by);
    } finally {
      for (const signal of SIGNALS) process.removeListener(signal, this.#stop);
      clearTimeout(this.#timer);
      this.#watch.close();
    }
  }

  /** Lines of a dry run; its exit code where it found mistakes, which it has said. */
  async #asked(): Promise<readonly string[] | number> {
    const child = this.#spawn(['--dry-run'], 'pipe');
    this.#play = { files: [], child };
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    const code = await new Promise<number>((end) => child.on('close', (status) => end(status ?? EXIT.infrastructure)));
    this.#play = undefined;
    return code === EXIT.passed ? text.split('\n').filter((line) => line !== '') : code;
  }

  /** Of the project, and of the tests of runs. */
  #sourceFolders(lines: readonly string[]): readonly string[] {
    const words = lines.flatMap((line) => line.split(/[\s']+/));
    const folders = testFoldersIn([...words, ...this.#command.defaults.plusargs.map(({ text }) => text)]);
    return [fileURLToPath(projectRoot()).replace(/\/$/, ''), ...new Set(folders.map((folder) => resolve(folder)))];
  }

  #changed(path: string): void {
    this.#pending.add(relative(process.cwd(), path));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#due(), QUIET_MS);
  }

  #due(): void {
    if (this.#by !== undefined) return;
    // Its end begins the next one.
    if (this.#play !== undefined) this.#play.child.kill('SIGINT');
    else this.#begin();
  }

  #begin(): void {
    const files = [...this.#pending].sort();
    this.#pending.clear();
    this.#out.line(`changed: ${files.join(', ')}`);
    const touched = files.flatMap((file) => ['--touched-by', file]);
    const child = this.#spawn([...touched, '--no-history'], 'inherit');
    this.#play = { files, child };
    child.on('error', (error) => this.#err.line(`${regressProgram()}: ${error.message}`));
    child.on('close', () => this.#ended(files));
  }

  #ended(files: readonly string[]): void {
    this.#play = undefined;
    if (this.#by !== undefined) this.#end();
    else if (this.#pending.size > 0) {
      // It was stopped before it had played all.
      for (const file of files) this.#pending.add(file);
      this.#begin();
    } else this.#out.line('waiting for changes');
  }

  /** In a group of its own: Ctrl-C of the terminal reaches this process, which passes it on once. */
  #spawn(more: readonly string[], stdout: 'inherit' | 'pipe'): ChildProcess {
    const [file = '', ...before] = this.#program;
    const argv = [...before, 'run', ...this.#words, ...more];
    return spawn(file, argv, { stdio: ['ignore', stdout, 'inherit'], detached: true });
  }

  readonly #stop = (signal: NodeJS.Signals): void => {
    this.#by ??= signal as Interrupt;
    if (this.#play === undefined) this.#end();
    else this.#play.child.kill('SIGINT');
  };
}

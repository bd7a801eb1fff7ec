/**
 * Reads case scripts of the published harness and runs them as they are: lines `./hca_test ... -l log`, also behind
 * `bsub -J id -o log` (job arrays too), `time`, `env` and the like, with continuations, comments, variables with known values, `cd` and
 * `mkdir`. Lines that only tidy up (`sed`, `rm`, ...) are passed over; others without `hca_test` are passed over with a
 * note. A line with `hca_test` of which it cannot be said what it would run is a mistake, and so is one that runs another
 * script with such lines: no run is left out in silence.
 */

import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Job } from '../job.ts';
import { calledScript } from './calledScript.ts';
import { JobArrayError, submittedJobs } from './jobArray.ts';
import { namesProgram, PROGRAM, textNamesProgram } from './programName.ts';
import { ScriptBlocks } from './scriptBlocks.ts';
import { ScriptJobs } from './scriptJobs.ts';
import { type ScriptLine, scriptLines } from './scriptLines.ts';
import { ScriptVariables } from './scriptVariables.ts';
import { type ShellCommand, shellCommands } from './shellCommands.ts';
import { unwrap } from './wrappers.ts';

/** The runs of a script, and what could not be taken from it. */
export interface ParsedScript {
  readonly jobs: readonly Job[];
  /** Lines that were passed over and may have mattered, as `file:line: what`. */
  readonly notes: readonly string[];
  /** Lines that cannot be run as they are, as `file:line: what; what to do`. */
  readonly problems: readonly string[];
  /** Folders that the script makes, to be made before its runs. */
  readonly folders: readonly string[];
}

/** The surroundings that the script would find. */
export interface ScriptOptions {
  /** Folder in which the script would be started. */
  readonly cwd: string;
  /** Variables of the environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether there is such a folder; default: the file system. */
  readonly exists?: (path: string) => boolean;
  /** Text of a script that is called, undefined when it cannot be read; default: the file system. */
  readonly read?: (path: string) => string | undefined;
}

const HARMLESS = new Set([
  'sed',
  'rm',
  'echo',
  'printf',
  'set',
  'wait',
  'touch',
  'chmod',
  'date',
  'sleep',
  ':',
  'true',
]);
/** Commands that may name the program without running it. */
const MENTIONS = new Set(['grep', 'cat', 'ls', 'cp', 'ln', 'which', 'type', 'test', '[', '[[', 'make', 'tee', 'file']);
/** Commands that hand a job to a farm; their own options come before the program. */
const SUBMITTERS = new Set(['bsub', 'srun']);
const SHELLS = new Set(['sh', 'bash', 'dash', 'ksh', 'zsh']);
const DECLARATIONS = new Set(['export', 'declare', 'typeset', 'readonly', 'local']);
const INDEX_ADVICE = 'write \\$LSB_JOBINDEX where the index is to stand';
/** What a list begins a line with. */
const LIST_KEY = /^(tests|include|defaults)[ \t]*:/m;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/**
 * @param path for messages and for the family name
 * @param text the script
 */
export function parseScript(path: string, text: string, options: ScriptOptions): ParsedScript {
  const reader = new ScriptReader(path, text, options);
  reader.read(text);
  const { notes, problems, folders } = reader;
  return { jobs: reader.jobs.list, notes, problems, folders };
}

/** Whether a file is a case script rather than a list: by its ending or first line, else by what stands in it. */
export function isScript(path: string, text: string): boolean {
  if (/\.(ya?ml|json)$/i.test(path)) return false;
  if (/\.(sh|csh|bash)$/i.test(path) || text.startsWith('#!')) return true;
  return textNamesProgram(text) && !LIST_KEY.test(text);
}

/** Thrown inside the reader only: the command, or the whole line, cannot be run as it is. */
class LineProblem extends Error {}

/** It is not run because a command before it cannot be, which is said there. */
class FollowsProblem extends LineProblem {}

class ScriptReader {
  readonly jobs: ScriptJobs;
  readonly notes: string[] = [];
  readonly problems: string[] = [];
  readonly folders: string[] = [];
  readonly #path: string;
  readonly #exists: (path: string) => boolean;
  readonly #read: ScriptOptions['read'];
  readonly #variables: ScriptVariables;
  readonly #blocks: ScriptBlocks;
  #cwd: string;
  #before: string;
  #where = '';
  #ended = false;
  /** A command before, on the same line, may fail or not: what follows `&&` may or may not be run. */
  #doubtful: string | undefined;
  /** The command before, on the same line, cannot be run as it is, nor can what follows it behind `&&`. */
  #failed = false;

  constructor(path: string, text: string, options: ScriptOptions) {
    this.#blocks = new ScriptBlocks(/\.csh$/i.test(path) || /^#!.*csh\b/.test(text));
    this.#path = path;
    this.#exists = options.exists ?? existsSync;
    this.#read = options.read;
    this.#cwd = options.cwd;
    this.#before = options.cwd;
    this.#variables = new ScriptVariables(dirname(resolve(options.cwd, path)), () => this.#cwd, options.env ?? {});
    this.jobs = new ScriptJobs(path);
  }

  read(text: string): void {
    for (const line of scriptLines(text)) {
      if (this.#ended) return;
      this.#where = `${this.#path}:${line.number}`;
      this.#doubtful = undefined;
      this.#failed = false;
      this.#guarded(() => this.#line(line));
    }
  }

  /** Notes what cannot be run as it is. @returns whether there was such */
  #guarded(step: () => void): boolean {
    try {
      step();
      return false;
    } catch (error) {
      if (!(error instanceof LineProblem)) throw error;
      const problem = `${this.#where}: ${error.message}`;
      if (!(error instanceof FollowsProblem) && !this.problems.includes(problem)) this.problems.push(problem);
      return true;
    }
  }

  #line(line: ScriptLine): void {
    const commands = line.isOpen || line.isDocument ? undefined : shellCommands(line.text);
    if (commands !== undefined) {
      for (const command of commands) this.#command(command);
    } else if (line.text.includes(PROGRAM)) {
      if (line.isOpen) throw new LineProblem('a quote is not closed; close it');
      throw new LineProblem(`${PROGRAM} in a here-document is not run; write the line by itself`);
    } else if (line.isOpen) this.notes.push(`${this.#where}: a quote is not closed; the rest is passed over`);
  }

  /** A mistake in a command keeps none of those behind it from opening and closing blocks. */
  #command(command: ShellCommand): void {
    if (command.before !== '&&') this.#failed = false;
    if (this.#guarded(() => this.#obey(command))) this.#failed = true;
  }

  #obey({ words, before }: ShellCommand): void {
    const rest = this.#blocks.enter(words, this.#cwd);
    this.#cwd = this.#blocks.takeFolder() ?? this.#cwd;
    if (rest.length === 0) return;
    if (this.#blocks.inHeader(words) && !this.#mentions(rest)) return;
    this.#simple(rest, before);
    const [first = ''] = rest;
    const certain =
      HARMLESS.has(first) || this.#mentions(rest) || ['cd', 'mkdir'].includes(first) || DECLARATIONS.has(first);
    if (!certain && !ASSIGNMENT.test(first)) this.#doubtful = first;
  }

  /** @param raw words as written */
  #simple(raw: readonly string[], before: string): void {
    const set = new Map<string, string | undefined>();
    let at = 0;
    for (; ASSIGNMENT.test(raw[at] ?? ''); at++) {
      const [, name = '', value = ''] = ASSIGNMENT.exec(raw[at] as string) as RegExpExecArray;
      set.set(name, this.#variables.expand(value).text);
    }
    // An assignment that may not take place leaves the value in doubt.
    const isSure = this.#blocks.doubt() === undefined && before !== '||';
    if (at === raw.length) for (const [name, value] of set) this.#variables.set(name, isSure ? value : undefined);
    else this.#words(raw.slice(at), before, new Map([...set].filter((entry): entry is [string, string] => !!entry[1])));
  }

  #words(raw: readonly string[], before: string, set: ReadonlyMap<string, string>): void {
    const [first = ''] = raw;
    if (first === 'cd') this.#changeFolder(raw, before);
    else if (first === 'mkdir') this.#makeFolders(raw);
    else if (DECLARATIONS.has(first))
      this.#simple(
        raw.filter((word) => ASSIGNMENT.test(word)),
        before,
      );
    else if (first === 'exit') this.#ended ||= this.#blocks.doubt() === undefined && before !== '||' && before !== '&&';
    else if (this.#mentions(raw) && !HARMLESS.has(first)) this.#run(raw, before, set);
    else if (!HARMLESS.has(first) && first !== '') this.#passOver(raw, before);
  }

  /** A command that does not name the program; a script that it runs may. */
  #passOver(raw: readonly string[], before: string): void {
    const words = raw.flatMap((word) => this.#variables.expandWords(word).words);
    const script = calledScript(words, this.#cwd, this.#read);
    if (script !== undefined)
      throw new LineProblem(
        `${words.join(' ')}: ${script} calls ${PROGRAM} too, and its runs would be left out; ` +
          `take the line out and run ${script} by itself`,
      );
    if (before !== '|') this.notes.push(`${this.#where}: "${raw[0]}" is passed over`);
  }

  #changeFolder(raw: readonly string[], before: string): void {
    this.#requireCertain('cd', before);
    const [to = this.#variables.value('HOME') ?? '.'] = this.#known(raw.slice(1));
    const folder = to === '-' ? this.#before : resolve(this.#cwd, to);
    const isMade = this.folders.some((made) => made === folder || made.startsWith(`${folder}/`));
    if (!isMade && !this.#exists(folder))
      throw new LineProblem(`cd ${to}: there is no folder ${folder}; make it, or write mkdir -p ${to} before`);
    this.#before = this.#cwd;
    this.#cwd = folder;
  }

  #makeFolders(raw: readonly string[]): void {
    for (let at = 1; at < raw.length; at++) {
      const { text } = this.#variables.expand(raw[at] as string);
      if (text === '-m') at++;
      else if (text !== undefined && text !== '' && !text.startsWith('-')) this.folders.push(resolve(this.#cwd, text));
    }
  }

  /** A command that names the program: runs it, or says why it cannot. */
  #run(raw: readonly string[], before: string, set: ReadonlyMap<string, string>): void {
    if (!MENTIONS.has(raw[0] ?? '')) this.#requireCertain(PROGRAM, before);
    const words = this.#known(raw);
    const [first = ''] = words;
    if (MENTIONS.has(first)) this.notes.push(`${this.#where}: "${first}" is passed over`);
    else this.#start(words, before, set, 0);
  }

  #start(words: readonly string[], before: string, set: ReadonlyMap<string, string>, timeoutSeconds: number): void {
    const [first = '', second] = words;
    const inner = unwrap(words);
    if (basename(first) === PROGRAM) this.#add(words.slice(1), before, set, timeoutSeconds, []);
    else if (inner !== undefined)
      this.#start(inner.words, before, new Map([...set, ...inner.variables]), inner.timeoutSeconds || timeoutSeconds);
    else if (SUBMITTERS.has(first)) this.#submit(words, before, set, timeoutSeconds);
    else if (SHELLS.has(basename(first)) && second === '-c' && words[2] !== undefined) this.#shell(words[2], before);
    else throw new LineProblem(`it cannot be said how "${first}" runs ${PROGRAM}; write the line without it`);
  }

  /** `bsub [its options] ./hca_test ...`; with a job array once for each index. */
  #submit(words: readonly string[], before: string, set: ReadonlyMap<string, string>, timeoutSeconds: number): void {
    const count = words.findIndex((word) => namesProgram([word]));
    const jobs = words[0] === 'bsub' && count >= 0 ? this.#jobsOf(words, count) : [words];
    for (const job of jobs) this.#submitOne(job, before, set, timeoutSeconds);
    const command = (job: readonly string[]): string => job.slice(count).join(' ');
    if (jobs.length > 1 && new Set(jobs.map(command)).size === 1)
      this.notes.push(`${this.#where}: the ${jobs.length} jobs of the array run the same command; ${INDEX_ADVICE}`);
  }

  #jobsOf(words: readonly string[], count: number): readonly (readonly string[])[] {
    try {
      return submittedJobs(words, count);
    } catch (error) {
      throw error instanceof JobArrayError ? new LineProblem(error.message) : error;
    }
  }

  /** The command of a submission may also be one quoted word. */
  #submitOne(words: readonly string[], before: string, set: ReadonlyMap<string, string>, timeoutSeconds: number): void {
    const flat = words.flatMap((word) => (word.includes(`${PROGRAM} `) ? this.#quoted(word) : [word]));
    const at = flat.findIndex((word) => basename(word) === PROGRAM);
    if (at < 0) throw new LineProblem(`${words[0]} without a command ${PROGRAM}; write the line without ${words[0]}`);
    this.#add(flat.slice(at + 1), before, set, timeoutSeconds, flat.slice(0, at));
  }

  #quoted(word: string): readonly string[] {
    const commands = shellCommands(word) ?? [];
    if (commands.length !== 1) throw new LineProblem(`several commands in one word: ${word}; write them line by line`);
    return this.#known(commands[0]?.words ?? []);
  }

  /** `sh -c 'commands'`: a folder of its own. */
  #shell(text: string, before: string): void {
    this.#requireCertain(PROGRAM, before);
    const [cwd, previous] = [this.#cwd, this.#before];
    const commands = shellCommands(text);
    if (commands === undefined) throw new LineProblem('a quote is not closed; close it');
    for (const command of commands) this.#command(command);
    [this.#cwd, this.#before] = [cwd, previous];
  }

  #add(
    argv: readonly string[],
    before: string,
    set: ReadonlyMap<string, string>,
    timeoutSeconds: number,
    submission: readonly string[],
  ): void {
    this.#requireCertain(PROGRAM, before);
    const seed = set.get('COCOTB_RANDOM_SEED') ?? this.#variables.assigned('COCOTB_RANDOM_SEED');
    for (const name of set.keys())
      if (name !== 'COCOTB_RANDOM_SEED') this.notes.push(`${this.#where}: ${name}= has no effect on the run`);
    this.jobs.add({ argv, submission, seed, cwd: this.#cwd, where: this.#where, timeoutSeconds });
  }

  /** As written, or through a variable. */
  #mentions(raw: readonly string[]): boolean {
    return namesProgram(raw) || namesProgram(raw.flatMap((word) => this.#variables.expandWords(word).words));
  }

  /** Expanded words of a command whose words must be known. */
  #known(raw: readonly string[]): string[] {
    return raw.flatMap((word) => {
      const { words, unknown } = this.#variables.expandWords(word);
      if (unknown === undefined) return words;
      if (/LSB_JOBINDEX/.test(unknown))
        throw new LineProblem(`${unknown} is put in before the job is submitted, when it is not set; ${INDEX_ADVICE}`);
      throw new LineProblem(`the value of ${unknown} is not known without a shell; write what it stands for`);
    });
  }

  /** Whether something takes place must not depend on what only a shell could find out. */
  #requireCertain(what: string, before: string): void {
    if (before === '&&' && this.#failed) throw new FollowsProblem();
    const doubt = this.#blocks.doubt() ?? this.#doubtOfOperator(before);
    if (doubt !== undefined) throw new LineProblem(`${what} ${doubt}`);
  }

  #doubtOfOperator(before: string): string | undefined {
    if (before === '||')
      return 'behind || is run only if what is before it fails, which is not known; write it on a line of its own';
    if (before !== '&&' || this.#doubtful === undefined) return undefined;
    return `behind "${this.#doubtful} ... &&" depends on a command that is not run here; write it on a line of its own`;
  }
}

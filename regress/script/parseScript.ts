/**
 * Reads case scripts of the published harness: lines `./hca_test ... -l log`, also behind `bsub -J id -o log`, with
 * continuations, comments, `cd` and `mkdir`; `sed`, `rm` and `echo` only tidy up and are passed over. Whatever else
 * stands there is a mistake, so that no run is left out in silence; nothing of a script is executed.
 * What needs a shell goes to one by `--shell` (regress/shell).
 */

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Job } from '../job.ts';
import { PROGRAM, textNamesProgram } from './programName.ts';
import { ScriptJobs } from './scriptJobs.ts';
import { scriptLines } from './scriptLines.ts';
import { ScriptError, scriptWords } from './scriptWords.ts';

/** The runs of a script, and what could not be taken from it. */
export interface ParsedScript {
  readonly jobs: readonly Job[];
  /** What cannot be run as it is, as `file:line: what; what to do`. */
  readonly problems: readonly string[];
  /** Folders that the script makes, to be made before its runs. */
  readonly folders: readonly string[];
}

/** The surroundings that the script would find. */
export interface ScriptOptions {
  /** Folder in which the script would be started. */
  readonly cwd: string;
  /** Whether there is such a folder; default: the file system. */
  readonly exists?: (path: string) => boolean;
}

/** Mistakes shown of one script. */
const MAX_PROBLEMS = 20;
const TIDYING = new Set(['sed', 'rm', 'echo']);
/** What a list begins a line with. */
const LIST_KEY = /^(tests|include|defaults)[ \t]*:/m;

/**
 * @param path for messages and for the family name
 * @param text the script
 */
export function parseScript(path: string, text: string, options: ScriptOptions): ParsedScript {
  const reader = new ScriptReader(path, options);
  const problems: string[] = [];
  for (const { text: line, number } of scriptLines(text)) {
    const problem = reader.read(line, number);
    if (problem !== undefined) problems.push(`${path}:${number}: ${problem}`);
  }
  const more = problems.length - MAX_PROBLEMS;
  if (more > 0) problems.splice(MAX_PROBLEMS, more, `${path}: ${more} more lines like these`);
  return { jobs: reader.jobs.list, problems, folders: [...reader.folders] };
}

/** Whether a file is a case script rather than a list: by its ending or first line, else by what stands in it. */
export function isScript(path: string, text: string): boolean {
  if (/\.(ya?ml|json)$/i.test(path)) return false;
  if (/\.(sh|csh|bash)$/i.test(path) || text.startsWith('#!')) return true;
  return textNamesProgram(text) && !LIST_KEY.test(text);
}

class ScriptReader {
  readonly jobs: ScriptJobs;
  readonly folders = new Set<string>();
  readonly #path: string;
  readonly #exists: (path: string) => boolean;
  #cwd: string;

  constructor(path: string, { cwd, exists = existsSync }: ScriptOptions) {
    this.#path = path;
    this.#exists = exists;
    this.#cwd = cwd;
    this.jobs = new ScriptJobs(path);
  }

  /** @returns why the line cannot be run as it is */
  read(line: string, number: number): string | undefined {
    try {
      if (!isTidying(line)) this.#obey(scriptWords(line), number);
      return undefined;
    } catch (error) {
      if (error instanceof ScriptError) return error.message;
      throw error;
    }
  }

  #obey(words: readonly string[], number: number): void {
    const [command, ...rest] = words;
    if (command === undefined) return;
    if (command === 'cd') this.#changeFolder(rest);
    else if (command === 'mkdir') this.#makeFolders(rest);
    else if (basename(command) === PROGRAM || command === 'bsub')
      this.jobs.add({ words, cwd: this.#cwd, where: `${this.#path}:${number}`, name: `line${number}` });
    else
      throw new ScriptError(`"${shown(command)}" is none of ${PROGRAM}, bsub, cd, mkdir, ${[...TIDYING].join(', ')}`);
  }

  #changeFolder([to, ...more]: readonly string[]): void {
    if (to === undefined || to === '' || to.startsWith('-') || more.length > 0)
      throw new ScriptError('cd needs the name of one folder', 'write it');
    const folder = resolve(this.#cwd, to);
    const isMade = [...this.folders].some((made) => made === folder || made.startsWith(`${folder}/`));
    if (!isMade && !this.#exists(folder))
      throw new ScriptError(`cd ${to}: there is no folder ${folder}`, `make it, or write mkdir -p ${to} before`);
    this.#cwd = folder;
  }

  #makeFolders(words: readonly string[]): void {
    const names = words.filter((word, i) => !word.startsWith('-') && words[i - 1] !== '-m' && word !== '');
    for (const name of names) this.folders.add(resolve(this.#cwd, name));
  }
}

/** Whether a line is one command that only tidies up, whatever its words stand for. */
function isTidying(line: string): boolean {
  const [, command = '', rest = ''] = /^\s*([a-z]+)(?=\s|$)(.*)$/s.exec(line) ?? [];
  return TIDYING.has(command) && !/[;&|<>()$`]/.test(rest.replace(/'[^']*'|"(?:[^"\\$`]|\\.)*"|\\./gs, ''));
}

function shown(command: string): string {
  return command.length > 40 ? `${command.slice(0, 40)}...` : command;
}

/**
 * Reads case scripts of the published harness and runs them as they are: lines `./hca_test ... -l log`, also behind
 * `bsub -J id -o log`, with `\` continuations and comments. Lines that only tidy up (`sed`, `mkdir`, `rm`, ...) are
 * passed over; anything else is passed over with a note.
 */

import { basename, resolve } from 'node:path';
import type { Job } from '../job.ts';
import { shellCommands } from './shellWords.ts';

export interface ParsedScript {
  readonly jobs: readonly Job[];
  /** Lines that were passed over and may have mattered, as `file:line: what`. */
  readonly notes: readonly string[];
}

const PROGRAM = 'hca_test';
const HARMLESS = new Set([
  'sed',
  'mkdir',
  'rm',
  'echo',
  'set',
  'wait',
  'exit',
  'touch',
  'chmod',
  'date',
  ':',
  'export',
]);
/** Plusargs that say how to run rather than what. */
const NOT_IN_TITLE = /^\+(UVM_|vpdfile|CASEID|HOST_NUM=|PROC_NUM=)/;

/**
 * @param path for messages and for the family name
 * @param text the script
 * @param cwd folder in which the script would be started
 */
export function parseScript(path: string, text: string, cwd: string): ParsedScript {
  const state = {
    path,
    cwd,
    family: basename(path).replace(/\.[a-z]+$/, ''),
    jobs: [],
    notes: [],
    ids: new Set<string>(),
  };
  for (const { line, number } of logicalLines(text)) readLine(state, line, number);
  return state;
}

/** Whether a file is a case script rather than a list: by its ending, else by its first line. */
export function isScript(path: string, text: string): boolean {
  if (/\.(ya?ml|json)$/i.test(path)) return false;
  return /\.(sh|csh|bash)$/i.test(path) || text.startsWith('#!');
}

interface State {
  readonly path: string;
  readonly family: string;
  cwd: string;
  readonly jobs: Job[];
  readonly notes: string[];
  readonly ids: Set<string>;
}

function* logicalLines(text: string): Generator<{ line: string; number: number }> {
  let line = '';
  let number = 0;
  let start = 1;
  for (const part of text.split(/\r?\n/)) {
    number++;
    if (line === '') start = number;
    if (part.endsWith('\\') && !part.trimStart().startsWith('#')) line += `${part.slice(0, -1)} `;
    else {
      yield { line: line + part, number: start };
      line = '';
    }
  }
  if (line !== '') yield { line, number: start };
}

function readLine(state: State, line: string, number: number): void {
  const where = `${state.path}:${number}`;
  const commands = shellCommands(line);
  if (commands === undefined) state.notes.push(`${where}: a quote is not closed; the line is passed over`);
  for (const { words } of commands ?? []) readCommand(state, words, where);
}

function readCommand(state: State, words: readonly string[], where: string): void {
  const [first = '', second] = words;
  if (first === 'bsub') readSubmission(state, words, where);
  else if (basename(first) === PROGRAM) add(state, words.slice(1), where, undefined);
  else if (first === 'cd' && second !== undefined) state.cwd = resolve(state.cwd, second);
  else if (!HARMLESS.has(first) && !/^\w+=/.test(first)) state.notes.push(`${where}: "${first}" is passed over`);
}

/** `bsub [its options] ./hca_test ...`, where the command may also be one quoted word. */
function readSubmission(state: State, words: readonly string[], where: string): void {
  const flat = words.flatMap((word) =>
    word.includes(`${PROGRAM} `) ? (shellCommands(word)?.[0]?.words ?? []) : [word],
  );
  const at = flat.findIndex((word) => basename(word) === PROGRAM);
  if (at < 0) {
    state.notes.push(`${where}: bsub without ${PROGRAM} is passed over`);
    return;
  }
  const options = flat.slice(0, at);
  const log = after(options, '-o');
  const argv = flat.slice(at + 1);
  add(state, log === undefined || argv.includes('-l') ? argv : [...argv, '-l', log], where, after(options, '-J'));
}

function add(state: State, argv: readonly string[], where: string, jobName: string | undefined): void {
  const caseId = argv.find((word) => word.startsWith('+CASEID='))?.slice('+CASEID='.length);
  const log = after(argv, '-l');
  const name = jobName ?? caseId ?? (log === undefined ? `line${where.slice(where.lastIndexOf(':') + 1)}` : stem(log));
  state.jobs.push({
    id: unique(state.ids, `${state.family}/${name.replace(/[^\w.-]/g, '_')}`),
    family: state.family,
    title: argv
      .filter((word) => word.startsWith('+') && !NOT_IN_TITLE.test(word))
      .map(withoutPlus)
      .join(' '),
    argv,
    cwd: state.cwd,
    where,
    timeoutSeconds: 0,
  });
}

function unique(taken: Set<string>, wanted: string): string {
  let id = wanted;
  for (let n = 2; taken.has(id); n++) id = `${wanted}.${n}`;
  taken.add(id);
  return id;
}

function after(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag);
  return at < 0 ? undefined : words[at + 1];
}

function stem(path: string): string {
  return basename(path).replace(/\.[^.]*$/, '');
}

function withoutPlus(word: string): string {
  return word.slice(1);
}

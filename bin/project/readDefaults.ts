/** Reads what a project has decided, with the place of every mistake. */

import { dirname, join, relative } from 'node:path';
import type { z } from 'zod';
import { whyUnread } from '../../files/dataError.ts';
import { readInputText } from '../../files/inputFile.ts';
import { YamlText } from '../../files/yaml.ts';
import { ScriptError, scriptWords } from '../../regress/script/scriptWords.ts';
import { didYouMean, nearest } from '../../uvm/cmdline/nearest.ts';
import { PLUSARG } from '../cli/splitArgv.ts';
import type { Token } from '../cli/token.ts';
import {
  type Environment,
  NO_DEFAULTS,
  OF_A_LAUNCHER,
  type ProjectDefaults,
  type ProjectValue,
  VARIABLE_PREFIX,
} from './projectValues.ts';
import { configSchema, type Setting, SETTINGS } from './settings.ts';

/** Variables that other parts of the harness read. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set(['REDIS']);
/** Plusargs that name a file or folder. */
const PATH_PLUSARGS: ReadonlySet<string> = new Set(['SCENARIO', 'TEST_PATH']);
const ROWS: Readonly<Record<string, Setting>> = SETTINGS;
const NAMES = [...Object.keys(SETTINGS), 'plusargs'];

/** Where a command is given. */
interface Surroundings {
  readonly cwd: string;
  readonly env: Environment;
}

/** @param file absolute; undefined: there is none */
export function readDefaults(file: string | undefined, around: Surroundings): ProjectDefaults {
  const ofFile = file === undefined ? NO_DEFAULTS : fileDefaults(file, around.cwd);
  const ofEnvironment = environmentDefaults(around.env);
  const named = new Set(ofEnvironment.plusargs.map(nameOf));
  return {
    values: withoutForeign(new Map([...ofFile.values, ...ofEnvironment.values]), ofFile, ofEnvironment),
    plusargs: [...ofEnvironment.plusargs, ...ofFile.plusargs.filter((token) => !named.has(nameOf(token)))],
    problems: [...ofFile.problems, ...ofEnvironment.problems],
  };
}

function nameOf({ text }: Token): string {
  return text.replace(/=.*$/s, '');
}

/** What the file says of its launcher means nothing to another one. */
function withoutForeign(
  values: Map<string, ProjectValue>,
  ofFile: ProjectDefaults,
  ofEnvironment: ProjectDefaults,
): ReadonlyMap<string, ProjectValue> {
  const other = ofEnvironment.values.get('launcher')?.value;
  if (other === undefined || other === ofFile.values.get('launcher')?.value) return values;
  for (const name of OF_A_LAUNCHER) if (!ofEnvironment.values.has(name)) values.delete(name);
  return values;
}

function fileDefaults(file: string, cwd: string): ProjectDefaults {
  const name = relative(cwd, file);
  const refused = (problems: readonly string[]): ProjectDefaults => ({ ...NO_DEFAULTS, problems });
  let text: string;
  try {
    text = readInputText(file);
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    return refused([`${name}: ${why}`]);
  }
  const yaml = new YamlText(text);
  const at = ({ line, column }: { readonly line: number; readonly column: number }): string =>
    `${name}:${line}:${column}`;
  if (yaml.mistakes.length > 0) return refused(yaml.mistakes.map((each) => `${at(each)}: ${each.message}`));
  // A file of comments alone decides nothing.
  const read = configSchema.safeParse(yaml.value ?? {});
  if (!read.success) return refused(read.error.issues.flatMap((issue) => problemsOf(issue, yaml, at)));
  const { plusargs = {}, ...settings } = read.data;
  const folder = dirname(file);
  const fromHere = (path: string): string => relative(cwd, join(folder, path)) || '.';
  const values = new Map<string, ProjectValue>();
  for (const [key, value] of Object.entries(settings as Readonly<Record<string, ProjectValue['value']>>)) {
    const inPlace = ROWS[key]?.isPath === true ? pathsFrom(value, fromHere) : value;
    values.set(key, { value: inPlace, where: at(yaml.placeOfKey([], key)) });
  }
  const tokens = Object.entries(plusargs).map(([key, value]): Token => {
    const where = at(yaml.placeOfKey(['plusargs'], key));
    if (value === null) return { text: `+${key}`, where };
    const word = PATH_PLUSARGS.has(key) && !String(value).startsWith('/') ? fromHere(String(value)) : value;
    return { text: `+${key}=${word}`, where };
  });
  return { values, plusargs: tokens, problems: [] };
}

function pathsFrom(value: ProjectValue['value'], fromHere: (path: string) => string): ProjectValue['value'] {
  const one = (path: string): string => (path.startsWith('/') ? path : fromHere(path));
  return typeof value === 'string' ? one(value) : (value as readonly string[]).map(one);
}

function problemsOf(
  issue: z.core.$ZodIssue,
  yaml: YamlText,
  at: (place: { readonly line: number; readonly column: number }) => string,
): readonly string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) =>
        `${at(yaml.placeOfKey(issue.path, key))}: ${key}: there is no such setting${didYouMean(key, NAMES) || '; hca_regress --show-config names them all'}`,
    );
  const path = issue.path.join('.');
  if (issue.code === 'invalid_key') {
    const [why] = issue.issues;
    return [`${at(yaml.placeOfKey(issue.path.slice(0, -1), String(issue.path.at(-1))))}: ${path}: ${why?.message}`];
  }
  const message = issue.message.replace(/^Invalid (input|option): /, '');
  return [`${at(yaml.placeOf(issue.path))}: ${path === '' ? '' : `${path}: `}${message}`];
}

/** Values of the environment are words of a shell; one is read as the file would be. */
function environmentDefaults(env: Environment): ProjectDefaults {
  const values = new Map<string, ProjectValue>();
  const plusargs: Token[] = [];
  const problems: string[] = [];
  for (const [where, text] of Object.entries(env)) {
    if (!where.startsWith(VARIABLE_PREFIX) || text === undefined || text === '') continue;
    const ending = where.slice(VARIABLE_PREFIX.length);
    if (OTHER_VARIABLES.has(ending)) continue;
    const name = ending.toLowerCase().replaceAll('_', '-');
    const row = ROWS[name];
    if (name === 'plusargs') plusargs.push(...plusargsIn(text, where, problems));
    else if (row === undefined) problems.push(`${where} (environment): there is no such setting${meantVariable(name)}`);
    else {
      const read = row.schema.safeParse(typed(text));
      const last = read.success ? read : row.schema.safeParse(text);
      if (last.success) values.set(name, { value: last.data, where });
      else
        problems.push(
          `${where}=${text} (environment): ${last.error.issues.map(({ message }) => message.replace(/^Invalid (input|option): /, '')).join('; ')}`,
        );
    }
  }
  return { values, plusargs, problems };
}

function meantVariable(name: string): string {
  const [near] = nearest(name, NAMES, 1);
  return near === undefined ? '' : `; did you mean ${variableOf(near)}?`;
}

/** `RNIC_VERIFY_HEAP_MB` of `heap-mb`. */
function variableOf(name: string): string {
  return VARIABLE_PREFIX + name.toUpperCase().replaceAll('-', '_');
}

function typed(text: string): string | number | boolean {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

function plusargsIn(text: string, where: string, problems: string[]): readonly Token[] {
  try {
    const words = scriptWords(text);
    const wrong = words.filter((word) => !PLUSARG.test(word));
    problems.push(...wrong.map((word) => `${word} (${where}): malformed plusarg; write +NAME or +NAME=value`));
    return words.filter((word) => !wrong.includes(word)).map((word) => ({ text: word, where }));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    problems.push(`${where}=${text} (environment): ${error.message}`);
    return [];
  }
}

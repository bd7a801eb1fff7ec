/** Reads the text of one parameter and, where it cannot be right, says what to type instead. */
import { parseRule, splitRules } from '../agents/link/faults/rule/parseRule.ts';
import { parseInjection } from '../agents/link/inject/injectRule.ts';
import { JUDGE_ROWS, rowNames } from '../scoreboard/model/judgeRows.ts';
import type { RuleMistake } from '../agents/link/faults/rule/ruleMistake.ts';
import { parsePcieRule } from '../agents/pcie/faults/rule/pcieLanguage.ts';
import { MTU_BYTES } from '../rdma/verbs.ts';
import { formatTime } from '../uvm/kernel/time.ts';
import { didYouMean } from '../uvm/cmdline/nearest.ts';
import { parseDuration } from '../uvm/cmdline/parseDuration.ts';
import type { Parameter } from './table/parameterTable.ts';

/** A value, and what is wrong with the text if something is; then the value is the nearest legal one. */
export interface Parsed {
  readonly value: number | string | boolean;
  readonly problem?: string;
}

const TRUE_WORDS: readonly string[] = ['', '1', 'true', 'yes', 'on'];
const FALSE_WORDS: readonly string[] = ['0', 'false', 'no', 'off'];

/** Reads `text` as parameter `parameter`; `where` is the argument as typed, for the message. */
export function parseParameter(parameter: Parameter, text: string, where: string): Parsed {
  return withBlanks(parameter, text, where) ?? parseValue(parameter, text, where);
}

function parseValue(parameter: Parameter, text: string, where: string): Parsed {
  switch (parameter.kind) {
    case 'int':
      return withUnit(parameter, text, where) ?? checkRange(parameter, parseInteger(text), where);
    case 'percent':
      return checkRange({ ...parameter, min: 0, max: 100 }, parseInteger(text), where);
    case 'size':
      return parseSize(parameter, text, where);
    case 'mtu':
      return parseMtu(parameter, text, where);
    case 'switch':
      return parseSwitch(parameter, text, where);
    case 'choice':
      return parseChoice(parameter, text, where);
    case 'psn':
      return parsePsn(parameter, text, where);
    case 'time':
      return checkRange(parameter, parseDuration(text) ?? Number.NaN, where);
    case 'decimal':
      return parseDecimal(parameter, text, where);
    case 'rules':
      return parseRules(parameter, text, parseRule);
    case 'pcie-rules':
      return parseRules(parameter, text, parsePcieRule);
    case 'inject-rules':
      return parseRules(parameter, text, parseInjection);
    case 'judge-rows':
      return parseJudgeRows(text, where);
    case 'text':
      return { value: text };
  }
}

/** The range of a parameter as it is written in messages and in the documentation. */
export function rangeText(p: Parameter): string {
  switch (p.kind) {
    case 'percent':
      return '0..100';
    case 'switch':
      return '0 or 1';
    case 'choice':
      return (p.choices ?? []).join('|');
    case 'mtu':
      return MTU_BYTES.slice(1).join('|');
    case 'psn':
      return `0..${p.max}, random or wrap`;
    case 'size':
      return powersOfTwo(p).join('|');
    case 'time':
      return (p.min ?? 0) > 1 ? `a time of ${formatTime(p.min ?? 0)} or more` : 'a time such as 10us';
    case 'rules':
    case 'pcie-rules':
    case 'inject-rules':
      return 'a rule';
    case 'judge-rows':
      return 'names of rows';
    case 'text':
      return 'any text';
    case 'decimal':
    case 'int':
      return p.max === undefined ? `${p.min} or more` : `${p.min}..${p.max}`;
  }
}

function parseInteger(text: string): number {
  return /^[+-]?\d+$/.test(text) || /^0x[0-9a-f]+$/i.test(text) ? Number(text) : Number.NaN;
}

function checkRange(p: Parameter, value: number, where: string): Parsed {
  const min = p.min ?? 0;
  const max = p.max ?? Number.MAX_SAFE_INTEGER;
  if (value >= min && value <= max && Number.isSafeInteger(value)) return { value };
  const what = /=[+-]?\d*\.\d+$/.test(where) && p.kind !== 'time' ? 'is not a whole number' : 'is not a number';
  if (Number.isNaN(value)) return bad(p, where, what, exampleOf(p), defaultNumber(p));
  const nearest = value < min ? min : max;
  return bad(p, where, 'is out of range', p.kind === 'time' ? formatTime(nearest) : String(nearest), nearest);
}

/** Kinds of texts in which blanks count. */
const RULES: readonly Parameter['kind'][] = ['rules', 'pcie-rules', 'inject-rules'];

/** What would be right without the blanks around it, which nobody sees. */
function withBlanks(p: Parameter, text: string, where: string): Parsed | undefined {
  const trimmed = text.trim();
  if (p.kind === 'text' || RULES.includes(p.kind) || trimmed === text || trimmed === '') return undefined;
  const { value, problem } = parseValue(p, trimmed, where);
  if (problem !== undefined) return undefined;
  return { value, problem: `"${where}" has blanks in its value: write +${p.name}=${trimmed}` };
}

/** A count of data with its unit, `4KB`: the unit has a parameter of its own. */
function withUnit(p: Parameter, text: string, where: string): Parsed | undefined {
  const match = p.unit === 'DATA_UNIT' ? /^(\d+)([kmg]?b)$/i.exec(text) : null;
  if (match === null) return undefined;
  const [, count = '', unit = ''] = match;
  const problem = `${where} has a unit, which is a parameter of its own: write +${p.name}=${count} +DATA_UNIT=${unit.toUpperCase()}`;
  return { value: defaultNumber(p), problem };
}

/** A value to try: the default, or one where that is none at all. */
function exampleOf(p: Parameter): string {
  return p.default === '0' ? '1' : p.default;
}

function defaultNumber(p: Parameter): number {
  return p.kind === 'time' ? (parseDuration(p.default) ?? 0) : Number(p.default);
}

function parseSize(p: Parameter, text: string, where: string): Parsed {
  const value = parseInteger(text);
  const legal = powersOfTwo(p);
  if (legal.includes(value)) return { value };
  const nearest = nearestOf(legal, Number.isNaN(value) ? Number(p.default) : value);
  return bad(p, where, 'is not a legal size', String(nearest), nearest);
}

function parseMtu(p: Parameter, text: string, where: string): Parsed {
  const value = parseInteger(text.replace(/^(IBV?_)?MTU_/i, ''));
  const legal = MTU_BYTES.slice(1);
  if (legal.some((bytes) => bytes === value)) return { value };
  const nearest = nearestOf(legal, Number.isNaN(value) ? Number(p.default) : value);
  return bad(p, where, 'is not an MTU', String(nearest), nearest);
}

function parseSwitch(p: Parameter, text: string, where: string): Parsed {
  const word = text.toLowerCase();
  if (TRUE_WORDS.includes(word)) return { value: true };
  if (FALSE_WORDS.includes(word)) return { value: false };
  return bad(p, where, 'is neither on nor off', '1', true);
}

function parseChoice(p: Parameter, text: string, where: string): Parsed {
  const choices = p.choices ?? [];
  const found = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return { value: found };
  const nearest = choices.find((choice) => choice[0]?.toLowerCase() === text[0]?.toLowerCase()) ?? p.default;
  return bad(p, where, 'is not one of the choices', nearest, nearest);
}

function parseDecimal(p: Parameter, text: string, where: string): Parsed {
  const value = /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = p;
  if (value >= min && value <= max) return { value };
  if (Number.isNaN(value)) return bad(p, where, 'is not a number', exampleOf(p), defaultNumber(p));
  const nearest = value < min ? min : max;
  return bad(p, where, 'is out of range', String(nearest), nearest);
}

/** Each mistake names its rule: there may be several. */
function parseRules(
  p: Parameter,
  text: string,
  parse: (rule: string) => { readonly mistakes: readonly RuleMistake[] },
): Parsed {
  const problems = splitRules(text).flatMap((rule) =>
    parse(rule).mistakes.map(({ message }) => `+${p.name}='${rule}': ${message}`),
  );
  return problems.length === 0 ? { value: text } : { value: '', problem: problems.join('\n') };
}

/** Names the rows that do not exist. */
function parseJudgeRows(text: string, where: string): Parsed {
  const unknown = rowNames(text).filter((name) => !JUDGE_ROWS.includes(name));
  if (unknown.length === 0) return { value: text };
  const [first = ''] = unknown;
  const hint = didYouMean(first, JUDGE_ROWS);
  return {
    value: '',
    problem: `${where}: the judge has no rule or widening ${first}${hint}; docs/checks.md lists them`,
  };
}

function parsePsn(p: Parameter, text: string, where: string): Parsed {
  if (text === 'random' || text === 'wrap') return { value: text };
  const number = checkRange(p, parseInteger(text), where);
  return { ...number, value: Number.isNaN(number.value) ? p.default : String(number.value) };
}

function bad(p: Parameter, where: string, what: string, suggestion: string, value: number | string | boolean): Parsed {
  return { value, problem: `${where} ${what}: ${p.name} allows ${rangeText(p)}; try +${p.name}=${suggestion}` };
}

function powersOfTwo(p: Parameter): number[] {
  const sizes: number[] = [];
  for (let size = p.min ?? 1; size <= (p.max ?? 1); size *= 2) sizes.push(size);
  return sizes;
}

function nearestOf(legal: readonly number[], value: number): number {
  return legal.reduce((best, x) => (Math.abs(x - value) < Math.abs(best - value) ? x : best));
}

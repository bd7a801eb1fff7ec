/** Values of a scenario that can be made simpler: numbers that fall, attributes that go back to their defaults. */

import type { CallScenario, CallStep } from '../../config/scenario/calls/callScenario.ts';
import { isWait } from '../../config/scenario/calls/callScenario.ts';
import { stepsOf, withSteps } from '../../config/scenario/calls/callEdits.ts';
import { formatTime, parseTime, TimeFormatError, US } from '../../uvm/kernel/time.ts';

/** Where a value stands in a step. */
export type ValuePath = readonly (string | number)[];

/** A value of a step, and others in its place, the simplest first; undefined takes it out. */
export interface Lowering {
  readonly step: number;
  readonly path: ValuePath;
  readonly values: readonly unknown[];
}

const PAGE = 4096;
const MTUS = [256, 1024, 4096];
/** Attributes without which a call means something else, or nothing. */
const NEEDED: ReadonlySet<string> = new Set([
  'peer',
  'state',
  'mr',
  'type',
  'sendCq',
  'recvCq',
  'what',
  'rule',
  'bytes',
  'ah',
  'to',
  'opcode',
  'id',
  'area',
  'process',
  'address',
  'solicitedOnly',
  'masked',
  'mrs',
  'access',
  'host',
]);
/** Attributes that can be left out. */
const OPTIONAL: ReadonlySet<string> = new Set(['connectQp']);

/** Everything in a scenario that may be simpler. */
export function loweringsOf(scenario: CallScenario): Lowering[] {
  return stepsOf(scenario).flatMap((step, index) => stepLowerings(step).map((each) => ({ step: index, ...each })));
}

/** Scenarios in which attributes of several calls have become simpler at once: both ends of a connection must agree on some. */
export function togetherLowered(scenario: CallScenario): CallScenario[] {
  const names = new Set(
    stepsOf(scenario).flatMap((step) => Object.keys(connectArgs(step)).filter((name) => !NEEDED.has(name))),
  );
  const without = (gone: (name: string) => boolean): CallScenario =>
    withSteps(scenario, (step) => {
      const args = connectArgs(step);
      const left = Object.entries(args).filter(([name]) => NEEDED.has(name) || !gone(name));
      if (left.length === Object.keys(args).length) return step;
      return { ...step, args: Object.fromEntries(left) } as CallStep;
    });
  if (names.size === 0) return [];
  return [
    without(() => true),
    without((name) => !PSNS.has(name)),
    ...[...names].map((name) => without((each) => each === name)),
    without((name) => PSNS.has(name)),
  ];
}

const PSNS: ReadonlySet<string> = new Set(['psn', 'peerPsn']);

function connectArgs(step: CallStep): object {
  return isWait(step) || step.call !== 'connectQp' ? {} : (step.args ?? {});
}

/** The scenario with another value. */
export function lowered(
  scenario: CallScenario,
  { step, path }: Pick<Lowering, 'step' | 'path'>,
  value: unknown,
): CallScenario {
  let index = 0;
  return withSteps(scenario, (each) => (index++ === step ? (replaced(each, path, value) as CallStep) : each));
}

/** The value at a place. */
export function valueAt(scenario: CallScenario, { step, path }: Pick<Lowering, 'step' | 'path'>): unknown {
  let value: unknown = stepsOf(scenario)[step];
  for (const key of path) value = (value as Record<string | number, unknown>)[key];
  return value;
}

function stepLowerings(step: CallStep): Omit<Lowering, 'step'>[] {
  if (isWait(step)) return step.time === undefined ? waitLowerings(step.wait) : [];
  const found: Omit<Lowering, 'step'>[] = [];
  const visit = (value: unknown, path: ValuePath): void => {
    const name = path.findLast((key) => typeof key === 'string') as string;
    if (Array.isArray(value)) for (const [i, each] of value.entries()) visit(each, [...path, i]);
    else if (typeof value === 'object' && value !== null) {
      for (const [field, each] of Object.entries(value)) visit(each, [...path, field]);
      if (name === 'av') found.push({ path, values: [] });
    } else if (name === 'area' && typeof value === 'string' && value !== inHostMemory(value))
      found.push({ path, values: [inHostMemory(value)] });
    else if (typeof value === 'number') found.push({ path, values: numbersBelow(step.call, name, value) });
    else if (typeof value === 'boolean' && OPTIONAL.has(step.call) && !NEEDED.has(name))
      found.push({ path, values: [undefined] });
  };
  visit(step.args ?? {}, ['args']);
  return found.filter(({ values }) => values.length > 0);
}

/** The same half of a queue pair's memory, not on the card. */
function inHostMemory(area: string): string {
  return area.replace(/\.cardSource$/, '.source').replace(/\.cardReceive$/, '.receive');
}

function waitLowerings(wait: string): Omit<Lowering, 'step'>[] {
  const time = timeOf(wait);
  if (time === undefined || time <= US) return [];
  const whole = [1, 10, 100, 1000].map((n) => n * US).filter((rounded) => rounded < time);
  return [{ path: ['wait'], values: whole.map(formatTime) }];
}

function timeOf(text: string): number | undefined {
  try {
    return parseTime(text);
  } catch (error) {
    if (error instanceof TimeFormatError) return undefined;
    throw error;
  }
}

/** Simpler numbers than one, the simplest first. */
function numbersBelow(call: string, name: string, value: number): unknown[] {
  if (NEEDED.has(name)) return [];
  if (OPTIONAL.has(call)) return [undefined];
  const least = name === 'entries' || name.startsWith('max') ? 1 : 0;
  const pages = [PAGE, value - (value % PAGE)];
  const lengths = MTUS.flatMap((mtu) => [mtu, mtu + 1]);
  const sizes = name === 'length' || name === 'at' ? [...lengths, ...pages, value >> 1] : [value >> 1];
  const all = [...new Set([least, 1, ...sizes])].filter((other) => other < value && other >= least);
  return all.sort((a, b) => a - b);
}

function replaced(value: unknown, path: ValuePath, by: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((each, i) => (i === key ? replaced(each, rest, by) : each));
  const fields = value as Record<string, unknown>;
  const next = replaced(fields[key], rest, by);
  if (next !== undefined) return { ...fields, [key]: next };
  const { [key]: _, ...others } = fields;
  return others;
}

/** Scenarios in which less time passes before the first call that waits for a time of its own. */
export function hastened(scenario: CallScenario): CallScenario[] {
  const times = stepsOf(scenario).flatMap((step) =>
    isWait(step) && step.time !== undefined ? [parseTime(step.time)] : [],
  );
  const first = Math.min(...times);
  if (times.length === 0) return [];
  return [first, first - 10 * US, first - 100 * US, first - 1000 * US, Math.floor(first / 2)]
    .filter((by) => by > 0)
    .map((by) =>
      withSteps(scenario, (step) =>
        isWait(step) && step.time !== undefined ? { ...step, time: formatTime(parseTime(step.time) - by) } : step,
      ),
    );
}

/**
 * Waits until a time of the run as waits of the length that they had: what is taken out elsewhere then moves nothing between
 * the steps of a thread.
 * @param begun when each step began, ps
 */
export function withLengths(scenario: CallScenario, begun: ReadonlyMap<CallStep, number>): CallScenario {
  return withSteps(scenario, (step) => {
    const since = begun.get(step);
    if (!isWait(step) || step.time === undefined || since === undefined) return step;
    const length = parseTime(step.time) - since;
    return length > 0 ? { wait: formatTime(length) } : undefined;
  });
}

/** The numbers of a scenario, by their places. */
export function valuesOf(scenario: CallScenario): { readonly step: number; readonly path: ValuePath }[] {
  return stepsOf(scenario).flatMap((step, index) => {
    const found: { step: number; path: ValuePath }[] = [];
    const visit = (value: unknown, path: ValuePath): void => {
      if (typeof value === 'number') found.push({ step: index, path });
      else if (Array.isArray(value)) for (const [i, each] of value.entries()) visit(each, [...path, i]);
      else if (typeof value === 'object' && value !== null)
        for (const [field, each] of Object.entries(value)) visit(each, [...path, field]);
    };
    if (!isWait(step)) visit(step.args ?? {}, ['args']);
    return found;
  });
}

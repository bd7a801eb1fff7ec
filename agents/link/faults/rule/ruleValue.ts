/** Kinds of values in rules: how each is read, written and explained. */

import { didYouMean } from '../../../../uvm/cmdline/nearest.ts';
import { formatTime } from '../../../../uvm/kernel/time.ts';
import type { SimTime } from '../../../../uvm/kernel/scheduler.ts';
import { type NumberSet, numberSetText, parseNumberSet, wholeNumber } from './numberSet.ts';
import { parsePlainTime, parseTimeDraw, TIME_DRAW_FORMS, type TimeDraw, timeDrawText } from './timeDraw.ts';

/** What was read: the value, or what is wrong with the text and what would be right. */
export type ReadValue<T> = { readonly value: T } | { readonly mistake: string };

/** How values of one kind are read and written. */
export interface RuleValue<T> {
  read(text: string): ReadValue<T>;
  /** As `read` reads it. */
  write(value: T): string;
  /** What may be written, for tables and messages. */
  readonly says: string;
}

/** Whole numbers and ranges, each within `min` and `max`. */
export function numbers(min: number, max: number, base: 10 | 16 = 10): RuleValue<NumberSet> {
  return {
    read: (text) => given(parseNumberSet(text, min, max)),
    write: (set) => numberSetText(set, base),
    says: `numbers from ${min} to ${base === 16 ? `0x${max.toString(16)}` : max}: 1, 1,3 or 1..3`,
  };
}

/** One whole number. */
export function whole(min: number, max: number): RuleValue<number> {
  const says = `a number from ${min} to ${max}`;
  const read = (text: string): ReadValue<number> => {
    const value = wholeNumber(text);
    if (value === undefined) return { mistake: `${shown(text)} is no whole number; write ${says}, such as ${min}` };
    if (value >= min && value <= max) return { value };
    return { mistake: `${text} is out of range; write ${says}, the nearest is ${value < min ? min : max}` };
  };
  return { read, write: String, says };
}

/** A share of all: `0.01` or `1%`. */
export function share(): RuleValue<number> {
  const says = 'a share such as 0.01 or 1%';
  const read = (text: string): ReadValue<number> => {
    const match = /^(\d+(?:\.\d+)?(?:e-\d+)?)(%)?$/i.exec(text);
    if (match === null)
      return { mistake: `${shown(text)} is no share; write one from 0 to 1, or in percent: 0.01 or 1%` };
    const value = Number(match[1]) / (match[2] === undefined ? 1 : 100);
    if (value <= 1) return { value };
    const hint = match[2] === undefined && value <= 100 ? `${value}%` : '1';
    return { mistake: `${text} is more than all; write a share from 0 to 1, or in percent; try ${hint}` };
  };
  return { read, write: String, says };
}

/** A point of simulated time, or a span. */
export function time(): RuleValue<SimTime> {
  return { read: (text) => given(parsePlainTime(text)), write: formatTime, says: 'a time such as 10us' };
}

/** A time or a distribution. */
export function timeDraw(): RuleValue<TimeDraw> {
  return { read: (text) => given(parseTimeDraw(text)), write: timeDrawText, says: `a time: ${TIME_DRAW_FORMS}` };
}

/** Some of the names of a list. */
export function names<N extends string>(all: readonly N[], says = all.join(', ')): RuleValue<readonly N[]> {
  const read = (text: string): ReadValue<readonly N[]> => {
    const found = text.toLowerCase().split(',') as N[];
    const unknown = found.find((name) => !all.includes(name));
    if (unknown === undefined) return { value: found };
    return { mistake: `there is no ${shown(unknown)}${didYouMean(unknown, all)}; possible are ${all.join(', ')}` };
  };
  return { read, write: (value) => value.join(','), says };
}

/** One name of a list. */
export function name<N extends string>(all: readonly N[], says = all.join(', ')): RuleValue<N> {
  const several = names(all);
  const read = (text: string): ReadValue<N> => {
    const found = several.read(text);
    if ('mistake' in found) return found;
    if (found.value.length === 1) return { value: found.value[0] as N };
    return { mistake: `${text} are several; write one of ${all.join(', ')}` };
  };
  return { read, write: (value) => value, says };
}

/** A size in bytes, `64KB`. */
export function size(min: number, max: number): RuleValue<number> {
  const says = `a size such as ${sizeText(min)} or 64KB`;
  const read = (text: string): ReadValue<number> => {
    const match = /^(\d{1,12})(B|KB|MB)?$/i.exec(text);
    if (match === null) return { mistake: `${shown(text)} is no size; write ${says}` };
    const value = Number(match[1]) * (UNIT[(match[2] ?? 'B').toUpperCase()] as number);
    if (value >= min && value <= max) return { value };
    const range = `${sizeText(min)} to ${sizeText(max)}`;
    return { mistake: `${text} is out of range: ${range} are possible; try ${sizeText(value < min ? min : max)}` };
  };
  return { read, write: sizeText, says };
}

/** A rate in Gb/s, with decimals. */
export function rate(): RuleValue<number> {
  const says = 'a rate in Gb/s such as 10 or 2.5';
  const read = (text: string): ReadValue<number> => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= MIN_RATE && value <= MAX_RATE) return { value };
    const nearest = value > MAX_RATE ? MAX_RATE : value < MIN_RATE ? MIN_RATE : 10;
    return { mistake: `${shown(text)} is no rate; write ${says}, ${MIN_RATE} to ${MAX_RATE}; try ${nearest}` };
  };
  return { read, write: String, says };
}

/** A word that stands alone; in files `true`. */
export function flag(): RuleValue<true> {
  const read = (text: string): ReadValue<true> =>
    text === '' || text === 'true' ? { value: true } : { mistake: `${text} has no meaning here; write the word alone` };
  return { read, write: () => '', says: 'the word alone' };
}

const UNIT: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2 };
const MIN_RATE = 0.001;
const MAX_RATE = 10_000;

function sizeText(bytes: number): string {
  const unit = bytes === 0 ? 'B' : (['MB', 'KB'].find((u) => bytes % (UNIT[u] as number) === 0) ?? 'B');
  return `${bytes / (UNIT[unit] as number)}${unit}`;
}

/** Kinds whose readers return the mistake as a text. */
function given<T>(found: T | string): ReadValue<T> {
  return typeof found === 'string' ? { mistake: found } : { value: found };
}

function shown(text: string): string {
  return text === '' ? 'nothing' : text;
}

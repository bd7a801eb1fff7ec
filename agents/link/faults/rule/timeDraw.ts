/** A time that a rule names: a fixed one, or a distribution from which each frame draws its own. */

import { formatTime, parseTime, TimeFormatError } from '../../../../uvm/kernel/time.ts';
import type { SimTime } from '../../../../uvm/kernel/scheduler.ts';
import type { RandomDraws } from '../../../../uvm/random/randomDraws.ts';

/** Times in ps. */
export type TimeDraw =
  | { readonly kind: 'fixed'; readonly time: SimTime }
  | { readonly kind: 'uniform'; readonly low: SimTime; readonly high: SimTime }
  | { readonly kind: 'exponential'; readonly mean: SimTime }
  | { readonly kind: 'normal'; readonly mean: SimTime; readonly deviation: SimTime };

/** Tails are cut here: ten times the mean comes once in 22 026 draws, and a run is not to wait for more. */
const LONGEST_MEANS = 10;

/** Half the uniform draws of which a normal one is the sum, and its most deviations. */
const UNIFORMS = 6;

/** How such a time is written. */
export const TIME_DRAW_FORMS = '5us, 1us..5us, exponential(5us) or normal(5us,1us)';

/** As `parseTimeDraw` reads it. */
export function timeDrawText(draw: TimeDraw): string {
  if (draw.kind === 'fixed') return formatTime(draw.time);
  if (draw.kind === 'uniform') return `${formatTime(draw.low)}..${formatTime(draw.high)}`;
  if (draw.kind === 'exponential') return `exponential(${formatTime(draw.mean)})`;
  return `normal(${formatTime(draw.mean)},${formatTime(draw.deviation)})`;
}

/** @returns the time, or what is wrong with the text */
export function parseTimeDraw(text: string): TimeDraw | string {
  try {
    return drawOf(text) ?? `${text === '' ? 'nothing' : text} is no time; write ${TIME_DRAW_FORMS}`;
  } catch (error) {
    if (error instanceof TimeFormatError) return error.message;
    throw error;
  }
}

/** A time in ps; a bare number counts nanoseconds, as in all plusargs. @returns what is wrong with another text */
export function parsePlainTime(text: string): SimTime | string {
  try {
    return parseTime(text, 'ns');
  } catch (error) {
    if (error instanceof TimeFormatError) return error.message;
    throw error;
  }
}

/** One time in whole ps. */
export function drawTime(draw: TimeDraw, random: RandomDraws): SimTime {
  if (draw.kind === 'fixed') return draw.time;
  if (draw.kind === 'uniform') return random.range(draw.low, draw.high);
  if (draw.kind === 'exponential')
    return Math.round(Math.min(-Math.log(1 - random.float()), LONGEST_MEANS) * draw.mean);
  return Math.max(0, Math.round(draw.mean + draw.deviation * normal(random)));
}

/** The longest time that may be drawn, ps. */
export function longestOf(draw: TimeDraw): SimTime {
  if (draw.kind === 'fixed') return draw.time;
  if (draw.kind === 'uniform') return draw.high;
  return draw.kind === 'exponential' ? LONGEST_MEANS * draw.mean : draw.mean + UNIFORMS * draw.deviation;
}

/** Whether frames draw. */
export function isDrawn({ kind }: TimeDraw): boolean {
  return kind !== 'fixed';
}

function drawOf(text: string): TimeDraw | undefined {
  const call = /^(exponential|normal)\(([^,()]*)(?:,([^,()]*))?\)$/.exec(text);
  if (call !== null) {
    const [, kind, mean = '', deviation] = call;
    if (kind === 'normal' && deviation !== undefined)
      return { kind, mean: parseTime(mean, 'ns'), deviation: parseTime(deviation, 'ns') };
    return kind === 'exponential' && deviation === undefined ? { kind, mean: parseTime(mean, 'ns') } : undefined;
  }
  const [first = '', last, ...more] = text.split('..');
  if (first === '' || more.length > 0) return undefined;
  const low = parseTime(first, 'ns');
  if (last === undefined) return { kind: 'fixed', time: low };
  const high = parseTime(last, 'ns');
  if (low > high) throw new TimeFormatError(text, `it begins behind its end, write ${last}..${first}`);
  return { kind: 'uniform', low, high };
}

/** Sum of twelve uniform draws: as good as needed, and the same on every machine, which trigonometry is not. */
function normal(random: RandomDraws): number {
  let sum = -UNIFORMS;
  for (let i = 0; i < 2 * UNIFORMS; i++) sum += random.float();
  return sum;
}

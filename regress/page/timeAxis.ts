/**
 * Where moments lie on a time line. What happens in a run comes in bursts: between them lie time-outs a thousand times as long.
 * Long gaps are drawn short and are marked as such, so that order and bursts can be seen in one picture.
 */

/** A gap that is drawn shorter than it is. */
export interface TimeBreak {
  /** Middle of the gap, px. */
  readonly x: number;
  /** How long it is, ps. */
  readonly length: number;
}

export interface TimeAxis {
  /** Place of a moment, px; of one between two moments of the axis that of the earlier one. */
  readonly at: (time: number) => number;
  readonly breaks: readonly TimeBreak[];
  readonly moments: readonly number[];
  /** px */
  readonly width: number;
}

/** Distances of neighbours, px: none is drawn closer, and none farther apart. */
const LEAST = 5;
const MOST = 56;
/** Width without the margins, px. */
const NARROWEST = 760;
const WIDEST = 2600;
const OF_A_MOMENT = 11;
const STEPS = 40;

/** @param times in any order, ps */
export function timeAxis(times: readonly number[]): TimeAxis {
  const moments = [...new Set(times)].sort((a, b) => a - b);
  const gaps = moments.slice(1).map((time, i) => time - (moments[i] as number));
  const width = Math.min(WIDEST, Math.max(NARROWEST, moments.length * OF_A_MOMENT));
  const scale = scaleFor(gaps, width);
  const places = new Map<number, number>();
  const breaks: TimeBreak[] = [];
  let x = 0;
  for (const [i, time] of moments.entries()) {
    const gap = gaps[i - 1];
    if (gap !== undefined) {
      const step = stepOf(gap, scale);
      if (gap / scale > MOST) breaks.push({ x: x + step / 2, length: gap });
      x += step;
    }
    places.set(time, x);
  }
  const at = (time: number): number => places.get(time) ?? places.get(moments.findLast((m) => m <= time) ?? -1) ?? 0;
  return { at, breaks, moments, width: Math.max(x, 1) };
}

function stepOf(gap: number, scale: number): number {
  return Math.min(MOST, Math.max(LEAST, gap / scale));
}

/** Simulated time of a pixel, so that all gaps together are as wide as they may be. */
function scaleFor(gaps: readonly number[], width: number): number {
  const widthAt = (scale: number): number => gaps.reduce((sum, gap) => sum + stepOf(gap, scale), 0);
  let low = 0;
  let high = Math.log2(1 + gaps.reduce((sum, gap) => sum + gap, 0));
  for (let i = 0; i < STEPS; i++) {
    const middle = (low + high) / 2;
    if (widthAt(2 ** middle) > width) low = middle;
    else high = middle;
  }
  return 2 ** high;
}

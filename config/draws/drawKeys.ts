/**
 * Draws what runs need whose requests change keys (`+KEY_PCT`), so that bugs of keys show: numbers that come back at once, few tags, and
 * copies of requests that come when their keys have been invalidated.
 *
 * Everything comes from a stream of its own, after all that is drawn otherwise; runs without such requests, and those with corners,
 * which draw these by themselves, stay as they are.
 */
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import type { DraftValues } from '../draftValues.ts';
import { LINK_FAULTS } from '../table/faultParameters.ts';
import type { ParameterName, ParameterValues } from '../table/parameterTable.ts';
import { hasCorners } from './drawCorners.ts';
import { DrawnValues } from './drawnValues.ts';

const TAGS = [1, 2, 8, 8] as const;
/** As long as a few requests take, and as an invalidation behind them. */
const LATE = ['5us', '20us', '60us'] as const;
const SHARES = [10, 30] as const;

/** What may be drawn, for pages. */
export const KEYS_DRAWN: readonly ParameterName[] = ['KEYS_SOON', 'KEY_TAGS', 'NET_FAULT'];

/** Draws into `draft`; returns the parameters that were drawn. */
export function drawKeys(
  draft: DraftValues,
  isGiven: (name: ParameterName) => boolean,
  seed: number,
  testName: string,
): ParameterName[] {
  if (Number(draft.KEY_PCT) === 0 || draft.UVM_TEST_SEQ === '') return [];
  if (hasCorners(draft as unknown as ParameterValues, seed, testName)) return [];
  const stream = new RandomStreams(seed, testName).stream('keys', 'AGAIN');
  const drawn = new DrawnValues(draft, isGiven);
  if (stream.chance(0.5)) {
    drawn.set('KEYS_SOON', true);
    drawn.set('KEY_TAGS', stream.pick(TAGS));
  }
  if (stream.chance(0.3) && drawsFaults(draft, isGiven)) {
    const copies = `duplicate after=${stream.pick(LATE)} opcode=request probability=${stream.pick(SHARES)}% optional`;
    drawn.set('NET_FAULT', draft.NET_FAULT === '' ? copies : `${draft.NET_FAULT}; ${copies}`);
  }
  return drawn.names;
}

/** Who gives faults, or wants none, has no others. */
function drawsFaults(draft: DraftValues, isGiven: (name: ParameterName) => boolean): boolean {
  return Number(draft.DRAW_FAULTS) > 0 && (isGiven('DRAW_FAULTS') || !LINK_FAULTS.some(isGiven));
}

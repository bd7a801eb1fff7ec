/** What the actions of rules do with a frame. */

import type { RandomDraws } from '../../../../uvm/random/randomDraws.ts';
import type { FrameItem } from '../../linkItems.ts';
import type { LinkVerdict } from '../../linkFaults.ts';
import type { FrameEdits } from '../edit/frameEdits.ts';
import { bytesOf, type HeaderEdits, placeOf } from '../edit/headerEdits.ts';
import type { FrameView } from '../frame/frameView.ts';
import type { ActionName, FaultAction } from '../rule/faultRule.ts';
import { largestOf } from '../rule/numberSet.ts';
import { drawTime, isDrawn } from '../rule/timeDraw.ts';

/** The frame that rules are about, and what is decided of it. */
export interface FrameCase {
  readonly view: FrameView;
  readonly item: FrameItem;
  readonly verdict: LinkVerdict;
  readonly edits: FrameEdits;
}

/** What actors share. */
export interface ActorTools {
  readonly headerEdits: HeaderEdits;
  readonly random: RandomDraws;
}

/**
 * Acts on a frame that its rule has selected.
 * @returns the action with all draws decided, which would do the same again; null when there was nothing to act on
 */
export type Actor = (frame: FrameCase) => FaultAction | null;

type Makers = { readonly [A in ActionName]: (action: FaultAction<A>, tools: ActorTools) => Actor };

/** The actor of an action. */
export function actorOf(action: FaultAction, tools: ActorTools): Actor {
  const make = MAKERS[action.kind] as (action: FaultAction, tools: ActorTools) => Actor;
  return make(action, tools);
}

/** Whether an action draws for each frame, so that its text alone does not say what it did. */
export function draws(action: FaultAction): boolean {
  if (action.kind === 'delay') return isDrawn(action.by);
  if (action.kind === 'reorder') return isSeveral(action);
  if (action.kind === 'corrupt') return isLeftToChance(action);
  return action.kind === 'burst';
}

const DROP: FaultAction<'drop'> = { kind: 'drop' };

const MAKERS: Makers = {
  drop: lose,
  partition: lose,
  link_down: lose,
  nic_reset: () => () => null,
  duplicate:
    (action) =>
    ({ verdict }) => {
      verdict.duplicates += action.times;
      verdict.duplicateDelay = Math.max(verdict.duplicateDelay, action.after);
      return action;
    },
  delay:
    (action, { random }) =>
    ({ verdict }) => {
      const time = drawTime(action.by, random);
      verdict.delay += time;
      return isDrawn(action.by) ? { kind: 'delay', by: { kind: 'fixed', time } } : action;
    },
  reorder:
    (action, { random }) =>
    ({ verdict }) => {
      const frames = drawNumber(action, random);
      verdict.holdFrames = Math.max(verdict.holdFrames, frames);
      verdict.holdTime = Math.max(verdict.holdTime, action.within);
      return isSeveral(action) ? { ...action, by: [[frames, frames]] } : action;
    },
  corrupt:
    (action, { headerEdits, random }) =>
    ({ view, verdict, edits }) => {
      const how = isLeftToChance(action) ? decide(action, view, random) : action;
      if (!view.headers.isRoce || placeOf(how, view.headers) === undefined) return null;
      edits.add(headerEdits.corrupt(how));
      verdict.damaged = true;
      if (how.repaired !== true) verdict.fcsError = true;
      return how;
    },
  truncate:
    (action, { headerEdits }) =>
    ({ view, verdict, edits }) => {
      if (!view.headers.isRoce || view.headers.payloadLength < action.cut) return null;
      edits.add(headerEdits.truncate(action));
      verdict.damaged = true;
      if (action.repaired !== true) verdict.fcsError = true;
      return action;
    },
  mark:
    (action, { headerEdits }) =>
    ({ view, edits }) => {
      const { isRoce, ecn } = view.headers;
      if (!isRoce || ecn === 0) return null;
      edits.add(headerEdits.mark);
      return action;
    },
  burst: burstActor,
  rate: rateActor,
};

function lose(action: FaultAction): Actor {
  return ({ verdict }) => {
    verdict.drop = true;
    return action;
  };
}

function isSeveral({ by }: FaultAction<'reorder'>): boolean {
  return by.length > 1 || by[0]?.[0] !== by[0]?.[1];
}

/** One number of the set, each of its ranges equally likely. */
function drawNumber(action: FaultAction<'reorder'>, random: RandomDraws): number {
  if (!isSeveral(action)) return largestOf(action.by);
  const [low, high] = random.pick(action.by);
  return random.range(low, high);
}

/** A byte of which nothing is said, and bits of a byte or field of which nothing is said, are drawn. */
function isLeftToChance({ field, byte, xor, set }: FaultAction<'corrupt'>): boolean {
  const isByte = field === 'payload' || field === 'packet' || field === 'icrc';
  return (isByte && byte === null) || (xor === null && set === null);
}

/** One bit of the place is flipped. */
function decide(action: FaultAction<'corrupt'>, { headers }: FrameView, random: RandomDraws): FaultAction<'corrupt'> {
  const { field, byte, xor, set } = action;
  const isByte = field === 'payload' || field === 'packet' || field === 'icrc';
  const length = isByte && headers.isRoce ? bytesOf(field, headers)[1] : 0;
  const where = isByte && byte === null && length > 0 ? random.below(length) : byte;
  const place = headers.isRoce ? placeOf({ field, byte: where }, headers) : undefined;
  if (place === undefined || xor !== null || set !== null) return { ...action, byte: where };
  return { ...action, byte: where, xor: 2 ** random.below(bitsOf(place.mask)) };
}

function bitsOf(mask: number): number {
  let bits = 0;
  for (let m = mask; m !== 0; m &= m - 1) bits++;
  return bits;
}

/** State of the channel by the host that sends. */
function burstActor({ enter, leave, loss, good_loss }: FaultAction<'burst'>, { random }: ActorTools): Actor {
  const isBad: boolean[] = [];
  return ({ view: { host }, verdict }) => {
    const bad = random.chance(isBad[host] === true ? 1 - leave : enter);
    isBad[host] = bad;
    if (!random.chance(bad ? loss : good_loss)) return null;
    verdict.drop = true;
    return DROP;
  };
}

/** When the bottleneck of each host has sent all that it has taken. */
function rateActor(action: FaultAction<'rate'>): Actor {
  const free: number[] = [];
  const psPerByte = 8000 / action.gbps;
  return ({ view: { host }, item, verdict }) => {
    const busy = Math.max(free[host] ?? 0, item.end);
    const waiting = (busy - item.end) / psPerByte;
    // One that finds the bottleneck idle waits nowhere, however short its queue is.
    if (waiting > 0 && waiting + item.length > action.queue) {
      verdict.drop = true;
      return action;
    }
    const end = Math.ceil(busy + item.length * psPerByte);
    free[host] = end;
    // The sender's own cable has taken its time already.
    verdict.delay += Math.max(0, end - item.end - (item.end - item.time));
    return action;
  };
}

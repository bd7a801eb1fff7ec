/**
 * Where a fault can be: one frame of a run, and what happens to it.
 *
 *   scenario ─► run without faults ─► its frames ─► placements of one fault ─► for each, its run ─► placements of a second
 *
 * Two faults are one placement: the second is counted among the frames of the run with the first, behind the frame that
 * the first one hits.
 */

import type { FaultHit } from '../../agents/link/faults/faultInjector.ts';
import { parseRule } from '../../agents/link/faults/rule/parseRule.ts';
import type { FaultAction, SourcedRule } from '../../agents/link/faults/rule/faultRule.ts';
import { ruleSource } from '../../agents/link/faults/rule/sourced.ts';
import { ruleText } from '../../agents/link/faults/rule/ruleText.ts';

/** What may happen to a frame: an action with its words, as `ruleText` writes it. */
export type FaultKind = string & { readonly __brand: 'FaultKind' };

/** One fault in a run: what happens to the frame `ordinal`, from 1, of those that `host` sends. Plain data. */
export interface FaultSpot {
  readonly host: number;
  readonly ordinal: number;
  readonly kind: FaultKind;
}

/** The faults of one run, in the order of their frames. Plain data. */
export type Placement = readonly FaultSpot[];

/** Of these kinds there may be two at a time: they make others send again. */
const IN_PAIRS: ReadonlySet<string> = new Set(['drop', 'duplicate']);

/** What each action is when nothing more is said. What is delayed comes when a second life of a queue pair has begun. */
const STANDARD: Readonly<Record<string, string>> = {
  drop: 'drop',
  duplicate: 'duplicate after=500ns',
  delay: 'delay by=40us',
  reorder: 'reorder by=1 within=20us',
  corrupt: 'corrupt field=psn xor=1',
  truncate: 'truncate cut=1',
  mark: 'mark',
};

/** Kinds when none are named. What comes once more does so in the middle of its message, or when all has completed. */
export const STANDARD_KINDS: readonly string[] = [
  'drop',
  'duplicate',
  'duplicate after=20us',
  'delay',
  'reorder',
  'corrupt',
  'truncate',
];

/** Kinds that a user names, `drop,delay by=5us`; `;` separates them where words hold commas. */
export function parseKinds(text: string): {
  readonly kinds: readonly FaultKind[];
  readonly problems: readonly string[];
} {
  const words = text.split(text.includes(';') ? ';' : ',').map((word) => word.trim());
  const kinds: FaultKind[] = [];
  const problems: string[] = [];
  for (const word of words.filter((each) => each !== '')) {
    const found = kindOf(word);
    if (typeof found === 'string') kinds.push(found);
    else problems.push(...found.map((message) => `--kinds ${word} (command line): ${message}`));
  }
  if (kinds.length + problems.length === 0)
    problems.push(`--kinds ${text} (command line): names no action; possible are ${Object.keys(STANDARD).join(', ')}`);
  return { kinds: [...new Set(kinds)], problems };
}

/** The rule that puts a fault at its place. */
export function ruleOf({ host, ordinal, kind }: FaultSpot): SourcedRule {
  const { rule } = parseRule(`${kind} host=${host} frame=${ordinal} optional`);
  if (rule === undefined) throw new Error(`"${kind}" is no action of a fault rule`);
  return { rule, source: ruleSource('placement') };
}

/** Placements of one fault in a run with these frames. */
export function singles(frames: readonly FaultHit[], kinds: readonly FaultKind[]): FaultSpot[] {
  return frames.flatMap(({ host, ordinal }) => kinds.map((kind) => ({ host, ordinal, kind })));
}

/** Places of a second fault in a run with the first. */
export function seconds(first: FaultSpot, frames: readonly FaultHit[], kinds: readonly FaultKind[]): FaultSpot[] {
  if (!mayPair(first.kind)) return [];
  const at = frames.findIndex(({ host, ordinal }) => host === first.host && ordinal === first.ordinal);
  return singles(frames.slice(at + 1), kinds.filter(mayPair));
}

/** Whether faults of a kind are placed two at a time. */
export function mayPair(kind: FaultKind): boolean {
  return IN_PAIRS.has(kind.split(' ')[0] as string);
}

/** As it would be typed, `drop host=0 frame=3; duplicate host=1 frame=4 after=2us`. */
export function placementText(placement: Placement): string {
  return placement.map((spot) => ruleText({ ...ruleOf(spot).rule, optional: false })).join('; ');
}

/** A kind as it is always written, or what is wrong with the text. */
function kindOf(text: string): FaultKind | readonly string[] {
  const { rule, mistakes } = parseRule(Object.hasOwn(STANDARD, text) ? (STANDARD[text] as string) : text);
  if (rule === undefined) return mistakes.map(({ message }) => message);
  const { action, select } = rule;
  if (Object.keys(select).length > 0)
    return [`${Object.keys(select).join(', ')}: every frame gets its turn; give the action and its own words alone`];
  if (!isSingle(action))
    return [`${action.kind} is about many frames; possible are ${Object.keys(STANDARD).join(', ')}`];
  return ruleText({ action, select: {}, optional: false }) as FaultKind;
}

function isSingle({ kind }: FaultAction): boolean {
  return Object.hasOwn(STANDARD, kind);
}

/**
 * Fault rules of PCIe: which requests of a NIC each one selects, and what it does with them. The language is that of the link
 * (agents/link/faults/rule), with tables of its own.
 */

import type { KeyOfAction } from '../../../link/faults/rule/ruleLanguage.ts';
import type { Sourced } from '../../../link/faults/rule/sourced.ts';
import { names, numbers, type RuleValue, share, time, timeDraw, whole } from '../../../link/faults/rule/ruleValue.ts';
import { ACCESS_AREAS, HELD_KINDS } from '../place/accessPlace.ts';

const MOST_HOSTS = 64;
const MOST_REQUESTS = 1e12;
const MOST_24 = 0xff_ffff;

/** Kinds of requests. */
const REQUEST_KINDS = ['read', 'write', 'msix'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** What a rule may select by. Whatever is left out selects all that its action is for. */
export const PCIE_SELECTION_KEYS = {
  /** Host whose NIC sends the request. */
  host: numbers(0, MOST_HOSTS - 1),
  kind: names(REQUEST_KINDS),
  /** What the address holds. */
  area: names(ACCESS_AREAS),
  /** Queue pair whose context or work queue it is, by its number. */
  qpn: numbers(0, MOST_24),
  /** Completion queue whose context it is. */
  cqn: numbers(0, MOST_24),
  /** What all translation entries that it asks for are for, where the software of the NIC says so. */
  holds: names(HELD_KINDS),
  /** Ordinal of the request among all that the NIC of its host sends, from 1. */
  request: numbers(1, MOST_REQUESTS),
  /** Which of the requests that match all of the above, from 1, before any fault. */
  nth: numbers(1, MOST_REQUESTS),
  /** Each so manieth of them. */
  every: whole(1, 1e9),
  /** Simulated time at which the NIC sends it: not before, and before. */
  from: time(),
  until: time(),
  /** Chance of each request that matches. */
  probability: share(),
} as const satisfies Readonly<Record<string, RuleValue<unknown>>>;

/** The actions with their own keys. */
export const PCIE_ACTIONS = {
  /** The answer comes later, and those behind it wait; a write or message arrives later, and so does what follows. */
  delay: { by: { value: timeDraw(), default: undefined } },
  /** The read is answered as an unsupported request, without data. */
  ur: {},
  /** It is answered as aborted by its completer, without data. */
  ca: {},
  /** The data of the answer are wrong, and marked as poisoned; of a write: it is poisoned, and never reaches memory. */
  poison: {},
  /** The answer never comes; a message is lost. */
  lose: {},
  /** The answer comes in as many parts as it can be cut into at read completion boundaries. */
  split: {},
  /** The answer is held back so long, and those to other tags overtake it. */
  reorder: { by: { value: timeDraw(), default: '1us' } },
  /** The host takes no posted writes for so long: this write, and all behind it, wait in the NIC. */
  back_pressure: { by: { value: timeDraw(), default: '1us' } },
} as const satisfies Readonly<Record<string, Readonly<Record<string, KeyOfAction>>>>;

export type PcieActionName = keyof typeof PCIE_ACTIONS;
type PcieSelectionKey = keyof typeof PCIE_SELECTION_KEYS;

type ValueOf<V> = V extends RuleValue<infer T> ? T : never;
type Values<K> = { readonly [N in keyof K]: K[N] extends { value: infer V } ? ValueOf<V> : never };

/** What a rule selects by. */
export type PcieSelection = { readonly [K in PcieSelectionKey]?: ValueOf<(typeof PCIE_SELECTION_KEYS)[K]> };
/** What a rule does, with all values of its action. */
export type PcieAction<A extends PcieActionName = PcieActionName> = A extends PcieActionName
  ? { readonly kind: A } & Values<(typeof PCIE_ACTIONS)[A]>
  : never;

/** One rule. */
export interface PcieRule {
  readonly action: PcieAction;
  readonly select: PcieSelection;
  /** It need not fire. */
  readonly optional: boolean;
}

export type SourcedPcieRule = Sourced<PcieRule>;

/** Kinds of requests that an action is for when the rule names none, and those that it may name. */
export const ACTION_KINDS: Readonly<
  Record<PcieActionName, { readonly usual: readonly RequestKind[]; readonly possible: readonly RequestKind[] }>
> = {
  delay: { usual: ['read', 'write', 'msix'], possible: ['read', 'write', 'msix'] },
  ur: { usual: ['read'], possible: ['read'] },
  ca: { usual: ['read'], possible: ['read'] },
  poison: { usual: ['read'], possible: ['read', 'write'] },
  lose: { usual: ['read'], possible: ['read', 'msix'] },
  split: { usual: ['read'], possible: ['read'] },
  reorder: { usual: ['read'], possible: ['read'] },
  back_pressure: { usual: ['write', 'msix'], possible: ['write', 'msix'] },
};

/** Whether a rule may keep a NIC from what it was doing: something fails, or is lost. */
export function mayFail({ action }: PcieRule): boolean {
  return ['ur', 'ca', 'poison', 'lose'].includes(action.kind);
}

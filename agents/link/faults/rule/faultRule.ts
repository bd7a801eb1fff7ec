/**
 * Fault rules of the link: which frames each one selects, and what it does with them.
 *
 *   text, file, share or sequence ─► FaultRule ─► ActiveRule (counts, draws) ─► RuleOutcome (what it did, for the record)
 *
 * A rule is plain data, made once and never changed. What may be written is decided by the two tables here, from which
 * reader, writer, files and the page of the documentation are made.
 */

import { MOST_PORTS } from '../../../../dut-model/nic.ts';
import { OPCODE_NAMES } from './opcodeNames.ts';
import { flag, name, names, numbers, rate, type RuleValue, share, size, time, timeDraw, whole } from './ruleValue.ts';
import { HEADER_FIELD_NAMES } from './headerFields.ts';
import type { KeyOfAction } from './ruleLanguage.ts';
import type { Sourced } from './sourced.ts';

const MOST_HOSTS = 64;
const MOST_24 = 0xff_ffff;
const MOST_FRAMES = 1e12;

/** Services of queue pairs. */
export const SERVICE_NAMES = ['rc', 'uc', 'ud'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];
/** Where in its message a packet stands. */
export const POSITION_NAMES = ['first', 'middle', 'last', 'only'] as const;
export type PositionName = (typeof POSITION_NAMES)[number];

/** What a rule may select by. Whatever is left out selects all. */
export const SELECTION_KEYS = {
  /** Host that sends the frame. */
  host: numbers(0, MOST_HOSTS - 1),
  /** Port of that NIC, and of the one that it goes to, from 1. */
  port: numbers(1, MOST_PORTS),
  /** Host that it goes to. */
  to: numbers(0, MOST_HOSTS - 1),
  /** Queue pair that sends it, by its index on that host: the first one made is 0. */
  qp: numbers(0, MOST_24),
  /** The same by its number. */
  qpn: numbers(0, MOST_24),
  service: names(SERVICE_NAMES),
  opcode: names(OPCODE_NAMES),
  psn: numbers(0, MOST_24, 16),
  /** PSN counted from the first one of the connection. */
  relpsn: numbers(0, MOST_24),
  /** Ordinal of the frame among all that the host sends, from 1. */
  frame: numbers(1, MOST_FRAMES),
  position: names(POSITION_NAMES),
  /** Of requests and of answers with data: sent for the first time, or again. */
  transmission: name(['first', 'retransmission']),
  /** How often that packet has been sent before: 0 the first time, 1 the first time again. */
  round: numbers(0, 1_000_000),
  /** Which of the frames that match all of the above, from 1, as they are sent and before any fault. */
  nth: numbers(1, MOST_FRAMES),
  /** Each so manieth of them. */
  every: whole(1, 1e9),
  /** Simulated time at which the frame begins: not before, and before. */
  from: time(),
  until: time(),
  /** Chance of each frame that matches. */
  probability: share(),
} as const satisfies Readonly<Record<string, RuleValue<unknown>>>;

/** The actions with their own keys. */
export const ACTIONS = {
  /** The frame is lost. */
  drop: {},
  /** It arrives `times` times more, each `after` the one before. */
  duplicate: { times: key(whole(1, 1000), '1'), after: key(time(), '1us') },
  /** It arrives later; others may overtake it. */
  delay: { by: key(timeDraw()) },
  /** It is held until `by` later frames of its host have passed, or until `within` is over. */
  reorder: { by: key(numbers(1, 10_000), '1'), within: key(time(), '100us') },
  /** One byte or field is changed; the invariant CRC stays as it was unless it is `repaired`. */
  corrupt: {
    field: key(name(HEADER_FIELD_NAMES), 'payload'),
    byte: key(whole(0, 9999), null),
    xor: key(whole(1, 0xffff_ffff), null),
    set: key(whole(0, 0xffff_ffff), null),
    repaired: key(flag(), null),
  },
  /** The last `cut` bytes of the payload are missing; lengths and CRC say otherwise unless they are `repaired`. */
  truncate: { cut: key(whole(1, 9999), '1'), repaired: key(flag(), null) },
  /** A frame that says it is capable of it (ECT) is marked: congestion experienced. */
  mark: {},
  /**
   * Losses in bursts (Gilbert and Elliott): each frame changes from good to bad with the chance `enter` and back with `leave`;
   * while it is bad, it is lost with the chance `loss`, else with `good_loss`.
   */
  burst: {
    enter: key(share()),
    leave: key(share()),
    loss: key(share(), '1'),
    good_loss: key(share(), '0'),
  },
  /** A bottleneck of so many Gb/s with a queue before it: what does not fit is lost, the rest arrives later. */
  rate: { gbps: key(rate()), queue: key(size(64, 1024 ** 3), '64KB') },
  /** Nothing passes from `host` to `to`, or to any, from `from` until `until`. */
  partition: {},
  /** Nothing passes from `host` nor to it. */
  link_down: {},
  /** The NIC of `host` is reset at `from`: no frame is selected, and what the NIC had not finished is lost. */
  nic_reset: {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, KeyOfAction>>>>;

/** Names of the actions. */
export type ActionName = keyof typeof ACTIONS;
export type SelectionKey = keyof typeof SELECTION_KEYS;

type ValueOf<V> = V extends RuleValue<infer T> ? T : never;
type Values<K> = {
  readonly [N in keyof K]: K[N] extends { value: infer V; default: null }
    ? ValueOf<V> | null
    : K[N] extends { value: infer V }
      ? ValueOf<V>
      : never;
};

/** What a rule selects by. */
export type FaultSelection = { readonly [K in SelectionKey]?: ValueOf<(typeof SELECTION_KEYS)[K]> };
/** What a rule does, with all values of its action; null for what was left out and has no default. */
export type FaultAction<A extends ActionName = ActionName> = A extends ActionName
  ? { readonly kind: A } & Values<(typeof ACTIONS)[A]>
  : never;

/** One rule. */
export interface FaultRule {
  readonly action: FaultAction;
  readonly select: FaultSelection;
  /** It need not fire. */
  readonly optional: boolean;
}

export type SourcedRule = Sourced<FaultRule>;

function key<V, D extends string | null | undefined = undefined>(value: V, standard?: D): { value: V; default: D } {
  return { value, default: standard as D };
}

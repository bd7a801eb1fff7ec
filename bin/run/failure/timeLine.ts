/** The events around a finding as marks of a time line: what they are, whose, and at which PSN. */

import type {
  LONGEST_MARK,
  MarkKind,
  MOST_MARKS,
  TIME_LINE_FORMAT,
  TimeLine,
  TimeMark,
} from '../../../regress/page/timeLine.ts';
import { OPCODE } from '../../../agents/wire/wireOpcodes.ts';
import { EVENT, type LoggedEvent } from '../../../env/trace/eventLog.ts';
import { eventText } from '../../../env/trace/eventTexts.ts';
import { COMPLETION, PACKET_WORD, POST_RECV, POST_SEND, TLP_WORD } from '../../../env/trace/eventWords.ts';
import { PACKETS } from '../../../env/trace/runRecorder.ts';
import { SYNDROME } from '../../../rdma/bth.ts';
import { WC_STATUS } from '../../../rdma/verbs.ts';
import { TLP_KIND } from '../../../dut-model/nic.ts';
import type { DecidingSide } from './deciding.ts';
import type { QueuePair } from './subject.ts';

/** What of a finding a time line shows. */
export interface TimeLineFacts {
  readonly finding: TimeLine['finding'];
  /** In words. */
  readonly subject: readonly string[];
  readonly pairs: readonly QueuePair[];
  readonly pairTexts: readonly string[];
  /** In the order of time. */
  readonly events: readonly LoggedEvent[];
  /** Events that are shown however many there are. */
  readonly sides: ReadonlyMap<LoggedEvent, DecidingSide>;
  /** Of events that decide nothing: those of the request in question are shown before others. */
  readonly life: ReadonlySet<LoggedEvent>;
}

// Values here, types there: the validator is not loaded into runs.
const FORMAT: typeof TIME_LINE_FORMAT = 'rnic-verify time line 1';
const MOST: typeof MOST_MARKS = 400;
const LONGEST: typeof LONGEST_MARK = 300;

export function timeLineOf(facts: TimeLineFacts): TimeLine {
  const { finding, subject, pairs, pairTexts, events, sides } = facts;
  const repeats = new Repeats();
  const all = events.flatMap((event) => {
    const kind = kindOf(event, repeats);
    return kind === undefined ? [] : [{ event, kind }];
  });
  const shown = shownOf(
    all.map(({ event }) => event),
    facts,
  );
  const marks = all.filter(({ event }) => shown.has(event)).map(({ event, kind }) => markOf(event, kind, pairs, sides));
  return {
    format: FORMAT,
    finding: { ...finding, text: shortened(finding.text) },
    subject: subject.map(shortened),
    pairs: pairs.map(({ host, qpn }, i) => ({ host, qpn, text: shortened(pairTexts[i] ?? '') })),
    marks,
    leftOut: all.length - marks.length,
  };
}

/** What decides, then the request in question, then what lies nearest to the finding. */
function shownOf(events: readonly LoggedEvent[], { finding, sides, life }: TimeLineFacts): ReadonlySet<LoggedEvent> {
  const rankOf = (event: LoggedEvent): number => (sides.has(event) ? 0 : life.has(event) ? 1 : 2);
  const ordered = events.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || Math.abs(a.time - finding.time) - Math.abs(b.time - finding.time),
  );
  return new Set(ordered.slice(0, MOST));
}

function markOf(
  event: LoggedEvent,
  kind: MarkKind,
  pairs: readonly QueuePair[],
  sides: TimeLineFacts['sides'],
): TimeMark {
  const { host, words: w } = event;
  const placeOf = (of: number, qpn: number | undefined): number =>
    pairs.findIndex((pair) => pair.host === of && pair.qpn === qpn);
  const side = sides.get(event);
  const common = {
    kind,
    time: event.time,
    host,
    text: shortened(eventText(event).replaceAll('\n', ' ')),
    ...(typeof side === 'number' ? { side } : {}),
  };
  if (PACKETS.has(event.kind)) {
    const own = placeOf(host, w[PACKET_WORD.sourceQp]);
    const other = placeOf(w[PACKET_WORD.to] as number, w[PACKET_WORD.destQp]);
    const flow = isRequest(w) ? own : other;
    return {
      ...common,
      pair: event.kind === EVENT.packet ? own : other,
      flow,
      psn: psnOf(w[PACKET_WORD.psn] as number),
    };
  }
  if (event.kind === EVENT.postSend) {
    const pair = placeOf(host, w[POST_SEND.qpn]);
    const count = w[POST_SEND.packets] as number;
    const psns = count > 0 ? { psn: psnOf(w[POST_SEND.psn] as number), count } : {};
    return { ...common, pair, flow: pair, ...psns };
  }
  return { ...common, pair: placeOf(host, qpnOf(event)), flow: -1 };
}

/** Queue pair of an event that is no packet; undefined where it is of none. */
function qpnOf({ kind, text, words: w }: LoggedEvent): number | undefined {
  if (kind === EVENT.postRecv) return w[POST_RECV.qpn];
  if (kind === EVENT.completion) return w[COMPLETION.qpn];
  const named = /\bQP (\d+)/.exec(text)?.[1];
  return named === undefined ? undefined : Number(named);
}

/** What an event is; undefined for those that have no mark. */
function kindOf(event: LoggedEvent, repeats: Repeats): MarkKind | undefined {
  const w = event.words;
  switch (event.kind) {
    case EVENT.postSend:
      return 'post';
    case EVENT.postRecv:
      return 'receive';
    case EVENT.completion:
      return w[COMPLETION.status] === WC_STATUS.success ? 'completion' : 'errorCompletion';
    case EVENT.packet:
      if (isRequest(w)) return repeats.left(event) > 1 ? 'retransmission' : 'request';
      repeats.left(event);
      return isNak(w) ? 'nak' : 'answer';
    case EVENT.arrival:
      return repeats.isDuplicate(event) ? 'duplicate' : 'arrival';
    case EVENT.loss:
      return 'loss';
    case EVENT.fate:
      return 'change';
    case EVENT.tlp:
      return w[TLP_WORD.kind] === TLP_KIND.memRead ? 'read' : 'write';
    case EVENT.stored:
      return 'stored';
    case EVENT.answer:
      return 'readAnswer';
    case EVENT.barAccess:
      return 'barAccess';
    case EVENT.doorbell:
      return 'doorbell';
    case EVENT.command:
    case EVENT.commandBegin:
      return 'command';
    case EVENT.state:
      return 'state';
    case EVENT.asyncEvent:
      return 'event';
    case EVENT.report:
      return 'report';
    case EVENT.frame:
    case EVENT.entry:
      return undefined;
  }
}

function isRequest(words: Int32Array): boolean {
  return ((words[PACKET_WORD.flags] as number) & OPCODE.request) !== 0;
}

function isNak(words: Int32Array): boolean {
  return (
    ((words[PACKET_WORD.flags] as number) & OPCODE.aeth) !== 0 && (words[PACKET_WORD.syndrome] as number) > SYNDROME.ack
  );
}

/** How often each packet has left, and how often it has arrived. */
class Repeats {
  readonly #left = new Map<string, number>();
  readonly #arrived = new Map<string, number>();

  /** @returns how often it has left, this time included */
  left(event: LoggedEvent): number {
    return counted(this.#left, keyOf(event));
  }

  /** An arrival without a packet that has left for it: the link has repeated one. */
  isDuplicate(event: LoggedEvent): boolean {
    const key = keyOf(event);
    const arrived = counted(this.#arrived, key);
    // Of what left before the first event that is kept nothing is known.
    const left = this.#left.get(key);
    return left !== undefined && arrived > left;
  }
}

function counted(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}

function keyOf({ host, words: w }: LoggedEvent): string {
  return [
    host,
    w[PACKET_WORD.to],
    w[PACKET_WORD.destQp],
    w[PACKET_WORD.opcode],
    w[PACKET_WORD.psn],
    w[PACKET_WORD.sourceQp],
  ].join(' ');
}

function psnOf(word: number): number {
  return word & 0xff_ffff;
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`;
}

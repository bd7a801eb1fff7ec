/**
 * Where runs on two kinds of NIC part: times, numbers of queues and packets are those of each kind, but the requests that are
 * posted, the messages that are sent and the completions of each queue pair are not.
 */

import { messageOf, OPCODE } from '../../../../agents/wire/wireOpcodes.ts';
import { EVENT, type LoggedEvent } from '../../../../env/trace/eventLog.ts';
import { eventText, wrIdOf } from '../../../../env/trace/eventTexts.ts';
import { COMPLETION, PACKET_WORD, POST_RECV, POST_SEND } from '../../../../env/trace/eventWords.ts';
import type { RunDifference } from '../../../../regress/runRecord.ts';

type Parting = Pick<RunDifference, 'here' | 'there' | 'followed' | 'leftOut'>;

const MESSAGES = 'messages';

/** What happened to a queue, and what of it every kind of NIC has alike. */
interface Step {
  readonly event: LoggedEvent;
  readonly alike: string;
}

/** @returns the earliest difference among all queues; undefined where there is none */
export function partingOfKinds(
  here: readonly LoggedEvent[],
  there: readonly LoggedEvent[],
  until: number,
): Parting | undefined {
  const [ours, theirs] = [streamsOf(here), streamsOf(there)];
  // Packets of a kind that has a format of its own are not decoded.
  const areDecoded = [here, there].every((events) => events.some(({ kind }) => kind === EVENT.packet));
  const partings = [...ours].flatMap(([stream, steps]) => {
    if (!areDecoded && stream.endsWith(MESSAGES)) return [];
    const others = theirs.get(stream) ?? [];
    const at = steps.findIndex(({ alike }, i) => alike !== others[i]?.alike);
    const place = at < 0 && others.length > steps.length ? steps.length : at;
    const [mine, other] = [steps[place]?.event, others[place]?.event];
    const time = mine?.time ?? Number.POSITIVE_INFINITY;
    // A run that has ended earlier than the other lacks what would have come.
    return place < 0 || time > until ? [] : [{ time, here: momentOf(mine), there: momentOf(other) }];
  });
  const [first, ...others] = partings.toSorted((a, b) => a.time - b.time);
  if (first === undefined) return undefined;
  const followed = others.flatMap(({ here: moment }) =>
    moment === null ? [] : [{ ...moment, is: 'only here' as const, late: 0 }],
  );
  return { here: first.here, there: first.there, followed, leftOut: 0 };
}

/** Sends posted, receives posted, messages sent and completions, of each queue pair by the order in which a host uses them. */
function streamsOf(events: readonly LoggedEvent[]): Map<string, Step[]> {
  const streams = new Map<string, Step[]>();
  const pairs = new Map<string, number>();
  const sent = new Set<string>();
  const placeOf = (host: number, qpn: number): string => {
    const key = `${host} ${qpn}`;
    const known = pairs.get(key) ?? [...pairs.keys()].filter((other) => other.startsWith(`${host} `)).length;
    pairs.set(key, known);
    return `${host} ${known}`;
  };
  for (const event of events) {
    const found = stepOf(event, sent);
    if (found === undefined) continue;
    const stream = `${placeOf(event.host, found.qpn)} ${found.of}`;
    streams.set(stream, [...(streams.get(stream) ?? []), { event, alike: found.alike }]);
  }
  return streams;
}

function stepOf(event: LoggedEvent, sent: Set<string>): { qpn: number; of: string; alike: string } | undefined {
  const { kind, host, words: w } = event;
  if (kind === EVENT.postSend)
    return {
      qpn: w[POST_SEND.qpn] as number,
      of: 'sends',
      alike: `${w[POST_SEND.opcode]} ${w[POST_SEND.bytes]} ${wrIdOf(w, POST_SEND.idHi, POST_SEND.idLo)}`,
    };
  if (kind === EVENT.postRecv)
    return {
      qpn: w[POST_RECV.qpn] as number,
      of: 'receives',
      alike: `${w[POST_RECV.bytes]} ${wrIdOf(w, POST_RECV.idHi, POST_RECV.idLo)}`,
    };
  if (kind === EVENT.completion)
    return {
      qpn: w[COMPLETION.qpn] as number,
      of: w[COMPLETION.isSend] === 1 ? 'completed sends' : 'completed receives',
      alike: `${w[COMPLETION.status]} ${w[COMPLETION.status] === 0 ? w[COMPLETION.bytes] : ''} ${wrIdOf(w, COMPLETION.idHi, COMPLETION.idLo)}`,
    };
  if (kind !== EVENT.packet) return undefined;
  const qpn = w[PACKET_WORD.sourceQp] as number;
  const flags = w[PACKET_WORD.flags] as number;
  const key = `${host} ${qpn} ${w[PACKET_WORD.psn]}`;
  if (qpn < 0 || (flags & OPCODE.request) === 0 || (flags & OPCODE.start) === 0 || sent.has(key)) return undefined;
  sent.add(key);
  return { qpn, of: MESSAGES, alike: String(messageOf(flags)) };
}

function momentOf(event: LoggedEvent | undefined): RunDifference['here'] {
  return event === undefined ? null : { time: event.time, text: eventText(event) };
}

/** Where in a run a wrong value is the right one: an older value of its field, one of its neighbours, one of another object. */

import type { ValueField, ValueSubject } from '../../../../rdma/subject.ts';
import { EVENT, type LoggedEvent } from '../../../../env/trace/eventLog.ts';
import { eventText, wrIdOf } from '../../../../env/trace/eventTexts.ts';
import { COMPLETION, ENTRY_WORD, PACKET_WORD, POST_RECV, POST_SEND } from '../../../../env/trace/eventWords.ts';
import { OPCODE } from '../../../../agents/wire/wireOpcodes.ts';
import { PACKETS } from '../../../../env/trace/runRecorder.ts';
import type { Accused } from '../subject.ts';

/** A value that an event has. */
interface Held {
  readonly field: ValueField;
  /** `byte count`, `R_Key`. */
  readonly name: string;
  readonly value: bigint;
}

/** Values that very many fields have at any time: that one of them is found elsewhere tells nothing. */
const COMMON: ReadonlySet<bigint> = new Set([0n, 1n]);
/** Fields of which every number up to some is in use, so that only their own kind is looked for. */
const SMALL = 4096n;

/**
 * The latest event before the finding that has the wrong value, of the accused first; in words. Undefined where there is none.
 * @param time of the finding, ps
 */
export function sameValueOf(
  value: ValueSubject,
  events: readonly LoggedEvent[],
  { pairs, packets }: Accused,
  time: number,
): string | undefined {
  const { found, field } = value;
  if (COMMON.has(found)) return undefined;
  // The wrong value itself is no other one.
  const isItself = (event: LoggedEvent): boolean =>
    PACKETS.has(event.kind)
      ? packets.some(({ psn, sentAt }) => event.words[PACKET_WORD.psn] === psn && event.wire >= sentAt)
      : event.kind === EVENT.completion && event.time === time;
  const before = events.filter((event) => event.time <= time && !isItself(event));
  const isOwn = (event: LoggedEvent): boolean =>
    pairs.some(({ host, qpn }) => pairsOf(event).some((pair) => pair.host === host && pair.qpn === qpn));
  const holds = (event: LoggedEvent, isOfField: boolean): Held | undefined =>
    heldBy(event).find((held) => held.value === found && (held.field === field) === isOfField);
  for (const [what, isRight, isOfField] of [
    ['an older value of the same field', isOwn, true],
    ['the value of another object', (event: LoggedEvent) => !isOwn(event), true],
    ['the value of a neighbour', isOwn, false],
  ] as const) {
    if (!isOfField && found < SMALL) continue;
    const event = before.findLast((each) => isRight(each) && holds(each, isOfField) !== undefined);
    const held = event && holds(event, isOfField);
    if (event !== undefined && held !== undefined) return `${what}: ${held.name} of ${eventText(event)}`;
  }
  return undefined;
}

function pairsOf({ kind, host, words: w }: LoggedEvent): { readonly host: number; readonly qpn: number }[] {
  if (kind === EVENT.postSend) return [{ host, qpn: w[POST_SEND.qpn] as number }];
  if (kind === EVENT.postRecv) return [{ host, qpn: w[POST_RECV.qpn] as number }];
  if (kind === EVENT.completion) return [{ host, qpn: w[COMPLETION.qpn] as number }];
  if (!PACKETS.has(kind)) return [];
  return [
    { host, qpn: w[PACKET_WORD.sourceQp] as number },
    { host: w[PACKET_WORD.to] as number, qpn: w[PACKET_WORD.destQp] as number },
  ];
}

/** Values of an event by what they are of. */
function heldBy({ kind, words: w }: LoggedEvent): Held[] {
  const word = (field: ValueField, name: string, at: number): Held => ({
    field,
    name,
    value: BigInt((w[at] as number) >>> 0),
  });
  const long = (field: ValueField, name: string, hi: number, lo: number): Held => ({
    field,
    name,
    value: (BigInt((w[hi] as number) >>> 0) << 32n) | BigInt((w[lo] as number) >>> 0),
  });
  const id = (hi: number, lo: number): Held => ({
    field: 'request number',
    name: 'wrId',
    value: BigInt(wrIdOf(w, hi, lo)),
  });
  if (kind === EVENT.postSend)
    return [
      word('length', 'length', POST_SEND.bytes),
      word('immediate data', 'immediate data', POST_SEND.imm),
      word('key', 'R_Key', POST_SEND.rkey),
      word('Q_Key', 'Q_Key', POST_SEND.qkey),
      word('queue pair', 'queue pair', POST_SEND.qpn),
      word('queue pair', 'remote queue pair', POST_SEND.remoteQpn),
      word('PSN', 'first PSN', POST_SEND.psn),
      long('address', 'remote address', POST_SEND.remoteHi, POST_SEND.remoteLo),
      long('address', 'address', POST_SEND.hi, POST_SEND.lo),
      id(POST_SEND.idHi, POST_SEND.idLo),
    ];
  if (kind === EVENT.postRecv)
    return [
      word('length', 'length of the buffer', POST_RECV.bytes),
      word('queue pair', 'queue pair', POST_RECV.qpn),
      long('address', 'address', POST_RECV.hi, POST_RECV.lo),
      id(POST_RECV.idHi, POST_RECV.idLo),
    ];
  if (kind === EVENT.entry)
    return [
      word('length', 'length', ENTRY_WORD.length),
      word('key', 'L_Key', ENTRY_WORD.lkey),
      long('address', 'address', ENTRY_WORD.hi, ENTRY_WORD.lo),
    ];
  if (kind === EVENT.completion)
    return [
      word('length', 'byte count', COMPLETION.bytes),
      word('immediate data', 'immediate data', COMPLETION.imm),
      word('queue pair', 'queue pair', COMPLETION.qpn),
      id(COMPLETION.idHi, COMPLETION.idLo),
    ];
  if (!PACKETS.has(kind)) return [];
  const flags = w[PACKET_WORD.flags] as number;
  return [
    word('PSN', 'PSN', PACKET_WORD.psn),
    word('length', 'payload', PACKET_WORD.payload),
    word('queue pair', 'destination', PACKET_WORD.destQp),
    ...((flags & OPCODE.reth) === 0
      ? []
      : [
          word('key', 'R_Key', PACKET_WORD.rkey),
          word('length', 'length', PACKET_WORD.dmaLength),
          long('address', 'address', PACKET_WORD.hi, PACKET_WORD.lo),
        ]),
    ...((flags & OPCODE.deth) === 0 ? [] : [word('Q_Key', 'Q_Key', PACKET_WORD.qkey)]),
    ...((flags & OPCODE.aeth) === 0 ? [] : [word('MSN', 'MSN', PACKET_WORD.msn)]),
  ];
}

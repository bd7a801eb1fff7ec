/** The life of a request, out of the events of a run: posted, fetched, its packets and their fate, its data, completed. */

import { EVENT, type LoggedEvent } from '../../../env/trace/eventLog.ts';
import { wrIdOf } from '../../../env/trace/eventTexts.ts';
import {
  AREA,
  COMPLETION,
  ENTRY_WORD,
  PACKET_WORD,
  POST_RECV,
  POST_SEND,
  TLP_WORD,
} from '../../../env/trace/eventWords.ts';
import { PACKETS } from '../../../env/trace/runRecorder.ts';
import { hex } from '../../../uvm/report/hexTexts.ts';
import { OPCODE } from '../../../agents/wire/wireOpcodes.ts';
import { WR_OPCODE } from '../../../rdma/verbs.ts';
import type { RequestSubject } from '../../../rdma/subject.ts';
import type { Accused, QueuePair } from './subject.ts';

/** Reads of the work queue that are shown besides the first: those that came last before the request was sent. */
const MOST_FETCHES = 2;
const PSN_SPAN = 2 ** 24;
const TWO_32 = 2 ** 32;

/**
 * Finds the send-queue request that a finding is about: the one that it names, or the one to which its packet or PSN belongs,
 * or of a receive the message that came last before that completed. Undefined where the events do not tell: another request
 * with the same number is none.
 */
export function requestOf(events: readonly LoggedEvent[], accused: Accused, time: number): LoggedEvent | undefined {
  const before = events.filter((event) => event.time <= time);
  const sends = before.filter(({ kind }) => kind === EVENT.postSend);
  const { requests, psns, packets } = accused;
  const named = requests.find(({ isReceive }) => !isReceive);
  if (named !== undefined) return sends.find((event) => isPostingOf(event, named));
  for (const range of psns) {
    const found = sends.findLast((send) => isOf(send, range) && isInRange(send, range.first));
    if (found !== undefined) return found;
  }
  for (const { from, to, destQp, psn } of packets) {
    const found = sends.findLast((send) => belongs(send, from, { host: to, qpn: destQp }, psn));
    if (found !== undefined) return found;
  }
  const receive = requests.find(({ isReceive }) => isReceive);
  return receive === undefined ? undefined : sendOfReceive(before, sends, receive);
}

/** Finds the receive that a finding is about; undefined where it is about none, or the events do not tell. */
export function receiveOf(events: readonly LoggedEvent[], { requests }: Accused): LoggedEvent | undefined {
  const named = requests.find(({ isReceive }) => isReceive);
  return named === undefined ? undefined : events.find((event) => isPostingOf(event, named));
}

/** Whether a request was posted by an event: its number may be that of others, its time, where that is known, is its own. */
export function isPostingOf({ kind, host, time, words: w }: LoggedEvent, request: RequestSubject): boolean {
  const { isReceive, wqe, wrId, postedAt } = request;
  if (kind !== (isReceive ? EVENT.postRecv : EVENT.postSend) || host !== request.host) return false;
  if (postedAt >= 0 && time !== postedAt) return false;
  if (isReceive)
    // A receive of a shared queue is posted to no queue pair.
    return (
      (request.srqn >= 0 || w[POST_RECV.qpn] === request.qpn) &&
      (wqe < 0 || w[POST_RECV.wqe] === wqe) &&
      wrIdOf(w, POST_RECV.idHi, POST_RECV.idLo) === wrId
    );
  return (
    w[POST_SEND.qpn] === request.qpn &&
    (wqe < 0 || w[POST_SEND.wqe] === wqe) &&
    wrIdOf(w, POST_SEND.idHi, POST_SEND.idLo) === wrId
  );
}

/** The completion of a request: of a shared receive by whichever queue pair takes it. */
export function isCompletionOfRequest({ kind, host, words: w }: LoggedEvent, request: RequestSubject): boolean {
  if (kind !== EVENT.completion || host !== request.host) return false;
  if (request.qpn >= 0 && w[COMPLETION.qpn] !== request.qpn) return false;
  if ((w[COMPLETION.isSend] === 1) === request.isReceive) return false;
  return wrIdOf(w, COMPLETION.idHi, COMPLETION.idLo) === request.wrId;
}

/** Whether the NIC reads or writes the data of the send request posted by event `at`, on either side. */
export function isDataOfSend(events: readonly LoggedEvent[], at: number): (event: LoggedEvent) => boolean {
  const entries = entriesBehind(events, at);
  return (event) => isData(event) && isDataOf(event, events[at] as LoggedEvent, entries);
}

function isData({ kind }: LoggedEvent): boolean {
  return kind === EVENT.tlp || kind === EVENT.stored;
}

/** The same of the buffer of the receive. */
export function isDataOfReceive(events: readonly LoggedEvent[], at: number): (event: LoggedEvent) => boolean {
  const posted = events[at] as LoggedEvent;
  const entries = entriesBehind(events, at);
  const process = posted.words[POST_RECV.process] as number;
  return (event) => {
    const { host, words: w } = event;
    if (!isData(event) || host !== posted.host || w[TLP_WORD.area] !== AREA.data) return false;
    return (process < 0 || w[TLP_WORD.owner] === process) && entries.some((entry) => isOfEntry(w, entry));
  };
}

/** What became of the keys that a request names, up to some time: told in words, `host 1 key 0x4c is registered: ...`. */
export function keysOf(events: readonly LoggedEvent[], send: LoggedEvent | undefined, time: number): LoggedEvent[] {
  if (send === undefined) return [];
  const { host, words: w } = send;
  const begin = events.indexOf(send);
  const own = entriesBehind(events, begin).map(
    ({ words }) => `host ${host} key ${hex(words[ENTRY_WORD.lkey] as number)}`,
  );
  const remote = `host ${w[POST_SEND.remoteHost]} key ${hex(w[POST_SEND.rkey] as number)}`;
  const names = new Set(w[POST_SEND.rkey] === 0 ? own : [...own, remote]);
  const told = events.filter((e) => e.kind === EVENT.state && e.time <= time && names.has(keyIn(e.text)));
  // A key that was that of others before: only what it was then counts.
  const since = (e: LoggedEvent): boolean =>
    !told.some(
      (other) =>
        other.time > e.time && other.time <= send.time && isRegistration(other) && keyIn(other.text) === keyIn(e.text),
    );
  return told.filter(since);
}

function keyIn(text: string): string {
  return /^host \d+ key 0x[0-9a-f]+/.exec(text)?.[0] ?? '';
}

function isRegistration({ text }: LoggedEvent): boolean {
  return text.includes('is registered');
}

/** Whether the completion of a request is there. */
export function isCompleted(events: readonly LoggedEvent[], posted: LoggedEvent): boolean {
  const { host, kind, words: w } = posted;
  const isSend = kind === EVENT.postSend;
  const qpn = w[isSend ? POST_SEND.qpn : POST_RECV.qpn] as number;
  const wrId = isSend ? idOf(posted) : recvIdOf(posted);
  return events
    .slice(events.indexOf(posted))
    .some((e) => isCompletionOf(e, host, qpn, wrId) && e.words[COMPLETION.isSend] === (isSend ? 1 : 0));
}

/** A receive is a matter of the message that came last before it completed. */
function sendOfReceive(
  events: readonly LoggedEvent[],
  sends: readonly LoggedEvent[],
  { host, qpn, wrId }: QueuePair & { readonly wrId: number },
): LoggedEvent | undefined {
  const done = events.findLastIndex((e) => isCompletionOf(e, host, qpn, wrId) && e.words[COMPLETION.isSend] === 0);
  const until = done < 0 ? events.length : done;
  const last = events.slice(0, until).findLast((e) => {
    const w = e.words;
    return isPacket(e) && w[PACKET_WORD.to] === host && w[PACKET_WORD.destQp] === qpn && has(w, OPCODE.request);
  });
  if (last === undefined) return undefined;
  const psn = last.words[PACKET_WORD.psn] as number;
  return sends.findLast((send) => belongs(send, last.host, { host, qpn }, psn));
}

/**
 * Everything that has to do with a request, in the order of time.
 * @param receive the one that its message took or should have taken, where that is known
 */
export function lifeOf(
  events: readonly LoggedEvent[],
  send: LoggedEvent,
  time: number,
  receive?: LoggedEvent,
): LoggedEvent[] {
  const begin = events.indexOf(send);
  const entries = entriesBehind(events, begin);
  const { host, words: w } = send;
  const qpn = w[POST_SEND.qpn] as number;
  const wrId = idOf(send);
  const completed = events.findIndex(
    (e, i) => i > begin && isCompletionOf(e, host, qpn, wrId) && e.words[COMPLETION.isSend] === 1,
  );
  const end = Math.max(
    completed,
    events.findLastIndex((e) => e.time <= time),
  );
  const life: LoggedEvent[] = [];
  let rung = false;
  let sent = false;
  for (const event of events.slice(begin, end + 1)) {
    if (event === send || entries.includes(event)) life.push(event);
    else if (event.kind === EVENT.doorbell) {
      if (rung || event.host !== host || !event.text.includes(`QP ${qpn}:`)) continue;
      rung = true;
      life.push(event);
    } else if (isPacket(event)) {
      if (!isPacketOf(event, send)) continue;
      sent = true;
      life.push(event);
    } else if (isData(event)) {
      if (isDataOf(event, send, entries) || (!sent && isFetchOf(event, host, qpn))) life.push(event);
    } else if (isCompletionOf(event, host, qpn, wrId) && event.words[COMPLETION.isSend] === 1) life.push(event);
  }
  const fetches = life.filter((event) => event.kind === EVENT.tlp && isFetchOf(event, host, qpn));
  const unshown = new Set(fetches.slice(1, -MOST_FETCHES));
  const shown = life.filter((event) => !unshown.has(event));
  return receive === undefined ? withReceive(events, send, shown) : shown;
}

/** A receive as it is posted and as it completes. */
export function lifeOfReceive(events: readonly LoggedEvent[], posted: LoggedEvent): LoggedEvent[] {
  const { host, words: w } = posted;
  const [qpn, wrId] = [w[POST_RECV.qpn] as number, recvIdOf(posted)];
  const behind = events.slice(events.indexOf(posted));
  const done = behind.find((e) => isCompletionOf(e, host, qpn, wrId) && e.words[COMPLETION.isSend] === 0);
  return done === undefined ? [posted] : [posted, done];
}

/** The completion of the receive that a message took: the first one behind its last packet. */
function withReceive(events: readonly LoggedEvent[], send: LoggedEvent, life: LoggedEvent[]): LoggedEvent[] {
  const opcode = send.words[POST_SEND.opcode] as number;
  if (!TAKES_RECEIVE.has(opcode)) return life;
  const last = life.findLast((e) => isPacket(e) && e.host === send.host);
  if (last === undefined) return life;
  const to = last.words[PACKET_WORD.to] as number;
  const qpn = last.words[PACKET_WORD.destQp] as number;
  const at = events.indexOf(last);
  const received = events.find(
    (e, i) =>
      i > at &&
      e.kind === EVENT.completion &&
      e.host === to &&
      e.words[COMPLETION.qpn] === qpn &&
      e.words[COMPLETION.isSend] === 0,
  );
  if (received === undefined) return life;
  const posted = events.findLast(
    (e) =>
      e.kind === EVENT.postRecv &&
      e.host === to &&
      e.words[POST_RECV.qpn] === qpn &&
      recvIdOf(e) === completionIdOf(received),
  );
  const all = new Set([...life, received, ...(posted === undefined ? [] : [posted])]);
  return events.filter((event) => all.has(event));
}

const TAKES_RECEIVE: ReadonlySet<number> = new Set([
  WR_OPCODE.send,
  WR_OPCODE.sendWithImm,
  WR_OPCODE.sendWithInv,
  WR_OPCODE.rdmaWriteWithImm,
]);

function isOf({ host, words }: LoggedEvent, pair: QueuePair): boolean {
  return host === pair.host && words[POST_SEND.qpn] === pair.qpn;
}

function idOf({ words }: LoggedEvent): number {
  return wrIdOf(words, POST_SEND.idHi, POST_SEND.idLo);
}

function recvIdOf({ words }: LoggedEvent): number {
  return wrIdOf(words, POST_RECV.idHi, POST_RECV.idLo);
}

function completionIdOf({ words }: LoggedEvent): number {
  return wrIdOf(words, COMPLETION.idHi, COMPLETION.idLo);
}

function isCompletionOf(e: LoggedEvent, host: number, qpn: number, wrId: number): boolean {
  return (
    e.kind === EVENT.completion && e.host === host && e.words[COMPLETION.qpn] === qpn && completionIdOf(e) === wrId
  );
}

function isPacket({ kind }: LoggedEvent): boolean {
  return PACKETS.has(kind);
}

function has(words: Int32Array, bit: number): boolean {
  return ((words[PACKET_WORD.flags] as number) & bit) !== 0;
}

/** Whether a packet is one of a request, or an answer to it. */
function isPacketOf({ host, words: w }: LoggedEvent, send: LoggedEvent): boolean {
  const psn = w[PACKET_WORD.psn] as number;
  if (!isInRange(send, psn)) return false;
  const qpn = send.words[POST_SEND.qpn] as number;
  const source = w[PACKET_WORD.sourceQp];
  const isRequest = has(w, OPCODE.request);
  if (isRequest) return host === send.host && source === qpn;
  return w[PACKET_WORD.to] === send.host && w[PACKET_WORD.destQp] === qpn;
}

/** Whether a packet that is named by its ends belongs to a request, as a part of it or as an answer. */
function belongs(send: LoggedEvent, from: number, to: QueuePair, psn: number): boolean {
  if (!isInRange(send, psn)) return false;
  const answers = send.host === to.host && send.words[POST_SEND.qpn] === to.qpn;
  return answers || (send.host === from && send.words[POST_SEND.remoteHost] === to.host);
}

function isInRange({ words: w }: LoggedEvent, psn: number): boolean {
  const packets = w[POST_SEND.packets] as number;
  return packets > 0 && (psn - (w[POST_SEND.psn] as number) + PSN_SPAN) % PSN_SPAN < packets;
}

function entriesBehind(events: readonly LoggedEvent[], at: number): LoggedEvent[] {
  const end = events.findIndex((event, i) => i > at && event.kind !== EVENT.entry);
  return events.slice(at + 1, end < 0 ? events.length : end);
}

/** The NIC fetches entries of the work queue. */
function isFetchOf({ host, words: w }: LoggedEvent, of: number, qpn: number): boolean {
  return host === of && w[TLP_WORD.area] === AREA.queue && w[TLP_WORD.owner] === qpn;
}

/** The NIC reads or writes the data of the request, on either side. */
function isDataOf({ host, words: w }: LoggedEvent, send: LoggedEvent, entries: readonly LoggedEvent[]): boolean {
  if (w[TLP_WORD.area] !== AREA.data) return false;
  const at = addressOf(w[TLP_WORD.virtHi], w[TLP_WORD.virtLo]);
  const length = w[TLP_WORD.length] as number;
  const s = send.words;
  if (host === send.host && w[TLP_WORD.owner] === s[POST_SEND.process])
    return entries.some((entry) => isOfEntry(w, entry));
  const isRemote = host === s[POST_SEND.remoteHost] && s[POST_SEND.rkey] !== 0;
  return (
    isRemote &&
    overlaps(at, length, addressOf(s[POST_SEND.remoteHi], s[POST_SEND.remoteLo]), s[POST_SEND.bytes] as number)
  );
}

/** Whether a transaction meets an entry of a list. */
function isOfEntry(w: Int32Array, { words: e }: LoggedEvent): boolean {
  const at = addressOf(w[TLP_WORD.virtHi], w[TLP_WORD.virtLo]);
  const start = addressOf(e[ENTRY_WORD.hi], e[ENTRY_WORD.lo]);
  return overlaps(at, w[TLP_WORD.length] as number, start, e[ENTRY_WORD.length] as number);
}

function addressOf(hi: number | undefined, lo: number | undefined): number {
  return ((hi ?? 0) >>> 0) * TWO_32 + ((lo ?? 0) >>> 0);
}

function overlaps(a: number, lengthA: number, b: number, lengthB: number): boolean {
  return a < b + lengthB && b < a + lengthA;
}

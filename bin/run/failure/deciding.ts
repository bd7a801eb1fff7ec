/**
 * The events that decide a finding: those that what it accuses has made or suffered, up to 5 us behind the finding, in the
 * order of time. The rest of a page is filled with what happened beside them.
 */

import type {
  MemorySubject,
  PacketSubject,
  PsnRangeSubject,
  RequestSubject,
  SubjectPart,
} from '../../../rdma/subject.ts';
import { addressOf } from '../../../rdma/subjectParts.ts';
import { OPCODE } from '../../../agents/wire/wireOpcodes.ts';
import { EVENT, type LoggedEvent } from '../../../env/trace/eventLog.ts';
import { AREA, COMPLETION, PACKET_WORD, POST_SEND, TLP_WORD } from '../../../env/trace/eventWords.ts';
import { PACKETS } from '../../../env/trace/runRecorder.ts';
import { isCompletionOfRequest, isDataOfReceive, isDataOfSend, isPostingOf } from './requestLife.ts';

/** Lines of a page that are not folded. */
const MOST_LINES = 40;
/** Simulated time behind the finding that is shown, ps. */
export const BEHIND = 5_000_000;
/** Events that decide, of one part of the subject: the first, the latest before the finding, the first ones behind it. */
const MOST_OF_A_PART = { before: 8, behind: 4 } as const;
/** Of what is done to a queue pair, a region or a host much is said, of which the latest counts. */
const MOST_OF_A_STATE = 3;
/** Events that a NIC tells of a queue pair, and entries of event queues, of which one may be what a finding is about. */
const MOST_TOLD = 3;
/** Other errors behind the finding. */
const MOST_REPORTS = 4;
const PSN_SPAN = 2 ** 24;

/** A line of the page. */
export interface DecidingLine {
  readonly event: LoggedEvent;
  /** Part of the subject that it is an event of: 0 is accused, others are against it; undefined where it decides nothing. */
  readonly side: DecidingSide | undefined;
}

/** Place of a part in the subject; `report` is the finding itself. */
export type DecidingSide = number | 'report';

/** What is known of a finding. */
export interface Finding {
  /** When, ps. */
  readonly time: number;
  readonly parts: readonly SubjectPart[];
}

/**
 * @param events in the order of time
 * @param life of the request, which fills the page first
 * @param beside what else concerns the queue pairs: reports behind the finding fill it then, and the latest before it
 */
export function linesOf(
  events: readonly LoggedEvent[],
  finding: Finding,
  life: ReadonlySet<LoggedEvent>,
  beside: readonly LoggedEvent[],
): DecidingLine[] {
  const until = finding.time + BEHIND;
  const deciding = decidingOf(events, finding, until);
  const chosen = new Set(deciding.keys());
  const began = [...deciding.keys(), ...life].reduce(
    (least, { time }) => (time < finding.time ? Math.min(least, time) : least),
    until,
  );
  const nearest = [...life]
    .filter(({ time }) => time <= until)
    .toSorted((a, b) => distance(a, finding) - distance(b, finding));
  const reports = beside.filter(({ kind, time }) => kind === EVENT.report && time >= finding.time && time <= until);
  const since = began === until ? 0 : began;
  const end = events.findIndex(({ kind, time }) => kind === EVENT.report && time === finding.time);
  const earlier = end < 0 ? undefined : new Set(events.slice(0, end));
  const before = beside
    .filter((event) => (earlier?.has(event) ?? event.time <= finding.time) && event.time >= since)
    .toReversed();
  for (const event of [...nearest, ...reports.slice(0, MOST_REPORTS), ...before]) {
    if (chosen.size >= MOST_LINES) break;
    chosen.add(event);
  }
  return events.filter((event) => chosen.has(event)).map((event) => ({ event, side: deciding.get(event) }));
}

function distance({ time }: LoggedEvent, finding: Finding): number {
  return Math.abs(time - finding.time);
}

/** At most `MOST_LINES`: of each part its share, so that the last one, which contradicts, is never left out. */
function decidingOf(events: readonly LoggedEvent[], finding: Finding, until: number): Map<LoggedEvent, DecidingSide> {
  const found = new Map<LoggedEvent, DecidingSide>();
  const report = events.find(({ kind, time }) => kind === EVENT.report && time === finding.time);
  if (report !== undefined) found.set(report, 'report');
  const shares = finding.parts.map((part) => shareOf(events, part, finding, until));
  for (let i = 0; found.size < MOST_LINES && shares.some((share) => i < share.length); i++)
    for (const [side, share] of shares.entries()) {
      const event = share[i];
      if (event !== undefined && found.size < MOST_LINES && !found.has(event)) found.set(event, side);
    }
  return found;
}

/** Of one part, the most telling events first. */
function shareOf(events: readonly LoggedEvent[], part: SubjectPart, { time }: Finding, until: number): LoggedEvent[] {
  const own = matchesOf(events, part).filter((event) => event.time <= until);
  const all = own.filter((event) => event.time <= time);
  const isRare = part.kind === 'eventQueue' ? () => false : isTelling;
  const told = all.filter(isRare).slice(-MOST_TOLD).toReversed();
  const before = all.filter((event) => !isRare(event));
  const behind = own.filter((event) => event.time > time).slice(0, MOST_OF_A_PART.behind);
  if (isState(part))
    return [...before.slice(-MOST_OF_A_STATE).toReversed(), ...told, ...behind.slice(0, MOST_OF_A_STATE)];
  const [first] = before;
  const latest = before.slice(-MOST_OF_A_PART.before).toReversed();
  return [...new Set([...(first === undefined ? [] : [first]), ...told, ...latest, ...behind])];
}

/** Rare among what a part does, and often what matters. */
function isTelling({ kind, words: w }: LoggedEvent): boolean {
  return kind === EVENT.asyncEvent || (kind === EVENT.tlp && w[TLP_WORD.area] === AREA.eq);
}

function isState({ kind }: SubjectPart): boolean {
  return kind === 'queuePair' || kind === 'region' || kind === 'host' || kind === 'sharedReceiveQueue';
}

/** Events that a part of a subject has made or suffered. */
function matchesOf(events: readonly LoggedEvent[], part: SubjectPart): LoggedEvent[] {
  switch (part.kind) {
    case 'request':
      return eventsOfRequest(events, part);
    case 'packet':
      return eventsOfPacket(events, part);
    case 'psnRange':
      return events.filter((event) => isOfPsns(event, part));
    case 'queuePair':
      return events.filter((event) => isOfQueuePair(event, part.host, part.qpn));
    case 'completionQueue':
      // Entries of event queues say in their bytes alone which queue they are of.
      return events.filter((event) => {
        const { kind, host, words } = event;
        if (host !== part.host) return false;
        return kind === EVENT.completion ? words[COMPLETION.cqn] === part.cqn : kind === EVENT.tlp && isTelling(event);
      });
    case 'sharedReceiveQueue':
      return events.filter((event) => isTold(event, part.host, `SRQ ${part.srqn}`));
    case 'eventQueue':
      return events.filter(({ kind, host, words: w }) => {
        const isOwn = w[TLP_WORD.area] === AREA.eq && w[TLP_WORD.owner] === part.eqn;
        return kind === EVENT.tlp && host === part.host && (isOwn || w[TLP_WORD.interrupt] === 1);
      });
    case 'region':
      return events.filter((event) => isTold(event, part.host, `key 0x${part.key.toString(16)}`));
    case 'memory':
      return events.filter((event) => touches(event, part));
    case 'command':
      return events.filter((event) => isCommand(event) && event.host === part.host && event.text.startsWith(part.name));
    case 'tlp':
      return events.filter(({ kind, host, time, words: w }) => {
        if (kind !== EVENT.tlp || host !== part.host || time !== part.time) return false;
        return addressOf(w[TLP_WORD.hi] as number, w[TLP_WORD.lo] as number) === part.address;
      });
    case 'barAccess':
      return events.filter(({ kind, host, words: w }) => {
        return kind === EVENT.barAccess && host === part.host && w[TLP_WORD.lo] === part.offset;
      });
    case 'frame': {
      const frames = events.filter((event) => isFrame(event) && event.host === part.from);
      const own = frames.filter(({ wire }) => wire === part.sentAt);
      // Of what cannot be decoded, or is no frame of its NIC, nothing is told: then those around it.
      return own.length > 0 ? own : frames;
    }
    case 'host':
      return events.filter((event) => event.kind === EVENT.state && event.host === part.host);
    case 'moment':
      return events.filter((event) => event.time === part.time && isSeenBySoftware(event));
    case 'bank':
    case 'ring':
    case 'harness':
      return [];
  }
}

/** Its posting, its completion, and what the NIC writes of its data. */
function eventsOfRequest(events: readonly LoggedEvent[], part: RequestSubject): LoggedEvent[] {
  const at = events.findIndex((event) => isPostingOf(event, part));
  const posted = events[at];
  const behind = events.slice(at + 1);
  const done = behind.find((event) => event.time >= part.postedAt && isCompletionOfRequest(event, part));
  if (posted === undefined) return done === undefined ? [] : [done];
  const isData = part.isReceive ? isDataOfReceive(events, at) : isDataOfSend(events, at);
  const data = behind.filter((event) => isWrite(event) && isData(event));
  return inOrder(events, [posted, ...data, ...(done === undefined ? [] : [done])]);
}

/** It leaves, what the link does to it, and it arrives. */
function eventsOfPacket(events: readonly LoggedEvent[], part: PacketSubject): LoggedEvent[] {
  return events.filter((event) => {
    if (!isFrame(event) || event.host !== part.from) return false;
    if (event.kind === EVENT.frame) return event.wire === part.sentAt;
    const w = event.words;
    if (w[PACKET_WORD.destQp] !== part.destQp || w[PACKET_WORD.psn] !== part.psn) return false;
    return event.kind === EVENT.packet ? event.wire === part.sentAt : event.time >= part.sentAt;
  });
}

/** Requests with these PSNs, and answers to them. */
function isOfPsns(event: LoggedEvent, { host, qpn, first, count }: PsnRangeSubject): boolean {
  const w = event.words;
  if (event.kind === EVENT.postSend) {
    const packets = w[POST_SEND.packets] as number;
    const isOwn = event.host === host && w[POST_SEND.qpn] === qpn && packets > 0;
    return isOwn && (first - (w[POST_SEND.psn] as number) + PSN_SPAN) % PSN_SPAN < packets;
  }
  if (!PACKETS.has(event.kind)) return false;
  if (((w[PACKET_WORD.psn] as number) - first + PSN_SPAN) % PSN_SPAN >= count) return false;
  const isRequest = ((w[PACKET_WORD.flags] as number) & OPCODE.request) !== 0;
  if (isRequest) return event.host === host && w[PACKET_WORD.sourceQp] === qpn;
  return w[PACKET_WORD.to] === host && w[PACKET_WORD.destQp] === qpn;
}

/** What software does to a queue pair, and what is said of it. */
function isOfQueuePair(event: LoggedEvent, host: number, qpn: number): boolean {
  if (event.kind === EVENT.asyncEvent) return event.host === host && event.text.endsWith(` number ${qpn}`);
  return isTold(event, host, `QP ${qpn}`);
}

/** States and commands are told in words, in which what they are about has its number. */
function isTold(event: LoggedEvent, host: number, name: string): boolean {
  if (event.host !== host || !(event.kind === EVENT.state || isCommand(event))) return false;
  const at = event.text.indexOf(name);
  return at >= 0 && !/^[0-9a-f]/.test(event.text.slice(at + name.length));
}

/** A moment is named for what software was told then. */
function isSeenBySoftware({ kind }: LoggedEvent): boolean {
  return kind === EVENT.asyncEvent || kind === EVENT.completion || kind === EVENT.state;
}

function isCommand({ kind }: LoggedEvent): boolean {
  return kind === EVENT.command || kind === EVENT.commandBegin;
}

function isFrame({ kind }: LoggedEvent): boolean {
  return kind === EVENT.frame || PACKETS.has(kind);
}

/** What a NIC writes counts when it is in memory. */
function isWrite({ kind }: LoggedEvent): boolean {
  return kind === EVENT.stored;
}

/** Transactions of the NIC that read or write any of these bytes. */
function touches(
  { kind, host, words: w }: LoggedEvent,
  { host: of, process, address, length }: MemorySubject,
): boolean {
  if ((kind !== EVENT.tlp && kind !== EVENT.stored) || host !== of) return false;
  const isVirtual = process >= 0;
  if (isVirtual && (w[TLP_WORD.area] !== AREA.data || w[TLP_WORD.owner] !== process)) return false;
  const [hi, lo] = isVirtual ? [w[TLP_WORD.virtHi], w[TLP_WORD.virtLo]] : [w[TLP_WORD.hi], w[TLP_WORD.lo]];
  const at = BigInt(addressOf(hi as number, lo as number));
  const start = BigInt(address);
  return at < start + BigInt(length) && start < at + BigInt(w[TLP_WORD.length] as number);
}

function inOrder(events: readonly LoggedEvent[], chosen: readonly LoggedEvent[]): LoggedEvent[] {
  const all = new Set(chosen);
  return events.filter((event) => all.has(event));
}

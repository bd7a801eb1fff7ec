/** Explains the first failure of a run from the events that a recorder has kept. */

import { EVENT, type LoggedEvent } from '../../../env/trace/eventLog.ts';
import { eventText } from '../../../env/trace/eventTexts.ts';
import { COMPLETION, PACKET_WORD, POST_RECV, POST_SEND } from '../../../env/trace/eventWords.ts';
import type { RunRecorder } from '../../../env/trace/runRecorder.ts';
import type { TimeLine } from '../../../regress/page/timeLine.ts';
import type { RunFailure } from '../../../regress/runRecord.ts';
import { QP_TYPE, QP_TYPE_NAME } from '../../../rdma/verbs.ts';
import { hex } from '../../../uvm/report/hexTexts.ts';
import { formatTime } from '../../../uvm/kernel/time.ts';
import { meaningOf } from './meanings.ts';
import { isCompleted, keysOf, lifeOf, lifeOfReceive, receiveOf, requestOf } from './requestLife.ts';
import { BEHIND, type DecidingLine, linesOf } from './deciding.ts';
import { looksLikeLines } from './values/looksLike.ts';
import { type Accused, accusedBy, partText, type QueuePair } from './subject.ts';
import { timeLineOf } from './timeLine.ts';

/** Lines that are shown of each kind where they are folded. */
const MOST = { events: 60, commands: 12, life: 60 } as const;

/** Characters of a report in a line that is not folded. */
const LONGEST_REPORT = 160;

type Moment = RunFailure['events'][number];

/** What is known besides the events. */
export interface FailureFacts {
  /** Whose events they are. */
  readonly source: RunFailure['source'];
  /** The first failure, where the recorder has seen none: of a run that was ended from outside. */
  readonly signature: {
    readonly id: string;
    readonly component: string;
    readonly message: string;
    readonly time: number;
  };
  readonly next: readonly string[];
}

/** What explains a failure, and the events that it was made from. */
export interface ExplainedFailure {
  readonly failure: RunFailure;
  readonly events: readonly LoggedEvent[];
  readonly deciding: ReadonlySet<LoggedEvent>;
  readonly timeLine: TimeLine;
}

export function failureReport(recorder: RunRecorder, { source, signature, next }: FailureFacts): ExplainedFailure {
  const { firstError } = recorder;
  const found =
    firstError === undefined
      ? { id: signature.id, component: signature.component, text: signature.message, time: signature.time }
      : { id: firstError.id, component: firstError.path, text: firstError.text, time: firstError.time };
  const events = recorder.events();
  const accused = accusedBy(firstError?.subject);
  const pairs = withPeers(accused.pairs, recorder);
  const send = requestOf(events, accused, found.time);
  const receive = receiveOf(events, accused);
  const request = lifeOfBoth(events, { send, receive }, found.time);
  const concerned = events.filter((event) => concerns(event, pairs, accused, found.id));
  const before = concerned.filter((event) => event.time <= found.time);
  const behind = concerned.filter(({ time }) => time > found.time && time <= found.time + BEHIND);
  const finding = { time: found.time, parts: accused.parts };
  const life = new Set(request?.life);
  const lines = linesOf(events, finding, life, concerned);
  const queuePairs = pairs.map((pair) => pairText(pair, recorder));
  const accuses = accused.parts.map(partText);
  const failure: RunFailure = {
    ...found,
    meaning: meaningOf(found.id),
    errors: [...recorder.errors].map(([id, count]) => ({ id, count })),
    source,
    accuses,
    looksLike: looksLikeLines(firstError?.subject, events, accused, found.time),
    lines: lines.map(lineOf),
    queuePairs,
    request: request === undefined ? null : requestText(events, request, found.time),
    events: [...latest(before, MOST.events), ...behind.slice(0, MOST.events).map(momentOf)],
    commands: latest(
      events.filter((event) => event.time <= found.time && isCommand(event, pairs)),
      MOST.commands,
    ),
    against: null,
    next: [...next],
  };
  const sides = new Map(lines.flatMap(({ event, side }) => (side === undefined ? [] : [[event, side] as const])));
  const shown = new Set([...lines.map(({ event }) => event), ...life, ...before, ...behind]);
  const timeLine = timeLineOf({
    finding: { id: found.id, time: found.time, text: found.text },
    subject: accuses,
    pairs,
    pairTexts: queuePairs,
    events: events.filter((event) => shown.has(event)),
    sides,
    life,
  });
  return { failure, events, deciding: new Set(sides.keys()), timeLine };
}

function withPeers(pairs: readonly QueuePair[], recorder: RunRecorder): QueuePair[] {
  const all = pairs.flatMap((pair) => {
    const info = recorder.pairsThen.of(pair.host, pair.qpn)?.info;
    return info === undefined || info.remoteHost < 0 ? [pair] : [pair, { host: info.remoteHost, qpn: info.remoteQpn }];
  });
  return all.filter((a, i) => all.findIndex((b) => b.host === a.host && b.qpn === a.qpn) === i);
}

function pairText({ host, qpn }: QueuePair, recorder: RunRecorder): string {
  const info = recorder.pairsThen.of(host, qpn)?.info;
  if (info === undefined) return `host ${host} QP ${qpn}`;
  const peer = info.remoteHost < 0 ? '' : `, connected with host ${info.remoteHost} QP ${info.remoteQpn}`;
  const domain = info.pd === undefined ? '' : `, domain ${info.pd}`;
  const qkey = info.type === QP_TYPE.ud ? `, Q_Key ${hex(info.qkey)}` : '';
  const queues = `send CQ ${info.sendCqn}, receive CQ ${info.recvCqn}`;
  return `host ${host} QP ${qpn}: ${QP_TYPE_NAME[info.type] ?? info.type}${peer}, process ${info.process}${domain}${qkey}, ${queues}, MTU ${info.mtu}`;
}

/** What a finding is about, and what became of it. */
interface RequestLife {
  readonly send: LoggedEvent | undefined;
  readonly receive: LoggedEvent | undefined;
  /** In the order of time. */
  readonly life: readonly LoggedEvent[];
}

/** The life of a request, or of a receive with the message that came last before; undefined where it is about neither. */
function lifeOfBoth(
  events: readonly LoggedEvent[],
  { send, receive }: Pick<RequestLife, 'send' | 'receive'>,
  time: number,
): RequestLife | undefined {
  if (send === undefined && receive === undefined) return undefined;
  const ofSend = send === undefined ? [] : lifeOf(events, send, time, receive);
  const ofReceive = receive === undefined ? [] : lifeOfReceive(events, receive);
  const all = new Set([...keysOf(events, send, time), ...ofSend, ...ofReceive]);
  return { send, receive, life: events.filter((event) => all.has(event)) };
}

function requestText(
  events: readonly LoggedEvent[],
  { send, receive, life: all }: RequestLife,
  time: number,
): RunFailure['request'] {
  const life = all.map(momentOf);
  const posted = [receive, send].filter((e) => e !== undefined);
  const open = posted.filter((e) => !isCompleted(events, e));
  const missing = open.map((e) => ({ time, text: `${nameOf(e)}: no completion by now` }));
  const leftOut = Math.max(0, life.length - MOST.life);
  const half = MOST.life / 2;
  const shown = leftOut === 0 ? life : [...life.slice(0, half), ...life.slice(-half)];
  const names = posted.map(nameOf);
  const isOwn = receive !== undefined && !isCompleted(events, receive);
  const joint = isOwn ? ', and of the message that came last before, ' : ', and of its message, ';
  return { name: names.join(joint), life: [...shown, ...missing], leftOut };
}

/** `host 0 QP 14: SEND (wrId 0, WQE 0)`. */
function nameOf(posted: LoggedEvent): string {
  return eventText(posted).split(' posted')[0] as string;
}

function momentOf(event: LoggedEvent): Moment {
  const onWire = event.wire > event.time ? `, on the wire ${formatTime(event.wire - event.time)} later` : '';
  return { time: event.time, text: `${eventText(event)}${onWire}` };
}

/** A line that is not folded: a report without its details. */
function lineOf({ event, side }: DecidingLine): RunFailure['lines'][number] {
  const decides = side !== undefined;
  if (event.kind === EVENT.report) return { ...momentOf(event), text: shortened(event.text), decides };
  return { ...momentOf(event), decides };
}

function shortened(text: string): string {
  return text.length <= LONGEST_REPORT ? text : `${text.slice(0, LONGEST_REPORT)}...`;
}

function latest(events: readonly LoggedEvent[], count: number): Moment[] {
  return events.slice(-count).map(momentOf);
}

/** Commands are those of a host: what it does to one queue pair may be what another suffers from. */
function isCommand({ kind, host }: LoggedEvent, pairs: readonly QueuePair[]): boolean {
  if (kind !== EVENT.command && kind !== EVENT.commandBegin) return false;
  return pairs.length === 0 || pairs.some((pair) => pair.host === host);
}

function concerns(event: LoggedEvent, pairs: readonly QueuePair[], { hosts }: Accused, id: string): boolean {
  const { kind, host, words: w } = event;
  const isOne = (qpn: number | undefined, of = host): boolean =>
    pairs.length === 0 || pairs.some((pair) => pair.host === of && pair.qpn === qpn);
  switch (kind) {
    case EVENT.postSend:
      return isOne(w[POST_SEND.qpn]);
    case EVENT.postRecv:
      return isOne(w[POST_RECV.qpn]);
    case EVENT.completion:
      return isOne(w[COMPLETION.qpn]);
    case EVENT.packet:
    case EVENT.arrival:
    case EVENT.loss:
    case EVENT.fate:
      return isOne(w[PACKET_WORD.sourceQp]) || isOne(w[PACKET_WORD.destQp], w[PACKET_WORD.to]);
    case EVENT.frame:
      return true;
    case EVENT.state:
    case EVENT.doorbell:
    case EVENT.command:
    case EVENT.commandBegin:
      return isNamed(event, pairs);
    case EVENT.report:
    case EVENT.asyncEvent:
      return true;
    case EVENT.tlp:
    case EVENT.stored:
    case EVENT.answer:
    case EVENT.barAccess:
      return id.startsWith('PCIE') && (hosts.length === 0 || hosts.includes(host));
    case EVENT.entry:
      return false;
  }
}

/** Events in words name queue pairs by their numbers, of the host that they are about. What ends a region may be felt by all. */
function isNamed({ host, text }: LoggedEvent, pairs: readonly QueuePair[]): boolean {
  if (pairs.length === 0) return true;
  const qpns = [...text.matchAll(/\bQP (\d+)/g)].map(([, qpn]) => Number(qpn));
  const isOfAll = qpns.length === 0 && text.includes('deregister');
  return pairs.some((pair) => pair.host === host && (isOfAll || qpns.includes(pair.qpn)));
}

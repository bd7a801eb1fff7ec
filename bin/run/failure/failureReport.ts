/** Explains the first failure of a run from the events that a recorder has kept. */

import { EVENT, type LoggedEvent } from '../../../env/trace/eventLog.ts';
import { eventText } from '../../../env/trace/eventTexts.ts';
import { COMPLETION, PACKET_WORD, POST_RECV, POST_SEND } from '../../../env/trace/eventWords.ts';
import type { RunRecorder } from '../../../env/trace/runRecorder.ts';
import type { RunFailure } from '../../../regress/runRecord.ts';
import { QP_TYPE, QP_TYPE_NAME } from '../../../rdma/verbs.ts';
import { hex } from '../../../uvm/report/hexTexts.ts';
import { formatTime } from '../../../uvm/kernel/time.ts';
import { meaningOf } from './meanings.ts';
import { isCompleted, keysOf, lifeOf, lifeOfReceive, receiveOf, requestOf } from './requestLife.ts';
import { type QueuePair, type Subject, subjectOf } from './subject.ts';

/** Lines that are shown of each kind. */
const MOST = { events: 60, commands: 12, life: 60 } as const;

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

export function failureReport(recorder: RunRecorder, { source, signature, next }: FailureFacts): RunFailure {
  const { firstError } = recorder;
  const found =
    firstError === undefined
      ? { id: signature.id, component: signature.component, text: signature.message, time: signature.time }
      : { id: firstError.id, component: firstError.path, text: firstError.text, time: firstError.time };
  const events = recorder.events();
  const subject = subjectOf(found.text);
  const pairs = withPeers(subject.pairs, recorder);
  const send = requestOf(events, subject, found.time);
  const receive = receiveOf(events, subject, found.time);
  const until = events.filter((event) => event.time <= found.time);
  return {
    ...found,
    meaning: meaningOf(found.id),
    errors: [...recorder.errors].map(([id, count]) => ({ id, count })),
    source,
    queuePairs: pairs.map((pair) => pairText(pair, recorder)),
    request: send === undefined && receive === undefined ? null : requestText(events, { send, receive }, found.time),
    events: latest(
      until.filter((event) => concerns(event, pairs, subject, found.id)),
      MOST.events,
    ),
    commands: latest(
      until.filter((event) => isCommand(event, pairs)),
      MOST.commands,
    ),
    next: [...next],
  };
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

/** The life of what the error is about: a request, or a receive with the message that came last before. */
function requestText(
  events: readonly LoggedEvent[],
  { send, receive }: { readonly send: LoggedEvent | undefined; readonly receive: LoggedEvent | undefined },
  time: number,
): RunFailure['request'] {
  const ofSend = send === undefined ? [] : lifeOf(events, send, time, receive);
  const ofReceive = receive === undefined ? [] : lifeOfReceive(events, receive);
  const all = new Set([...keysOf(events, send, time), ...ofSend, ...ofReceive]);
  const life = events.filter((event) => all.has(event)).map(momentOf);
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

function latest(events: readonly LoggedEvent[], count: number): Moment[] {
  return events.slice(-count).map(momentOf);
}

/** Commands are those of a host: what it does to one queue pair may be what another suffers from. */
function isCommand({ kind, host }: LoggedEvent, pairs: readonly QueuePair[]): boolean {
  if (kind !== EVENT.command && kind !== EVENT.commandBegin) return false;
  return pairs.length === 0 || pairs.some((pair) => pair.host === host);
}

function concerns(event: LoggedEvent, pairs: readonly QueuePair[], { hosts }: Subject, id: string): boolean {
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

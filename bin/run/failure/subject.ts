/** What a finding accuses, as readers of events ask for it. */

import type {
  CommandSubject,
  CompletionQueueSubject,
  MemorySubject,
  PacketSubject,
  PsnRangeSubject,
  RegionSubject,
  RequestSubject,
  Subject,
  SubjectPart,
  TlpSubject,
} from '../../../rdma/subject.ts';
import { logTime, type ReportSubject } from '../../../uvm/report/reportMessage.ts';
import { isWrongValue } from '../../../rdma/subjectParts.ts';
import { psnText } from '../../../rdma/psnText.ts';
import { hex } from '../../../uvm/report/hexTexts.ts';

/** A queue pair of a host. */
export interface QueuePair {
  readonly host: number;
  readonly qpn: number;
}

/** The parts of a subject by their kind, each in the order of the subject. */
export interface Accused {
  readonly parts: readonly SubjectPart[];
  /** Those of requests, packets and ranges of PSNs included, each once. */
  readonly pairs: readonly QueuePair[];
  /** Hosts of all parts, each once. */
  readonly hosts: readonly number[];
  readonly requests: readonly RequestSubject[];
  readonly packets: readonly PacketSubject[];
  readonly psns: readonly PsnRangeSubject[];
}

/** What a report says that it is about; nothing where it does not say. */
export function accusedBy(subject: ReportSubject | undefined): Accused {
  const parts = (subject ?? []).filter(isPart);
  const of = <K extends SubjectPart['kind']>(kind: K) =>
    parts.filter((part): part is Extract<SubjectPart, { kind: K }> => part.kind === kind);
  const pairs = parts.flatMap(pairsOf);
  return {
    parts,
    pairs: pairs.filter((a, i) => pairs.findIndex((b) => b.host === a.host && b.qpn === a.qpn) === i),
    hosts: [...new Set(parts.flatMap(hostsOf))],
    requests: of('request'),
    packets: of('packet'),
    psns: of('psnRange'),
  };
}

/** Tests and sequences of one's own may say that a report is about something else. */
function isPart(part: object): part is SubjectPart {
  return 'kind' in part && typeof part.kind === 'string' && !isWrongValue(part);
}

/** Queue pairs that a part names. */
function pairsOf(part: SubjectPart): QueuePair[] {
  if (part.kind === 'queuePair' || part.kind === 'psnRange') return [{ host: part.host, qpn: part.qpn }];
  if (part.kind === 'request') return part.qpn < 0 ? [] : [{ host: part.host, qpn: part.qpn }];
  if (part.kind !== 'packet') return [];
  const { from, to, sourceQp, destQp } = part;
  return [...(sourceQp < 0 ? [] : [{ host: from, qpn: sourceQp }]), ...(to < 0 ? [] : [{ host: to, qpn: destQp }])];
}

function hostsOf(part: SubjectPart): number[] {
  if ('host' in part) return [part.host];
  if (part.kind === 'packet') return part.to < 0 ? [part.from] : [part.from, part.to];
  return part.kind === 'frame' ? [part.from] : [];
}

/** A part in words, as findings name such things. */
export function partText(part: SubjectPart): string {
  switch (part.kind) {
    case 'host':
      return `host ${part.host}`;
    case 'queuePair':
      return `host ${part.host} QP ${part.qpn}`;
    case 'request':
      return requestText(part);
    case 'packet':
      return packetText(part);
    case 'psnRange':
      return psnsText(part);
    case 'completionQueue':
      return queueText(part);
    case 'sharedReceiveQueue':
      return `host ${part.host} SRQ ${part.srqn}`;
    case 'eventQueue':
      return `host ${part.host} EQ ${part.eqn}`;
    case 'region':
      return regionText(part);
    case 'memory':
      return memoryText(part);
    case 'bank':
      return `host ${part.host}: ${part.length} B at byte ${part.offset} of bank ${part.bank}`;
    case 'command':
      return commandText(part);
    case 'tlp':
      return tlpText(part);
    case 'barAccess':
      return `host ${part.host}: access to BAR ${part.bar} at ${hex(part.offset)}, ${logTime(part.time)}`;
    case 'frame':
      return `a frame of host ${part.from}, on the wire at ${logTime(part.sentAt)}`;
    case 'ring':
      return `host ${part.host}: ${part.name}`;
    case 'moment':
      return logTime(part.time);
    case 'harness':
      return 'the run itself';
  }
}

function requestText({ host, qpn, srqn, isReceive, wrId, wqe, postedAt }: RequestSubject): string {
  const queue = qpn >= 0 ? `QP ${qpn}` : `SRQ ${srqn}`;
  const what = isReceive ? 'receive' : 'send request';
  if (postedAt < 0) return `host ${host} ${queue}: ${what} (wrId ${wrId})`;
  return `host ${host} ${queue}: ${what} (wrId ${wrId}, WQE ${wqe}), posted at ${logTime(postedAt)}`;
}

function packetText({ from, to, sourceQp, destQp, psn, sentAt }: PacketSubject): string {
  const sender = sourceQp < 0 ? `host ${from}` : `host ${from} QP ${sourceQp}`;
  const receiver = to < 0 ? 'all' : `host ${to} QP ${destQp}`;
  return `packet of ${sender} to ${receiver}, PSN ${psnText(psn)}, on the wire at ${logTime(sentAt)}`;
}

function psnsText({ host, qpn, first, count }: PsnRangeSubject): string {
  const end = count === 1 ? '' : ` and ${count - 1} behind it`;
  return `PSN ${psnText(first)}${end} of host ${host} QP ${qpn}`;
}

function queueText({ host, cqn }: CompletionQueueSubject): string {
  return `host ${host} CQ ${cqn}`;
}

function regionText({ host, key }: RegionSubject): string {
  return `host ${host} key ${hex(key)}`;
}

function memoryText({ host, process, address, length }: MemorySubject): string {
  const whose = process < 0 ? `host ${host}` : `host ${host} process ${process}`;
  return `${whose}: ${length} B at ${address}`;
}

function commandText({ host, name }: CommandSubject): string {
  return `host ${host}: command ${name}`;
}

function tlpText({ host, isRead, address, length, tag, time }: TlpSubject): string {
  const what = isRead ? `read of ${length} B (tag ${tag})` : `write of ${length} B`;
  return `host ${host}: ${what} at ${address}, ${logTime(time)}`;
}

/** A subject in one line, the accused first. */
export function subjectText(subject: Subject): string {
  return accusedBy(subject).parts.map(partText).join('; ');
}

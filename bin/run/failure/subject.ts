/** What the text of a finding is about: findings name requests, queue pairs and packets in one way (docs/checks.md). */

/** A queue pair of a host. */
export interface QueuePair {
  readonly host: number;
  readonly qpn: number;
}

/** What a finding names. */
export interface Subject {
  /** In the order of the text, each once. */
  readonly pairs: readonly QueuePair[];
  /** Hosts, those of queue pairs included. */
  readonly hosts: readonly number[];
  /** A request by its number, and whether it is a receive. */
  readonly request: (QueuePair & { readonly wrId: number; readonly isReceive: boolean }) | undefined;
  /** A request by a PSN of its own and the queue pair that has posted it. */
  readonly asked: (QueuePair & { readonly psn: number }) | undefined;
  /** A packet: from which queue pair or host to which, and its PSN. */
  readonly packet: { readonly from: number; readonly to: QueuePair; readonly psn: number } | undefined;
}

const PAIR = /\bhost (\d+) QP (\d+)/g;
const HOST = /\bhost (\d+)/g;
/** `SEND (wrId 2, WQE 2, ...) of host 0 QP 14`, or `host 0 QP 14: SEND (wrId 2, ...`. */
const REQUEST = /\b([A-Z][A-Z_]+) \(wrId (\d+)[^)]*\) of host (\d+) QP (\d+)/;
const REQUEST_BEHIND = /\bhost (\d+) QP (\d+)[^:]{0,60}: ([A-Z][A-Z_]+) \(wrId (\d+)/;
const ASKED = /\bPSN 0x([0-9a-f]+) of host (\d+) QP (\d+)/;
const PACKET = /\bhost (\d+)(?: QP \d+)? to host (\d+) QP (\d+): [^,]+, PSN 0x([0-9a-f]+)/;

/** @param text of a finding */
export function subjectOf(text: string): Subject {
  const pairs = unique([...text.matchAll(PAIR)].map(([, host, qpn]) => ({ host: Number(host), qpn: Number(qpn) })));
  const hosts = [...new Set([...text.matchAll(HOST)].map(([, host]) => Number(host)))];
  return { pairs, hosts, request: requestIn(text), asked: askedIn(text), packet: packetIn(text) };
}

function requestIn(text: string): Subject['request'] {
  const [, name, wrId, host, qpn] = REQUEST.exec(text) ?? [];
  if (name !== undefined)
    return { host: Number(host), qpn: Number(qpn), wrId: Number(wrId), isReceive: name === 'RECV' };
  const [, host2, qpn2, name2, wrId2] = REQUEST_BEHIND.exec(text) ?? [];
  if (name2 === undefined) return looselyNamed(text);
  return { host: Number(host2), qpn: Number(qpn2), wrId: Number(wrId2), isReceive: name2 === 'RECV' };
}

/** `host 2 QP 27 ... has failed ..., first RECV (wrId 40, ...`: the first request named, of the first queue pair. */
function looselyNamed(text: string): Subject['request'] {
  const [, name, wrId] = /\b([A-Z][A-Z_]+) \(wrId (\d+)/.exec(text) ?? [];
  const [, host, qpn] = /\bhost (\d+) QP (\d+)/.exec(text) ?? [];
  if (name === undefined || host === undefined) return undefined;
  return { host: Number(host), qpn: Number(qpn), wrId: Number(wrId), isReceive: name === 'RECV' };
}

function askedIn(text: string): Subject['asked'] {
  const [, psn, host, qpn] = ASKED.exec(text) ?? [];
  return psn === undefined ? undefined : { host: Number(host), qpn: Number(qpn), psn: Number.parseInt(psn, 16) };
}

function packetIn(text: string): Subject['packet'] {
  const [, from, to, qpn, psn] = PACKET.exec(text) ?? [];
  if (psn === undefined) return undefined;
  return { from: Number(from), to: { host: Number(to), qpn: Number(qpn) }, psn: Number.parseInt(psn, 16) };
}

function unique(pairs: readonly QueuePair[]): QueuePair[] {
  return pairs.filter((a, i) => pairs.findIndex((b) => b.host === a.host && b.qpn === a.qpn) === i);
}

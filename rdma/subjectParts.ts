/** Makes the parts of a subject from the numbers that checks have. */

import type {
  Address,
  BankSubject,
  BarAccessSubject,
  BytesSubject,
  CommandSubject,
  CompletionQueueSubject,
  CqNumber,
  EventQueueSubject,
  FrameSubject,
  HarnessSubject,
  HostId,
  HostSubject,
  MemoryKey,
  MemorySubject,
  Moment,
  MomentSubject,
  PacketSubject,
  Psn,
  PsnRangeSubject,
  QpNumber,
  QueuePairSubject,
  RegionSubject,
  RequestSubject,
  RingSubject,
  SharedReceiveQueueSubject,
  SrqNumber,
  TlpSubject,
  ValueField,
  ValueSubject,
  WorkRequestId,
  WrongValue,
} from './subject.ts';

/** Where a number is not known, or there is none. */
const UNKNOWN = -1;

/** Nothing of a NIC. */
export const HARNESS: HarnessSubject = { kind: 'harness' };

/** @public */
export function aHost(host: number): HostSubject {
  return { kind: 'host', host: host as HostId };
}

/** @public */
export function aQueuePair(host: number, qpn: number): QueuePairSubject {
  return { kind: 'queuePair', host: host as HostId, qpn: qpn as QpNumber };
}

/** @param postedAt ps */
export function aRequest(
  host: number,
  queue: { readonly qpn: number; readonly srqn?: number },
  request: { readonly isReceive: boolean; readonly wrId: number; readonly wqe: number; readonly postedAt: number },
): RequestSubject {
  return {
    kind: 'request',
    host: host as HostId,
    qpn: queue.qpn as QpNumber,
    srqn: (queue.srqn ?? UNKNOWN) as SrqNumber,
    isReceive: request.isReceive,
    wrId: request.wrId as WorkRequestId,
    wqe: request.wqe,
    postedAt: request.postedAt as Moment,
  };
}

/** A request of which its queue and its number are known, but not when it was posted. */
export function requestByNumber(
  host: number,
  queue: { readonly qpn: number; readonly srqn?: number },
  isReceive: boolean,
  wrId: number,
): RequestSubject {
  return aRequest(host, queue, { isReceive, wrId, wqe: UNKNOWN, postedAt: UNKNOWN });
}

/** A packet as monitors of the wire have it. */
export interface SentPacket {
  readonly host: number;
  readonly to: number;
  readonly destQp: number;
  readonly psn: number;
  /** First bit on the wire, ps. */
  readonly time: number;
}

/** @param sourceQp negative where it is not known */
export function aPacket(p: SentPacket, sourceQp: number): PacketSubject {
  return {
    kind: 'packet',
    from: p.host as HostId,
    to: p.to as HostId,
    sourceQp: Math.max(UNKNOWN, sourceQp) as QpNumber,
    destQp: p.destQp as QpNumber,
    psn: p.psn as Psn,
    sentAt: p.time as Moment,
  };
}

/** Of requests of a queue pair. */
export function aPsnRange(host: number, qpn: number, first: number, count = 1): PsnRangeSubject {
  return { kind: 'psnRange', host: host as HostId, qpn: qpn as QpNumber, first: first as Psn, count };
}

export function aCompletionQueue(host: number, cqn: number): CompletionQueueSubject {
  return { kind: 'completionQueue', host: host as HostId, cqn: cqn as CqNumber };
}

export function aSharedReceiveQueue(host: number, srqn: number): SharedReceiveQueueSubject {
  return { kind: 'sharedReceiveQueue', host: host as HostId, srqn: srqn as SrqNumber };
}

export function anEventQueue(host: number, eqn: number): EventQueueSubject {
  return { kind: 'eventQueue', host: host as HostId, eqn };
}

export function aRegion(host: number, key: number): RegionSubject {
  return { kind: 'region', host: host as HostId, key: (key >>> 0) as MemoryKey };
}

/** Bytes of a process by their virtual address. */
export function bytesOfProcess(host: number, process: number, hi: number, lo: number, length: number): MemorySubject {
  return { kind: 'memory', host: host as HostId, process, address: addressOf(hi, lo), length };
}

/** Bytes of a host by their address on the bus. */
export function bytesOfHost(host: number, hi: number, lo: number, length: number): MemorySubject {
  return bytesOfProcess(host, UNKNOWN, hi, lo, length);
}

/** Bytes of a bank of memory on the card of a host. */
export function bytesOfBank(host: number, bank: number, offset: number, length: number): BankSubject {
  return { kind: 'bank', host: host as HostId, bank, offset, length };
}

export function aCommand(host: number, name: string): CommandSubject {
  return { kind: 'command', host: host as HostId, name };
}

/** A transaction as agents of PCIe have it. */
export interface SeenTlp {
  /** 0 = memory read (`TLP_KIND`). */
  readonly kind: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  readonly tag: number;
}

/** @param time when it was seen, ps */
export function aTlp(host: number, { kind, hi, lo, length, tag }: SeenTlp, time: number): TlpSubject {
  const isRead = kind === 0;
  const address = addressOf(hi, lo);
  return {
    kind: 'tlp',
    host: host as HostId,
    isRead,
    address,
    length,
    tag: isRead ? tag : UNKNOWN,
    time: time as Moment,
  };
}

/** @param time when it was sent, ps */
export function aBarAccess(host: number, bar: number, offset: number, time: number): BarAccessSubject {
  return { kind: 'barAccess', host: host as HostId, bar, offset, time: time as Moment };
}

/** A frame, by its first bit on the wire. @param sentAt ps @public */
export function aFrame(from: number, sentAt: number): FrameSubject {
  return { kind: 'frame', from: from as HostId, sentAt: sentAt as Moment };
}

export function aRing(host: number, name: string): RingSubject {
  return { kind: 'ring', host: host as HostId, name };
}

/** @param time ps @public */
export function aMoment(time: number): MomentSubject {
  return { kind: 'moment', time: time as Moment };
}

/** A value of up to 32 bits that is not the right one. */
export function aValue(field: ValueField, bits: number, found: number, expected: number): ValueSubject {
  const word = (value: number): bigint => BigInt(value >>> 0) & ((1n << BigInt(bits)) - 1n);
  return { kind: 'value', field, bits, found: word(found), expected: word(expected) };
}

/** The same of two halves of 32 bits. */
export function aLongValue(
  field: ValueField,
  found: { readonly hi: number; readonly lo: number },
  expected: { readonly hi: number; readonly lo: number },
): ValueSubject {
  return aBigValue(field, bigOf(found), bigOf(expected));
}

/** The same of whole numbers of up to 53 bits, which callers give to their requests. */
export function aLongNumber(field: ValueField, found: number, expected: number): ValueSubject {
  return aBigValue(field, BigInt(found), BigInt(expected));
}

/** The same of 64 bits. */
export function aBigValue(field: ValueField, found: bigint, expected: bigint): ValueSubject {
  return { kind: 'value', field, bits: 64, found: BigInt.asUintN(64, found), expected: BigInt.asUintN(64, expected) };
}

function bigOf({ hi, lo }: { readonly hi: number; readonly lo: number }): bigint {
  return (BigInt(hi >>> 0) << 32n) | BigInt(lo >>> 0);
}

/** Data that are not the right ones, both from the first wrong byte on. */
export function wrongBytes(found: Uint8Array, expected: Uint8Array): BytesSubject {
  return { kind: 'bytes', found: found.slice(), expected: expected.slice() };
}

/** Whether a part of a subject says what is wrong, and accuses nothing. */
export function isWrongValue(part: object): part is WrongValue {
  return 'kind' in part && (part.kind === 'value' || part.kind === 'bytes');
}

/** Two halves as subjects have them. */
export function addressOf(hi: number, lo: number): Address {
  const digits = (half: number): string => (half >>> 0).toString(16).padStart(8, '0');
  return `0x${digits(hi)}${digits(lo)}` as Address;
}

/**
 * What a finding accuses, as data: checks pass it with their errors, and pages, captures, traces and buckets read it. None of
 * them reads the text of a finding. Numbers of hosts, queues and packets are types of their own, so that none is taken for
 * another.
 */

export type HostId = number & { readonly __brand: 'HostId' };
export type QpNumber = number & { readonly __brand: 'QpNumber' };
export type CqNumber = number & { readonly __brand: 'CqNumber' };
export type SrqNumber = number & { readonly __brand: 'SrqNumber' };
export type Psn = number & { readonly __brand: 'Psn' };
export type WorkRequestId = number & { readonly __brand: 'WorkRequestId' };
/** L_Key or R_Key. */
export type MemoryKey = number & { readonly __brand: 'MemoryKey' };
/** Simulated time, ps. */
export type Moment = number & { readonly __brand: 'Moment' };
/** 64 bits as text: `0x0000000a00001000`. */
export type Address = string & { readonly __brand: 'Address' };

export interface HostSubject {
  readonly kind: 'host';
  readonly host: HostId;
}

export interface QueuePairSubject {
  readonly kind: 'queuePair';
  readonly host: HostId;
  readonly qpn: QpNumber;
}

/** A posted request and the message that it makes. Its number alone may be that of several; its time of posting is its own. */
export interface RequestSubject {
  readonly kind: 'request';
  readonly host: HostId;
  /** Of a receive of a shared queue that no queue pair has taken, -1. */
  readonly qpn: QpNumber;
  /** Of a receive of a shared queue, else -1. */
  readonly srqn: SrqNumber;
  readonly isReceive: boolean;
  readonly wrId: WorkRequestId;
  readonly wqe: number;
  readonly postedAt: Moment;
}

export interface PacketSubject {
  readonly kind: 'packet';
  readonly from: HostId;
  /** -1 = none, or all. */
  readonly to: HostId;
  /** -1 where it is not known. */
  readonly sourceQp: QpNumber;
  readonly destQp: QpNumber;
  readonly psn: Psn;
  /** First bit on the wire. */
  readonly sentAt: Moment;
}

/** PSNs of requests of a queue pair. */
export interface PsnRangeSubject {
  readonly kind: 'psnRange';
  readonly host: HostId;
  readonly qpn: QpNumber;
  readonly first: Psn;
  /** At least 1. */
  readonly count: number;
}

export interface CompletionQueueSubject {
  readonly kind: 'completionQueue';
  readonly host: HostId;
  readonly cqn: CqNumber;
}

export interface SharedReceiveQueueSubject {
  readonly kind: 'sharedReceiveQueue';
  readonly host: HostId;
  readonly srqn: SrqNumber;
}

/** Also of an interrupt of its vector. */
export interface EventQueueSubject {
  readonly kind: 'eventQueue';
  readonly host: HostId;
  readonly eqn: number;
}

export interface RegionSubject {
  readonly kind: 'region';
  readonly host: HostId;
  readonly key: MemoryKey;
}

/** Bytes of a process by their virtual addresses, or of a host by their addresses on the bus. */
export interface MemorySubject {
  readonly kind: 'memory';
  readonly host: HostId;
  /** -1 = addresses on the bus. */
  readonly process: number;
  readonly address: Address;
  readonly length: number;
}

/** Bytes of a bank of memory on the card. */
export interface BankSubject {
  readonly kind: 'bank';
  readonly host: HostId;
  readonly bank: number;
  readonly offset: number;
  readonly length: number;
}

/** A command to a NIC. */
export interface CommandSubject {
  readonly kind: 'command';
  readonly host: HostId;
  readonly name: string;
}

/** A transaction on PCIe. */
export interface TlpSubject {
  readonly kind: 'tlp';
  readonly host: HostId;
  readonly isRead: boolean;
  readonly address: Address;
  readonly length: number;
  /** Of reads; -1 of others. */
  readonly tag: number;
  readonly time: Moment;
}

/** An access of software to a BAR. */
export interface BarAccessSubject {
  readonly kind: 'barAccess';
  readonly host: HostId;
  readonly bar: number;
  readonly offset: number;
  readonly time: Moment;
}

/** A frame that is no RoCE packet. */
export interface FrameSubject {
  readonly kind: 'frame';
  readonly from: HostId;
  readonly sentAt: Moment;
}

/** A ring of descriptors between a NIC and its driver. */
export interface RingSubject {
  readonly kind: 'ring';
  readonly host: HostId;
  readonly name: string;
}

/** A moment that decides: when what is missing was due, or what is compared with. */
export interface MomentSubject {
  readonly kind: 'moment';
  readonly time: Moment;
}

/** The run, its test or its sequence: nothing of a NIC is accused. */
export interface HarnessSubject {
  readonly kind: 'harness';
}

export type SubjectPart =
  | HostSubject
  | QueuePairSubject
  | RequestSubject
  | PacketSubject
  | PsnRangeSubject
  | CompletionQueueSubject
  | SharedReceiveQueueSubject
  | EventQueueSubject
  | RegionSubject
  | MemorySubject
  | BankSubject
  | CommandSubject
  | TlpSubject
  | BarAccessSubject
  | FrameSubject
  | RingSubject
  | MomentSubject
  | HarnessSubject;

/** What a wrong value is a value of: others of the same kind may be what it looks like. */
export type ValueField =
  | 'PSN'
  | 'MSN'
  | 'length'
  | 'address'
  | 'key'
  | 'Q_Key'
  | 'queue pair'
  | 'immediate data'
  | 'request number'
  | 'flags'
  | 'word';

/** A value that is not the right one, as numbers without sign. It accuses nothing: it says what is wrong with the accused. */
export interface ValueSubject {
  readonly kind: 'value';
  readonly field: ValueField;
  /** Width of the field. */
  readonly bits: number;
  readonly found: bigint;
  readonly expected: bigint;
}

/** The same of data, from the first byte on that is wrong. */
export interface BytesSubject {
  readonly kind: 'bytes';
  readonly found: Uint8Array;
  readonly expected: Uint8Array;
}

export type WrongValue = ValueSubject | BytesSubject;

/** The accused first, behind it what contradicts it, and what of it is wrong. */
export type Subject = readonly [SubjectPart, ...(SubjectPart | WrongValue)[]];

/**
 * The explicit form of a scenario: every queue pair, region and request written out, as JSON that can be edited and
 * played. Offsets of entries are relative to the region that they name; regions lie in an area of the queue pair.
 */

import type { AreaName } from '../scenario.ts';

/** First line of every file; the number changes when the meaning of a field does. */
export const SCENARIO_FORMAT = 'rnic-verify scenario 1';

/** A registered region. `id` is what requests of this queue pair, and RDMA requests of its peer, name it by. */
export interface ExplicitRegion {
  readonly id: number;
  readonly area: AreaName;
  /** Bytes from the start of the area. */
  readonly offset: number;
  readonly length: number;
  /** Names of `ACCESS` bits; local read is implied. */
  readonly access: readonly AccessName[];
}

export const ACCESS_NAMES = ['localWrite', 'remoteWrite', 'remoteRead', 'remoteAtomic', 'mwBind'] as const;
export type AccessName = (typeof ACCESS_NAMES)[number];

/** A scatter/gather entry: `length` bytes from byte `at` of a region. */
export interface ExplicitSge {
  readonly region: number;
  readonly at: number;
  readonly length: number;
}

export const EXPLICIT_OPCODES = [
  'SEND',
  'SEND_WITH_IMM',
  'RDMA_WRITE',
  'RDMA_WRITE_WITH_IMM',
  'RDMA_READ',
  'ATOMIC_CMP_AND_SWP',
  'ATOMIC_FETCH_AND_ADD',
] as const;
export type ExplicitOpcode = (typeof EXPLICIT_OPCODES)[number];

/** Flags of `SEND_FLAG` that a request may have; all are signaled but those that say otherwise. */
export const EXPLICIT_FLAGS = ['solicited', 'fence', 'inline'] as const;

/** One request of the send queue. Which fields it needs follows from the opcode. */
export interface ExplicitSend {
  readonly opcode: ExplicitOpcode;
  /** With immediate: 32 bits. */
  readonly imm?: number | undefined;
  readonly solicited?: boolean | undefined;
  readonly fence?: boolean | undefined;
  /** The entry holds the data itself; SENDs and WRITEs of at most `maxInline` bytes. */
  readonly inline?: boolean | undefined;
  /** It asks for no completion; on queue pairs with `signalAll: false`, and not the last one of a doorbell. */
  readonly unsignaled?: boolean | undefined;
  readonly sges: readonly ExplicitSge[];
  /**
   * RDMA and atomics: byte `at` of a region of the peer, or of another queue pair `qp` of its process.
   */
  readonly remote?: { readonly region: number; readonly at: number; readonly qp?: number | undefined } | undefined;
  /** Atomics: what is compared, or added, as `0x` and hexadecimal digits; what a compare-and-swap stores. */
  readonly compare?: string | undefined;
  readonly add?: string | undefined;
  readonly swap?: string | undefined;
}

/** One receive. */
export interface ExplicitRecv {
  readonly sges: readonly ExplicitSge[];
}

/** What a queue pair is given with one doorbell index. */
export interface ExplicitDoorbell {
  /** Registered before this doorbell, and kept. */
  readonly regions: readonly ExplicitRegion[];
  readonly sends: readonly ExplicitSend[];
  readonly recvs: readonly ExplicitRecv[];
}

/** One queue pair, its regions and all that is posted to it. */
export interface ExplicitQp {
  readonly type: 'RC' | 'UC' | 'UD';
  readonly process: number;
  /** Indices in the host's list of completion queues. */
  readonly sendCq: number;
  readonly recvCq: number;
  /** Host and index of the other end; null for a queue pair without work. */
  readonly peer: { readonly host: number; readonly qp: number } | null;
  readonly psn: number;
  readonly mtu: number;
  readonly maxSendWr: number;
  readonly maxRecvWr: number;
  /** Entries of the longest list it can post. */
  readonly maxSge: number;
  /** Bytes of the longest message whose data may be inline; default none. */
  readonly maxInline?: number | undefined;
  /** Every request completes, which is the default. */
  readonly signalAll?: boolean | undefined;
  /** Registered at bring-up. */
  readonly regions: readonly ExplicitRegion[];
  /** One for each doorbell index; missing ones at the end are empty. */
  readonly doorbells: readonly ExplicitDoorbell[];
}

/** The queues of one host, in the order of their indices. */
export interface ExplicitHost {
  readonly cqs: readonly { readonly process: number; readonly entries: number }[];
  readonly qps: readonly ExplicitQp[];
}

/** The whole file. */
export interface ExplicitScenario {
  readonly format: typeof SCENARIO_FORMAT;
  /** Parameters of the run apart from its content (sizes and rates of the buses, device knobs), as they would be typed. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly processes: number;
  readonly doorbells: number;
  readonly hosts: readonly ExplicitHost[];
}

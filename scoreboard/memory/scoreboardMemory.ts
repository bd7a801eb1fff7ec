/**
 * What the scoreboard sees of host memory: bytes and page tables, given by the environment. No other way into the
 * hosts exists for it.
 */

import type { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** The primitives of the byte store that the scoreboard uses. */
export type Bytes = Pick<
  ByteStore,
  | 'u8'
  | 'i32'
  | 'alloc'
  | 'copy'
  | 'equal'
  | 'firstDifference'
  | 'fillSeeded'
  | 'equalSeeded'
  | 'firstDifferenceSeeded'
  | 'zero'
  | 'hashInto'
>;

/**
 * Host memory and address map. Methods that find several values leave them in fields, so that no call allocates;
 * the values hold until the next call of the same method. Addresses are two 32-bit halves.
 */
export interface ScoreboardMemory {
  readonly bytes: Bytes;
  /** Results of `translate`. */
  readonly physHi: number;
  readonly physLo: number;
  /** Results of `reverse`. `process` is -1 when the address lies in no data area. */
  readonly process: number;
  readonly virtHi: number;
  readonly virtLo: number;
  /** Physical address of a virtual one; valid to the end of its 4 KiB page. Never changes during a run. */
  translate(host: number, process: number, hi: number, lo: number): void;
  /** Inverse of `translate` for data areas. */
  reverse(host: number, physHi: number, physLo: number): void;
  /**
   * Byte-store offset of a physical page (`physPage` = low half >>> 12), or -1 when it was never written; a
   * page that is stored stays where it is.
   */
  page(host: number, physHi: number, physPage: number): number;
  /** Key of the seeded bytes that a page holds before its first write. */
  pageKey(host: number, physHi: number, physPage: number): number;
  /** Every stored page of a host, in any stable order. */
  forEachPage(host: number, visit: (physHi: number, physPage: number, offset: number) => void): void;
}

/** The fields of a DMA write that the scoreboard reads; a `Tlp` of the PCIe agent has them all. */
export interface DmaWrite {
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  readonly data: number;
  readonly interrupt: boolean;
  /** Where in the store its bytes lie in host memory, as a signed integer; -1 when that was not said. */
  readonly place: number;
}

/** Addresses of a host's port as they stand in IP headers. */
export interface HostAddress {
  /** IPv4 address, first octet in the top byte. */
  readonly ipv4: number;
  /** IPv6 address as four words, most significant first. */
  readonly ipv6?: readonly number[];
  /** Ethernet address: upper 16 and lower 32 bits. */
  readonly macHigh?: number;
  readonly macLow?: number;
}

/** Bytes of a page and its shift. */
export const PAGE_BYTES = 4096;
export const PAGE_SHIFT = 12;
export const PAGE_MASK = PAGE_BYTES - 1;
/** Last page number below 4 GiB: after it comes the next upper half. */
export const TOP_PAGE = (1 << 20) - 1;

/** Pages that a range touches. */
export function pageCount(lo: number, length: number): number {
  return length <= 0 ? 0 : Math.ceil(((lo & PAGE_MASK) + length) / PAGE_BYTES);
}

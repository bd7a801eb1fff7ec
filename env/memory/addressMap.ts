/**
 * Virtual to physical addresses of one host, both ways. Where things lie is a matter of the kind of NIC and its software:
 * its `AddressLayout` makes the maps.
 *
 * Addresses are two signed 32-bit halves. Results are left in fields, valid until the next call: nothing is allocated
 * for an access.
 */

/** Pages of a process: in random order, or one behind the other. @public */
export type MapMode = 'scattered' | 'contiguous';

/** @public */
export interface AddressMap {
  /** Result of `translate`. Valid to the end of the 4 KiB page. */
  readonly physHi: number;
  readonly physLo: number;
  /** Result of `reverse`. Process 0 is the kernel. */
  readonly process: number;
  readonly virtHi: number;
  readonly virtLo: number;

  /** Physical address of a process's virtual address. */
  translate(process: number, hi: number, lo: number): void;
  /** Process and virtual address of a physical one: of every address that `translate` has given, the one that it came from. */
  reverse(physHi: number, physLo: number): void;
  /**
   * Upper half of the address by which a NIC reaches what lies at a physical address, where the bridge of the host adds something to it.
   * Default: the same.
   */
  busHi?(physHi: number): number;
  /** Whether a physical address is one of data: queues, mailboxes and tables of the NIC's software are not. */
  isData(physHi: number, physLo: number): boolean;
}

/** Where a kind of NIC and its software put things in the memory of a host. @public */
export interface AddressLayout {
  /** @param key selects where pages lie; different for each host and seed */
  map(key: number, mode: MapMode): AddressMap;
}

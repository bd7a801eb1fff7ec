/** The data memory of a host as its software reads and writes it. */

import { type ByteStore, PAGE_BYTES } from '../../uvm/bytes/byteStore.ts';
import { carried } from '../../uvm/bytes/words.ts';
import type { AddressMap } from './addressMap.ts';
import type { VerbsMonitor } from '../../agents/verbs/verbsMonitor.ts';
import type { HostMemory } from './hostMemory.ts';

/** What the data memory is made of. */
export interface HostDataParts {
  readonly host: number;
  readonly bytes: ByteStore;
  readonly memory: HostMemory;
  readonly map: AddressMap;
  /** Told of what software is about to write, and has written. */
  readonly monitor: VerbsMonitor;
}

export class HostData {
  readonly #parts: HostDataParts;
  /** Byte-store offset of a page; -1 until one is needed. */
  #page = -1;

  constructor(parts: HostDataParts) {
    this.#parts = parts;
  }

  /** `length` bytes at an address of a process. */
  read(process: number, hi: number, lo: number, length: number): Uint8Array {
    const { bytes, memory, map } = this.#parts;
    const found = new Uint8Array(length);
    this.#forEachPage(process, hi, lo, length, (at, n, page) => {
      memory.read(map.physHi, map.physLo, n, page);
      found.set(bytes.u8.subarray(page, page + n), at);
    });
    return found;
  }

  /** Writes to an address of a process, and says so. */
  write(process: number, hi: number, lo: number, data: Uint8Array): void {
    if (data.length === 0) return;
    const { host, bytes, memory, map, monitor } = this.#parts;
    const item = { host, process, hi, lo, length: data.length };
    monitor.tell('dataWriting', item);
    this.#forEachPage(process, hi, lo, data.length, (at, n, page) => {
      bytes.u8.set(data.subarray(at, at + n), page);
      memory.write(map.physHi, map.physLo, n, page);
    });
    monitor.tell('dataWritten', item);
  }

  /** Calls `visit` for the piece in each page: its place in the range, its length, and where a page of bytes has room. */
  #forEachPage(
    process: number,
    hi: number,
    lo: number,
    length: number,
    visit: (at: number, n: number, page: number) => void,
  ): void {
    if (this.#page < 0) this.#page = this.#parts.bytes.alloc(PAGE_BYTES, 16);
    for (let at = 0; at < length; ) {
      const low = (lo >>> 0) + at;
      const n = Math.min(length - at, PAGE_BYTES - (low & (PAGE_BYTES - 1)));
      this.#parts.map.translate(process, carried(hi, low), low | 0);
      visit(at, n, this.#page);
      at += n;
    }
  }
}

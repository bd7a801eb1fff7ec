/** Host memory for the specs of the scoreboard: sparse pages in a byte store, scattered by a fixed permutation. */

import type { ScoreboardMemory } from '../../../scoreboard/memory/scoreboardMemory.ts';
import { ByteStore } from '../../../uvm/bytes/byteStore.ts';

const SCATTER = 0x2a5a5;

export class FakeMemory implements ScoreboardMemory {
  readonly bytes: ByteStore;
  physHi = 0;
  physLo = 0;
  process = 0;
  virtHi = 0;
  virtLo = 0;
  readonly #pages: Map<number, number>[] = [];
  readonly #scratch: number;

  constructor(hosts: number, bytes = ByteStore.create()) {
    this.bytes = bytes;
    for (let i = 0; i < hosts; i++) this.#pages.push(new Map());
    this.#scratch = bytes.alloc(8192);
  }

  translate(_host: number, process: number, hi: number, lo: number): void {
    this.physHi = hi | (process << 16);
    this.physLo = lo ^ (SCATTER << 12);
  }

  reverse(_host: number, physHi: number, physLo: number): void {
    this.process = (physHi & 0x8000) !== 0 ? (physHi >>> 16) & 0x7ff : -1;
    this.virtHi = physHi & 0xffff;
    this.virtLo = physLo ^ (SCATTER << 12);
  }

  page(host: number, physHi: number, physPage: number): number {
    return this.#pages[host]?.get(physHi * 0x100000 + physPage) ?? -1;
  }

  pageKey(host: number, physHi: number, physPage: number): number {
    return (Math.imul(physPage ^ Math.imul(physHi, 0x9e3779b1), 0x85ebca6b) ^ (host * 77777)) | 0;
  }

  forEachPage(host: number, visit: (physHi: number, physPage: number, offset: number) => void): void {
    for (const [key, offset] of this.#pages[host] as Map<number, number>) {
      visit(Math.floor(key / 0x100000), key % 0x100000, offset);
    }
  }

  /** Stores the page behind a physical address and returns the byte-store offset of the address. */
  touch(host: number, physHi: number, physLo: number): number {
    const physPage = physLo >>> 12;
    let at = this.page(host, physHi, physPage);
    if (at < 0) {
      at = this.bytes.allocPage();
      this.bytes.fillSeeded(this.pageKey(host, physHi, physPage), 0, at, 4096);
      this.#pages[host]?.set(physHi * 0x100000 + physPage, at);
    }
    return at + (physLo & 0xfff);
  }

  /** Writes bytes at a virtual address. */
  poke(host: number, process: number, hi: number, lo: number, data: ArrayLike<number>): void {
    for (let i = 0; i < data.length; i++) {
      this.translate(host, process, hi, lo + i);
      const at = this.touch(host, this.physHi, this.physLo);
      this.bytes.u8[at] = data[i] as number;
    }
  }

  /** Bytes at a virtual address. */
  peek(host: number, process: number, hi: number, lo: number, length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let i = 0; i < length; i++) {
      this.translate(host, process, hi, lo + i);
      const at = this.page(host, this.physHi, this.physLo >>> 12);
      if (at >= 0) {
        out[i] = this.bytes.u8[at + (this.physLo & 0xfff)] as number;
      } else {
        const key = this.pageKey(host, this.physHi, this.physLo >>> 12);
        this.bytes.fillSeeded(key, this.physLo & 0xfff, this.#scratch, 1);
        out[i] = this.bytes.u8[this.#scratch] as number;
      }
    }
    return out;
  }
}

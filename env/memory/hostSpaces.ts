/** Memory and address maps of all hosts, as the scoreboard sees them. */

import type { ScoreboardMemory } from '../../scoreboard/memory/scoreboardMemory.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { AddressMap } from './addressMap.ts';
import type { HostMemory } from './hostMemory.ts';

/** One host's memory and the map of its processes' addresses. */
export interface HostSpace {
  readonly memory: HostMemory;
  readonly map: AddressMap;
}

export class HostSpaces implements ScoreboardMemory {
  readonly bytes: ByteStore;
  physHi = 0;
  physLo = 0;
  process = 0;
  virtHi = 0;
  virtLo = 0;
  readonly #hosts: readonly HostSpace[];

  /** @param hosts by number. */
  constructor(bytes: ByteStore, hosts: readonly HostSpace[]) {
    this.bytes = bytes;
    this.#hosts = hosts;
  }

  translate(host: number, process: number, hi: number, lo: number): void {
    const { map } = this.#hosts[host] as HostSpace;
    map.translate(process, hi, lo);
    this.physHi = map.physHi;
    this.physLo = map.physLo;
  }

  reverse(host: number, physHi: number, physLo: number): void {
    const { map } = this.#hosts[host] as HostSpace;
    if (!map.isData(physHi, physLo)) {
      this.process = -1;
      return;
    }
    map.reverse(physHi, physLo);
    this.process = map.process;
    this.virtHi = map.virtHi;
    this.virtLo = map.virtLo;
  }

  page(host: number, physHi: number, physPage: number): number {
    return (this.#hosts[host] as HostSpace).memory.readPage(physHi, physPage);
  }

  pageKey(host: number, physHi: number, physPage: number): number {
    return (this.#hosts[host] as HostSpace).memory.pageKey(physHi, physPage);
  }

  forEachPage(host: number, visit: (physHi: number, physPage: number, offset: number) => void): void {
    (this.#hosts[host] as HostSpace).memory.forEachPage(visit);
  }
}

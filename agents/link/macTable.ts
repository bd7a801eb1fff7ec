import type { ByteStore } from '../../uvm/bytes/byteStore.ts';

/** Which host has which Ethernet address. */
export class MacTable {
  readonly #high: Int32Array;
  readonly #low: Int32Array;

  /** @param hosts number of hosts; none has an address yet. */
  constructor(hosts: number) {
    this.#high = new Int32Array(hosts).fill(-1);
    this.#low = new Int32Array(hosts);
  }

  /** Gives a host its address: upper 16 and lower 32 bits. */
  set(host: number, macHigh: number, macLow: number): void {
    this.#high[host] = macHigh & 0xffff;
    this.#low[host] = macLow | 0;
  }

  /** The host that the frame at `data` is addressed to, or -1 for a group address or one that nobody has. */
  destination(bytes: ByteStore, data: number): number {
    const u8 = bytes.u8;
    const high = ((u8[data] as number) << 8) | (u8[data + 1] as number);
    const low =
      ((u8[data + 2] as number) << 24) |
      ((u8[data + 3] as number) << 16) |
      ((u8[data + 4] as number) << 8) |
      (u8[data + 5] as number);
    const hosts = this.#high.length;
    for (let host = 0; host < hosts; host++) {
      if (this.#low[host] === low && this.#high[host] === high) return host;
    }
    return -1;
  }
}

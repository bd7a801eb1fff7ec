import type { DmaClient } from '../../../dut-model/roce/dmaEngine.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';

/**
 * Host memory behind a NIC's caches, of which the first word of every entry counts: answers reads only when asked to,
 * so that misses can pile up.
 */
export class FakeDma {
  readonly memory = new Map<number, number>();
  readonly pending: (() => void)[] = [];
  reads = 0;
  fail = false;
  readonly #bytes: ByteStore;
  readonly #entry: number;

  constructor(bytes: ByteStore, entryBytes: number) {
    this.#bytes = bytes;
    this.#entry = entryBytes;
  }

  read(_hi: number, lo: number, length: number, dst: number, client: DmaClient, arg: number): void {
    this.reads++;
    this.pending.push(() => {
      for (let i = 0; i < length; i += this.#entry) this.#bytes.i32[(dst + i) >> 2] = this.memory.get(lo + i) ?? 0;
      client.dmaDone(arg, !this.fail);
    });
  }

  writeCopy(_hi: number, lo: number, length: number, src: number): void {
    for (let i = 0; i < length; i += this.#entry) this.memory.set(lo + i, this.#bytes.i32[(src + i) >> 2] as number);
  }

  answer(): void {
    while (this.pending.length > 0) (this.pending.shift() as () => void)();
  }
}

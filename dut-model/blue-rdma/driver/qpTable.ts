/** The queue pairs of a driver by index, and their numbers: an index that is used again has other last bits. */
import { BLUE_LIMITS, INDEX_SHIFT } from '../layout/limits.ts';
import { IndexAllocator } from '../../../env/memory/indexAllocator.ts';
import type { Pd, QpInit } from '../../../env/verbs/verbsObjects.ts';
import { BlueQp, type TrackingParts, slotsFor } from './blueObjects.ts';

export class QpTable {
  /** By index; index 0 is reserved. */
  readonly all: (BlueQp | null)[] = [];
  #indices = new IndexAllocator(1, BLUE_LIMITS.maxQps - 1);
  /** Last eight bits of the next number, by index. */
  readonly #lives = new Uint8Array(1 << (24 - INDEX_SHIFT));

  /** @param entries of the table of the NIC */
  open(entries: number): void {
    this.#indices = new IndexAllocator(1, entries - 1);
  }

  get inUse(): number {
    return this.#indices.inUse;
  }

  /** A new queue pair; null where all indices are in use. */
  make(pd: Pd, init: QpInit, parts: TrackingParts): BlueQp | null {
    const index = this.#indices.alloc();
    if (index < 0) return null;
    const qpn = (index << INDEX_SHIFT) | (this.#lives[index] as number);
    this.#lives[index] = (this.#lives[index] as number) + 1;
    const qp = new BlueQp(pd, qpn, init, slotsFor(init.maxSendWr), slotsFor(init.maxRecvWr), parts);
    this.all[index] = qp;
    return qp;
  }

  free(qp: BlueQp): void {
    this.all[qp.index] = null;
    this.#indices.free(qp.index);
  }

  find(qpn: number): BlueQp | null {
    const qp = this.all[qpn >>> INDEX_SHIFT] ?? null;
    return qp !== null && qp.qpn === qpn ? qp : null;
  }
}

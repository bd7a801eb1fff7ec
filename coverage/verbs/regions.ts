/** What coverage knows of memory regions: keys and rights. */

import type { MrInfo } from '../../agents/verbs/verbsItems.ts';

export class Regions {
  /** By host and key: access of the regions that are registered. */
  readonly #access = new Map<number, number>();
  readonly #formerKeys = new Set<number>();
  readonly #counts = new Map<number, number>();

  /** `ACCESS` bits of the region that a key opens; -1 where there is none. */
  access(host: number, key: number): number {
    return this.#access.get(keyOf(host, key)) ?? -1;
  }

  count(host: number): number {
    return this.#counts.get(host) ?? 0;
  }

  /** Whether a key was that of a region before. */
  wasUsed(host: number, key: number): boolean {
    return this.#formerKeys.has(keyOf(host, key));
  }

  add({ host, key, access }: MrInfo): void {
    this.#access.set(keyOf(host, key), access);
    this.#counts.set(host, this.count(host) + 1);
  }

  remove(host: number, key: number): void {
    if (!this.#access.delete(keyOf(host, key))) return;
    this.#formerKeys.add(keyOf(host, key));
    this.#counts.set(host, this.count(host) - 1);
  }
}

function keyOf(host: number, key: number): number {
  return host * 0x1_0000_0000 + (key >>> 0);
}

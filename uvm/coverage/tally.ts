/**
 * Counts equal samples before they are sampled. What happens many times for every request is packed into one number, which
 * costs a look-up; each number is unpacked and sampled once, with how often it was counted.
 *
 * For covergroups without transitions, where the order of samples does not matter.
 */

/** Slots at first; a power of two. */
const FIRST_SLOTS = 1 << 10;
const GOLDEN = 0x9e3779b1;

export class Tally {
  /** By slot: the number, and how often it was counted; 0 where the slot is free. */
  #keys = new Int32Array(FIRST_SLOTS);
  #counts = new Float64Array(FIRST_SLOTS);
  #mask = FIRST_SLOTS - 1;
  #used = 0;

  /** @param key any 32 bits */
  count(key: number): void {
    const keys = this.#keys;
    const counts = this.#counts;
    const mask = this.#mask;
    let slot = (Math.imul(key, GOLDEN) >>> 12) & mask;
    while (counts[slot] !== 0) {
      if (keys[slot] === key) {
        (counts[slot] as number)++;
        return;
      }
      slot = (slot + 1) & mask;
    }
    keys[slot] = key;
    counts[slot] = 1;
    if (++this.#used > mask >> 1) this.#grow();
  }

  /** Hands over what was counted since the last time, each number once, and forgets it. */
  flush(take: (key: number, times: number) => void): void {
    const keys = this.#keys;
    const counts = this.#counts;
    for (const [slot, times] of counts.entries()) if (times > 0) take(keys[slot] as number, times);
    counts.fill(0);
    this.#used = 0;
  }

  #grow(): void {
    const keys = this.#keys;
    const counts = this.#counts;
    const slots = 2 * keys.length;
    this.#keys = new Int32Array(slots);
    this.#counts = new Float64Array(slots);
    this.#mask = slots - 1;
    for (const [slot, times] of counts.entries()) {
      if (times === 0) continue;
      let free = (Math.imul(keys[slot] as number, GOLDEN) >>> 12) & this.#mask;
      while (this.#counts[free] !== 0) free = (free + 1) & this.#mask;
      this.#keys[free] = keys[slot] as number;
      this.#counts[free] = times;
    }
  }
}

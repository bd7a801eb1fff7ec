/**
 * PSNs that have been received or acknowledged, without a limit: a bitmap from the first one that is missing on, which
 * grows as it has to. All before `base` belong to the set.
 */
import { psnAfter, psnDistance } from './psn.ts';

const WORD_BITS = 32;
const ALL = -1;

export class PsnSet {
  /** First PSN that is missing. */
  base: number;
  /** Position of `base`, counted without end; bits are kept by position in a ring of words. */
  #position = 0;
  #words = new Int32Array(8);

  /** @param base first PSN that is expected */
  constructor(base: number) {
    this.base = base;
  }

  has(psn: number): boolean {
    const ahead = psnDistance(this.base, psn);
    if (ahead < 0) return true;
    if (ahead >= this.#reach) return false;
    const at = this.#position + ahead;
    return ((this.#words[this.#wordOf(at)] as number) & (1 << (at & 31))) !== 0;
  }

  /** @returns true when it was missing */
  add(psn: number): boolean {
    const ahead = psnDistance(this.base, psn);
    if (ahead < 0 || this.has(psn)) return false;
    while (ahead >= this.#reach) this.#grow();
    const at = this.#position + ahead;
    const word = this.#wordOf(at);
    this.#words[word] = (this.#words[word] as number) | (1 << (at & 31));
    if (ahead === 0) this.#advance();
    return true;
  }

  /** Adds [from, to); nothing when `to` is not after `from`. */
  addRange(from: number, to: number): void {
    const first = psnDistance(this.base, from) < 0 ? this.base : from;
    let left = psnDistance(first, to);
    if (left <= 0) return;
    if (first === this.base) this.#jump(left);
    else for (let psn = first; left > 0; left--, psn = psnAfter(psn, 1)) this.add(psn);
  }

  /** Positions that the ring holds from `base` on; the word of `base` may be begun. */
  get #reach(): number {
    return (this.#words.length - 1) * WORD_BITS;
  }

  #wordOf(position: number): number {
    return Math.floor(position / WORD_BITS) & (this.#words.length - 1);
  }

  /** Everything up to `count` PSNs ahead is in the set. */
  #jump(count: number): void {
    let left = count;
    while (left > 0) {
      const inWord = this.#position & 31;
      const n = Math.min(left, WORD_BITS - inWord);
      if (inWord + n === WORD_BITS) this.#words[this.#wordOf(this.#position)] = 0;
      this.#step(n);
      left -= n;
    }
    this.#clearBefore();
    this.#advance();
  }

  #advance(): void {
    for (;;) {
      const word = this.#wordOf(this.#position);
      const bits = this.#words[word] as number;
      const inWord = this.#position & 31;
      if (inWord === 0 && bits === ALL) {
        this.#words[word] = 0;
        this.#step(WORD_BITS);
      } else if ((bits & (1 << inWord)) === 0) return;
      else {
        this.#words[word] = bits & ~(1 << inWord);
        this.#step(1);
      }
    }
  }

  /** The word of `base` holds nothing of what is before it. */
  #clearBefore(): void {
    const word = this.#wordOf(this.#position);
    this.#words[word] = (this.#words[word] as number) & (ALL << (this.#position & 31));
  }

  #step(n: number): void {
    this.#position += n;
    this.base = psnAfter(this.base, n);
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Int32Array(2 * old.length);
    const first = Math.floor(this.#position / WORD_BITS);
    for (let i = 0; i < old.length; i++) {
      this.#words[(first + i) & (this.#words.length - 1)] = old[(first + i) & (old.length - 1)] as number;
    }
  }
}

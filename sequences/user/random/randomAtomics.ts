/**
 * Atomics drawn at random, on a few words that all connections to a process share, so that those of several queue pairs and
 * hosts meet there (roce-transport.md 3.10). What becomes of them is left to the scoreboard.
 */

import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { QpSide } from '../qpSide.ts';
import type { RegisteredBuffer } from '../memory/registeredBuffer.ts';

const WORD = 8;
/** Words of a protection domain, and how far the first ones lie apart; the others are neighbours. */
const WORDS = 6;
/** Places for results of a side: more than it can have outstanding in most runs. */
const RESULTS = 64;
const HALF = 32n;

/** How often an atomic is wrong: misaligned, by a key that permits none, or with a list of another length. */
const WRONG = 0.015;
/** How often a request to a word is no atomic: others may write and read it, too. */
const OTHER = 0.08;

/** How often one is followed by a burst: several of each queue pair under way at once, and of all of them on one word. */
const BURSTS = 0.15;
const LONGEST_BURST = 10;

const ADDS: readonly bigint[] = [0n, 1n, 1n, -1n, 0xffff_ffffn, 0x1_0000_0001n, 1n << 63n];
const SWAPS: readonly bigint[] = [0n, 1n, 2n, -1n, 0xffff_ffff_0000_0000n];

/** Words by protection domain, each registered by the first who needs them. */
export class SharedWords {
  readonly #byDomain = new Map<unknown, RegisteredBuffer | null>();

  /** The words that peers of a side may change. */
  *of(side: QpSide): Proc<RegisteredBuffer> {
    const domain = side.qp.pd;
    if (!this.#byDomain.has(domain)) {
      this.#byDomain.set(domain, null);
      this.#byDomain.set(domain, yield* side.words(WORD * WORDS));
    }
    for (;;) {
      const words = this.#byDomain.get(domain);
      if (words !== undefined && words !== null) return words;
      yield* delay(US);
    }
  }
}

/** What a side needs for atomics: where results go, the words of its peer, and a buffer there that permits no atomics. */
export class RandomAtomics {
  readonly #side: QpSide;
  readonly #peer: QpSide;
  readonly #random: RandomStream;
  readonly #results: RegisteredBuffer;
  readonly #words: RegisteredBuffer;
  readonly #closed: RegisteredBuffer;
  /** Whether the next request asks for a completion. */
  signaled: () => boolean = () => true;
  #next = 0;

  private constructor(
    [side, peer]: readonly [QpSide, QpSide],
    random: RandomStream,
    [results, words, closed]: readonly [RegisteredBuffer, RegisteredBuffer, RegisteredBuffer],
  ) {
    this.#side = side;
    this.#peer = peer;
    this.#random = random;
    this.#results = results;
    this.#words = words;
    this.#closed = closed;
  }

  /** Registers what is needed; undefined where the connection, or its NIC, has no atomics. */
  static *of(side: QpSide, peer: QpSide, words: SharedWords, random: RandomStream): Proc<RandomAtomics | undefined> {
    if (side.qp.type !== QP_TYPE.rc || !side.api.capabilities.atomics) return undefined;
    const results = yield* side.sink(WORD * RESULTS);
    const closed = yield* peer.sink(WORD * WORDS);
    return new RandomAtomics([side, peer], random, [results, yield* words.of(peer), closed]);
  }

  /** Whether the next request is an atomic, in `percent` of 100 cases. */
  isNext(percent: number): boolean {
    return this.#random.chance(percent / 100);
  }

  /** Posts one, for which there must be room, and now and then several on the word of bursts, as far as there is room. */
  *post(): Proc<void> {
    const random = this.#random;
    const { qp } = this.#side;
    yield* this.#one(this.#words.part(WORD * random.range(0, WORDS - 1), WORD));
    if (!random.chance(BURSTS)) return;
    const shared = this.#words.part(0, WORD);
    for (let n = random.range(2, LONGEST_BURST); n > 0 && qp.sendOutstanding < qp.maxSendWr; n--)
      yield* this.#one(shared);
  }

  *#one(word: RegisteredBuffer): Proc<void> {
    const random = this.#random;
    const options = { fence: random.chance(0.2), signaled: this.signaled() };
    if (random.chance(OTHER)) {
      yield* this.#other(word, options.signaled);
      return;
    }
    const wrong = random.chance(WRONG) ? random.pick(['address', 'right', 'length'] as const) : null;
    const target = wrong === 'address' ? word.moved(random.range(1, 7)) : wrong === 'right' ? this.#closed : word;
    const result = this.#result(wrong === 'length' ? random.pick([4, 16]) : WORD);
    if (random.chance(0.6)) yield* this.#side.fetchAdd(result, target, this.#operand(ADDS), options);
    else yield* this.#side.compareSwap(result, target, this.#compared(word), this.#operand(SWAPS), options);
  }

  /** A READ of the word, or a WRITE to it. */
  *#other(word: RegisteredBuffer, signaled: boolean): Proc<void> {
    const slot = this.#result(WORD);
    if (this.#random.chance(0.5)) yield* this.#side.read(slot, word, { signaled });
    else yield* this.#side.write(this.#results.part(0, WORD), word, { signaled });
  }

  /** Where a result goes: sometimes in two pieces. */
  #result(length: number): RegisteredBuffer[] {
    this.#next = (this.#next + 1) % (RESULTS - 2);
    const slot = this.#results.part(WORD * (1 + this.#next), length);
    const cut = this.#random.range(1, length - 1);
    // The operands of an atomic take the place of an entry.
    if (this.#side.qp.maxSge < 3 || this.#random.chance(0.7)) return [slot];
    return [slot.part(0, cut), slot.part(cut, length - cut)];
  }

  /** What the word holds just now, or about that. */
  #compared(word: RegisteredBuffer): bigint {
    const value = new DataView(this.#peer.contents(word).buffer).getBigUint64(0, true);
    return this.#random.weighted([
      [6, value],
      [1, value ^ 1n],
      [1, value ^ (1n << 63n)],
      [1, value ^ (1n << HALF)],
      [2, this.#operand(SWAPS)],
    ]);
  }

  #operand(usual: readonly bigint[]): bigint {
    const random = this.#random;
    if (random.chance(0.7)) return random.pick(usual);
    return (BigInt(random.uint32()) << HALF) | BigInt(random.uint32());
  }
}

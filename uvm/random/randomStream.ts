/**
 * The two kinds of random stream. Both offer the draws of `RandomDraws`; they differ in speed and in what their state
 * is made of. A stream has one owner: components that share one change each other's draws.
 */

// Whoever compiles against this file needs its declarations too.
/// <reference path="./alea.d.ts" />
// One generator of the package: its index loads all of them and Node's cryptography, which costs every start 3 ms.
import alea from 'seedrandom/lib/alea.js';
import { hash128 } from './hash.ts';
import { RandomDraws } from './randomDraws.ts';

/** Saved state of a `RandomStream`: plain numbers, fit for JSON. */
export interface RandomStreamState {
  readonly c: number;
  readonly s0: number;
  readonly s1: number;
  readonly s2: number;
}

/** Saved state of a `FastStream`: four signed 32-bit words. */
export type FastStreamState = readonly [number, number, number, number];

/** Stream for draws that decide stimulus: the Alea generator of `seedrandom`, seeded with a string. @public */
export class RandomStream extends RandomDraws {
  readonly #generator: ReturnType<typeof alea>;

  /** @param seed a key as made by `RandomStreams`, or the state of another stream, which this one then continues. */
  constructor(seed: string | RandomStreamState) {
    super();
    this.#generator =
      typeof seed === 'string'
        ? alea(seed, { state: true })
        : alea('', { state: { c: seed.c, s0: seed.s0, s1: seed.s1, s2: seed.s2 } });
  }

  override uint32(): number {
    return this.#generator.int32() >>> 0;
  }

  /** State to continue from: `new RandomStream(stream.state())` draws what this stream would draw next. */
  state(): RandomStreamState {
    return this.#generator.state();
  }
}

/** Stream for hot draws, a few nanoseconds each: xoshiro128** (Blackman and Vigna), period 2^128 - 1. @public */
export class FastStream extends RandomDraws {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** @param seed a key as made by `RandomStreams`, or the state of another stream, which this one then continues. */
  constructor(seed: string | FastStreamState) {
    super();
    const [a, b, c, d] = typeof seed === 'string' ? hash128(seed) : seed;
    this.#a = a | 0;
    this.#b = b | 0;
    this.#c = c | 0;
    this.#d = d | 0;
    // All zeros is the one state that this generator never leaves.
    if ((this.#a | this.#b | this.#c | this.#d) === 0) this.#d = 1;
  }

  override uint32(): number {
    const b = this.#b;
    const c = this.#c ^ this.#a;
    const d = this.#d ^ b;
    const x = Math.imul(b, 5);
    this.#b = b ^ c;
    this.#a ^= d;
    this.#c = c ^ (b << 9);
    this.#d = (d << 11) | (d >>> 21);
    return Math.imul((x << 7) | (x >>> 25), 9) >>> 0;
  }

  /** State to continue from: `new FastStream(stream.state())` draws what this stream would draw next. */
  state(): FastStreamState {
    return [this.#a, this.#b, this.#c, this.#d];
  }
}

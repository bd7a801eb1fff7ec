import { hash128 } from './hash.ts';
import { FastStream, RandomStream } from './randomStream.ts';

/** The root seed is not an unsigned 32-bit integer. Seeds are refused, never truncated. */
export class RootSeedError extends RangeError {
  readonly value: number;

  constructor(value: number) {
    super(`root seed ${value} is not an integer in 0 .. 4294967295; give a 32-bit seed, decimal or hexadecimal`);
    this.value = value;
  }
}

/**
 * Source of all random streams of a run.
 *
 * A stream depends on (root seed, test name, instance path, purpose, ordinal) and on nothing else, so adding a
 * component, a purpose or a draw elsewhere changes no other stream. Asking twice for one name gives two streams with
 * the same draws: use the ordinal where an owner needs several. Streams are derived on demand and not kept.
 * @public
 */
export class RandomStreams {
  readonly rootSeed: number;
  readonly testName: string;
  readonly #prefix: string;

  /** @throws RootSeedError unless the root seed is an unsigned 32-bit integer. */
  constructor(rootSeed: number, testName: string) {
    if (!(Number.isInteger(rootSeed) && rootSeed >= 0 && rootSeed < 2 ** 32)) throw new RootSeedError(rootSeed);
    this.rootSeed = rootSeed;
    this.testName = testName;
    this.#prefix = hexKey(hash128('rnic-verify', rootSeed, testName));
  }

  /**
   * Stream for draws that decide stimulus.
   * @param path instance path of the owner, for example `uvm_test_top.env.host0`
   * @param purpose what is drawn, for example `payload`: independent uses inside one owner do not disturb each other
   * @param ordinal number of the use, default 0
   */
  stream(path: string, purpose: string, ordinal = 0): RandomStream {
    return new RandomStream(hexKey(this.#words(path, purpose, ordinal)));
  }

  /** Fast stream for hot draws; parameters as in `stream`. */
  fast(path: string, purpose: string, ordinal = 0): FastStream {
    return new FastStream(this.#words(path, purpose, ordinal));
  }

  /** Unsigned 32-bit key for counter-based hashes (`ByteStore.fillSeeded`, `hash32`); parameters as in `stream`. */
  key(path: string, purpose: string, ordinal = 0): number {
    return this.#words(path, purpose, ordinal)[0];
  }

  #words(path: string, purpose: string, ordinal: number): [number, number, number, number] {
    return hash128(this.#prefix, path, purpose, ordinal);
  }
}

function hexKey(words: readonly number[]): string {
  return words.map((w) => w.toString(16).padStart(8, '0')).join('');
}

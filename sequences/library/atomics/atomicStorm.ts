import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { WORD, wordIn } from '../../host/atomicWords.ts';

/** Words of a protection domain. */
const WORDS = 4;
/** Atomics of each connection, for each `+SEQ_COUNT`, and how many of them are outstanding. */
const EACH = 100;
const OUTSTANDING = 8;
const ADDS = [1n, 1n, 2n, 0n, -1n, 0xffff_ffffn] as const;

/** A word that all queue pairs of a protection domain change, and what somebody found there lately. */
interface StormWord {
  readonly target: RegisteredBuffer;
  lately: bigint;
}

/**
 * Fetch-and-adds and compare-and-swaps of all queue pairs on four words of each protection domain of the peers, as fast as
 * they go. Whether results and words are right is for the scoreboard, which needs an order of all of them (roce-transport.md
 * 3.10); made for long runs on links that lose frames.
 */
export class AtomicStorm extends UserSequence {
  static readonly typeName: string = 'atomic_storm';
  static readonly description: string = 'many atomics of all queue pairs on four words, to be judged by their order';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics'] } as const;
  readonly #words = new Map<unknown, readonly StormWord[]>();

  override *body(): Proc {
    for (const { right } of this.connections) {
      const { pd } = right.qp;
      if (this.#words.has(pd)) continue;
      const targets = (yield* right.words(WORDS * WORD)).split(WORDS);
      this.#words.set(
        pd,
        targets.map((target) => ({ target, lately: wordIn(right, target) })),
      );
    }
    yield* this.forEachConnection((c) => this.connection(c));
  }

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'storm');
    const words = this.#words.get(right.qp.pd) as readonly StormWord[];
    const most = Math.min(OUTSTANDING, left.qp.maxSendWr);
    const results = (yield* left.sink(most * WORD)).split(most);
    const asked: StormWord[] = [];
    const total = EACH * this.count;
    for (let done = 0; done < total; done++) {
      while (asked.length < most && done + asked.length < total) {
        const word = random.pick(words);
        yield* this.#post(connection, results[(done + asked.length) % most] as RegisteredBuffer, word, random);
        asked.push(word);
      }
      this.expectSuccess(yield* left.sent(), 'atomic');
      (asked.shift() as StormWord).lately = wordIn(left, results[done % most] as RegisteredBuffer);
    }
  }

  *#post({ left }: Connection, into: RegisteredBuffer, word: StormWord, random: RandomStream): Proc<void> {
    if (random.chance(0.6)) yield* left.fetchAdd(into, word.target, random.pick(ADDS));
    else yield* left.compareSwap(into, word.target, word.lately, BigInt(random.uint32()));
  }
}

import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { hexWord, WORD, Word, wordIn, wordSubject } from '../../host/atomicWords.ts';

/** Inputs that carry from one half of the word into the other, that wrap, and that change nothing. */
const STARTS = [0n, 0xffff_ffffn, -1n, 0x7fff_ffff_ffff_ffffn, 0x7776_7574_7372_7170n] as const;
const ADDS = [1n, -1n, 0x1_0000_0001n, 0n, 0x0363_28fe_883a_1230n, 0x8000_0000_8000_0000n] as const;

/** Bits in which a comparison is wrong; none in the last one. */
const MISTAKES = [1n, 1n << 32n, 1n << 63n, 0n] as const;

/**
 * Fetch-and-adds and compare-and-swaps on words of the peer, one after the other, with values that carry and wrap; most
 * comparisons fail. What comes back and what the words hold is held against the arithmetic (roce-transport.md 3.10).
 */
export class AtomicCounters extends UserSequence {
  static readonly typeName: string = 'atomic_counters';
  static readonly description: string =
    'fetch-and-add and compare-and-swap with values that carry, wrap and do not match';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const target = yield* right.words(WORD);
    const result = yield* left.sink(WORD);
    for (let i = 0; i < this.count * STARTS.length; i++) {
      const word = new Word(right, target, STARTS[i % STARTS.length] as bigint);
      for (const add of ADDS) {
        yield* left.fetchAdd(result, target, add);
        const original = word.add(add);
        yield* this.#check(left, result, word, 'FETCH_ADD', original);
      }
      for (const mistake of MISTAKES) {
        const [compare, swap] = [word.value ^ mistake, ADDS[i % ADDS.length] as bigint];
        yield* left.compareSwap(result, target, compare, swap);
        const original = word.compareSwap(compare, swap);
        yield* this.#check(left, result, word, 'COMPARE_SWAP', original);
      }
    }
  }

  *#check(side: QpSide, result: RegisteredBuffer, word: Word, what: string, original: bigint): Proc<void> {
    this.expectSuccess(yield* side.sent(), what);
    const found = wordIn(side, result);
    if (found !== original) {
      this.error('SEQ_ATOMIC', `${what} brought ${hexWord(found)} back, and the word held ${hexWord(original)}`, [
        wordSubject(side, result),
        word.subject,
      ]);
    }
    const { contents, value } = word;
    if (contents === value) return;
    this.error('SEQ_ATOMIC', `${what} left ${hexWord(contents)} in the word; ${hexWord(value)} is right`, [
      word.subject,
    ]);
  }
}

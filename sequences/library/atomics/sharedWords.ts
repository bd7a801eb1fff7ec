import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { hexWord, WORD, Word, wordIn } from '../../host/atomicWords.ts';

const ADD = 0x1_0000_0001n;
/** Atomics of each connection on the word that it shares, for each `+SEQ_COUNT`. */
const EACH = 8;

/** A word that all queue pairs of a protection domain change. */
class SharedWord {
  readonly target: RegisteredBuffer;
  readonly word: Word;
  readonly originals: bigint[] = [];
  left: number;

  constructor(target: RegisteredBuffer, word: Word, users: number) {
    this.target = target;
    this.word = word;
    this.left = users;
  }
}

/**
 * Fetch-and-adds of the same number by all queue pairs of a protection domain on one word, several at a time: each comes
 * back with another multiple, none is left out, and the word holds the sum (roce-transport.md 3.10).
 */
export class SharedWords extends UserSequence {
  static readonly typeName: string = 'shared_words';
  static readonly description: string = 'fetch-and-adds of many queue pairs on the same words';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics'] } as const;
  readonly #words = new Map<unknown, SharedWord>();

  override *body(): Proc {
    for (const { right } of this.connections) {
      const { pd } = right.qp;
      if (this.#words.has(pd)) continue;
      const target = yield* right.words(WORD);
      const users = this.connections.filter((c) => c.right.qp.pd === pd).length;
      this.#words.set(pd, new SharedWord(target, new Word(right, target, 0n), users));
    }
    yield* this.forEachConnection((c) => this.connection(c));
  }

  override *connection({ left, right }: Connection): Proc<void> {
    const shared = this.#words.get(right.qp.pd) as SharedWord;
    const batch = Math.min(EACH, this.values.MAX_SEND_WR);
    const results = (yield* left.sink(EACH * WORD)).split(EACH);
    const posts = EACH * this.count;
    for (let done = 0; done < posts; done += batch) {
      for (let k = 0; k < batch; k++) yield* left.fetchAdd(results[k] as RegisteredBuffer, shared.target, ADD);
      for (let k = 0; k < batch; k++) {
        this.expectSuccess(yield* left.sent(), 'FETCH_ADD');
        shared.originals.push(wordIn(left, results[k] as RegisteredBuffer));
        shared.word.add(ADD);
      }
    }
    if (--shared.left === 0) this.#check(shared);
  }

  #check({ word, originals }: SharedWord): void {
    const sorted = originals.map((o) => BigInt.asUintN(64, o)).sort((a, b) => (a < b ? -1 : 1));
    const wrong = sorted.findIndex((o, i) => o !== BigInt(i) * ADD);
    if (wrong >= 0) {
      const [found, right] = [hexWord(sorted[wrong] as bigint), hexWord(BigInt(wrong) * ADD)];
      this.error('SEQ_ATOMIC', `result ${wrong} of ${sorted.length} in order is ${found}; ${right} is right`);
    }
    const { contents, value } = word;
    if (contents !== value)
      this.error('SEQ_ATOMIC', `the word holds ${hexWord(contents)}; ${hexWord(value)} is right`, [word.subject]);
  }
}

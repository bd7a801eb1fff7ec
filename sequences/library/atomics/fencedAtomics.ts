import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { bytesOf, hexWord, WORD, Word, wordIn } from '../../host/atomicWords.ts';

const ADD = 0x11n;
const OTHER = 0x0123_4567_89ab_cdefn;

/**
 * Atomics with READs and WRITEs of the same word around them, fenced where the order is to hold (roce-transport.md 3.11,
 * T-049): each sees what those in front of it have left.
 */
export class FencedAtomics extends UserSequence {
  static readonly typeName: string = 'fenced_atomics';
  static readonly description: string = 'atomics, READs and WRITEs of one word, with fences between them';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics', 'rdmaRead'] } as const;

  override *connection({ left, right }: Connection): Proc<void> {
    const target = yield* right.words(WORD);
    const [first, second, copy] = [yield* left.sink(WORD), yield* left.sink(WORD), yield* left.sink(WORD)];
    const source = yield* left.source(WORD);
    left.fill(source, bytesOf(OTHER));
    const word = new Word(right, target, 1n);
    for (let i = 0; i < 4 * this.count; i++) {
      yield* left.fetchAdd(first, target, ADD);
      const before = word.add(ADD);
      yield* left.read(copy, target, { fence: true });
      const between = word.value;
      for (const what of ['FETCH_ADD', 'fenced READ']) this.expectSuccess(yield* left.sent(), what);
      this.#expect('FETCH_ADD', wordIn(left, first), before);
      this.#expect('fenced READ behind it', wordIn(left, copy), between);
      // A WRITE never overtakes, and nothing needs a fence behind it.
      yield* left.fetchAdd(first, target, ADD);
      const last = word.add(ADD);
      yield* left.write(source, target, { fence: true });
      word.value = OTHER;
      yield* left.fetchAdd(second, target, ADD);
      const written = word.add(ADD);
      for (const what of ['FETCH_ADD', 'fenced WRITE', 'FETCH_ADD']) this.expectSuccess(yield* left.sent(), what);
      this.#expect('FETCH_ADD in front of the WRITE', wordIn(left, first), last);
      this.#expect('FETCH_ADD behind the WRITE', wordIn(left, second), written);
    }
  }

  #expect(what: string, found: bigint, right: bigint): void {
    if (found !== right) this.error('SEQ_ATOMIC', `the ${what} brought ${hexWord(found)}; ${hexWord(right)} is right`);
  }
}

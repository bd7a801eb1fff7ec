import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { hexWord, WORD, Word, wordIn, wordSubject } from '../../host/atomicWords.ts';

const ADD = 0x1_0000_0003n;
/** Fetch-and-adds whose answers are lost, one of each behind the others. */
const ROUND = 6;

/**
 * Fetch-and-adds and compare-and-swaps whose answers are lost, several at a time: the repeats bring the first results back,
 * and each word is changed once (roce-transport.md 3.10, 9).
 */
export class AtomicRepeats extends UserSequence {
  static readonly typeName: string = 'atomic_repeats';
  static readonly description: string = 'atomics that are retransmitted because their answers are lost';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics'] } as const;

  override *connection({ left, right }: Connection): Proc<void> {
    const target = yield* right.words(WORD);
    const results = (yield* left.sink(ROUND * WORD)).split(ROUND);
    const word = new Word(right, target, -2n);
    const batch = Math.min(ROUND, this.values.MAX_SEND_WR);
    for (let i = 0; i < 2 * this.count; i++) {
      const lost = 1 + (i % batch);
      const rule = `drop host=${right.host} qpn=${right.qp.qpn} opcode=atomic_acknowledge nth=${lost}`;
      const fault = this.link.fault(rule);
      const originals: bigint[] = [];
      for (const result of results.slice(0, batch)) {
        if (i % 2 === 0) {
          originals.push(word.add(ADD));
          yield* left.fetchAdd(result, target, ADD);
        } else {
          const { value } = word;
          originals.push(word.compareSwap(value, value ^ ADD));
          yield* left.compareSwap(result, target, value, value ^ ADD);
        }
      }
      for (const [k, original] of originals.entries()) {
        this.expectSuccess(yield* left.sent(), `atomic ${k}`);
        const found = wordIn(left, results[k] as (typeof results)[number]);
        if (found === original) continue;
        this.error('SEQ_ATOMIC', `atomic ${k} brought ${hexWord(found)} back, and the word held ${hexWord(original)}`, [
          wordSubject(left, results[k] as (typeof results)[number]),
          word.subject,
        ]);
      }
      fault.stop();
      const { contents, value } = word;
      if (contents !== value)
        this.error('SEQ_ATOMIC', `the word holds ${hexWord(contents)}; ${hexWord(value)} is right`, [word.subject]);
    }
  }
}

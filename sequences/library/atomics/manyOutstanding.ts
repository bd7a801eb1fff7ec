import { QP_TYPE } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { hexWord, WORD, Word, wordIn, wordSubject } from '../../host/atomicWords.ts';
import type { Connection } from '../../user/connection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const ADD = 0x1_0000_0001n;
/** Bytes of a READ: longer on its way back than the request for the next one. */
const READ_BYTES = 2000;

/**
 * More fetch-and-adds at once than both sides have agreed upon, as far as the send queue holds them, of which the first answer is
 * lost: all that are outstanding come again, and bring their first results (roce-transport.md 3.10, 9). Then as many READs, whose answers
 * wait at the responder. With `+MAX_RD_ATOMIC=256 +MAX_SEND_WR=512 +NIC_REQUESTS_PER_QP=512 +NIC_PSN_WINDOW=512` these are 256.
 */
export class ManyOutstanding extends UserSequence {
  static readonly typeName: string = 'many_outstanding';
  static readonly description: string = 'the maximum number of outstanding atomics and READs, with duplicate atomics';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics'] } as const;

  override *connection({ left, right }: Connection): Proc<void> {
    const { maxRdAtomic, maxSendWr } = left.qp;
    const requests = Math.min(maxRdAtomic + Math.ceil(maxRdAtomic / 4), maxSendWr);
    const target = yield* right.words(WORD);
    const word = new Word(right, target, -5n);
    const results = (yield* left.sink(requests * WORD)).split(requests);
    const [source, sink] = [yield* right.source(READ_BYTES), yield* left.sink(READ_BYTES)];
    for (let i = 0; i < this.count; i++) {
      yield* this.#atomics(left, right, target, word, results);
      for (let k = 0; k < requests; k++) yield* left.read(sink, source);
      for (let k = 0; k < requests; k++) this.expectSuccess(yield* left.sent(), `READ ${k} of ${requests}`);
    }
  }

  *#atomics(
    left: QpSide,
    right: QpSide,
    target: RegisteredBuffer,
    word: Word,
    results: readonly RegisteredBuffer[],
  ): Proc<void> {
    const fault = this.link.fault(`drop host=${right.host} qpn=${right.qp.qpn} opcode=atomic_acknowledge nth=1`);
    const originals: bigint[] = [];
    for (const result of results) {
      yield* left.fetchAdd(result, target, ADD);
      originals.push(word.add(ADD));
    }
    for (const [k, original] of originals.entries()) {
      this.expectSuccess(yield* left.sent(), `atomic ${k} of ${results.length}`);
      const found = wordIn(left, results[k] as RegisteredBuffer);
      if (found === original) continue;
      this.error('SEQ_ATOMIC', `atomic ${k} brought ${hexWord(found)} back, and the word held ${hexWord(original)}`, [
        wordSubject(left, results[k] as RegisteredBuffer),
        word.subject,
      ]);
    }
    fault.stop();
    const { contents, value } = word;
    if (contents !== value)
      this.error('SEQ_ATOMIC', `the word holds ${hexWord(contents)}; ${hexWord(value)} is right`, [word.subject]);
  }
}

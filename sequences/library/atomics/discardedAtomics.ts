import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Connection } from '../../user/connection.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { bytesOf, hexWord, WORD, Word, wordIn, wordSubject } from '../../host/atomicWords.ts';

const ADD = 3n;

/**
 * An atomic that stays illegal, and a WRITE behind it: neither has an effect. A NIC that answers with a NAK has the atomic
 * end with REM_INV_REQ_ERR, one that drops it without a word (`+NIC_ATOMIC_DISCARD=1`, roce-transport.md 9) with
 * RETRY_EXC_ERR; the WRITE is flushed.
 */
export class DiscardedAtomics extends UserSequence {
  static readonly typeName: string = 'discarded_atomics';
  static readonly description: string = 'an atomic that stays illegal, followed by a WRITE that must not be executed';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'psns');
    const target = yield* right.words(2 * WORD);
    const result = yield* left.sink(WORD);
    const source = yield* left.source(WORD);
    left.fill(source, bytesOf(-1n));
    const word = new Word(right, target.part(0, WORD), 40n);
    const behind = target.part(WORD, WORD);
    right.fill(behind, bytesOf(0n));
    for (let i = 0; i < this.count; i++) {
      yield* left.fetchAdd(result, target.moved(4), ADD);
      yield* left.write(source, behind);
      const failed = yield* left.sent();
      const silent = failed.status === WC_STATUS.retryExcErr;
      this.expectStatus(failed, silent ? WC_STATUS.retryExcErr : WC_STATUS.remInvReqErr, 'FETCH_ADD at half a word');
      this.expectStatus(yield* left.sent(), WC_STATUS.wrFlushErr, 'WRITE behind it');
      const written = wordIn(right, behind);
      if (written !== 0n)
        this.error('SEQ_ATOMIC', `the WRITE behind a FETCH_ADD that failed left ${hexWord(written)}`, [
          wordSubject(right, behind),
        ]);
      yield* resetBoth(left, right);
      yield* connectAgain(left, right, random);
      yield* left.fetchAdd(result, target.part(0, WORD), ADD);
      word.add(ADD);
      this.expectSuccess(yield* left.sent(), 'FETCH_ADD');
      const { contents, value } = word;
      if (contents !== value)
        this.error('SEQ_ATOMIC', `the word holds ${hexWord(contents)}; ${hexWord(value)} is right`, [word.subject]);
    }
  }
}

import { ACCESS, QP_STATE, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { bytesOf, hexWord, WORD, Word, wordIn, wordSubject } from '../../host/atomicWords.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import type { QpSide } from '../../user/qpSide.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';

const ADD = 0x1_0000_0001n;
const START = 7n;
/** By then the atomic, and what is behind it, has come at least once. */
const PATIENCE = 30 * US;
/** Requests of a round: the atomic, a WRITE, a SEND and another atomic. */
const REQUESTS = 4;
const OTHERS = ACCESS.remoteWrite | ACCESS.remoteRead;
const ALL = OTHERS | ACCESS.remoteAtomic;

/** What a round works with. */
interface Material {
  readonly left: QpSide;
  readonly right: QpSide;
  readonly result: RegisteredBuffer;
  readonly source: RegisteredBuffer;
  readonly behind: RegisteredBuffer;
  readonly sink: RegisteredBuffer;
  readonly target: RegisteredBuffer;
  readonly word: Word;
}

/**
 * An atomic that its peer does not permit, and a WRITE, a SEND and an atomic behind it. A NIC that drops it without a word
 * (`+NIC_ATOMIC_DISCARD=1`, roce-transport.md 9) takes nothing behind it; then its peer permits atomics, and when it comes again it is
 * executed, once, and so is what follows it, in order. From a NIC that answers with a NAK the atomic ends with REM_INV_REQ_ERR.
 */
export class RevivedAtomics extends UserSequence {
  static readonly typeName: string = 'revived_atomics';
  static readonly description: string =
    'an atomic that is dropped, permitted, retransmitted and executed, with later requests';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const random = this.streamOf(connection, 'psns');
    const target = yield* right.words(WORD);
    const m: Material = {
      left,
      right,
      target,
      result: yield* left.sink(WORD),
      source: yield* left.source(WORD),
      behind: yield* right.sink(WORD),
      sink: yield* right.sink(WORD),
      word: new Word(right, target, START),
    };
    for (let i = 0; i < this.count; i++) {
      yield* this.#post(m);
      yield* delay(PATIENCE + onItsWay(this.values, REQUESTS * WORD));
      // A refusal has come back by then, or never will.
      if (left.qp.sendOutstanding < REQUESTS) {
        yield* this.#refused(m);
        yield* connectAgain(left, right, random);
      } else yield* this.#revived(m);
    }
  }

  *#post({ left, right, result, target, source, behind, sink }: Material): Proc<void> {
    left.fill(source, bytesOf(-1n));
    right.fill(behind, bytesOf(0n));
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts, accessFlags: OTHERS });
    yield* right.receive(sink);
    yield* left.fetchAdd(result, target, ADD);
    yield* left.write(source, behind);
    yield* left.send(source);
    yield* left.fetchAdd(result, target, ADD);
  }

  *#revived({ left, right, word, behind }: Material): Proc<void> {
    this.#expectWord('an atomic that was dropped', word);
    if (wordIn(right, behind) !== 0n)
      this.error('SEQ_ATOMIC', 'the WRITE behind an atomic that was dropped is there', [wordSubject(right, behind)]);
    yield* right.api.modifyQp(right.qp, { state: QP_STATE.rts, accessFlags: ALL });
    for (let i = 0; i < REQUESTS; i++) this.expectSuccess(yield* left.sent(), 'request that is permitted by now');
    this.expectSuccess(yield* right.received(), 'receive of the SEND behind the atomic');
    word.add(ADD);
    word.add(ADD);
    this.#expectWord('two atomics that were permitted at last', word);
  }

  *#refused({ left, right, word }: Material): Proc<void> {
    this.expectStatus(yield* left.sent(), WC_STATUS.remInvReqErr, 'FETCH_ADD without the right');
    for (let i = 1; i < REQUESTS; i++) this.expectStatus(yield* left.sent(), WC_STATUS.wrFlushErr, 'request behind it');
    this.expectStatus(yield* right.received(), WC_STATUS.wrFlushErr, 'receive');
    this.#expectWord('an atomic that was refused', word);
    yield* resetBoth(left, right);
  }

  #expectWord(what: string, word: Word): void {
    const { contents, value } = word;
    if (contents === value) return;
    this.error('SEQ_ATOMIC', `the word holds ${hexWord(contents)} behind ${what}; ${hexWord(value)} is right`, [
      word.subject,
    ]);
  }
}

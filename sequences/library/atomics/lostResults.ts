import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { hexWord, WORD, Word, wordIn, wordSubject } from '../../host/atomicWords.ts';
import { byTurns } from '../../user/byTurns.ts';
import type { Connection } from '../../user/connection.ts';
import { type OneWay, oneWay } from '../../user/oneWay.ts';
import { connectAgain, resetBoth } from '../../user/reconnection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { talk } from '../../user/talk.ts';
import { FAILURES, PATIENCE } from '../../user/unreadable.ts';
import { UserSequence } from '../../user/userSequence.ts';

/** Connections that talk meanwhile, at most. */
const MOST_OTHERS = 3;
const ADD = 0x1_0000_0003n;

/** The memory of a connection: a word, and where its results go. */
interface Place {
  readonly target: RegisteredBuffer;
  readonly result: RegisteredBuffer;
  readonly word: Word;
}

/**
 * Results of atomics that their NIC cannot read when a repeat asks for them: QP_FATAL, nothing more of that queue pair, and
 * nothing of the others, which talk on (roce-transport.md 5.6, 9). The word was changed once at most. Then software resets
 * both sides, and the next life begins with an empty ACK queue.
 */
export class LostResults extends UserSequence {
  static readonly typeName: string = 'lost_results';
  static readonly description: string = 'results of atomics that cannot be read; +SEQ_COUNT=4 plays all cases';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics'] } as const;
  readonly #places = new Map<Connection, Place>();

  override *body(): Proc {
    const ways: OneWay[] = [];
    for (const connection of this.connections) {
      const { left, right } = connection;
      ways.push(yield* oneWay(left, right, this.values.MTU));
      const target = yield* right.words(WORD);
      this.#places.set(connection, { target, result: yield* left.sink(WORD), word: new Word(right, target, 7n) });
    }
    yield* byTurns(this, (connection, i) => this.#turn(connection, ways, i));
  }

  *#turn(connection: Connection, ways: readonly OneWay[], round: number): Proc<void> {
    const { left, right } = connection;
    const { target, result, word } = this.#places.get(connection) as Place;
    const others = ways.filter(({ from }) => from !== left).slice(0, MOST_OTHERS);
    const at = `host=${right.host} qpn=${right.qp.qpn}`;
    const unread = this.pcie.fault(`${FAILURES[round % FAILURES.length] as string} area=results ${at} nth=1 optional`);
    const unheard = this.link.fault(`drop ${at} opcode=atomic_acknowledge nth=1 optional`);
    const before = word.add(ADD);
    yield* left.fetchAdd(result, target, ADD);
    for (const way of others) yield* talk(this, way);
    yield* delay(PATIENCE);
    for (const way of others) yield* talk(this, way);
    const ended = yield* left.sent();
    if (unread.fired === 0) this.expectSuccess(ended, 'FETCH_ADD that no fault met');
    else this.expectStatus(ended, WC_STATUS.retryExcErr, 'FETCH_ADD whose result cannot be read');
    unread.stop();
    unheard.stop();
    yield* this.quiet();
    yield* resetBoth(left, right);
    const { contents } = word;
    if (contents !== word.value && contents !== before)
      this.error('SEQ_ATOMIC', `the word holds ${hexWord(contents)}; it held ${hexWord(before)} before one FETCH_ADD`, [
        word.subject,
      ]);
    word.value = contents;
    yield* connectAgain(left, right, this.streamOf(connection, `psns ${round}`));
    yield* this.#again(connection);
  }

  /** An atomic of the next life. */
  *#again(connection: Connection): Proc<void> {
    const { target, result, word } = this.#places.get(connection) as Place;
    const { left } = connection;
    const original = word.add(ADD);
    yield* left.fetchAdd(result, target, ADD);
    this.expectSuccess(yield* left.sent(), 'FETCH_ADD of the next life');
    const found = wordIn(left, result);
    if (found !== original)
      this.error('SEQ_ATOMIC', `the next life brought ${hexWord(found)} back, and the word held ${hexWord(original)}`, [
        wordSubject(left, result),
        word.subject,
      ]);
  }
}

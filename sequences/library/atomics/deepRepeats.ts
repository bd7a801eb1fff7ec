import { BTH_CLASS, BTH_OP, PSN_MASK } from '../../../rdma/bth.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import { type Proc, delay } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { Connection } from '../../user/connection.ts';
import { onItsWay } from '../../user/onItsWay.ts';
import { keptBy, resetBoth, takeSteps, reconnection } from '../../user/reconnection.ts';
import type { RegisteredBuffer } from '../../user/memory/registeredBuffer.ts';
import { UserSequence } from '../../user/userSequence.ts';
import { MTU_BYTES } from '../../../rdma/verbs.ts';
import { AtomicAnswers } from '../../host/atomicAnswers.ts';
import { hexWord, WORD, Word, wordIn } from '../../host/atomicWords.ts';

const ADD = 0x0000_0001_8000_0001n;
/** Atomics of a round: more than one group of 64 entries holds. */
const ATOMICS = 80;
/** How far back repeats go that are injected, counted from the newest. */
const DEPTHS = [0, 1, 15, 16, 17, 62, 63, 64, 65, 79] as const;
/** A NIC has usually dealt with a packet so long after it has come, */
const REST = 20 * US;
/** and has done so after so many times that, however much else it has to do on slow buses. */
const MOST_RESTS = 40;

/**
 * Repeats of atomics that nobody has sent, from the newest to the oldest of many (T-044, roce-transport.md 9): those
 * among the newest `max_dest_rd_atomic` are answered with their first results, older ones with those or not at all, and the
 * word stays as it is. Then both sides are reset and connected anew, and repeats of the former life bring nothing.
 */
export class DeepRepeats extends UserSequence {
  static readonly typeName: string = 'deep_repeats';
  static readonly description: string =
    'forged duplicates of atomics, old ones in the ACK queue and ones of a previous connection';
  override readonly services = [QP_TYPE.rc];
  override readonly needs = { capabilities: ['atomics', 'naks'] } as const;

  override *connection(connection: Connection): Proc<void> {
    const { left, right } = connection;
    const target = yield* right.words(WORD);
    const result = yield* left.sink(WORD);
    const word = new Word(right, target, 5n);
    const answers = new AtomicAnswers(left, right.host, () => this.run.bytes.u8);
    this.watch(answers);
    for (let i = 0; i < this.count; i++) {
      const { rqPsn: first = 0 } = yield* right.api.queryQp(right.qp);
      const originals: bigint[] = [];
      for (let k = 0; k < ATOMICS; k++) {
        originals.push(word.add(ADD));
        yield* left.fetchAdd(result, target, ADD);
        this.expectSuccess(yield* left.sent(), 'FETCH_ADD');
      }
      for (const depth of DEPTHS) {
        const k = ATOMICS - 1 - depth;
        const psn = (first + k) & PSN_MASK;
        const found = yield* this.#repeat(connection, answers, target, psn);
        this.#check(found, originals[k] as bigint, depth, right.qp.maxDestRdAtomic);
      }
      const { contents, value } = word;
      if (contents !== value) {
        this.error('SEQ_ATOMIC', `repeats left ${hexWord(contents)} in the word; ${hexWord(value)} is right`, [
          word.subject,
        ]);
      }
      yield* this.#newLife(connection, answers, target, result, (first + ATOMICS) & PSN_MASK);
      word.value = wordIn(right, target);
    }
  }

  /** The answer to a forged repeat, or null. */
  *#repeat(
    { left, right }: Connection,
    answers: AtomicAnswers,
    target: RegisteredBuffer,
    psn: number,
  ): Proc<bigint | null> {
    const before = answers.all.length;
    const va = (BigInt.asUintN(32, BigInt(target.hi)) << 32n) | BigInt.asUintN(32, BigInt(target.lo));
    this.link.inject({
      ...{ from: left.host, to: right.host, destQp: right.qp.qpn, ipv6: left.qp.ipv6 },
      ...{ opcode: BTH_CLASS.rc | BTH_OP.fetchAdd, ackRequest: true, psn, va, rkey: target.key, swapAdd: ADD },
    });
    const toIt = (): AtomicAnswers['all'] => answers.all.slice(before).filter((answer) => answer.psn === psn);
    for (let rests = 0; rests < MOST_RESTS && toIt().length === 0; rests++)
      yield* delay(REST + onItsWay(this.values, 4096));
    const found = toIt();
    if (found.length > 1) this.error('SEQ_ATOMIC', `${found.length} answers to one repeat`);
    return found[0]?.original ?? null;
  }

  #check(found: bigint | null, original: bigint, depth: number, known: number): void {
    if (found === null) {
      if (depth >= known) return;
      this.error('SEQ_ATOMIC', `a repeat ${depth} atomics back has no answer; the newest ${known} are known`);
    } else if (found !== original) {
      const right = hexWord(original);
      this.error(
        'SEQ_ATOMIC',
        `a repeat ${depth} atomics back brought ${hexWord(found)}; its first result was ${right}`,
      );
    }
  }

  /** Connects both sides anew with PSNs that go on: those of the former life lie in front of what is expected. */
  *#newLife(
    connection: Connection,
    answers: AtomicAnswers,
    target: RegisteredBuffer,
    result: RegisteredBuffer,
    psn: number,
  ): Proc<void> {
    const { left, right } = connection;
    const mtu = MTU_BYTES[left.qp.pathMtu] as number;
    const kept = keptBy(left.qp);
    yield* resetBoth(left, right);
    yield* takeSteps(right, reconnection(right, left, { ...kept, psn, mtu }, psn));
    yield* takeSteps(left, reconnection(left, right, { ...kept, psn, mtu }, psn));
    yield* left.fetchAdd(result, target, ADD);
    this.expectSuccess(yield* left.sent(), 'FETCH_ADD of the next life');
    const found = yield* this.#repeat(connection, answers, target, (psn - 3) & PSN_MASK);
    if (found !== null) this.error('SEQ_ATOMIC', `a repeat of a previous connection brought ${hexWord(found)}`);
  }
}

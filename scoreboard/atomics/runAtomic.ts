/** An atomic of a run, from its posting on: what was asked, and what has become of it. */

import { psnText } from '../../rdma/psnText.ts';
import { WR_OPCODE } from '../../rdma/verbs.ts';
import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import { qpName } from '../model/names.ts';
import { NONE, type Message, type QueuePair } from '../model/work.ts';
import type { WordAtomic } from './wordAtomic.ts';

const HALF = 32n;
/** Chains of those that are alone: below those of queue pairs, and of writes of others. */
const FIRST_ALONE = -1_000_000;

type Operands = Pick<SendWr, 'opcode' | 'compareHi' | 'compareLo' | 'swapHi' | 'swapLo'>;

const HEX_DIGITS = 16;

/** Two halves as one unsigned number. */
export function wordOf(hi: number, lo: number): bigint {
  return (BigInt(hi >>> 0) << HALF) | BigInt(lo >>> 0);
}

/** For example `0x7ad99e72fbac83a0`. */
export function wordText(value: bigint): string {
  return `0x${value.toString(HEX_DIGITS).padStart(HEX_DIGITS, '0')}`;
}

export class RunAtomic implements WordAtomic {
  readonly operation: 'compareSwap' | 'fetchAdd';
  readonly operand: bigint;
  readonly swap: bigint;
  readonly qp: QueuePair;
  /** Identifier and place in the order of posting of its request, whose record another one takes later. */
  readonly wrId: number;
  readonly order: number;
  /** PSN of its packet, -1 before that is sent. */
  psn = NONE;
  /** What its answer said; undefined before. */
  answer: bigint | undefined = undefined;
  from = Number.POSITIVE_INFINITY;
  until = Number.POSITIVE_INFINITY;
  /** Its request has ended without an answer: whether it was executed, or will be, nobody says any more. */
  abandoned = false;
  /** When that was, ps. */
  abandonedAt = 0;
  /** Nothing is concluded from its answer any more: something around it could not be accounted for. */
  forgiven = false;
  readonly #chain: number;
  readonly #alone: number;

  /** @param chain number of the life of its queue pair @param serial its own, from 0 on */
  constructor(r: Message, wr: Operands, chain: number, serial: number) {
    this.operation = wr.opcode === WR_OPCODE.atomicCmpAndSwp ? 'compareSwap' : 'fetchAdd';
    this.operand = wordOf(wr.compareHi, wr.compareLo);
    this.swap = wordOf(wr.swapHi, wr.swapLo);
    this.qp = r.qp;
    this.#chain = chain;
    this.#alone = FIRST_ALONE - serial;
    this.wrId = r.wrId;
    this.order = r.order;
  }

  /** Its answer was seen at `at`, ps. */
  answered(returned: bigint, at: number): void {
    this.answer = returned;
    this.until = at;
  }

  /**
   * One for each life of each queue pair: what an error ended says nothing of what follows. Of what was forgiven, which may
   * have been executed earlier than is looked at, one for each.
   */
  get chain(): number {
    return this.forgiven ? this.#alone : this.#chain;
  }

  get returned(): bigint | undefined {
    return this.forgiven ? undefined : this.answer;
  }

  /** Its request has ended at `at` (ps) without an answer. */
  abandon(at: number): void {
    this.abandoned = true;
    this.abandonedAt = at;
  }

  /** Whether an answer may still come. */
  get isAwaited(): boolean {
    return this.answer === undefined && !this.abandoned;
  }

  /** Whether it may be without effect on its word from now on: it has no answer and will have none, or it is forgiven. */
  get isDoubtful(): boolean {
    return !this.isAwaited && this.returned === undefined;
  }

  /** When the latest news of it came, ps. */
  get endedAt(): number {
    return this.abandoned ? this.abandonedAt : this.until;
  }

  /** For messages: operation, operands, queue pair and PSN. */
  get name(): string {
    const { operation, operand, swap, qp, psn } = this;
    const what =
      operation === 'fetchAdd'
        ? `FETCH_AND_ADD of ${wordText(operand)}`
        : `CMP_AND_SWP of ${wordText(operand)} by ${wordText(swap)}`;
    return `${what} (${psn === NONE ? `wrId ${this.wrId}` : `PSN ${psnText(psn)}`}) of ${qpName(qp)}`;
  }

  /** As `name`, with the result. */
  get story(): string {
    return `${this.name} returned ${this.answer === undefined ? 'nothing' : wordText(this.answer)}`;
  }
}

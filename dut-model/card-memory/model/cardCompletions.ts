/**
 * Completions of a NIC whose payload is not posted: an entry speaks of all bytes that have come for its queue pair, also one
 * that tells of a failure or a flush, after which software has its buffer back. Entries wait for the end of writes in front of
 * the queue that they are for, in order.
 */
import type { Resumable } from '../../roce/rxPacket.ts';
import { type CompletionEntry, CompletionUnit, type QpSlot } from '../../hangu/model/index.ts';

/** Entries of one queue, the first of which waits. */
class HeldQueue implements Resumable {
  readonly entries: CompletionEntry[] = [];
  readonly #unit: CardCompletions;
  readonly #cqn: number;

  constructor(unit: CardCompletions, cqn: number) {
    this.#unit = unit;
    this.#cqn = cqn;
  }

  resume(): void {
    this.#unit.release(this.#cqn);
  }
}

export class CardCompletions extends CompletionUnit {
  readonly #held = new Map<number, HeldQueue>();
  readonly #waiters: Resumable[] = [];

  override post(e: CompletionEntry): void {
    const held = this.#held.get(e.cqn);
    if (held !== undefined) held.entries.push(e);
    else if (this.#mustWait(e)) this.#hold(e);
    else super.post(e);
  }

  override hasWritten(qpn: number, waiter: Resumable): boolean {
    if (![...this.#held.values()].some(({ entries }) => entries.some((e) => e.qpn === qpn)))
      return super.hasWritten(qpn, waiter);
    this.#waiters.push(waiter);
    return false;
  }

  override reset(): void {
    this.#held.clear();
    this.#waiters.length = 0;
    super.reset();
  }

  /** Writes of the queue pair in front have ended: hands on what need not wait any more. */
  release(cqn: number): void {
    const held = this.#held.get(cqn);
    if (held === undefined) return;
    while (held.entries.length > 0) {
      const e = held.entries[0] as CompletionEntry;
      if (this.#isUnderWay(e, held)) return;
      held.entries.shift();
      super.post(e);
    }
    this.#held.delete(cqn);
    for (const waiter of this.#waiters.splice(0)) waiter.resume();
  }

  /** A queue pair goes to RESET: nobody wants its entries, and nothing ends for it any more. */
  forgetQueuePair(qpn: number): void {
    for (const [cqn, held] of [...this.#held]) {
      held.entries.splice(0, held.entries.length, ...held.entries.filter((e) => e.qpn !== qpn));
      this.release(cqn);
    }
  }

  #hold(e: CompletionEntry): void {
    const held = new HeldQueue(this, e.cqn);
    held.entries.push(e);
    this.#held.set(e.cqn, held);
    this.#isUnderWay(e, held);
  }

  /** Asked once more when the entry is held, so that nobody is told in vain. */
  #mustWait(e: CompletionEntry): boolean {
    return this.#writesOf(e)?.isUnderWay === true;
  }

  #isUnderWay(e: CompletionEntry, asker: Resumable): boolean {
    return this.#writesOf(e)?.haveEnded(asker) === false;
  }

  #writesOf({ qpn, isSend }: CompletionEntry): QpSlot['rxWrites'] {
    const slot = this.core.slot(qpn);
    return isSend ? slot.rspWrites : slot.rxWrites;
  }
}

import { CPL_STATUS, TLP_KIND, Tlp } from '../../dut-model/nic.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';
import type { ScheduledEvent, Scheduler } from '../../uvm/kernel/scheduler.ts';

/** Life of a pooled transaction: in the pool, being filled, on its way, with the NIC or host, its answer on its way, lost. */
export const TLP_STATE = { free: 0, acquired: 1, sent: 2, delivered: 3, answered: 4, lost: 5 } as const;

/** A transaction with the bookkeeping of the agent that carries it. Requesters see the `Tlp` part. */
export class HostTlp extends Tlp {
  /** Index in its pool, the argument of its scheduler events. */
  readonly slot: number = 0;
  /** The pool that it belongs to, and its own event; null for one that nobody can send. */
  readonly pool: TlpPool | null;
  readonly event: ScheduledEvent | null;
  /** Slot of the next free transaction of the pool; -1 = none. */
  nextFree = -1;
  /** `TLP_STATE`. */
  state = 0;
  /** Bytes of a read that have been answered, and where the part under way ends. */
  answered = 0;
  partEnd = 0;
  /** Of a read that a fault rule cuts: its answer ends at every read completion boundary. */
  split = false;
  /** Of a write: its number among the port's writes. Of a read: how many writes were sent before it. */
  sequence = 0;
  /** Of a write that took effect: where in the store its bytes lie now, as a signed integer; -1 = in no one place. */
  place = -1;
  /** Byte-store offset of a few bytes that stay with the slot, for accesses too short for a block; -1 = none yet. */
  line = -1;

  constructor(slot: number, pool: TlpPool | null = null, event: ScheduledEvent | null = null) {
    super();
    this.slot = slot;
    this.pool = pool;
    this.event = event;
  }
}

/** Many more than any NIC or host has outstanding, and few enough to be held: whoever asks for more does so for ever. */
const MOST_TRANSACTIONS = 1 << 20;

/** A requester has taken more transactions than can be of use to it. */
export class TransactionLimitError extends Error {
  constructor(pool: string, limit: number) {
    super(
      `${pool}: all ${limit} transactions are in use, and another one is asked for: a loop that never ends? ` +
        'What has been answered or sent is given back by itself; do not acquire what is not sent',
    );
    this.name = 'TransactionLimitError';
  }
}

/** Transactions for reuse, named by slot numbers. Grows; never shrinks. */
export class TlpPool {
  /** All transactions ever made, by slot. */
  readonly slots: HostTlp[] = [];
  /** Slot of the first free transaction. Linked by number: a list of references costs the garbage collector. */
  #free = -1;
  readonly #blocks: BlockPool;
  readonly #scheduler: Scheduler;
  readonly #name: string;
  readonly #most: number;
  #closed = false;

  /**
   * @param blocks pool of the payload blocks that transactions name
   * @param name whose transactions they are, for messages
   */
  constructor(blocks: BlockPool, scheduler: Scheduler, name: string, most = MOST_TRANSACTIONS) {
    this.#blocks = blocks;
    this.#scheduler = scheduler;
    this.#name = name;
    this.#most = most;
  }

  /** Whether nothing is sent any more. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Transactions outside the pool. */
  get inUse(): number {
    let count = 0;
    for (const { state } of this.slots) if (state !== TLP_STATE.free) count++;
    return count;
  }

  /** A transaction with all fields at their defaults. @throws TransactionLimitError when too many are outside the pool */
  acquire(): HostTlp {
    if (this.#free < 0) this.#grow();
    const tlp = this.slots[this.#free] as HostTlp;
    this.#free = tlp.nextFree;
    tlp.state = TLP_STATE.acquired;
    return tlp;
  }

  /** True when the transaction came from this pool and is still with its requester. */
  isAcquired(tlp: HostTlp): boolean {
    return tlp.state === TLP_STATE.acquired && tlp.pool === this;
  }

  /** Takes a transaction back, releases its block and restores its defaults. */
  release(tlp: HostTlp): void {
    if (tlp.block >= 0) this.#blocks.release(tlp.block);
    tlp.state = TLP_STATE.free;
    tlp.kind = TLP_KIND.memRead;
    tlp.bar = -1;
    tlp.hi = 0;
    tlp.lo = 0;
    tlp.length = 0;
    tlp.firstBe = -1;
    tlp.lastBe = -1;
    tlp.tag = 0;
    tlp.data = 0;
    tlp.block = -1;
    tlp.readyAt = 0;
    tlp.status = CPL_STATUS.success;
    tlp.poisoned = false;
    tlp.remaining = 0;
    tlp.interrupt = false;
    tlp.owner = null;
    tlp.ownerArg = 0;
    tlp.answered = 0;
    tlp.partEnd = 0;
    tlp.split = false;
    tlp.nextFree = this.#free;
    this.#free = tlp.slot;
  }

  /** Nothing is sent any more: neither what requesters have by now nor what they still acquire counts as theirs. */
  close(): void {
    this.#closed = true;
    this.#free = -1;
    for (const tlp of this.slots) if (tlp.state !== TLP_STATE.free) tlp.state = TLP_STATE.lost;
  }

  #grow(): void {
    if (this.slots.length >= this.#most) throw new TransactionLimitError(this.#name, this.#most);
    this.#free = this.slots.length;
    this.slots.push(new HostTlp(this.#free, this.#closed ? null : this, this.#scheduler.own(this.#free)));
  }
}

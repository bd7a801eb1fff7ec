import { CPL_STATUS, TLP_KIND, Tlp } from '../../dut-model/nic.ts';

/** Life of a pooled transaction: in the pool, being filled, on its way, with the NIC, its answer on its way. */
export const TLP_STATE = { free: 0, acquired: 1, sent: 2, delivered: 3, answered: 4 } as const;

/** A transaction with the bookkeeping of the agent that carries it. Requesters see the `Tlp` part. */
export class HostTlp extends Tlp {
  /** Index in its pool, the argument of its scheduler events. */
  readonly slot: number;
  /** `TLP_STATE`. */
  state = 0;
  /** Bytes of a read that have been answered, and where the part under way ends. */
  answered = 0;
  partEnd = 0;
  /** Of a write: its number among the port's writes. Of a read: how many writes were sent before it. */
  sequence = 0;
  /** Byte-store offset of a few bytes that stay with the slot, for accesses too short for a block; -1 = none yet. */
  line = -1;

  constructor(slot: number) {
    super();
    this.slot = slot;
  }
}

/** Transactions for reuse, named by slot numbers. Grows; never shrinks. */
export class TlpPool {
  /** All transactions ever made, by slot. */
  readonly slots: HostTlp[] = [];
  readonly #free: HostTlp[] = [];

  /** Transactions outside the pool. */
  get inUse(): number {
    return this.slots.length - this.#free.length;
  }

  /** A transaction with all fields at their defaults. */
  acquire(): HostTlp {
    const tlp = this.#free.pop() ?? this.#grow();
    tlp.state = TLP_STATE.acquired;
    return tlp;
  }

  /** True when the transaction came from this pool and is still with its requester. */
  isAcquired(tlp: HostTlp): boolean {
    return tlp.state === TLP_STATE.acquired && this.slots[tlp.slot] === tlp;
  }

  /** Takes a transaction back and restores its defaults. */
  release(tlp: HostTlp): void {
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
    this.#free.push(tlp);
  }

  #grow(): HostTlp {
    const tlp = new HostTlp(this.slots.length);
    this.slots.push(tlp);
    return tlp;
  }
}

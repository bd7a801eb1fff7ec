/**
 * Contexts of ACK queues on the chip: the ones used last. Others lie in host memory, are written back when they leave and
 * read when they are needed again. A context that is in use never leaves: as many more as there are may be there.
 */
import { AQ_AREA, AQC, AQC_BYTES } from '../../../layout/ackQueue.ts';
import type { HanguCore } from '../../core.ts';
import type { QpSlot } from '../qpSlot.ts';
import { AckContext, depthOf } from './ackContext.ts';

/** Told when a context has been read. */
export type ContextArrived = (ok: boolean) => void;

export class AckContextCache {
  protected readonly core: HanguCore;
  readonly #contexts = new Map<number, AckContext>();
  /** Dwords of contexts that have left. */
  readonly #free: number[] = [];
  readonly #groups: number;
  readonly #groupEntries: number;
  #clock = 0;

  constructor(core: HanguCore) {
    this.core = core;
    const depth = depthOf(core.config);
    this.#groupEntries = Math.min(core.config.aqGroup, depth);
    this.#groups = depth / this.#groupEntries;
  }

  /** The context of a queue pair if it is on the chip, or none has been needed before: that is an empty one. */
  find(slot: QpSlot): AckContext | null {
    let context = this.#contexts.get(slot.qpn);
    if (context !== undefined && context.slot !== slot) {
      this.forget(context);
      context = undefined;
    }
    if (context === undefined && this.isNew(slot)) {
      context = this.#make(slot);
      context.initialise(
        this.core.ackQueuesHi,
        startOf(slot.qpn) + AQC_BYTES,
        depthOf(this.core.config),
        this.#groupEntries,
      );
      slot.hasAckQueue = true;
    }
    if (context === undefined || context.isLoading) return null;
    context.used = ++this.#clock;
    return context;
  }

  /** Reads a context that `find` did not find. */
  load(slot: QpSlot, arrived: ContextArrived): void {
    const context = this.#make(slot);
    context.isLoading = true;
    slot.hasAckQueue = true;
    const done = (ok: boolean): void => {
      context.isLoading = false;
      if (!ok) this.#drop(context);
      arrived(ok);
    };
    this.core.dma.read(this.core.ackQueuesHi, startOf(slot.qpn), this.#bytes, context.at * 4, {
      dmaDone: (_, ok) => done(ok),
    });
  }

  /** Writes the state of a context to host memory. */
  writeBack(context: AckContext): void {
    context.isDirty = false;
    const { dma } = this.core;
    dma.writeCopy(this.core.ackQueuesHi, startOf(context.slot.qpn), this.#bytes, context.at * 4);
    dma.endCopies();
  }

  reset(): void {
    for (const context of [...this.#contexts.values()]) this.#drop(context);
  }

  /** The queue pair of a context has been reset: nothing of its queue is left. Overridable for planting. */
  protected forget(context: AckContext): void {
    this.#drop(context);
  }

  /** Whether the queue of a queue pair has nothing of its own in host memory; overridable for planting. */
  protected isNew(slot: QpSlot): boolean {
    return !slot.hasAckQueue;
  }

  get #bytes(): number {
    return (AQC.groups + this.#groups) * 4;
  }

  #make(slot: QpSlot): AckContext {
    if (this.#contexts.size >= this.core.config.aqCache) this.#evict();
    const at = this.#free.pop() ?? this.core.bytes.alloc(this.#bytes, 64) >> 2;
    const context = new AckContext(slot, at, () => this.core.bytes.i32);
    context.used = ++this.#clock;
    this.#contexts.set(slot.qpn, context);
    return context;
  }

  #evict(): void {
    let oldest: AckContext | null = null;
    for (const context of this.#contexts.values()) {
      if (!context.isLoading && !isInUse(context) && (oldest === null || context.used < oldest.used)) oldest = context;
    }
    if (oldest === null) return;
    if (oldest.isDirty && !oldest.slot.closed) this.writeBack(oldest);
    this.#drop(oldest);
  }

  #drop(context: AckContext): void {
    if (this.#contexts.get(context.slot.qpn) === context) this.#contexts.delete(context.slot.qpn);
    // What is being read still arrives there.
    if (!context.isLoading) this.#free.push(context.at);
  }
}

/** Lower half of the address of a queue pair's part. */
function startOf(qpn: number): number {
  return (qpn << AQ_AREA.qpnShift) | 0;
}

/** A request of the queue pair is being dealt with: it may be about to write a result. */
function isInUse({ slot }: AckContext): boolean {
  return slot.rxHead !== null && !slot.closed;
}

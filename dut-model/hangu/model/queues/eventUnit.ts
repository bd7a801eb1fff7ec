/**
 * Event queues and MSI-X: 32 EQs whose contexts are held on chip, EQEs written in order, one message per EQE while the
 * EQ is armed (hangu-interface.md 4.9, hangu-rtl-facts.md 2.5; the published hardware declares all of it and drives
 * none).
 */
import { MSIX_MASKED } from '../../layout/addressMap.ts';
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import { EQE, EQE_BYTES } from '../../layout/queues.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import { XLATE } from '../memory/translation.ts';

const EQ_COUNT = 32;
/** Until the place of an event is asked for again that could not be read. */
const RETRY_PS = 1_000_000;
export const MSIX_VECTORS = 64;

class EventQueue {
  valid = false;
  logSize = 0;
  vector = 0;
  pd = 0;
  lkey = 0;
  producer = 0;
  armed = false;
}

interface QueuedEvent {
  readonly eqn: number;
  readonly type: number;
  readonly number: number;
  readonly syndrome: number;
}

export class EventUnit implements Resumable {
  protected readonly core: HanguCore;
  readonly #queues: EventQueue[] = Array.from({ length: EQ_COUNT }, () => new EventQueue());
  /** EQ of each asynchronous event type, -1 = not mapped. */
  readonly #asyncEq = new Int32Array(64).fill(-1);
  readonly #waiting: QueuedEvent[] = [];
  /** MSI-X table as the host wrote it: address low, high, data, control (bit 0 = masked) per vector. */
  readonly msix = new Int32Array(MSIX_VECTORS * 4);
  /** Vectors that were masked when a message of theirs was due. */
  readonly #pending = new Set<number>();
  #draining = false;
  /** The place of its next entry could not be read: it is asked for again. */
  #retrying = false;
  readonly #again = {
    fire: (): void => {
      this.#retrying = false;
      this.resume();
    },
  };

  constructor(core: HanguCore) {
    this.core = core;
    this.#maskAll();
  }

  reset(): void {
    for (const q of this.#queues) q.valid = false;
    this.#asyncEq.fill(-1);
    this.#waiting.length = 0;
    this.#retrying = false;
    this.msix.fill(0);
    this.#pending.clear();
    this.#maskAll();
  }

  /** Software writes dword `index` of the MSI-X table. What was due while a vector was masked is sent then. */
  writeMsix(index: number, value: number): void {
    this.msix[index] = value;
    const vector = index >> 2;
    if (!this.isMasked(vector) && this.#pending.delete(vector)) this.interrupt(vector);
  }

  isValid(eqn: number): boolean {
    return this.#queues[eqn]?.valid === true;
  }

  /** SW2HW_EQ. */
  open(eqn: number, logSize: number, vector: number, pd: number, lkey: number, producer: number): void {
    const q = this.#queues[eqn] as EventQueue;
    q.valid = true;
    q.logSize = logSize;
    q.vector = vector;
    q.pd = pd;
    q.lkey = lkey;
    q.producer = producer;
    q.armed = false;
  }

  /** HW2SW_EQ. @returns the producer index. */
  close(eqn: number): number {
    const q = this.#queues[eqn] as EventQueue;
    q.valid = false;
    for (let t = 0; t < this.#asyncEq.length; t++) if (this.#asyncEq[t] === eqn) this.#asyncEq[t] = -1;
    return q.producer;
  }

  /** MAP_EQ: bit t of the mask sends event type t to `eqn`, or to nobody. */
  map(maskHi: number, maskLo: number, eqn: number, unmap: boolean): void {
    for (let t = 0; t < 64; t++) {
      const bit = t < 32 ? (maskLo >>> t) & 1 : (maskHi >>> (t - 32)) & 1;
      if (bit === 1) this.#asyncEq[t] = unmap ? -1 : eqn;
    }
  }

  /** EQ doorbell: one message at the next event, or at once when there is one that software has not consumed. */
  arm(eqn: number, consumer: number): void {
    const q = this.#queues[eqn];
    if (q === undefined || !q.valid) return;
    q.armed = true;
    if (((q.producer ^ consumer) & 0xff_ffff) !== 0) this.#message(q);
  }

  /** Queues an event for an EQ. */
  post(eqn: number, type: number, number: number, syndrome = 0): void {
    this.#waiting.push({ eqn, type, number, syndrome });
    this.resume();
  }

  /** Queues an asynchronous event for whoever mapped its type; nobody is no error. */
  async(type: number, number: number, syndrome = 0): void {
    const eqn = this.#asyncEq[type] as number;
    if (eqn >= 0) this.post(eqn, type, number, syndrome);
  }

  resume(): void {
    if (this.#draining) return;
    this.#draining = true;
    while (this.#waiting.length > 0 && this.#write(this.#waiting[0] as QueuedEvent)) this.#waiting.shift();
    this.#draining = false;
  }

  /** Sends the message of an EQ; overridable for planting. */
  protected interrupt(vector: number): void {
    const m = this.msix;
    const v = vector * 4;
    if (this.isMasked(vector)) {
      this.#pending.add(vector);
      return;
    }
    this.core.dma.interrupt(m[v + 1] as number, m[v] as number, m[v + 2] as number);
  }

  /** Whether messages of a vector wait; overridable for planting. */
  protected isMasked(vector: number): boolean {
    return ((this.msix[vector * 4 + 3] as number) & MSIX_MASKED) !== 0;
  }

  /** Fills an EQE at dword `d`; overridable for planting. */
  protected build(w: Int32Array, d: number, type: number, number: number): void {
    for (let i = 0; i < EQE_BYTES >> 2; i++) w[d + i] = 0;
    w[d] = type << (EQE.type * 8);
    w[d + (EQE.number >> 2)] = number;
  }

  /**
   * Sends an EQE at byte-store offset `at`; overridable for planting.
   * @param _message a message follows
   */
  protected store(hi: number, lo: number, at: number, block: number, _message: boolean): void {
    this.core.dma.write(hi, lo, EQE_BYTES, at, block);
  }

  /** Events wait until their place can be read: nothing else would tell of them; overridable for planting. @returns false: it waits */
  protected unplaced(): boolean {
    if (!this.#retrying) this.core.scheduler.schedule(RETRY_PS, this.#again);
    this.#retrying = true;
    return false;
  }

  #write(e: QueuedEvent): boolean {
    const q = this.#queues[e.eqn];
    if (q === undefined || !q.valid) return true;
    const offset = (q.producer & ((1 << q.logSize) - 1)) * EQE_BYTES;
    const x = this.core.xlate;
    const r = x.translate(q.lkey, q.pd, 0, offset, EQE_BYTES, MPT_PERMISSION.localWrite, true, this);
    if (r === XLATE.wait) return false;
    if (r === XLATE.failed) return this.unplaced();
    if (r !== XLATE.ok) return true;
    q.producer = (q.producer + 1) | 0;
    const dma = this.core.dma;
    const block = dma.acquireBlock();
    const at = dma.blockOffset(block);
    this.build(this.core.bytes.i32, at >> 2, e.type, e.number);
    this.core.bytes.i32[(at + EQE.syndrome) >> 2] = e.syndrome;
    this.store(x.paHi, x.paLo, at, block, q.armed);
    if (q.armed) this.#message(q);
    dma.releaseBlock(block);
    return true;
  }

  #message(q: EventQueue): void {
    q.armed = false;
    this.interrupt(q.vector);
  }

  #maskAll(): void {
    for (let v = 0; v < MSIX_VECTORS; v++) this.msix[v * 4 + 3] = MSIX_MASKED;
  }
}

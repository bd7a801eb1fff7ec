/**
 * Frames of software (blue-rdma.md sections 5.5 and 14): the Simple NIC takes them from buffers of the driver, and leaves what it
 * receives in slots of the driver, in order. The driver copies: what is posted to be sent is its own from then on, and what has come
 * goes into the next receive, or is forgotten where there is none. The ring on which frames leave also has acknowledgements.
 */
import type { RecvWr, SendWr, Sge } from '../../../../agents/verbs/verbsItems.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { QpAttributes } from '../../../../env/verbs/qpAttributes.ts';
import { ACCESS, ETHERNET_HEADER_BYTES, QP_STATE, SEND_FLAG, WC_STATUS } from '../../../../rdma/verbs.ts';
import { carried } from '../../../../uvm/bytes/words.ts';
import { RAW_SLOTS_LO, SOFTWARE_FRAMES_LO } from '../../layout/addressMap.ts';
import { DESCRIPTOR_WORDS, HEADER, MAX_RAW_FRAME, RAW_DESCRIPTOR, RAW_SLOT_BYTES } from '../../layout/descriptors.ts';
import type { BlueCq } from '../blueObjects.ts';
import type { CompletionQueues } from '../completionQueues.ts';
import type { Regions } from '../regions.ts';
import type { ToCardRing } from '../rings/toCardRing.ts';
import type { ToHostRing } from '../rings/toHostRing.ts';
import type { Worker } from '../worker.ts';
import type { BlueRawQp, RawReceive, RawSend } from './rawQp.ts';

/** Buffers for frames that are sent; of those whose descriptors are fetched the NIC has read all but so many. */
const BUFFERS = 256;
const FETCHED = 64;
const PAGE_BYTES = 4096;

/** What they are made of. */
export interface RawFramesParts {
  readonly host: ProviderHost;
  readonly regions: Regions;
  readonly completions: CompletionQueues;
  /** Shared with acknowledgements. */
  readonly sendRing: ToCardRing;
  readonly receiveRing: ToHostRing;
}

export class RawFrames {
  /** Set once after construction. */
  worker!: Worker;
  /** Received frames for which there was no receive. */
  dropped = 0;
  /** Undefined as long as software has none. */
  qp: BlueRawQp | undefined;
  protected readonly parts: RawFramesParts;
  readonly #words = new Int32Array(DESCRIPTOR_WORDS);
  readonly #scratch: number;
  /** Number of the descriptor that each buffer was last used for, -1 = never. */
  readonly #used = new Float64Array(BUFFERS).fill(-1);
  #next = 0;
  /** A frame has failed, and those behind it are flushed. */
  #broken = false;

  constructor(parts: RawFramesParts) {
    this.parts = parts;
    this.#scratch = parts.host.bytes.alloc(RAW_SLOT_BYTES, 16);
  }

  open(): void {
    this.#used.fill(-1);
    this.#next = 0;
    this.parts.host.area('inbox', 0, SOFTWARE_FRAMES_LO, BUFFERS * RAW_SLOT_BYTES, true);
  }

  close(): void {
    this.parts.host.area('inbox', 0, SOFTWARE_FRAMES_LO, BUFFERS * RAW_SLOT_BYTES, false);
  }

  /** Takes it to another state, which its NIC knows nothing of. */
  modify(qp: BlueRawQp, { state }: QpAttributes): void {
    if (state === QP_STATE.rts) this.#broken = false;
    if (state === QP_STATE.err) this.worker.wake();
    if (state !== QP_STATE.reset) return;
    this.#broken = false;
    qp.sends.length = 0;
    qp.receives.length = 0;
    this.parts.completions.clean(qp.sendCq as BlueCq, qp.qpn);
    this.parts.completions.clean(qp.recvCq as BlueCq, qp.qpn);
    for (const count of ['sqPosted', 'sqFreed', 'rqPosted', 'rqFreed', 'sqFailed'] as const) qp[count] = 0;
  }

  send(qp: BlueRawQp, { wrId, flags, sges, numSge }: SendWr, number: number): void {
    const length = lengthOf(sges, numSge);
    const status = this.#statusOf(qp, sges, numSge, length);
    const bytes = status === WC_STATUS.success ? this.#gather(qp, sges, numSge, length) : new Uint8Array(0);
    const signalled = qp.signalAll || (flags & SEND_FLAG.signaled) !== 0;
    qp.sends.push({ wrId, number, bytes, status, signalled });
    this.worker.wake();
  }

  receive(qp: BlueRawQp, { wrId, sges, numSge }: RecvWr, number: number): void {
    const pieces = sges.slice(0, numSge).map(({ hi, lo, length }) => ({ hi, lo, length }));
    const isOpen = this.#allows(qp, sges, numSge, ACCESS.localWrite);
    qp.receives.push({ wrId, number, pieces, room: lengthOf(sges, numSge), isOpen });
    if (qp.state === QP_STATE.err) this.worker.wake();
  }

  work(): void {
    const { qp } = this;
    if (qp !== undefined) this.#sendAll(qp);
    this.#receiveAll(qp);
    if (qp?.state === QP_STATE.err) this.#flush(qp);
  }

  #sendAll(qp: BlueRawQp): void {
    const { sendRing } = this.parts;
    while (qp.sends.length > 0) {
      const { status, bytes } = qp.sends[0] as RawSend;
      if (this.#broken || qp.state === QP_STATE.err) this.#sent(qp, WC_STATUS.wrFlushErr);
      else if (status !== WC_STATUS.success) {
        this.#broken = true;
        this.#sent(qp, status);
      } else if (sendRing.free > 0 && this.#isFree()) {
        this.#put(bytes);
        this.#sent(qp, status);
      } else {
        sendRing.publish();
        sendRing.ask(() => this.worker.wake());
        return;
      }
    }
    sendRing.publish();
  }

  #sent(qp: BlueRawQp, status: number): void {
    const { wrId, number, bytes, signalled } = qp.sends.shift() as RawSend;
    if (signalled || status !== WC_STATUS.success)
      this.parts.completions.frameSent(qp, wrId, number, status, bytes.length);
  }

  /** The next buffer is free: the NIC has read what it was used for. */
  #isFree(): boolean {
    const used = this.#used[this.#next] as number;
    return used < 0 || this.parts.sendRing.fetched > used + FETCHED;
  }

  #put(bytes: Uint8Array): void {
    const { host, sendRing } = this.parts;
    const lo = SOFTWARE_FRAMES_LO + this.#next * RAW_SLOT_BYTES;
    host.bytes.u8.set(bytes, this.#scratch);
    host.memory.write(0, lo, bytes.length, this.#scratch);
    const w = this.#words;
    w[RAW_DESCRIPTOR.addressLo] = lo;
    w[RAW_DESCRIPTOR.length] = bytes.length;
    w[HEADER.word] = HEADER.valid;
    this.#used[this.#next] = sendRing.written;
    this.#next = (this.#next + 1) % BUFFERS;
    sendRing.put(w);
  }

  #receiveAll(qp: BlueRawQp | undefined): void {
    const { receiveRing } = this.parts;
    let left = receiveRing.depth;
    while (left > 0 && receiveRing.take()) {
      left--;
      const slot = receiveRing.first[RAW_DESCRIPTOR.slot] as number;
      const length = (receiveRing.first[RAW_DESCRIPTOR.length] as number) >>> 0;
      if (qp !== undefined) this.#deliver(qp, slot, length);
      else this.dropped++;
    }
    receiveRing.publish();
  }

  /** A frame goes into the oldest receive. */
  #deliver(qp: BlueRawQp, slot: number, length: number): void {
    const { completions } = this.parts;
    const [receive] = qp.receives;
    const isReady = qp.state >= QP_STATE.rtr && qp.state !== QP_STATE.err;
    if (!isReady || receive === undefined || receive.room < length || length > RAW_SLOT_BYTES) {
      this.dropped++;
      return;
    }
    qp.receives.shift();
    const { wrId, number, isOpen, pieces } = receive;
    if (isOpen) this.scatter(qp, pieces, RAW_SLOTS_LO + slot * RAW_SLOT_BYTES, length);
    completions.frameReceived(qp, wrId, number, isOpen ? WC_STATUS.success : WC_STATUS.locProtErr, length);
  }

  #flush(qp: BlueRawQp): void {
    for (const { wrId, number } of qp.receives.splice(0))
      this.parts.completions.frameReceived(qp, wrId, number, WC_STATUS.wrFlushErr, 0);
  }

  /** Copies a frame from its slot into the memory of a receive; overridable for planting. */
  scatter(qp: BlueRawQp, pieces: RawReceive['pieces'], slotLo: number, length: number): void {
    const { memory, map } = this.parts.host;
    let done = 0;
    for (const { hi, lo, length: room } of pieces) {
      for (let at = 0; at < room && done < length; ) {
        const low = (lo >>> 0) + at;
        const n = Math.min(room - at, length - done, PAGE_BYTES - (low & (PAGE_BYTES - 1)));
        memory.read(0, slotLo + done, n, this.#scratch);
        map.translate(qp.process, carried(hi, low), low | 0);
        memory.write(map.physHi, map.physLo, n, this.#scratch);
        at += n;
        done += n;
      }
    }
  }

  #gather(qp: BlueRawQp, sges: readonly Sge[], numSge: number, length: number): Uint8Array {
    const { memory, map, bytes } = this.parts.host;
    const out = new Uint8Array(length);
    let filled = 0;
    for (const sge of sges.slice(0, numSge)) {
      for (let at = 0; at < sge.length; ) {
        const low = (sge.lo >>> 0) + at;
        const n = Math.min(sge.length - at, PAGE_BYTES - (low & (PAGE_BYTES - 1)));
        map.translate(qp.process, carried(sge.hi, low), low | 0);
        memory.read(map.physHi, map.physLo, n, this.#scratch);
        out.set(bytes.u8.subarray(this.#scratch, this.#scratch + n), filled);
        filled += n;
        at += n;
      }
    }
    return out;
  }

  #statusOf(qp: BlueRawQp, sges: readonly Sge[], numSge: number, length: number): number {
    if (length < ETHERNET_HEADER_BYTES || length > MAX_RAW_FRAME) return WC_STATUS.locLenErr;
    return this.#allows(qp, sges, numSge, 0) ? WC_STATUS.success : WC_STATUS.locProtErr;
  }

  #allows(qp: BlueRawQp, sges: readonly Sge[], numSge: number, access: number): boolean {
    const { regions } = this.parts;
    return sges
      .slice(0, numSge)
      .every(({ hi, lo, length, lkey }) => length === 0 || regions.allows(lkey, qp.pd, hi, lo, length, access));
  }
}

function lengthOf(sges: readonly Sge[], numSge: number): number {
  return sges.slice(0, numSge).reduce((sum, { length }) => sum + length, 0);
}

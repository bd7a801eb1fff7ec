/** Ack-responder: sends the driver's acknowledgements as raw frames (blue-rdma.md sections 8.3 and 14). */
import { DESCRIPTOR_WORDS, HEADER, RAW_DESCRIPTOR } from '../../layout/descriptors.ts';
import { RAW_FRAMES_LO, RAW_SEND_LO } from '../../layout/addressMap.ts';
import { RAW_SEND_RING } from '../../layout/registers.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { BlueQp } from '../blueObjects.ts';
import { AckFrame, type AckPath } from '../rings/ackFrame.ts';
import { ToCardRing } from '../rings/toCardRing.ts';
import type { Worker } from '../worker.ts';

/** Bytes of a slot for a frame; it lies in one page. */
const FRAME_SLOT = 128;
/** Frames whose descriptors the NIC has fetched, but not their bytes: no more than this. */
const FETCHED = 64;

/** An acknowledgement that is to be sent. */
interface Ack {
  readonly qp: BlueQp;
  readonly life: number;
  /** First PSN that is missing; -1 for one that asks for nothing. */
  readonly base: number;
  readonly end: number;
}

export class Acknowledger {
  /** Set once after construction. */
  worker!: Worker;
  sent = 0;
  readonly #host: ProviderHost;
  /** Frames of software leave on it as well. */
  readonly ring: ToCardRing;
  /** Replaced for planting. */
  protected readonly frame = new AckFrame();
  readonly #words = new Int32Array(DESCRIPTOR_WORDS);
  readonly #scratch: number;
  #queue: Ack[] = [];

  constructor(host: ProviderHost) {
    this.#host = host;
    this.ring = new ToCardRing(host, RAW_SEND_RING, RAW_SEND_LO);
    this.#scratch = host.bytes.alloc(FRAME_SLOT);
  }

  open(depth: number): void {
    this.#queue = [];
    this.ring.open(depth);
    this.#host.area('inbox', 0, RAW_FRAMES_LO, (depth + FETCHED) * FRAME_SLOT, true);
  }

  close(): void {
    this.#host.area('inbox', 0, RAW_FRAMES_LO, (this.ring.depth + FETCHED) * FRAME_SLOT, false);
    this.ring.close();
  }

  /** All PSNs before `end` have been received. */
  ack(qp: BlueQp, end: number): void {
    this.#add({ qp, life: qp.life, base: -1, end });
  }

  /** Those of [base, end) are to be sent again. */
  nak(qp: BlueQp, base: number, end: number): void {
    this.#add({ qp, life: qp.life, base, end });
  }

  work(): void {
    const { ring } = this;
    while (this.#queue.length > 0 && ring.free > 0) this.#send(this.#queue.shift() as Ack);
    ring.publish();
    if (this.#queue.length > 0) ring.ask(() => this.work());
  }

  #add(ack: Ack): void {
    this.#queue.push(ack);
    this.worker.wake();
  }

  #send({ qp, life, base, end }: Ack): void {
    if (life !== qp.life || !qp.known) return;
    const path = this.#path(qp);
    if (base < 0) this.frame.ack(path, end);
    else this.frame.nak(path, base, end);
    const { bytes } = this.frame;
    const lo = RAW_FRAMES_LO + (this.ring.written % (this.ring.depth + FETCHED)) * FRAME_SLOT;
    this.#host.bytes.u8.set(bytes, this.#scratch);
    this.#host.memory.write(0, lo, bytes.length, this.#scratch);
    const w = this.#words;
    w[RAW_DESCRIPTOR.addressLo] = lo;
    w[RAW_DESCRIPTOR.length] = bytes.length;
    w[HEADER.word] = HEADER.valid;
    this.ring.put(w);
    this.sent++;
  }

  #path(qp: BlueQp): AckPath {
    const own = this.#host.addresses.of(this.#host.host);
    const remote = this.#host.addresses.of(qp.remoteHost);
    return {
      ownMacHigh: own.macHigh,
      ownMacLow: own.macLow,
      ownIp: own.ipv4,
      macHigh: remote.macHigh,
      macLow: remote.macLow,
      ip: remote.ipv4,
      qpn: qp.qpn,
      destQpn: qp.destQpn,
    };
  }
}

/**
 * Send worker: writes descriptor pairs of chunks into the send rings. What is sent again goes first. A queue pair always
 * uses the same channel, so that its packets stay in order.
 */
import { REPORT_RING, SEND_RING, CHANNEL_STRIDE } from '../../../../rdma/blue-rdma/registers.ts';
import { CHANNEL_BYTES, REPORT_RING_LO, SEND_RING_LO } from '../../../../rdma/blue-rdma/addressMap.ts';
import { MAC_HIGH, ipv4, macLow } from '../../../netAddress.ts';
import type { ProviderHost } from '../../provider.ts';
import type { BlueQp } from '../blueObjects.ts';
import { SendDescriptors } from '../rings/sendDescriptors.ts';
import type { ToCardRing } from '../rings/toCardRing.ts';
import type { ToHostRing } from '../rings/toHostRing.ts';
import type { MessagePart } from '../tracking/messageCut.ts';
import type { SendRequest } from '../tracking/sendRequest.ts';
import type { Worker } from '../worker.ts';

interface Chunk {
  readonly qp: BlueQp;
  readonly life: number;
  readonly request: SendRequest;
  readonly part: MessagePart;
  readonly retry: boolean;
}

/** Descriptors of a chunk. */
const PAIR = 2;

class Channel {
  readonly ring: ToCardRing;
  again: Chunk[] = [];
  fresh: Chunk[] = [];
  asking = false;

  constructor(ring: ToCardRing) {
    this.ring = ring;
  }

  take(): Chunk | undefined {
    return this.again.shift() ?? this.fresh.shift();
  }

  get isEmpty(): boolean {
    return this.again.length === 0 && this.fresh.length === 0;
  }
}

export class ChunkSender {
  /** Set once after construction. */
  worker!: Worker;
  /** Pairs written so far, and those of them for packets that were sent before. */
  written = 0;
  writtenAgain = 0;
  readonly #descriptors = new SendDescriptors();
  #channels: readonly Channel[] = [];

  open(host: ProviderHost, channels: number, depth: number, ring: typeof ToCardRing): void {
    this.#channels = Array.from({ length: channels }, (_, i) => {
      const made = new ring(host, CHANNEL_STRIDE * i + SEND_RING, SEND_RING_LO + CHANNEL_BYTES * i);
      made.open(depth);
      return new Channel(made);
    });
  }

  close(): void {
    for (const { ring } of this.#channels) ring.close();
    this.#channels = [];
  }

  /** A part of a request is to be sent. */
  add(qp: BlueQp, request: SendRequest, part: MessagePart, retry: boolean): void {
    const channel = this.#channels[this.channelOf(qp, this.#channels.length)] as Channel;
    request.unwritten++;
    (retry ? channel.again : channel.fresh).push({ qp, life: qp.life, request, part, retry });
    this.worker.wake();
  }

  /** Calls `then` with the descriptors of the queue pair's ring that its NIC has fetched. */
  askFetched(qp: BlueQp, then: (fetched: number) => void): void {
    const { ring } = this.#channels[qp.index & (this.#channels.length - 1)] as Channel;
    ring.ask(() => then(ring.fetched));
  }

  /** Overridable for planting, as what follows. */
  protected channelOf(qp: BlueQp, channels: number): number {
    return qp.index & (channels - 1);
  }

  protected saysRetry(retry: boolean): boolean {
    return retry;
  }

  work(): void {
    for (const channel of this.#channels) this.#fill(channel);
  }

  #fill(channel: Channel): void {
    const { ring } = channel;
    while (!channel.isEmpty && ring.free >= PAIR) this.#write(channel.take() as Chunk, ring);
    ring.publish();
    if (channel.isEmpty || channel.asking) return;
    channel.asking = true;
    ring.ask(() => {
      channel.asking = false;
      this.#fill(channel);
    });
  }

  #write({ qp, life, request, part, retry }: Chunk, ring: ToCardRing): void {
    request.unwritten--;
    if (life !== qp.life || !qp.running) return;
    this.#descriptors.fill(pathOf(qp), request, part, this.saysRetry(retry));
    ring.put(this.#descriptors.first);
    ring.put(this.#descriptors.second);
    request.position = ring.written;
    this.written++;
    if (retry) this.writtenAgain++;
  }
}

/** Report rings of all channels. */
export function reportRings(host: ProviderHost, channels: number, ring: typeof ToHostRing): ToHostRing[] {
  return Array.from(
    { length: channels },
    (_, i) => new ring(host, CHANNEL_STRIDE * i + REPORT_RING, REPORT_RING_LO + CHANNEL_BYTES * i),
  );
}

/** The path of a queue pair, as descriptors say it. */
function pathOf(qp: BlueQp): Parameters<SendDescriptors['fill']>[0] {
  return {
    qpn: qp.qpn,
    destQpn: qp.destQpn,
    type: qp.type,
    macHigh: MAC_HIGH,
    macLow: macLow(qp.remoteHost),
    ip: ipv4(qp.remoteHost) | 0,
    pmtuCode: qp.pathMtu,
    ecn: false,
  };
}

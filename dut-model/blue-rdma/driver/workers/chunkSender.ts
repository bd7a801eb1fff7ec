/**
 * Send worker: writes descriptor pairs of chunks into the send rings. What is sent again goes first. A queue pair always
 * uses the same channel, so that its packets stay in order.
 */
import { REPORT_RING, SEND_RING, CHANNEL_STRIDE } from '../../layout/registers.ts';
import { CHANNEL_BYTES, REPORT_RING_LO, SEND_RING_LO } from '../../layout/addressMap.ts';
import type { PortAddress } from '../../../../agents/wire/pathChecker.ts';
import type { NetAddresses } from '../../../../env/ports/netAddress.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { BlueQp } from '../blueObjects.ts';
import { SendDescriptors } from '../rings/sendDescriptors.ts';
import type { ToCardRing } from '../rings/toCardRing.ts';
import type { ToHostRing } from '../rings/toHostRing.ts';
import { type MessagePart, packetsOf } from '../tracking/messageCut.ts';
import { psnAfter, psnDistance } from '../tracking/psn.ts';
import type { SendRequest } from '../tracking/sendRequest.ts';
import type { Worker } from '../worker.ts';

interface Chunk {
  readonly qp: BlueQp;
  readonly life: number;
  readonly request: SendRequest;
  readonly part: MessagePart;
  readonly retry: boolean;
}

/** Descriptors of a chunk, and of a block that the NIC reads at once. */
const PAIR = 2;
const BLOCK = 16;

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
  #addresses!: NetAddresses;
  #channels: readonly Channel[] = [];
  /** Slots of a ring that are never used. */
  #left = 0;

  /** @param ahead descriptors that a ring holds at most before the NIC fetches them */
  open(host: ProviderHost, channels: number, depth: number, ring: typeof ToCardRing, ahead: number): void {
    this.#addresses = host.addresses;
    this.#left = Math.max(0, depth - ahead);
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

  /** What waits to be sent again of a queue pair from PSN `from` on is not to be. */
  forgetAgain(qp: BlueQp, from: number): void {
    const channel = this.#channels[this.channelOf(qp, this.#channels.length)] as Channel;
    channel.again = channel.again.filter((chunk) => {
      const psn = psnAfter(chunk.request.psn, chunk.part.packet);
      if (chunk.qp !== qp || psnDistance(from, psn) < 0) return true;
      chunk.request.unwritten--;
      return false;
    });
  }

  /** Calls `then` with the descriptors of the queue pair's ring that its NIC has fetched. */
  askFetched(qp: BlueQp, then: (fetched: number) => void): void {
    const { ring } = this.#channels[qp.index & (this.#channels.length - 1)] as Channel;
    ring.ask(() => then(ring.fetched));
  }

  /** Whether a NIC has fetched all of a request, as far as is known, or has no more than a block of its ring to fetch for it. */
  isSoonFetched(qp: BlueQp, request: SendRequest): boolean {
    const { ring } = this.#channels[qp.index & (this.#channels.length - 1)] as Channel;
    return request.unwritten === 0 && request.position - ring.fetched <= BLOCK;
  }

  /** Overridable for planting, as what follows. */
  protected channelOf(qp: BlueQp, channels: number): number {
    return qp.index & (channels - 1);
  }

  protected saysRetry(retry: boolean): boolean {
    return retry;
  }

  /** Whether the peer has acknowledged all of a part while it waited for room in the ring. */
  protected isReceived(qp: BlueQp, request: SendRequest, part: MessagePart): boolean {
    if (request.isRead) return request.dataHere;
    return psnDistance(psnAfter(request.psn, endOf(qp, request, part)), qp.sent.base) >= 0;
  }

  work(): void {
    for (const channel of this.#channels) this.#fill(channel);
  }

  #fill(channel: Channel): void {
    const { ring } = channel;
    while (!channel.isEmpty && ring.free - this.#left >= PAIR) this.#write(channel.take() as Chunk, ring);
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
    if (life !== qp.life || !qp.running || (retry && this.isReceived(qp, request, part))) return;
    this.#descriptors.fill(pathOf(qp, this.#addresses.of(qp.remoteHost)), request, part, this.saysRetry(retry));
    ring.put(this.#descriptors.first);
    ring.put(this.#descriptors.second);
    request.position = ring.written;
    this.written++;
    if (retry) this.writtenAgain++;
    else qp.sent.given = psnAfter(request.psn, part.last ? request.packets : endOf(qp, request, part));
  }
}

/** Packets of a message up to the end of a part. */
function endOf({ mtu }: BlueQp, { remoteLo }: SendRequest, { offset, length, packet }: MessagePart): number {
  return packet + packetsOf(remoteLo + offset, length, mtu);
}

/** Report rings of all channels. */
export function reportRings(host: ProviderHost, channels: number, ring: typeof ToHostRing): ToHostRing[] {
  return Array.from(
    { length: channels },
    (_, i) => new ring(host, CHANNEL_STRIDE * i + REPORT_RING, REPORT_RING_LO + CHANNEL_BYTES * i),
  );
}

/** The path of a queue pair, as descriptors say it. */
function pathOf(qp: BlueQp, remote: PortAddress): Parameters<SendDescriptors['fill']>[0] {
  return {
    qpn: qp.qpn,
    destQpn: qp.destQpn,
    type: qp.type,
    macHigh: remote.macHigh,
    macLow: remote.macLow,
    ip: remote.ipv4 | 0,
    pmtuCode: qp.pathMtu,
    ecn: false,
  };
}

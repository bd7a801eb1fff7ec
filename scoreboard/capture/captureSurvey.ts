/** What is learnt of a capture before it is judged: path MTUs, who answers whom, and where frames were captured. */

import { DIRECTION, type CaptureFrame } from '../../agents/link/capture/captureFrame.ts';
import { DecodedPacket, PACKET } from '../../agents/wire/decodedPacket.ts';
import { isSound } from '../../agents/wire/packetSoundness.ts';
import { OPCODE, PAYLOAD } from '../../agents/wire/wireOpcodes.ts';
import { BTH_CLASS, OPCODE_CNP } from '../../rdma/bth.ts';
import type { CaptureDecoder } from './captureDecoder.ts';
import { type Rates, TransmitterRates } from './causes/transmitters.ts';
import { CapturePoints } from './capturePoints.ts';
import { Connections, type Lane, type Life } from './connections.ts';
import { type Peer, Peers } from './peers.ts';

/** What the survey has learnt. */
export interface Learnt {
  /** By life of a lane: path MTU in bytes; none where no full packet was seen. */
  readonly mtu: ReadonlyMap<number, number>;
  /** By number of the lane in which answers are sent: to what. */
  readonly peers: ReadonlyMap<number, readonly Peer[]>;
  /** Lanes with answers of which it is not known to what. */
  readonly unpaired: number;
  /** Addresses of NICs of which all that arrives, and all that leaves, is in the capture. */
  readonly bothWays: ReadonlySet<string>;
  readonly rates: Rates;
}

export class CaptureSurvey {
  readonly #decoder: CaptureDecoder;
  readonly #connections: Connections;
  readonly #peers: Peers;
  readonly #points = new CapturePoints();
  readonly #rates = new TransmitterRates();
  readonly #packet = new DecodedPacket();
  /** By life: how many packets that must be full have which length. */
  readonly #lengths = new Map<number, Map<number, number>>();

  constructor(decoder: CaptureDecoder) {
    this.#decoder = decoder;
    this.#connections = new Connections(decoder.bytes);
    this.#peers = new Peers(this.#connections);
  }

  /** The next frame of the capture. */
  see(frame: CaptureFrame): void {
    const p = this.#packet;
    this.#rates.see(frame);
    if (frame.injected || !this.#decoder.decode(frame, p) || p.kind === PACKET.other) return;
    if (!this.#connections.address(p) || this.#points.isSeenTwice(frame, p.host)) return;
    if (!isSound(p) || !isConnected(p)) return;
    const lane = this.#connections.lane(p);
    if ((p.flags & OPCODE.request) !== 0) this.#request(p, lane);
    else this.#answer(p, lane, frame.number);
  }

  learnt(): Learnt {
    const settled = this.#peers.settled();
    const mtu = new Map([...this.#lengths].map(([life, lengths]) => [life, mostFrequent(lengths)]));
    return {
      mtu,
      peers: new Map([...settled].map(([lane, peers]) => [lane.index, peers])),
      rates: this.#rates.least,
      bothWays: new Set(this.#points.bothWays().map((address) => this.#connections.addresses[address] as string)),
      unpaired: [...settled.values()].filter(({ length }) => length === 0).length,
    };
  }

  #request(p: DecodedPacket, lane: Lane): void {
    const life = this.#connections.request(p, lane);
    if (life === null) return;
    this.#peers.requestSent(p, lane);
    this.#noteLength(p, life);
  }

  #answer(p: DecodedPacket, lane: Lane, frame: number): void {
    const asked = this.#peers.answerSent(p, lane, frame);
    if (asked !== null) this.#noteLength(p, asked);
  }

  #noteLength({ flags, payloadLength }: DecodedPacket, { index }: Life): void {
    if (((flags >> OPCODE.payloadShift) & 3) !== PAYLOAD.full) return;
    let lengths = this.#lengths.get(index);
    if (lengths === undefined) {
      lengths = new Map();
      this.#lengths.set(index, lengths);
    }
    lengths.set(payloadLength, (lengths.get(payloadLength) ?? 0) + 1);
  }
}

/** A packet of a connected service, which lanes are made of. */
export function isConnected({ opcode, flags }: DecodedPacket): boolean {
  return opcode !== OPCODE_CNP && opcode < BTH_CLASS.ud && (flags & OPCODE.known) !== 0;
}

/** Whether a frame is as its sender sent it. */
export function isAsSent(frame: CaptureFrame, all: boolean): boolean {
  return all || frame.direction === DIRECTION.sent;
}

function mostFrequent(lengths: ReadonlyMap<number, number>): number {
  const [most] = [...lengths].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? 0;
}

/** What one queue pair sends to another, as the wire shows it, and what of it has reached the NIC of the receiver. */
import { WINDOW_BACK, WINDOW_BITS } from '../layout/limits.ts';
import type { BlueFrame, Kind } from './blueFrame.ts';
import { nextPsn, psnSteps } from './psnOrder.ts';
import { SpoiltTries } from './spoiltTries.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';

/** A packet as it was sent first. */
export interface SentPacket {
  readonly kind: Kind;
  readonly opcode: number;
  readonly msn: number;
  readonly vaHi: number;
  readonly vaLo: number;
  readonly rkey: number;
  readonly total: number;
  readonly bytes: number;
  readonly imm: number;
  readonly ackRequest: boolean;
  readonly solicited: boolean;
  /** The last or only packet of its message, which is no READ request. */
  readonly ends: boolean;
  /** It has reached the receiver's NIC, once at least; and so with the flag that it is sent again. */
  arrived: boolean;
  arrivedAgain: boolean;
  /** When it did so first, ps. */
  arrivedAt: SimTime;
  /** The receiver's NIC has reported it to its driver. */
  reported: boolean;
  /** So often the link has kept it from its receiver. */
  hits: number;
}

export class Flow {
  readonly host: number;
  readonly qpn: number;
  readonly destQpn: number;
  /** Path MTU in bytes. */
  readonly mtu: number;
  /** PSN of its first packet. */
  readonly first: number;
  /** Between the same queue pairs there was one before: what comes late of that is not told from what this one sends. */
  isLater: boolean;
  /** Its sender's software has taken regions away: the NIC drops chunks whose local key is void, and their PSNs with them. */
  mayLackChunks = false;
  /** PSN behind the newest packet. */
  next: number;
  /** Packets by PSN. */
  readonly sent = new Map<number, SentPacket>();
  /** The newest packet; null before the first. */
  newest: SentPacket | null = null;
  /** Bytes of its message that are still to be sent. */
  left = 0;
  /** First PSN that has not arrived. */
  arrivedTo: number;
  /** What its sender's driver has heard: PSNs behind all that was received, with the number of what it did next. */
  readonly #told: { readonly stamp: number; readonly psn: number }[] = [];
  /** Packets that its NIC has been given once more and has not sent: how often, by PSN. */
  readonly #asked = new Map<number, number>();
  /** What the link has done to tries since its sender has heard of the last progress. */
  readonly spoilt = new SpoiltTries();
  /** Number of the next report of a loss; and losses of which the receiver's driver has heard. */
  losses = 0;
  lossesTold = 0;
  toldAt = 0;
  /** When a packet last reached its receiver's NIC. */
  arrivedAt = 0;
  /** When the receiver's NIC reported a packet, and no bitmap after that; -1 for never. */
  unshownSince = -1;

  constructor(ends: Pick<Flow, 'host' | 'qpn' | 'destQpn' | 'mtu' | 'first' | 'isLater'>) {
    this.host = ends.host;
    this.qpn = ends.qpn;
    this.destQpn = ends.destQpn;
    this.mtu = ends.mtu;
    this.first = ends.first;
    this.isLater = ends.isLater;
    this.next = ends.first;
    this.arrivedTo = ends.first;
  }

  /** Its sender's driver hears that all before a PSN has been received. @param stamp of what it does next */
  told(psn: number, stamp: number): void {
    if (psnSteps(this.toldTo, psn) <= 0 || psnSteps(psn, this.next) < 0) return;
    this.#told.push({ stamp, psn });
    this.spoilt.clear();
  }

  /** PSN behind all that its sender's driver has heard to be received. */
  get toldTo(): number {
    return this.#told.at(-1)?.psn ?? this.first;
  }

  /** The link keeps a packet, or a copy of one, from its receiver. */
  hit({ psn, retry }: BlueFrame, now: SimTime): void {
    const packet = this.sent.get(psn);
    if (packet === undefined) return;
    packet.hits++;
    if (retry) this.spoilt.copyHit(now);
  }

  /** Tries that the link may have spoilt at most since the last progress that its sender has heard of. */
  get triesSpoilt(): number {
    let most = 0;
    for (let psn = this.toldTo; psn !== this.next; psn = nextPsn(psn))
      most = Math.max(most, this.sent.get(psn)?.hits ?? 0);
    return most + this.spoilt.others;
  }

  /** When the oldest packet came of which its sender's driver has heard nothing, ps; -1 when that has not come. */
  get unansweredSince(): SimTime {
    const oldest = this.sent.get(this.toldTo);
    return oldest?.arrived === true ? oldest.arrivedAt : -1;
  }

  /** PSN behind what the driver knew to be received when it did something; it does nothing older any more. */
  knownAt(stamp: number): number {
    while (this.#told.length > 1 && (this.#told[1]?.stamp ?? stamp) <= stamp) this.#told.shift();
    const [oldest] = this.#told;
    return oldest !== undefined && oldest.stamp <= stamp ? oldest.psn : this.first;
  }

  /** Its NIC has been given packets once more. */
  ask(psn: number, packets: number): void {
    for (let i = 0; i < packets; i++) {
      const at = nextPsn(psn, i);
      this.#asked.set(at, (this.#asked.get(at) ?? 0) + 1);
    }
  }

  /** Its NIC sends a packet once more. @returns whether it was asked to */
  sendsAsked(psn: number): boolean {
    const times = this.#asked.get(psn) ?? 0;
    if (times > 1) this.#asked.set(psn, times - 1);
    else this.#asked.delete(psn);
    return times > 0;
  }

  /** A packet is sent for the first time. */
  add(f: BlueFrame): void {
    const { kind, opcode, msn, vaHi, vaLo, rkey, total, bytes, imm, ackRequest, solicited } = f;
    const ends = f.ends && kind !== 'read';
    const packet = { kind, opcode, msn, vaHi, vaLo, rkey, total, bytes, imm, ackRequest, solicited, ends };
    this.newest = { ...packet, arrived: false, arrivedAgain: false, arrivedAt: 0, reported: false, hits: 0 };
    this.sent.set(f.psn, this.newest);
    this.next = nextPsn(f.psn);
  }

  /** A packet reaches the receiver's NIC. */
  arrives({ psn, retry }: BlueFrame, now: SimTime): void {
    const packet = this.sent.get(psn);
    if (packet === undefined) return;
    if (retry) {
      packet.arrivedAgain = true;
      this.spoilt.copyArrives(now);
    }
    if (!packet.arrived) packet.arrivedAt = now;
    packet.arrived = true;
    while (this.sent.get(this.arrivedTo)?.arrived === true && psnSteps(this.arrivedTo, this.next) > 0)
      this.arrivedTo = nextPsn(this.arrivedTo);
  }

  /** Whether a PSN has reached the NIC of the receiver; what is before the first one counts as received. */
  has(psn: number): boolean {
    if (psnSteps(this.first, psn) < 0) return true;
    return psnSteps(psn, this.arrivedTo) > 0 || this.sent.get(psn)?.arrived === true;
  }

  /** The first PSN that a bitmap says to be received and that is not; -1 for none. @param newest what reports name */
  notArrived(newest: number, isSet: (bit: number) => boolean): number {
    for (let bit = 0; bit < WINDOW_BITS; bit++) {
      const psn = nextPsn(newest, bit - WINDOW_BACK);
      if (isSet(bit) && !this.has(psn)) return psn;
    }
    return -1;
  }
}

/** Whether a packet left a window unseen that moved on from one newest stride to another. */
export function isLoss(before: number, now: number, isSet: (bit: number) => boolean): boolean {
  const moved = psnSteps(before, now);
  if (moved <= 0) return false;
  if (moved > WINDOW_BITS) return true;
  for (let bit = 0; bit < moved; bit++) if (!isSet(bit)) return true;
  return false;
}

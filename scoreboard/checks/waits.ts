/**
 * How long work waits for its turn. No rule of the protocol bounds that, but a NIC that is fair serves every queue pair
 * after a few turns of the others. Counted are the frames that a NIC sends from the posting of a request on a queue pair
 * that has nothing left until its first packet, between two packets of a message of an unreliable connection, and from
 * a READ, alone on its queue pair, until the first packet of its answer. What windows hold back is not judged. Fed by the wire monitor; without it, silent.
 */

import { type QueuePair, NONE } from '../model/work.ts';
import { psnText } from '../../rdma/psnText.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { counted } from '../../uvm/report/counted.ts';
import { qpName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { aHost } from '../../rdma/subjectParts.ts';
import { theQueuePair } from '../report/subjects.ts';

/** With more hosts frames pass a switch, and it is not known how long they wait there. */
const HOSTS_OF_A_CABLE = 2;

/** The longest wait of a host so far. */
interface Longest {
  /** ps. */
  readonly time: number;
  /** Queue pair that waited. */
  readonly q: QueuePair;
  /** Frames that the NIC sent meanwhile. */
  readonly frames: number;
}

/** A READ that is waited for. */
interface Watched {
  readonly q: QueuePair;
  readonly psn: number;
  /** When it can have arrived, ps, and frames sent until then, if its NIC sends them without a gap. */
  readonly from: number;
  readonly frames: number;
}

export class Waits {
  readonly #s: OracleState;
  /** By host: of first packets. */
  readonly #longest: (Longest | undefined)[] = [];
  /** By host that answers: one READ at a time. */
  readonly #watched: (Watched | undefined)[] = [];

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** The longest wait for a first packet on any host, ps; 0 where none has been seen. */
  get longest(): number {
    // Hosts that have sent nothing are holes of the array.
    return this.#longest.reduce((most, wait) => Math.max(most, wait?.time ?? 0), 0);
  }

  /** What waited longest for its first packet on each host. */
  lines(): string[] {
    return this.#longest.flatMap((wait) => {
      if (wait === undefined) return [];
      const { q, time, frames } = wait;
      return [
        `${qpName(q)} waited longest for a first packet: ${formatTime(time)}, ${counted(frames, 'frame')} in between`,
      ];
    });
  }

  /** A request is posted on a queue pair that has nothing left to do. */
  begin(q: QueuePair, host: number): void {
    const { options, clock } = this.#s;
    const { wire } = options;
    q.waitsFrom = wire.sentFrames(host);
    q.sq.beganAt = clock.now;
  }

  /** It has its turn: the first packet is sent. */
  end(q: QueuePair): void {
    const { options, clock } = this.#s;
    const host = q.host;
    const from = q.sq.beganAt;
    const frames = options.wire.sentFrames(host) - q.waitsFrom - 1;
    const time = clock.now - from;
    q.waitsFrom = NONE;
    const known = this.#longest[host];
    if (known === undefined || time > known.time) this.#longest[host] = { time, q, frames };
    const what = (): string => `${formatTime(time)} for the first packet of what it was given`;
    if (frames > this.#plenty(host)) this.#judge(q, host, frames, what);
  }

  /** Frames have passed between two packets of a message that nothing but the NIC holds back. */
  paused(p: WirePacket): void {
    if (p.framesBetween <= this.#plenty(p.host)) return;
    const q = this.#s.qps.senderTo(p.host, p.to, p.destQp);
    if (!q.exists) return;
    this.#judge(q, p.host, p.framesBetween, () => `in the middle of a message, before PSN ${psnText(p.psn)}`);
  }

  /** A READ is sent for the first time. */
  asks(q: QueuePair, p: WirePacket): void {
    const { options } = this.#s;
    const { wire } = options;
    if (options.hosts !== HOSTS_OF_A_CABLE || p.openReads > 0 || this.#isWatched(p.to)) return;
    const from = p.time + wire.shortestTrip;
    const frames = wire.sentFrames(p.to) + wire.mostFrames(from - this.#s.clock.now);
    this.#watched[p.to] = { q, psn: p.psn, from, frames };
  }

  /** A packet of `q` is sent again: which of them is answered is not known. */
  repeats(q: QueuePair, p: WirePacket): void {
    if (this.#watched[p.to]?.q === q) this.#watched[p.to] = undefined;
  }

  /** The answer to a READ of `q` begins. */
  answers(q: QueuePair, p: WirePacket): void {
    const watched = this.#watched[p.host];
    if (watched === undefined || watched.q !== q || watched.psn !== p.psn) return;
    this.#watched[p.host] = undefined;
    const frames = this.#s.options.wire.sentFrames(p.host) - watched.frames;
    if (frames <= this.#plenty(p.host)) return;
    // What comes to them knows no window: it may have filled the NIC in front of the READ.
    if (this.#hasUnreliable(p.host)) return;
    const time = this.#s.clock.now - watched.from;
    this.#judge(q, p.host, frames, () => `${formatTime(time)} for the answer to its READ with PSN ${psnText(p.psn)}`);
  }

  #judge(q: QueuePair, host: number, frames: number, what: () => string): void {
    const s = this.#s;
    const queuePairs = s.qps.inUse(host);
    const turn = this.#plenty(host);
    if (frames <= turn * queuePairs) return;
    const text = (): string => {
      const sent = `the NIC of host ${host} sent ${counted(frames, 'frame')} meanwhile`;
      const plenty = `${turn} for each of its ${counted(queuePairs, 'queue pair')} are plenty`;
      return `${qpName(q)} waited ${what()}: ${sent}, and ${plenty}`;
    };
    s.reporter.error(SCB.starved, text, [theQueuePair(q), aHost(host)]);
  }

  /** Frames for each queue pair of a host that its NIC may send before one of them has its turn. */
  #plenty(host: number): number {
    return this.#s.options.profiles.of(host).framesPerTurn;
  }

  /** Whether a READ is waited for at a host that may still be answered. */
  #isWatched(host: number): boolean {
    const watched = this.#watched[host];
    if (watched === undefined) return false;
    const { q } = watched;
    const peer = this.#s.qps.peerOf(q);
    return peer.exists && this.#isAtWork(q) && this.#isAtWork(peer);
  }

  #isAtWork(q: QueuePair): boolean {
    return q.ready && !q.broken && !q.gone;
  }

  /** Whether UC or UD queue pairs of a host are in use. Slow. */
  #hasUnreliable(host: number): boolean {
    const { qps } = this.#s;
    for (const q of qps.all) {
      if (q.host !== host || q.gone) continue;
      if (q.type === QP_TYPE.uc || q.type === QP_TYPE.ud) return true;
    }
    return false;
  }
}

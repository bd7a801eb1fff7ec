/**
 * State of every queue pair the scoreboard knows, 52 words each in one array: few cache lines are touched per
 * event even with 16384 queue pairs. A queue pair is named by its offset in `words` (`q`); offsets stay valid for the
 * whole run, also after the queue pair is gone.
 */

import { GRH_BYTES, QP_TYPE } from '../../rdma/verbs.ts';
import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { ACK_TIMER_PS } from '../../rdma/timers.ts';
import { lengthened, widened } from '../../uvm/bytes/widened.ts';

/** Null for queue pairs and requests. */
export const NONE = -1;

// Fields of a queue pair, added to its offset.
export const Q_HOST = 0;
export const Q_QPN = 1;
export const Q_PROCESS = 2;
export const Q_TYPE = 3;
export const Q_SEND_CQN = 4;
export const Q_RECV_CQN = 5;
export const Q_REMOTE_HOST = 6;
export const Q_REMOTE_QPN = 7;
/** `QF_*` bits. */
export const Q_FLAGS = 8;
/** Oldest request that is outstanding; the word behind it is the newest one. */
export const Q_SQ_HEAD = 9;
export const Q_RQ_HEAD = 11;
/** Messages that peers sent to this queue pair and that no receive has completed for. */
export const Q_IN_HEAD = 13;
export const Q_IN_TAIL = 14;
/** Requests posted so far. */
export const Q_SQ_POSTED = 15;
export const Q_RQ_POSTED = 16;
/** Slot and identifier of the request that completed last; slot `NO_LAST` before the first. */
export const Q_SQ_LAST = 17;
export const Q_RQ_LAST = 20;
/** New messages seen on the wire, highest PSN seen (-1 before the first). */
export const Q_TX_COUNT = 23;
export const Q_TX_PSN = 24;
/**
 * Offset within `times`: last progress (ps), service clock at that moment, when a receive and a send were posted last
 * (ps), when a send was that found nothing left to do (ps), and when it was found to be in RTR (ps, 0 where that was not told).
 */
export const Q_TIMES = 25;
/** Completions by direction; of sends, without those that failed. */
export const Q_SQ_DONE = 26;
export const Q_RQ_DONE = 27;
/** Connected peer, resolved at the first message. */
export const Q_PEER = 28;
/** Messages in the inbound list. */
export const Q_IN_COUNT = 29;
/** Path MTU in bytes. */
export const Q_MTU = 30;
/** RC: messages that the peer says it has taken, modulo 2^24. */
export const Q_TX_MSN = 31;
/** How often and how long it tries, see `rnrRetry` and `patience`. */
const Q_RETRIES = 32;
/** Protection domain, -1 where it is not known. */
export const Q_PD = 33;
/** Solicited messages that were posted, and that were sent. */
export const Q_SQ_SOLICITED = 34;
export const Q_TX_SOLICITED = 35;
/** Receives, in the order of posting, that must complete because the queue pair must be in the error state; -1 for none. */
export const Q_RQ_MUST = 36;
/** Operations of the peer that are permitted, `ACCESS` bits; -1 where it is not known. */
export const Q_ACCESS = 37;
/** Q_Key, 32 bits; counts once the queue pair is ready. */
export const Q_QKEY = 38;
/** Plain WRITEs whose data have not been found where they belong; those of them that have completed, the last first. */
export const Q_WRITES = 39;
export const Q_LATE = 40;
/** READs and atomics that it may have outstanding, and those of its peer that it answers at once; -1 where not known. */
export const Q_READS = 41;
export const Q_DEST_READS = 42;
/** The fewest of `Q_DEST_READS` that it was ever given. */
export const Q_DEST_READS_LEAST = 46;
/** UC, UD: bytes of the shortest receive that was ever posted here, and of the longest message sent here, unsigned. */
export const Q_RQ_SHORTEST = 43;
export const Q_IN_LONGEST = 44;
/** Plain WRITEs that have completed and whose data have been found where they belong, the last first; their targets are open. */
export const Q_THERE = 45;
/** Frames that its NIC had sent when it was given work, of which no packet has been sent; -1 when there is none. */
export const Q_WAITS_FROM = 47;
/** Request whose message comes next on the wire, -1 = none is posted, `LOST` = not known; the one of which it has begun. */
export const Q_TX_NEXT = 48;
export const Q_TX_NOW = 49;
/** PSN with which that began. */
export const Q_TX_FIRST = 50;
const STRIDE = 52;
// Fields of `Q_RETRIES`: RNR retries in bits 2:0, code of the ACK time-out, tries.
const RNR_FIELD = 7;
const TIMEOUT_SHIFT = 3;
const TIMEOUT_FIELD = 31;
const TRIES_SHIFT = 8;
const MOST_RETRIES = 7;
/** `Q_SQ_LAST` and `Q_RQ_LAST` while nothing has completed: no slot, and not -1, which a driver gives for "not known". */
export const NO_LAST = -2;
const TIMES = 6;

/** The queue pair reached RTR and its attributes are known. */
export const QF_READY = 1;
export const QF_SIGNAL_ALL = 2;
/** A completion with an error took the whole queue pair down: what follows on it is the consequence. */
export const QF_BROKEN = 4;
export const QF_GONE = 8;
/** Reported as stuck and not moved since. */
export const QF_STUCK = 16;
/** A request that it must refuse, or software, takes it to the error state: its own work may be flushed. */
export const QF_STOPS = 32;
/** What it permits is being changed. */
export const QF_CHANGES = 64;
/** A send, a receive, has completed with an error: those behind it are flushed. */
export const QF_SEND_ERROR = 128;
export const QF_RECV_ERROR = 256;
/** Software takes it out of SQE, or did so before everything was flushed: its sends are not judged. */
export const QF_RESUMES = 512;
/** Sends of it have failed at some time, so that a peer may keep receives. */
export const QF_SENDS_LOST = 1024;
/** A WRITE with immediate was posted to it whose remote key does not open the range. */
export const QF_REFUSES_WRITE = 2048;
/** It is in RTR and has received nothing there: software must be told when it does. */
export const QF_LISTENING = 4096;
/** Software has taken it to ERR, and the NIC has said so: it executes nothing any more. */
export const QF_DEAD = 8192;
/** Software is resetting it: its NIC may have dropped what was sent to it. */
export const QF_RESETS = 32768;
/** Sends are not expected to be carried out. */
export const QF_SENDS_FAIL = QF_BROKEN | QF_SEND_ERROR | QF_RESUMES;

export class Qps {
  /** All fields. Replaced when it grows. */
  words = new Int32Array(64 * STRIDE);
  /** Six numbers per queue pair: see `Q_TIMES`. */
  times = new Float64Array(64 * TIMES);
  #count = 0;
  /** Per host: offset + 1 by queue pair number. */
  readonly #byQpn: Int32Array[] = [];
  /** Per host: queue pairs that are in use. */
  readonly #inUse: number[] = [];

  /** Number of queue pairs ever known. */
  get count(): number {
    return this.#count;
  }

  /** Number of queue pairs of a host that are in use. */
  inUse(host: number): number {
    return this.#inUse[host] ?? 0;
  }

  /** Offset of the i-th queue pair. */
  at(i: number): number {
    return i * STRIDE;
  }

  /** Makes room for queue pairs that are to come. */
  reserve(count: number): void {
    if (count * STRIDE > this.words.length) this.#grow(count);
  }

  /** The queue pair with a number, or `NONE`. */
  find(host: number, qpn: number): number {
    const table = this.#byQpn[host];
    if (table === undefined || qpn < 0 || qpn >= table.length) return NONE;
    return (table[qpn] as number) - 1;
  }

  /** The queue pair that has a number, or had it last; `NONE` for a number never used. Slow when it is gone. */
  latest(host: number, qpn: number): number {
    const found = this.find(host, qpn);
    if (found >= 0 || host < 0) return found;
    let i = this.#count - 1;
    while (i >= 0 && (this.words[this.at(i) + Q_HOST] !== host || this.words[this.at(i) + Q_QPN] !== qpn)) i--;
    return i < 0 ? NONE : this.at(i);
  }

  /** The newest queue pair of a host that is connected to one of another host, whatever has become of that; or `NONE`. Slow. */
  connectedTo(host: number, remoteHost: number, remoteQpn: number): number {
    const w = this.words;
    for (let q = this.at(this.#count - 1); q >= 0; q -= STRIDE) {
      if (w[q + Q_HOST] !== host || w[q + Q_REMOTE_HOST] !== remoteHost || w[q + Q_REMOTE_QPN] !== remoteQpn) continue;
      if (((w[q + Q_FLAGS] as number) & (QF_READY | QF_GONE)) === QF_READY) return q;
    }
    return NONE;
  }

  /** The queue pair that a connected one names as its peer; `NONE` where there is none now. */
  peerOf(q: number): number {
    return this.find(this.words[q + Q_REMOTE_HOST] as number, this.words[q + Q_REMOTE_QPN] as number);
  }

  /** As `peerOf`, of a queue pair that may be `NONE`, as far as the peer is on `host`: who sent what came to it from there. */
  peerOn(host: number, q: number): number {
    return q >= 0 && this.words[q + Q_REMOTE_HOST] === host ? this.peerOf(q) : NONE;
  }

  /** The queue pair of a host that is connected with one of another host, as that is with it; or `NONE`. */
  pairedWith(host: number, remoteHost: number, remoteQpn: number): number {
    const w = this.words;
    const q = this.peerOn(host, this.find(remoteHost, remoteQpn));
    return q >= 0 && w[q + Q_REMOTE_QPN] === remoteQpn && w[q + Q_REMOTE_HOST] === remoteHost ? q : NONE;
  }

  /**
   * The queue pair of a host that sends to a connected one of another host, which packets do not name: the peer of that
   * one, unless it has been reset or has another one now; then as `connectedTo`.
   */
  senderTo(host: number, remoteHost: number, remoteQpn: number): number {
    const q = this.pairedWith(host, remoteHost, remoteQpn);
    return q >= 0 ? q : this.connectedTo(host, remoteHost, remoteQpn);
  }

  /** Receives that are posted and have no completion. */
  receives(q: number): number {
    return (this.words[q + Q_RQ_POSTED] as number) - (this.words[q + Q_RQ_DONE] as number);
  }

  /** The queue pair with a number; an unknown one is made and counts as not ready. */
  ensure(host: number, qpn: number): number {
    const q = this.find(host, qpn);
    return q >= 0 ? q : this.#create(host, qpn);
  }

  /** Takes over what a queue pair is made with, which is in INIT: it may hold receives, and flush them. */
  made(info: QpInfo): number {
    const q = this.ensure(info.host, info.qpn);
    const w = this.words;
    w[q + Q_PROCESS] = info.process;
    w[q + Q_TYPE] = info.type;
    w[q + Q_SEND_CQN] = info.sendCqn;
    w[q + Q_RECV_CQN] = info.recvCqn;
    return q;
  }

  /** Takes over the attributes of a queue pair that reached RTR or RTS. */
  ready(info: QpInfo): number {
    const q = this.made(info);
    const w = this.words;
    w[q + Q_REMOTE_HOST] = info.remoteHost;
    w[q + Q_REMOTE_QPN] = info.remoteQpn;
    w[q + Q_MTU] = info.mtu;
    this.retries(q, info);
    w[q + Q_PD] = info.pd ?? NONE;
    w[q + Q_ACCESS] = info.access ?? NONE;
    w[q + Q_QKEY] = info.qkey;
    this.limits(q, info);
    w[q + Q_PEER] = NONE;
    const flags = w[q + Q_FLAGS] as number;
    const kept = (flags & QF_READY) !== 0 ? flags : flags & (QF_BROKEN | QF_RECV_ERROR | QF_STOPS);
    w[q + Q_FLAGS] = (kept & ~QF_LISTENING) | QF_READY | (info.signalAll ? QF_SIGNAL_ALL : 0);
    return q;
  }

  /** A queue pair whose attributes are known is in RTR, at `now` (ps) at the latest. */
  listens(q: number, now: number): void {
    this.times[(this.words[q + Q_TIMES] as number) + 5] = now;
    this.words[q + Q_FLAGS] = (this.words[q + Q_FLAGS] as number) | QF_LISTENING;
  }

  /** It may be in RTS. */
  listensNoMore(q: number): void {
    this.words[q + Q_FLAGS] = (this.words[q + Q_FLAGS] as number) & ~QF_LISTENING;
  }

  /** When a queue pair took requests at the latest, ps; 0 where that is not known. */
  listensSince(q: number): number {
    return this.times[(this.words[q + Q_TIMES] as number) + 5] as number;
  }

  /** Takes over how many READs a queue pair sends and answers at once. */
  limits(q: number, info: QpInfo): void {
    this.words[q + Q_READS] = info.maxRdAtomic ?? NONE;
    const answered = info.maxDestRdAtomic ?? NONE;
    const least = this.words[q + Q_DEST_READS_LEAST] as number;
    this.words[q + Q_DEST_READS] = answered;
    this.words[q + Q_DEST_READS_LEAST] = least === NONE ? answered : Math.min(least, answered);
  }

  /** Takes over how often and how long a queue pair tries. */
  retries(q: number, info: QpInfo): void {
    const tries = 1 + (info.retryCnt ?? MOST_RETRIES);
    this.words[q + Q_RETRIES] = info.rnrRetry | (info.ackTimeout << TIMEOUT_SHIFT) | (tries << TRIES_SHIFT);
  }

  /** Bytes in front of the data of what a queue pair receives. */
  headBytes(q: number): number {
    return this.words[q + Q_TYPE] === QP_TYPE.ud ? GRH_BYTES : 0;
  }

  /** How often a message that finds no receive is sent again, 7 = for ever. */
  rnrRetry(q: number): number {
    return (this.words[q + Q_RETRIES] as number) & RNR_FIELD;
  }

  /** How long (ps) it waits for an answer, all tries together, at its time-out; 0 where it waits for ever, or is not connected. */
  patience(q: number): number {
    const retries = this.words[q + Q_RETRIES] as number;
    const code = (retries >> TIMEOUT_SHIFT) & TIMEOUT_FIELD;
    return retries === NONE || code === 0 ? 0 : (ACK_TIMER_PS[code] as number) * (retries >> TRIES_SHIFT);
  }

  /** The NIC has taken a queue pair to the error state, as software asked. */
  dead(q: number): void {
    this.words[q + Q_FLAGS] = (this.words[q + Q_FLAGS] as number) | QF_DEAD;
  }

  /** Software begins to reset a queue pair. */
  resets(q: number): void {
    this.words[q + Q_FLAGS] = (this.words[q + Q_FLAGS] as number) | QF_RESETS;
  }

  /** A queue pair goes to the error state for a reason that is known: its work may be flushed. */
  mayFlush(q: number): void {
    this.words[q + Q_WAITS_FROM] = NONE;
    this.words[q + Q_FLAGS] = (this.words[q + Q_FLAGS] as number) | QF_STOPS;
  }

  /** Frees the number for another queue pair. */
  gone(q: number): void {
    const w = this.words;
    const host = w[q + Q_HOST] as number;
    if (((w[q + Q_FLAGS] as number) & QF_GONE) === 0) this.#inUse[host] = this.inUse(host) - 1;
    w[q + Q_FLAGS] = (w[q + Q_FLAGS] as number) | QF_GONE;
    const table = this.#byQpn[host];
    if (table) table[w[q + Q_QPN] as number] = 0;
  }

  #create(host: number, qpn: number): number {
    const q = this.#count++ * STRIDE;
    if (q + STRIDE > this.words.length) this.#grow(this.#count);
    const w = this.words;
    w.fill(NONE, q, q + STRIDE);
    w.fill(0, q + Q_SQ_POSTED, q + Q_RQ_POSTED + 1);
    w[q + Q_HOST] = host;
    w[q + Q_QPN] = qpn;
    w[q + Q_PROCESS] = 0;
    w[q + Q_FLAGS] = 0;
    w[q + Q_SQ_LAST] = NO_LAST;
    w[q + Q_RQ_LAST] = NO_LAST;
    w[q + Q_TX_COUNT] = 0;
    w[q + Q_TX_MSN] = 0;
    w[q + Q_SQ_SOLICITED] = 0;
    w[q + Q_TX_SOLICITED] = 0;
    w[q + Q_SQ_DONE] = 0;
    w[q + Q_RQ_DONE] = 0;
    w[q + Q_IN_COUNT] = 0;
    w[q + Q_IN_LONGEST] = 0;
    w[q + Q_WRITES] = 0;
    w[q + Q_TIMES] = (q / STRIDE) * TIMES;
    this.#table(host, qpn)[qpn] = q + 1;
    this.#inUse[host] = this.inUse(host) + 1;
    return q;
  }

  #table(host: number, qpn: number): Int32Array {
    let table = this.#byQpn[host] ?? new Int32Array(1024);
    if (qpn >= table.length) {
      const wider = new Int32Array(1 << (32 - Math.clz32(qpn)));
      wider.set(table);
      table = wider;
    }
    this.#byQpn[host] = table;
    return table;
  }

  #grow(count: number): void {
    this.words = widened(this.words, count * STRIDE);
    this.times = lengthened(this.times, (this.words.length / STRIDE) * TIMES);
  }
}

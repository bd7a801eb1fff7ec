/** Every queue pair that the judge has ever known; those that exist are found by host and number. */

import type { SrqInfo } from '../../agents/verbs/srqItems.ts';
import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { QP_STATE, type QpState } from '../../rdma/verbs.ts';
import { NO_QP, NONE, QueuePair, ReceiveQueue } from './work.ts';

export class QueuePairs {
  readonly #all: QueuePair[] = [];
  /** Per host, by number. */
  readonly #byQpn: (QueuePair | undefined)[][] = [];
  /** Shared receive queues, per host, by number. */
  readonly #shared: (ReceiveQueue | undefined)[][] = [];
  /** Per host: queue pairs that are in use. */
  readonly #inUse: number[] = [];

  /** Every one, oldest first. */
  get all(): readonly QueuePair[] {
    return this.#all;
  }

  /** Number of queue pairs of a host that are in use. */
  inUse(host: number): number {
    return this.#inUse[host] ?? 0;
  }

  /** The queue pair with a number, or `NO_QP`. */
  find(host: number, qpn: number): QueuePair {
    const table = this.#byQpn[host];
    if (table === undefined || qpn < 0 || qpn >= table.length) return NO_QP;
    return table[qpn] ?? NO_QP;
  }

  /** The queue pair that has a number, or had it last; `NO_QP` for a number never used. Slow when it is gone. */
  latest(host: number, qpn: number): QueuePair {
    const found = this.find(host, qpn);
    if (found.exists || host < 0) return found;
    return this.#all.findLast((q) => q.host === host && q.qpn === qpn) ?? NO_QP;
  }

  /** The newest queue pair of a host that is connected to one of another host, whatever has become of that; or `NO_QP`. Slow. */
  connectedTo(host: number, remoteHost: number, remoteQpn: number): QueuePair {
    const connected = (q: QueuePair): boolean =>
      q.host === host && q.remoteHost === remoteHost && q.remoteQpn === remoteQpn && q.ready && !q.gone;
    return this.#all.findLast(connected) ?? NO_QP;
  }

  /** The queue pair that a connected one names as its peer; `NO_QP` where there is none now. */
  peerOf(q: QueuePair): QueuePair {
    return this.find(q.remoteHost, q.remoteQpn);
  }

  /** As `peerOf`, of a queue pair that may be `NO_QP`, as far as the peer is on `host`: who sent what came to it from there. */
  peerOn(host: number, q: QueuePair): QueuePair {
    return q.exists && q.remoteHost === host ? this.peerOf(q) : NO_QP;
  }

  /** The queue pair of a host that is connected with one of another host, as that is with it; or `NO_QP`. */
  pairedWith(host: number, remoteHost: number, remoteQpn: number): QueuePair {
    const q = this.peerOn(host, this.find(remoteHost, remoteQpn));
    return q.exists && q.remoteQpn === remoteQpn && q.remoteHost === remoteHost ? q : NO_QP;
  }

  /**
   * The queue pair of a host that sends to a connected one of another host, which packets do not name: the peer of that
   * one, unless it has been reset or has another one now; then as `connectedTo`.
   */
  senderTo(host: number, remoteHost: number, remoteQpn: number): QueuePair {
    const q = this.pairedWith(host, remoteHost, remoteQpn);
    return q.exists ? q : this.connectedTo(host, remoteHost, remoteQpn);
  }

  /** The queue pair with a number; an unknown one is made and counts as not ready. */
  ensure(host: number, qpn: number): QueuePair {
    const q = this.find(host, qpn);
    return q.exists ? q : this.#create(host, qpn);
  }

  /** The shared receive queue with a number; an unknown one is made. */
  sharedReceives(host: number, srqn: number): ReceiveQueue {
    const table = this.#shared[host] ?? [];
    this.#shared[host] = table;
    const known = table[srqn];
    if (known !== undefined) return known;
    const made = new ReceiveQueue(srqn);
    made.owner.host = host;
    table[srqn] = made;
    return made;
  }

  /** A shared receive queue is made: one that had its number before is another one. */
  sharedMade({ host, srqn, process, pd }: SrqInfo): void {
    this.sharedGone(host, srqn);
    Object.assign(this.sharedReceives(host, srqn).owner, { process, pd });
  }

  sharedGone(host: number, srqn: number): void {
    const table = this.#shared[host];
    if (table !== undefined) table[srqn] = undefined;
  }

  /** Takes over what a queue pair is made with, which is in INIT: it may hold receives, and flush them. */
  made(info: QpInfo): QueuePair {
    const q = this.ensure(info.host, info.qpn);
    q.process = info.process;
    q.type = info.type;
    q.sendCqn = info.sendCqn;
    q.recvCqn = info.recvCqn;
    if (info.srqn !== undefined && !q.rq.isShared) this.#shares(q, info.srqn);
    q.rq.owner.process = info.process;
    // A shared queue may be of another domain.
    if (info.pd !== undefined && !q.rq.isShared) q.rq.owner.pd = info.pd;
    return q;
  }

  /** Takes over the attributes of a queue pair that has reached RTR or RTS, at `time` (ps). */
  ready(info: QpInfo, state: QpState, time: number): QueuePair {
    const q = this.made(info);
    q.remoteHost = info.remoteHost;
    q.remoteQpn = info.remoteQpn;
    q.mtu = info.mtu;
    q.pd = info.pd ?? NONE;
    q.qkey.set(info.qkey | 0);
    q.peer = NO_QP;
    if (q.ready) {
      q.attributes.end(info, time);
      if (q.state.now === QP_STATE.rtr && state === QP_STATE.rts) q.attributes.setRequester(info);
    } else {
      q.attributes.set(info);
      startsAnew(q);
    }
    // Of one that nobody has told of it is not known since when it takes requests.
    if (q.state.now === NONE && state === QP_STATE.rts) q.state.set(state);
    else q.state.end(time, state);
    q.ready = true;
    if (info.signalAll) q.signalAll = true;
    return q;
  }

  /** Frees the number for another queue pair, at `time` (ps). */
  gone(q: QueuePair, time: number): void {
    const { host, qpn } = q;
    if (!q.gone) this.#inUse[host] = this.inUse(host) - 1;
    q.state.end(time, QP_STATE.reset);
    const table = this.#byQpn[host];
    if (table) table[qpn] = undefined;
    q.rq.leave(q);
  }

  #shares(q: QueuePair, srqn: number): void {
    q.rq = this.sharedReceives(q.host, srqn);
    q.rq.shareWith(q);
  }

  #create(host: number, qpn: number): QueuePair {
    const q = new QueuePair(this.#all.length, host, qpn);
    q.peer = NO_QP;
    this.#all.push(q);
    const table = this.#byQpn[host] ?? [];
    this.#byQpn[host] = table;
    table[qpn] = q;
    this.#inUse[host] = this.inUse(host) + 1;
    return q;
  }
}

/** What it was before it became ready counts no more, but for what makes it flush. */
function startsAnew(q: QueuePair): void {
  q.signalAll = false;
  q.stuck = false;
  q.sq.stopped.set(false);
  q.sendsLost = false;
  q.refusesWrite = false;
}

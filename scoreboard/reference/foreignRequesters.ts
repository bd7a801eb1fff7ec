import { widened } from '../../uvm/bytes/widened.ts';
import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { FlowTable } from './flowTable.ts';

/**
 * Queue pairs that send to one which is connected with a queue pair of another host: its NIC must drop their requests
 * (roce-transport.md 4.1 no. 8), and they are no part of the flow that its peer sends in. Each has a flow of its own.
 */
export class ForeignRequesters {
  readonly #flows: FlowTable;
  /** By flow of requests to a queue pair: `FlowTable.connected` of the peer that it has named, plus 1; 0 = none. */
  #peers = new Int32Array(64);
  /** Flows by `FlowTable.foreign`. */
  readonly #known = new Map<number, number>();

  constructor(flows: FlowTable) {
    this.#flows = flows;
  }

  /** Whether there are any. */
  get any(): boolean {
    return this.#known.size > 0;
  }

  /** A queue pair names its peer. @param own flow of requests to it @returns flow in which it sends */
  connects(info: QpInfo, own: number): number {
    const { host, qpn, remoteHost, remoteQpn } = info;
    if (own >= this.#peers.length) this.#peers = widened(this.#peers, own + 1);
    this.#peers[own] = FlowTable.connected(remoteHost, remoteQpn) + 1;
    this.#known.delete(FlowTable.foreign(remoteHost, host, qpn));
    const toPeer = this.#flows.open(FlowTable.connected(remoteHost, remoteQpn));
    const expected = (this.#peers[toPeer] ?? 0) - 1;
    // What a queue pair of the peer's own host sends looks as if the peer had sent it.
    if (expected < 0 || FlowTable.hostOf(expected) === host) return toPeer;
    const key = FlowTable.foreign(host, remoteHost, remoteQpn);
    const flow = this.#flows.open(key);
    this.#known.set(key, flow);
    return flow;
  }

  /** A queue pair is reset or destroyed: it has no peer any more. @param own flow of requests to it */
  leaves(own: number): void {
    if (own >= 0 && own < this.#peers.length) this.#peers[own] = 0;
  }

  /** Flow of requests from a host to a queue pair: of a foreign requester, or of its peer; -1 when there is none. */
  requestsFrom(from: number, to: number, qpn: number): number {
    const foreign = this.#known.size > 0 ? this.flowOf(from, to, qpn) : -1;
    return foreign >= 0 ? foreign : this.#flows.find(FlowTable.connected(to, qpn));
  }

  /** Flow of requests from a host to a queue pair with which it is not connected, or -1. */
  flowOf(from: number, to: number, qpn: number): number {
    return this.#known.get(FlowTable.foreign(from, to, qpn)) ?? -1;
  }
}

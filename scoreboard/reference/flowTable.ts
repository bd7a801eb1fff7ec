import { widened } from '../../uvm/bytes/widened.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';
import { Connection } from './connection.ts';

/** Words of a flow's state; a flow has `FLOW_WORDS` of them from index `flow * FLOW_WORDS` of `FlowTable.state`. */
export const FLOW = {
  /** `FLOW_BIT`. */
  bits: 0,
  /** PSN that follows the packet sent last, and the one that follows the newest packet ever sent. */
  next: 1,
  top: 2,
  /** First PSN of the connection. */
  first: 3,
  /** Flow in the other direction, -1 if not known. */
  peer: 4,
  /** Path MTU in bytes, 0 if not known. */
  mtu: 5,
  /** `MESSAGE` kind of the message under way, 0 between messages, `ANY_MESSAGE` after going back. */
  message: 6,
  /** Bytes that the WRITE under way has still to carry (unsigned), -1 if not known. */
  left: 7,
  /** Messages sent completely, 24 bits, and the message number of the latest response. */
  messages: 8,
  msn: 9,
  /** PSN that follows the newest one acknowledged. */
  acknowledged: 10,
} as const;

/** Words per flow: one cache line. */
const FLOW_BITS = 4;
export const FLOW_WORDS = 1 << FLOW_BITS;

/** Index in `FlowTable.state` of a flow; the number of a field may be added to it. */
export function stateOf(flow: number): number {
  return (flow * FLOW_WORDS) & INDEX_BITS;
}

/** What is known of a flow. The service of the destination QP (`QP_TYPE`) sits in bits 6:4, 0 if not known. */
export const FLOW_BIT = {
  /** A packet was seen, or the connection was announced: `next`, `top` and `first` count. */
  psnKnown: 1,
  /** `next` is a guess: the READ before it had an unknown number of packets. */
  nextUnknown: 2,
  /** The connection was announced, so everything has been seen from its first packet. */
  announced: 4,
  serviceShift: 4,
  serviceMask: 7,
  /** The send queue of who sends in the flow is drained, as the NIC said, and software has not set it going again. */
  drained: 0x80,
  /** Who sends in the flow has been stopped, reset or destroyed. */
  stopped: 0x2000_0000,
  /** Who sends in the flow has refused a request with a NAK that took it to the error state. */
  refusedForGood: 0x4000_0000,
} as const;

/** Service of the destination QP (`QP_TYPE`), 0 if not known, from a flow's `bits`. */
export function serviceOf(bits: number): number {
  return (bits >> FLOW_BIT.serviceShift) & FLOW_BIT.serviceMask;
}

/** Message state after going back to an earlier packet: what follows decides. */
export const ANY_MESSAGE = 7;

const EMPTY = -1;
/**
 * State of all request flows, by destination host and QP (datagrams: by source host and QP), in typed arrays. A flow
 * number, once given, stays; a new connection with the same numbers starts the flow anew.
 */
export class FlowTable {
  readonly #mostReads: number | undefined;

  /** @param mostReads READs and atomics of a connection beyond which answered ones are dropped; default: that of `ReadRequests` */
  constructor(mostReads?: number) {
    this.#mostReads = mostReads;
  }

  /** All flows' words. Replaced when the table grows. */
  state = new Int32Array(64 * FLOW_WORDS);
  /** Flows in use. */
  count = 0;

  #mask = 255;
  #keys = new Int32Array(256).fill(EMPTY);
  #flows = new Int32Array(256);
  /** By flow. */
  #keyOf = new Int32Array(64);
  /** By flow; undefined as long as nothing has happened on the connection: most flows of a run with many queue pairs are idle. */
  readonly #connections: (Connection | undefined)[] = [];

  /**
   * Key of the flow of requests to a QP.
   * @param host 0 .. 63
   * @param qpn 24 bits
   */
  static connected(host: number, qpn: number): number {
    return (host << 24) | qpn;
  }

  /** Key of the flow of datagrams from a QP. */
  static datagram(host: number, qpn: number): number {
    return ((host | 0x40) << 24) | qpn;
  }

  /**
   * Key of the flow of requests from a host to a QP that is not connected with one of that host; negative.
   * @param from 0 .. 7, as `to`
   */
  static foreign(from: number, to: number, qpn: number): number {
    return (1 << 31) | (from << 27) | (to << 24) | qpn;
  }

  /** Host of a key, -1 of none and of foreign requesters. */
  static hostOf(key: number): number {
    return key < 0 ? EMPTY : (key >> 24) & 0x3f;
  }

  /** Number of the queue pair of a key. */
  static qpnOf(key: number): number {
    return key & 0xff_ffff;
  }

  /** Key of a flow, -1 when there is no such flow. */
  keyOf(flow: number): number {
    return flow >= 0 && flow < this.count ? (this.#keyOf[flow] as number) : EMPTY;
  }

  /** Flow of a key, or -1. */
  find(key: number): number {
    let i = mix(key) & this.#mask;
    for (;;) {
      const k = this.#keys[i] as number;
      if (k === key) return this.#flows[i] as number;
      if (k === EMPTY) return -1;
      i = (i + 1) & this.#mask;
    }
  }

  /** Flow of a key; a new one knows nothing. */
  open(key: number): number {
    const known = this.find(key);
    if (known >= 0) return known;
    if (this.count * 2 > this.#mask) this.#rehash();
    const flow = this.count++;
    if (this.count * FLOW_WORDS > this.state.length) {
      this.state = widened(this.state, this.count * FLOW_WORDS);
    }
    if (flow >= this.#keyOf.length) this.#keyOf = widened(this.#keyOf, this.count);
    this.#keyOf[flow] = key;
    this.#insert(key, flow);
    this.restart(flow);
    return flow;
  }

  /** The connection that a flow carries now. @param at index of the flow in `state` */
  connection(at: number): Connection {
    const flow = at >> FLOW_BITS;
    const known = this.#connections[flow];
    if (known !== undefined) return known;
    const made = new Connection(this.#mostReads);
    this.#connections[flow] = made;
    return made;
  }

  /** Another connection begins in a flow: what was known of the one before is forgotten. */
  restart(flow: number): void {
    const s = this.state;
    const at = flow * FLOW_WORDS;
    s.fill(0, at, at + FLOW_WORDS);
    s[at + FLOW.peer] = -1;
    this.#connections[flow] = undefined;
  }

  #insert(key: number, flow: number): void {
    let i = mix(key) & this.#mask;
    while (this.#keys[i] !== EMPTY) i = (i + 1) & this.#mask;
    this.#keys[i] = key;
    this.#flows[i] = flow;
  }

  #rehash(): void {
    const keys = this.#keys;
    const flows = this.#flows;
    this.#mask = this.#mask * 2 + 1;
    this.#keys = new Int32Array(this.#mask + 1).fill(EMPTY);
    this.#flows = new Int32Array(this.#mask + 1);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== EMPTY) this.#insert(keys[i] as number, flows[i] as number);
    }
  }
}

function mix(key: number): number {
  const x = Math.imul(key ^ (key >>> 15), 0x2c1b3c6d);
  return x ^ (x >>> 13);
}

import { BTH_OP, SYNDROME } from '../../rdma/bth.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import type { Connection } from './connection.ts';
import { FLOW, FLOW_BIT, FLOW_WORDS, FlowTable, serviceOf } from './flowTable.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import { RULE } from '../../agents/wire/transportRules.ts';

/** Any of the reasons for which a queue pair must not send everything. */
export const MAY_NOT_SEND = FLOW_BIT.stopped | FLOW_BIT.refusedForGood | FLOW_BIT.drained;

/** The flow that a stopped queue pair sends in, and which of its connections that was. */
interface StoppedFlow {
  readonly flow: number;
  readonly connection: Connection;
}

/**
 * Queue pairs that may not send, or not everything: those that software has stopped, drained ones, and responders whose NAK has taken
 * them to the error state (roce-transport.md 4.2, 5.3, 6.4). What a queue pair sends belongs to the flow to its peer.
 */
export class StoppedQueuePairs {
  readonly #flows: FlowTable;
  readonly #report: RuleReporter;
  /** By key of the queue pair, so that one that begins anew finds its flow, unless that belongs to another one by now. */
  readonly #stopped = new Map<number, StoppedFlow>();

  constructor(flows: FlowTable, report: RuleReporter) {
    this.#flows = flows;
    this.#report = report;
  }

  /** A queue pair was stopped, reset or destroyed: nothing comes from it any more. To be called before it is forgotten. */
  begin(host: number, qpn: number): void {
    const key = FlowTable.connected(host, qpn);
    const flow = this.#flowFrom(key);
    if (flow >= 0) this.#mark(key, flow, FLOW_BIT.stopped);
  }

  /** Whether everything that a queue pair has sent on a reliable connection was answered, as far as is known. */
  isAnswered(host: number, qpn: number): boolean {
    const flow = this.#flowFrom(FlowTable.connected(host, qpn));
    if (flow < 0) return true;
    const s = this.#flows.state;
    const at = flow * FLOW_WORDS;
    const bits = s[at] as number;
    const reliable = serviceOf(bits) === QP_TYPE.rc;
    return !reliable || (bits & FLOW_BIT.announced) === 0 || s[at + FLOW.acknowledged] === s[at + FLOW.top];
  }

  /** The NIC says that the send queue of a queue pair is drained: no request comes from it any more. */
  drained(host: number, qpn: number): void {
    const key = FlowTable.connected(host, qpn);
    const flow = this.#flowFrom(key);
    if (flow >= 0) this.#mark(key, flow, FLOW_BIT.drained);
    const datagrams = FlowTable.datagram(host, qpn);
    const from = this.#flows.find(datagrams);
    if (from >= 0) this.#mark(datagrams, from, FLOW_BIT.drained);
  }

  /** As `begin`, for a queue pair of datagrams; to be called after it is forgotten. */
  beginDatagrams(host: number, qpn: number): void {
    const key = FlowTable.datagram(host, qpn);
    const flow = this.#flows.find(key);
    if (flow >= 0) this.#mark(key, flow, FLOW_BIT.stopped);
  }

  /** A queue pair begins anew. */
  end(host: number, qpn: number): void {
    for (const key of [FlowTable.connected(host, qpn), FlowTable.datagram(host, qpn)]) {
      const stopped = this.#stopped.get(key);
      if (stopped === undefined) continue;
      const at = stopped.flow * FLOW_WORDS;
      if (this.#isPresent(stopped)) this.#flows.state[at] = (this.#flows.state[at] as number) & ~MAY_NOT_SEND;
      this.#stopped.delete(key);
    }
  }

  /** Key of the queue pair that no longer sends in a flow, -1 for none. Looks at all of them: for messages. */
  keyOf(flow: number): number {
    for (const [key, stopped] of this.#stopped) if (stopped.flow === flow && this.#isPresent(stopped)) return key;
    return -1;
  }

  /** A NAK that takes its queue pair to the error state: it is the last of its answers. */
  refused(p: DecodedPacket, at: number): void {
    if (p.opcode !== BTH_OP.acknowledge || p.syndrome < SYNDROME.nakInvalid || p.syndrome > SYNDROME.nakOperation)
      return;
    this.#flows.state[at] = (this.#flows.state[at] as number) | FLOW_BIT.refusedForGood;
  }

  /** A packet of a flow with one of the bits `MAY_NOT_SEND`. */
  check(p: DecodedPacket, bits: number): void {
    if ((bits & FLOW_BIT.stopped) !== 0) {
      this.#report.broken(RULE.sentStopped, p, 'comes from a queue pair that software has stopped, reset or destroyed');
    } else if ((p.flags & OPCODE.request) !== 0) {
      if ((bits & FLOW_BIT.drained) !== 0)
        this.#report.broken(RULE.sentDrained, p, 'is a request of a drained queue pair');
    } else if ((bits & FLOW_BIT.refusedForGood) !== 0) {
      this.#report.broken(RULE.sentAfterNak, p, 'follows a NAK with which its queue pair went to the error state');
    }
  }

  #mark(key: number, flow: number, bit: number): void {
    const at = flow * FLOW_WORDS;
    const bits = this.#flows.state[at] as number;
    this.#flows.state[at] = bits | bit;
    this.#stopped.set(key, { flow, connection: this.#flows.connection(at) });
  }

  /** Whether the flow has seen no other connection since. */
  #isPresent({ flow, connection }: StoppedFlow): boolean {
    return this.#flows.connection(flow * FLOW_WORDS) === connection;
  }

  /** The flow in which a connected queue pair sends, or -1. */
  #flowFrom(key: number): number {
    const own = this.#flows.find(key);
    if (own < 0) return own;
    const flow = this.#flows.state[own * FLOW_WORDS + FLOW.peer] as number;
    return flow >= 0 && this.#flows.state[flow * FLOW_WORDS + FLOW.peer] === own ? flow : -1;
  }
}

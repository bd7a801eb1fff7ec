import type { FlowKnowledge } from './flowKnowledge.ts';
import type { AckTimer } from './ackTimer.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import type { PacketAge } from '../../agents/wire/pathChecker.ts';
import { FLOW, type FlowTable, stateOf } from './flowTable.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';

const NOT_KNOWN = -1;

/** How old packets may be when they are seen, so that it is known which attributes of its queue pair a NIC may have made them by. */
export class PacketAges implements PacketAge {
  readonly #flows: FlowTable;
  readonly #timer: AckTimer;

  constructor(known: FlowKnowledge) {
    this.#flows = known.flows;
    this.#timer = known.timer;
  }

  /**
   * A request belongs to the time at which it leaves: its attributes change only while its send queue is drained. An
   * answer may have waited for others since its request came, which is taken to be long ago where nothing says when.
   * @param flow of the requests to the queue pair that the packet goes to
   */
  earliest(p: DecodedPacket, flow: number): number {
    if ((p.flags & OPCODE.request) !== 0) return p.handedOver;
    const requests = this.#flows.state[stateOf(flow) + FLOW.peer] as number;
    return requests < 0 ? NOT_KNOWN : this.#timer.onlySentAt(stateOf(requests), p.psn);
  }
}

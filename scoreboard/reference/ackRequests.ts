import { widened } from '../../uvm/bytes/widened.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import { RULE } from '../../agents/wire/transportRules.ts';

/** Of so many packets in a row inside a message one asks at least. */
const MOST_WITHOUT_REQUEST = 64;

/**
 * Checks that requesters ask for acknowledgements on reliable connections (roce-transport.md 1.7): with the last packet
 * of each SEND and WRITE, and often enough inside a long one, so that a responder may acknowledge what has come.
 */
export class AckRequests {
  readonly #report: RuleReporter;
  /** By flow: packets of the message under way since one asked, of those sent in a row. */
  #unasked = new Int32Array(64);

  constructor(report: RuleReporter) {
    this.#report = report;
  }

  /** A packet of a SEND or WRITE. */
  check(p: DecodedPacket, flow: number): void {
    if ((p.flags & OPCODE.end) === 0) this.#inside(p, flow);
    else if (!p.ackRequest)
      this.#report.broken(RULE.ackRequestAtEnd, p, 'ends a message and does not ask for an acknowledgement');
  }

  /** The requester goes on at another packet: it may choose by the number of the packet which ones ask. */
  resume(flow: number): void {
    if (flow < this.#unasked.length) this.#unasked[flow] = 0;
  }

  /** Nothing is kept of messages of one packet. */
  #inside(p: DecodedPacket, flow: number): void {
    if (flow >= this.#unasked.length) this.#unasked = widened(this.#unasked, flow + 1);
    const unasked = this.#unasked;
    const before = (p.flags & OPCODE.start) !== 0 ? 0 : (unasked[flow] as number);
    unasked[flow] = p.ackRequest ? 0 : before + 1;
    if (unasked[flow] !== MOST_WITHOUT_REQUEST) return;
    unasked[flow] = 0;
    const what = `is packet ${MOST_WITHOUT_REQUEST} in a row that does not ask for an acknowledgement`;
    this.#report.broken(RULE.ackRequestInside, p, `${what}; one of so many must`);
  }
}

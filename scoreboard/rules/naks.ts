/**
 * Requests that a responder refuses for good (roce-transport.md 3.4, 4.2), with which nothing is wrong. Fed by the wire
 * monitor, so that the refusal itself is reported, and not what comes of it: both queue pairs go to the error state, and
 * what they flush then may be seen before the completion of the request.
 */

import type { Message, QueuePair } from '../model/work.ts';
import { SYNDROME } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { WC_STATUS } from '../../rdma/verbs.ts';
import { hexDigits } from '../../uvm/report/hexTexts.ts';
import { meetsBadReceive } from './badReceives.ts';
import { qpName, requestName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';
import { indexOfPsn, outstandingAt } from '../model/requestOfPsn.ts';
import { isTooLong } from './shortReceives.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { thePacket, theRequest } from '../report/subjects.ts';

/** What a requester completes with, by the syndrome that tells it. */
const STATUS_OF_NAK: Readonly<Record<number, number | undefined>> = {
  [SYNDROME.nakInvalid]: WC_STATUS.remInvReqErr,
  [SYNDROME.nakAccess]: WC_STATUS.remAccessErr,
  [SYNDROME.nakOperation]: WC_STATUS.remOpErr,
};
const NAK_NAME: Readonly<Record<number, string | undefined>> = {
  [SYNDROME.nakInvalid]: 'invalid request',
  [SYNDROME.nakAccess]: 'remote access error',
  [SYNDROME.nakOperation]: 'remote operational error',
};
/** A request with one of these may be refused, or may not arrive. */
/** The requester has something else to report, or will. */
/** The responder may have another reason: software changes it, or it is no more what it was. */

/** Where the NAK of a request was reported. */
interface Reported {
  readonly status: number;
  readonly postedAt: number;
}

export class Naks {
  readonly #s: OracleState;
  /** By request. Records are used again: the time of posting tells which one is meant. */
  readonly #reported = new Map<Message, Reported>();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** A NAK that refuses a request for good left the responder. */
  refused(p: WirePacket): void {
    const s = this.#s;
    const status = STATUS_OF_NAK[p.syndrome];
    const q = s.qps.find(p.to, p.destQp);
    const responder = s.qps.peerOn(p.host, q);
    if (status === undefined || !responder.exists) return;
    const index = indexOfPsn(q, p.psn);
    if (index < 0) return;
    const r = outstandingAt(q, index);
    if (this.#hasReason(q, responder, r)) return;
    this.#reported.set(r, { status, postedAt: r.postedAt });
    responder.mayFlush();
    const text = (): string => {
      const nak = `NAK ${hexDigits(p.syndrome, 2)} (${NAK_NAME[p.syndrome]})`;
      const what = `${qpName(responder)} refuses PSN ${psnText(p.psn)} with ${nak}`;
      return `${what}, and nothing is wrong with the request: ${requestName(r)}`;
    };
    s.reporter.error(SCB.refused, text, [thePacket(p, responder), theRequest(r)]);
  }

  /** Whether a request ends so because its peer said so, which has been reported. */
  isConsequence(r: Message, status: number): boolean {
    const reported = this.#reported.get(r);
    return reported?.status === status && reported.postedAt === r.postedAt;
  }

  /** Whether something may be wrong with a request, or its queue pairs, as far as software has brought it about. */
  #hasReason(q: QueuePair, responder: QueuePair, r: Message): boolean {
    if (q.sendsFail || q.stops || q.dead || responder.broken || responder.isChanging || responder.dead) return true;
    if (r.outcomes.mayFail || r.mayVanish) return true;
    return isTooLong(r) || meetsBadReceive(r);
  }
}

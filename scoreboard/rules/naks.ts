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
import { thePacket, theQueuePair, theRequest } from '../report/subjects.ts';
import { UnexplainedFlushes } from './unexplainedFlushes.ts';

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

/** Where the NAK of a request was reported. */
interface Reported {
  readonly status: number;
  readonly postedAt: number;
}

export class Naks {
  readonly #s: OracleState;
  /** By request. Records are used again: the time of posting tells which one is meant. */
  readonly #reported = new Map<Message, Reported>();
  /** Work that is flushed for a refusal, which may be still to come. */
  readonly flushes: UnexplainedFlushes;

  constructor(state: OracleState) {
    this.#s = state;
    this.flushes = new UnexplainedFlushes(state);
  }

  /** A NAK that refuses a request for good left the responder. */
  refused(p: WirePacket): void {
    const s = this.#s;
    const status = STATUS_OF_NAK[p.syndrome];
    const q = s.qps.find(p.to, p.destQp);
    const responder = s.qps.peerOn(p.host, q);
    if (status === undefined || !responder.exists) return;
    if (this.flushes.isInnocent(q)) {
      this.#refusesFlushed(p, q, responder);
      return;
    }
    const index = indexOfPsn(q, p.psn);
    if (index < 0) return;
    const r = outstandingAt(q, index);
    if (this.#hasReason(q, responder, r)) return;
    this.#reported.set(r, { status, postedAt: r.postedAt });
    responder.mayFlush();
    this.flushes.explain(responder);
    const text = (): string => `${refusalText(p, responder)} is wrong with the request: ${requestName(r)}`;
    s.reporter.error(SCB.refused, text, [thePacket(p, responder), theRequest(r)]);
  }

  /** The NAK refuses a request of queue pair `q`, which has flushed its requests meanwhile; nothing was wrong with any. */
  #refusesFlushed(p: WirePacket, q: QueuePair, responder: QueuePair): void {
    if (responder.isChanging || responder.dead) return;
    if (responder.broken && !this.flushes.has(responder)) return;
    responder.mayFlush();
    this.flushes.explain(responder);
    const text = (): string => `${refusalText(p, responder)} was wrong with what ${qpName(q)} has sent`;
    this.#s.reporter.error(SCB.refused, text, [thePacket(p, responder), theQueuePair(q)]);
  }

  /** Whether a request ends so because its peer said so, which has been reported. */
  isConsequence(r: Message, status: number): boolean {
    const reported = this.#reported.get(r);
    return reported?.status === status && reported.postedAt === r.postedAt;
  }

  /** Whether something may be wrong with a request, or its queue pairs, as far as software has brought it about. */
  #hasReason(q: QueuePair, responder: QueuePair, r: Message): boolean {
    const isBroken = responder.broken && !this.flushes.has(responder);
    if (q.sendsFail || q.stops || q.dead || isBroken || responder.isChanging || responder.dead) return true;
    if (r.outcomes.mayFail || r.mayVanish) return true;
    return isTooLong(r) || meetsBadReceive(r);
  }
}

function refusalText({ syndrome, psn }: WirePacket, responder: QueuePair): string {
  const nak = `NAK ${hexDigits(syndrome, 2)} (${NAK_NAME[syndrome]})`;
  return `${qpName(responder)} refuses PSN ${psnText(psn)} with ${nak}, and nothing`;
}

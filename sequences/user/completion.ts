import { requestByNumber } from '../../rdma/subjectParts.ts';
import type { RequestSubject } from '../../rdma/subject.ts';
import type { WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { describe } from '../../env/verbs/qpTransitions.ts';
import type { Qp } from '../../env/verbs/verbsObjects.ts';

/**
 * A completion as a user sequence gets it: a copy that stays valid. Fields as in `WorkCompletion`, but for immediate
 * data, which are unsigned here as they are in `SendOptions`.
 * @public
 */
export class Completion {
  /** Number of the request in its queue, the first one is 0. */
  readonly wrId: number;
  readonly status: number;
  readonly opcode: number;
  readonly byteLen: number;
  readonly imm: number;
  readonly flags: number;
  readonly srcQp: number;
  /** It is of the send queue, and not of the receive queue. */
  readonly isSend: boolean;
  readonly #qp: Qp;
  #expected = false;

  /** @param qp whose request has completed */
  constructor(wc: WorkCompletion, qp: Qp) {
    this.#qp = qp;
    this.isSend = wc.isSend;
    this.wrId = wc.wrId;
    this.status = wc.status;
    this.opcode = wc.opcode;
    this.byteLen = wc.byteLen;
    this.imm = wc.imm >>> 0;
    this.flags = wc.flags;
    this.srcQp = wc.srcQp;
  }

  /** Host on which it has come. */
  get host(): number {
    return this.#qp.host;
  }

  /** Whether its sequence expected the status. */
  get isExpected(): boolean {
    return this.#expected;
  }

  /** Says that an error, if it is one, is what the sequence wants: no warning speaks of it. `expectStatus` does so. */
  expected(): void {
    this.#expected = true;
  }

  /** The request, for what a finding accuses: `this.error(id, text, [completion.subject])`. */
  get subject(): RequestSubject {
    const { host, qpn, srq } = this.#qp;
    const srqn = this.isSend ? undefined : srq?.srqn;
    return requestByNumber(host, { qpn, ...(srqn === undefined ? {} : { srqn }) }, !this.isSend, this.wrId);
  }

  /** The request, for messages: `request 3 of the send queue of host 0 RC QP 14`. */
  get request(): string {
    return `request ${this.wrId} of the ${this.isSend ? 'send' : 'receive'} queue of ${describe(this.#qp)}`;
  }
}

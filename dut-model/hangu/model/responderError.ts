/**
 * How a responder goes to the error state: after a NAK that ends it, with an event where no receive tells of it, and
 * with everything flushed (roce-transport.md 4.2, 5.6). Also for a READ that fails in the middle of its answer.
 */
import { SYNDROME } from '../../../rdma/bth.ts';
import { QPC_STATE } from '../layout/contexts.ts';
import { EVENT_TYPE } from '../layout/queues.ts';
import type { HanguCore } from './core.ts';
import type { EventUnit } from './queues/eventUnit.ts';
import { qpState, setQpState } from './qpContext.ts';
import { IN_MESSAGE } from './transport/qpSlot.ts';
import type { QpSlot } from './transport/qpSlot.ts';
import type { ReceiveFlush } from './transport/receiveFlush.ts';
import type { ReadFailure, ResponseUnit } from './transport/responseUnit.ts';

export class ResponderError implements ReadFailure {
  readonly #core: HanguCore;
  readonly #responses: ResponseUnit;
  readonly #events: EventUnit;
  readonly #flush: ReceiveFlush;

  constructor(core: HanguCore, responses: ResponseUnit, events: EventUnit, flush: ReceiveFlush) {
    this.#core = core;
    this.#responses = responses;
    this.#events = events;
    this.#flush = flush;
    responses.failure = this;
  }

  /** A READ that was accepted cannot be answered to its end: the last answer is a NAK (roce-transport.md 3.4, 4.2). */
  readFailed(slot: QpSlot, nak: number, psn: number, msn: number): void {
    slot.refusing = true;
    this.#refuseRead(slot, nak, psn, msn);
  }

  /** No receive tells of the refusal (roce-transport.md 5.6). */
  announce(slot: QpSlot, nak: number): void {
    let type: number = EVENT_TYPE.wqCatastrophic;
    if (nak === SYNDROME.nakAccess) type = EVENT_TYPE.accessViolation;
    else if (nak === SYNDROME.nakInvalid) type = EVENT_TYPE.invalidRequest;
    this.#events.async(type, slot.qpn);
  }

  /** Its context is at dword `c`. */
  enter(slot: QpSlot, c: number): void {
    setQpState(this.#core.bytes.i32, c, QPC_STATE.err);
    this.#core.touch(slot);
    slot.inMessage = IN_MESSAGE.none;
    this.#flush.enterErrorFromReceiver(slot);
  }

  #refuseRead(slot: QpSlot, nak: number, psn: number, msn: number): void {
    const core = this.#core;
    const c = core.contextOf(slot, { resume: () => this.#refuseRead(slot, nak, psn, msn) });
    if (c < 0 || slot.closed || qpState(core.bytes.i32, c) === QPC_STATE.err) return;
    core.prepareTemplate(slot, c);
    this.#responses.acknowledge(slot, nak, psn, msn);
    if (slot.recvSegment < 0) this.announce(slot, nak);
    this.enter(slot, c);
    this.#flush.sendSide.fetchRest();
  }
}

/** The verbs objects with what the driver keeps of them. */
import type { WorkCompletion } from '../../../agents/verbs/verbsItems.ts';
import { BLUE_LIMITS, INDEX_SHIFT } from '../layout/limits.ts';
import { MTU_BYTES, QP_STATE } from '../../../rdma/verbs.ts';
import { Cq, Qp } from '../../../env/verbs/verbsObjects.ts';
import type { Pd, QpInit } from '../../../env/verbs/verbsObjects.ts';
import type { ReceiveTracker } from './tracking/receiveTracker.ts';
import { type ReceivedMessage, ReceivedMessages } from './tracking/receivedMessages.ts';
import type { SendList } from './tracking/sendList.ts';
import type { SendRequest } from './tracking/sendRequest.ts';
import type { SendTracker } from './tracking/sendTracker.ts';

/** A completion queue is the driver's own: completions wait in it until they are polled. */
export class BlueCq extends Cq {
  readonly waiting: WorkCompletion[] = [];
  /** Completions up to the latest that was for a solicited message or an error. */
  lastSolicited = 0;
  /** Completions that found no room. */
  lost = 0;
}

/** A posted receive. */
export interface Receive {
  readonly wrId: number;
  /** Running number. */
  readonly number: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  readonly key: number;
}

/** A buffer that the peer has offered. */
export interface Offer {
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  readonly key: number;
}

/** What takes a queue pair to the error state: a request that fails, or a receive. */
export interface Ending {
  readonly request: SendRequest | null;
  readonly receive: Receive | null;
  readonly status: number;
}

/** Classes of what a queue pair keeps track with. */
export interface TrackingParts {
  readonly sendList: typeof SendList;
  readonly sendTracker: typeof SendTracker;
  readonly receiveTracker: typeof ReceiveTracker;
}

export class BlueQp extends Qp {
  readonly #parts: TrackingParts;
  readonly sqSlots: number;
  readonly rqSlots: number;
  /** Counts resets: what was begun before means nothing. */
  life = 0;
  /** The NIC knows it. */
  known = false;
  /** Requests fail from here on. */
  failed = false;
  /** The NIC has been told of that: it writes nothing any more, and what is posted may end. */
  stopped = false;
  /** What ends the queue pair, until it is told of. */
  ending: Ending | null = null;
  /** The peer does not acknowledge READ responses: the next request gets through no more. */
  unheard = false;
  /** It has heard of its peer. */
  heard = false;

  /** Posted and not started; READ responses that are not started. */
  readonly waiting: SendRequest[] = [];
  readonly responses: SendRequest[] = [];
  list: SendList;
  sent: SendTracker;
  nextMsn = 0;
  /** READs that are not complete. */
  reads = 0;
  /** Buffers that peers have offered, by host and number of the peer. */
  readonly offers = new Map<string, Offer[]>();

  /** PSNs that peers expect first, by the same; and of a peer that has not said so again since a connection began with it. */
  readonly peersExpect = new Map<string, number>();
  readonly usedUp = new Set<string>();
  /** It is settled with which PSN it begins to send. */
  begun = false;
  firstSent = 0;
  /** Its peer has been told that it receives. */
  isOpen = false;

  received: ReceiveTracker;
  messages = new ReceivedMessages();
  readonly receives: Receive[] = [];
  /** Complete, and not told of yet. */
  complete: ReceivedMessage[] = [];
  flooring = false;
  /** PSN behind the last message that was told of. */
  deliveredEnd = 0;
  /** Newest PSN that its sender wants an answer for; -1 = none. */
  answer = -1;

  /** Time-outs left before the queue pair fails. */
  retries = 0;
  /** When the timer runs out; 0 = it does not run. */
  due = 0;
  timed = false;
  /** Its period began when the NIC had what it is about, or was about to fetch it. */
  counts = false;

  constructor(pd: Pd, qpn: number, init: QpInit, sqSlots: number, rqSlots: number, parts: TrackingParts) {
    super(pd, qpn, init);
    this.#parts = parts;
    this.list = new parts.sendList();
    this.sent = new parts.sendTracker(0);
    this.received = new parts.receiveTracker(0);
    this.sqSlots = sqSlots;
    this.rqSlots = rqSlots;
    this.maxSendWr = sqSlots;
    this.maxRecvWr = rqSlots;
  }

  get index(): number {
    return this.qpn >>> INDEX_SHIFT;
  }

  get mtu(): number {
    return MTU_BYTES[this.pathMtu] as number;
  }

  /** Name of its peer in `offers`. */
  get peer(): string {
    return peerName(this.remoteHost, this.destQpn);
  }

  /** What its peer has offered to this connection: one that begins with other PSNs was another. */
  get offered(): Offer[] | undefined {
    return this.peersExpect.get(this.peer) === this.firstSent ? this.offers.get(this.peer) : undefined;
  }

  /** Takes requests and reports. */
  get running(): boolean {
    return this.alive && !this.failed && this.known;
  }

  /** Begins anew: nothing posted, nothing under way. */
  restart(): void {
    this.life++;
    if (this.begun && this.peersExpect.get(this.peer) === this.firstSent) this.usedUp.add(this.peer);
    this.failed = false;
    this.stopped = false;
    this.ending = null;
    this.unheard = false;
    this.heard = false;
    this.waiting.length = 0;
    this.responses.length = 0;
    this.receives.length = 0;
    this.complete = [];
    this.flooring = false;
    this.reads = 0;
    this.due = 0;
    this.nextMsn = 0;
    this.sqPosted = 0;
    this.sqFreed = 0;
    this.rqPosted = 0;
    this.rqFreed = 0;
    this.sqFailed = 0;
    this.sqRecovered = 0;
    this.list = new this.#parts.sendList();
    this.messages = new ReceivedMessages();
    this.beginsAt(0, 0);
    this.begun = false;
  }

  /** First PSNs of both directions. */
  beginsAt(sqPsn: number, rqPsn: number): void {
    this.sendsFrom(sqPsn);
    this.begun = false;
    this.received = new this.#parts.receiveTracker(rqPsn);
    this.deliveredEnd = rqPsn;
    this.answer = -1;
  }

  /** First PSN that is sent; nothing has been sent yet. */
  sendsFrom(psn: number): void {
    this.sent = new this.#parts.sendTracker(psn);
    this.firstSent = psn;
    this.begun = true;
  }

  /** Software sees it in an error once it polls one. */
  noteError(isSend: boolean): void {
    if (isSend) this.sqFailed++;
    if (this.state !== QP_STATE.reset) this.state = QP_STATE.err;
  }
}

export function peerName(host: number, qpn: number): string {
  return `${host}:${qpn}`;
}

/** Smallest power of two that is at least `n`. */
export function slotsFor(n: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, n)));
}

/** Requests that a queue may hold. */
export const MOST_REQUESTS = BLUE_LIMITS.maxSendWr;

/**
 * The room of what is known: messages, queues, queue pairs, regions, options and profile of the NIC kind. Rules, checks,
 * reference and memory read and change it; nothing here reports. Add a field to the class whose life it shares, with what
 * the field says and until when; what lives shorter than its owner gets a type of its own (`Windowed`, `OutcomeSet`).
 *
 * This file: work, as the judge follows it: requests (messages and receives), the queues they stand in, and the queue pairs that those belong to.
 * Classes that point at each other, so they share a file.
 *
 * A request is taken from `Messages` when it is posted and given back when its completion and its data have been judged; a
 * queue pair stays for the whole run, also after it is gone. Where there is none stand `NO_MESSAGE`, `NO_RECEIVE` and `NO_QP`,
 * so that what every request passes asks for no null.
 */

import { GRH_BYTES, QP_STATE, type QpState, QP_TYPE } from '../../rdma/verbs.ts';
import { Windowed } from '../../agents/verbs/windowed.ts';
import { Attributes } from './attributes.ts';
import { isSilent } from './operations.ts';
import { OutcomeSet } from './outcomes.ts';

/** Of a number: not known. */
export const NONE = -1;
/** Length of lists that have so many bytes or more. */
export const LONGEST_KNOWN = 0xffff_ffff;
/** `lastSlot` while nothing has completed: no slot, and not -1, which a driver gives for "not known". */
export const NO_LAST = -2;

/** Host and process in whose memory the list of a request lies. */
export interface RequestOwner {
  readonly host: number;
  readonly process: number;
}

/** A posted request of either direction, from posting until its completion and its data have been judged. */
export abstract class WorkRequest {
  /** Number of its record, by which tables of ranges name it; another request may have had it before. */
  readonly id: number;
  /** Queue pair on which it was posted; of a receive of a shared queue, the one that completes it, or `NO_QP` before. */
  declare qp: QueuePair;
  /** Next request of the same work queue; next free record. */
  declare next: WorkRequest;
  /** Slot in its ring. */
  wqe = 0;
  /** Identifier given by the user. */
  wrId = 0;
  /** Message length or size of the receive buffer in bytes, `LONGEST_KNOWN` at most. */
  length = 0;
  /** Number of entries; offset in `Messages.sges` of the first, 0 = it has never had room for any; entries that have room there. */
  numSge = 0;
  sges = 0;
  sgeRoom = 0;
  /** Its entries lie one behind the other: the list is one range from the first address on, within one upper half. */
  flat = false;
  /** When it was posted, ps, and its place in the order of posting. */
  postedAt = 0;
  order = 0;
  /** Its completion, own or implied, is outstanding. */
  outstanding = false;
  /** Its local list is open for the NIC from this block of `OpenRanges` on; -1 = it is closed. */
  localBlock = NONE;
  /** What it may end with. */
  readonly outcomes = new OutcomeSet();

  /** For `Messages` alone. */
  constructor(id: number) {
    this.id = id;
  }

  /** Whose memory its list names. */
  abstract get owner(): RequestOwner;

  /** Whether there is such a request. */
  get exists(): boolean {
    return this.id >= 0;
  }

  get localOpen(): boolean {
    return this.localBlock !== NONE;
  }

  /** Whether it was posted before one with this place in the order. */
  isBefore(order: number): boolean {
    return ((this.order - order) | 0) < 0;
  }
}

/**
 * How far a message has come, with its data. From `inTransit` to `executed` as far as its receiver shows: what reliable
 * services and plain WRITEs of UC are on their way the wire tells.
 *
 *   settled ─► posted ─► inTransit ─► begun ─► arrived ─► executed ─► verified ─► settled
 */
export const STAGE = {
  /** Nothing is to come of it, or nothing more: it was refused, dropped or judged. */
  settled: 0,
  /** Its data are to be judged. */
  posted: 1,
  /** Of unreliable services: it is in `QueuePair.transit`. */
  inTransit: 2,
  /** Its first packets have reached its receiver, and more are to come. */
  begun: 3,
  /** All of it has reached its receiver. */
  arrived: 4,
  /** It must have had its effect by now, whatever software does to its receiver. */
  executed: 5,
  /** A plain WRITE whose data have been compared and are right: only its grant is still open. */
  verified: 6,
} as const;
export type Stage = (typeof STAGE)[keyof typeof STAGE];

/** Whether a message must arrive. */
export const ARRIVAL = {
  /** Nothing has been said of it. */
  open: 0,
  /** It must, and is counted in `OracleState.outstanding` until it has. */
  awaited: 1,
  /** It may or may not: it failed, or an unreliable service may drop it. */
  mayVanish: 2,
} as const;
export type Arrival = (typeof ARRIVAL)[keyof typeof ARRIVAL];

/** A posted receive. */
export class Receive extends WorkRequest {
  declare next: Receive;
  declare queue: ReceiveQueue;
  /**
   * The message for which its responder has taken it, of reliable services: known from when the request arrived in order that
   * takes it, until the receive completes. `NO_MESSAGE` = none has, or it is not known.
   */
  declare takenBy: Message;
  /** Bytes in front of the first one that its keys do not open, -1 when they open all. */
  openBytes = NONE;
  /** It may hold the beginning of a message that was dropped. */
  holdsPartial = false;

  override get owner(): RequestOwner {
    return this.queue.owner;
  }
}

/** A posted send, and the message that it makes. */
export class Message extends WorkRequest {
  declare next: Message;

  // ---- what was posted

  /** `WR_OPCODE`. */
  opcode = 0;
  /** `SEND_FLAG` bits. */
  flags = 0;
  /** It asked for a completion. */
  signalled = false;
  imm = 0;
  /** Address handle of a datagram. */
  ah = 0;
  /** What its packets carry: remote address and R_Key, or of datagrams destination queue pair and Q_Key. */
  carriedHi = 0;
  carriedLo = 0;
  carriedKey = 0;

  // ---- where it goes

  /** Two-sided: destination. */
  declare dest: QueuePair;
  /** One-sided: remote host and process as of `spaceOf`, absolute virtual address. */
  remoteSpace = NONE;
  remoteHi = 0;
  remoteLo = 0;

  // ---- how far it has come

  /** Next message of the destination's list, or next plain WRITE not yet judged. */
  declare link: Message;
  stage: Stage = STAGE.settled;
  arrival: Arrival = ARRIVAL.open;
  /** A plain WRITE whose bytes others could write when something overtook it: only quiet can tell. */
  shared = false;
  /** One of its packets was changed on the way. */
  altered = false;
  /** When all of its packets had reached its receiver, ps; -1 before. */
  arrivedAt = -1;
  /** When any of them reached its receiver last, also once more, ps; -1 before. */
  latestAt = -1;
  /** Inline data was copied at posting because the source was not seeded memory. */
  snapshot = false;
  /** Its remote range is open for the NIC of its peer from this block on; -1 = it is closed. */
  remoteBlock = NONE;

  override get owner(): RequestOwner {
    return this.qp;
  }

  /** Something is to come of it, and has not been judged. */
  get dataOpen(): boolean {
    return this.stage !== STAGE.settled;
  }

  /** Counted in `OracleState.outstanding` as a message on its way. */
  get awaited(): boolean {
    return this.arrival === ARRIVAL.awaited;
  }

  /** Its data may or may not arrive. */
  get mayVanish(): boolean {
    return this.arrival === ARRIVAL.mayVanish;
  }

  get remoteOpen(): boolean {
    return this.remoteBlock !== NONE;
  }

  /** Of unreliable services: all of its packets have reached its receiver. */
  get arrived(): boolean {
    return this.arrivedAt >= 0;
  }

  /**
   * Of unreliable services: whether the link let it overtake another message of its queue pair, that was posted before it and
   * of which a packet came last at `latestAt`, ps: that writes also where it comes once more (7). A frame that the link lets go
   * behind another comes with that. What has not come at all, -1, is lost or on its way.
   */
  hasOvertaken(latestAt: number): boolean {
    return this.arrived && (latestAt < 0 || latestAt >= this.arrivedAt);
  }
}

/**
 * A message of which no more is known than what its packets say: neither which request of its sender it is, nor what its data
 * are. It has no place in the order of posting, and has no completion of its own.
 */
export class UnattributedMessage extends Message {
  /** It has come: what software does from then on, and what is posted from then on, may all be behind it. */
  override isBefore(): boolean {
    return true;
  }
}

/** A record of `Messages`: of either direction. */
export type AnyRequest = Message | Receive;

/** No message. */
export const NO_MESSAGE = new Message(NONE);
/** In place of a request: it is not known which it is. */
export const UNATTRIBUTED = new Message(NONE - 1);
for (const m of [NO_MESSAGE, UNATTRIBUTED]) Object.assign(m, { next: NO_MESSAGE, link: NO_MESSAGE });
/** No receive. */
export const NO_RECEIVE = new Receive(NONE);
NO_RECEIVE.next = NO_RECEIVE;

/** Requests of one direction that have no completion, oldest first. */
export class WorkQueue<R extends WorkRequest & { next: R }> {
  head: R;
  tail: R;
  readonly #none: R;
  /** Requests posted so far, and completions; of sends, without those that failed, and those of which nothing is sent. */
  posted = 0;
  done = 0;
  /** Slot and identifier of the request that completed last; slot `NO_LAST` before the first. */
  lastSlot = NO_LAST;
  lastWrId = 0;

  /** @param none what stands where there is no request */
  constructor(none: R) {
    this.#none = none;
    this.head = none;
    this.tail = none;
  }

  append(m: R): void {
    if (!this.tail.exists) this.head = m;
    else this.tail.next = m;
    this.tail = m;
  }

  /** @returns the request that was in front of it, or none */
  unlink(m: R): R {
    let before = this.#none;
    if (this.head === m) {
      this.head = m.next;
    } else {
      before = this.head;
      while (before.next !== m) before = before.next;
      before.next = m.next;
    }
    if (this.tail === m) this.tail = before;
    return before;
  }

  /** Requests that have no completion, counted one by one. */
  get length(): number {
    let count = 0;
    for (let m: R = this.head; m.exists; m = m.next) count++;
    return count;
  }
}

/** Users of a queue that is not shared. */
const NO_USERS: readonly QueuePair[] = [];

/** Whose receives they are: host, process and the protection domain (-1 where it is not known) whose keys open them. */
export interface ReceiveOwner {
  host: number;
  process: number;
  pd: number;
}

/**
 * Receives. A queue pair has one of its own, or shares one with others of the same owner: it is the queue that knows what
 * is posted and what of that has been taken for which message, and each queue pair what it must flush.
 *
 * Receives are taken in the order of posting (roce-transport.md 10), whoever completes first. In which order the messages of
 * several queue pairs take them is not seen where they arrive together: the order of arrival counts until a completion tells
 * otherwise.
 */
export class ReceiveQueue extends WorkQueue<Receive> {
  readonly owner: ReceiveOwner = { host: NONE, process: 0, pd: NONE };
  /** Number of a shared one, -1 of others; the queue pairs that share it. */
  readonly srqn: number;
  users: readonly QueuePair[] = NO_USERS;
  /** Of a shared one: a completion queue in which what was taken from it may have found no room. */
  overflowed: number | null = null;
  /** The last one that has been taken. */
  #taken: Receive = NO_RECEIVE;
  /** Of a shared queue: how many receives had been posted before each. Records are used again, so there are never many. */
  #sharedPlaces: Map<Receive, number> | null = null;
  /** Times that a message has arrived which takes one, if there is one. */
  #arrived = 0;
  /** Messages that have arrived and found none: the first ones take what is posted next, unless they are refused. */
  #starved: Message[] | null = null;
  /** Bytes of the shortest receive that was ever posted; unsigned. UC, UD. */
  shortest = 0xffff_ffff;
  /** When a receive was posted last, ps. */
  postedAt = 0;

  constructor(srqn: number = NONE) {
    super(NO_RECEIVE);
    this.srqn = srqn;
  }

  get isShared(): boolean {
    return this.srqn !== NONE;
  }

  /** A queue pair takes its receives from here, or does so no more. */
  shareWith(q: QueuePair): void {
    this.users = [...this.users, q];
  }

  leave(q: QueuePair): void {
    if (this.isShared) this.users = this.users.filter((user) => user !== q);
  }

  /** The next one that is taken. */
  get untaken(): Receive {
    return this.#taken.exists ? this.#taken.next : this.head;
  }

  override append(recv: Receive): void {
    if (this.isShared) this.#places.set(recv, this.posted);
    this.posted++;
    super.append(recv);
    const message = this.#starved?.shift();
    if (message !== undefined) this.#bind(message);
  }

  override unlink(recv: Receive): Receive {
    const before = super.unlink(recv);
    if (this.#taken === recv) this.#taken = before;
    return before;
  }

  get #places(): Map<Receive, number> {
    this.#sharedPlaces ??= new Map();
    return this.#sharedPlaces;
  }

  /** Receives that had been posted to a shared queue before one of it. */
  placeOf(recv: Receive): number {
    return this.#places.get(recv) ?? 0;
  }

  /** How many can have been taken so far by what has arrived on reliable connections. */
  get mostTaken(): number {
    return this.#arrived;
  }

  /** A responder takes the next one for a message. */
  take(message: Message): void {
    this.#arrived++;
    this.#bind(message);
  }

  #bind(message: Message): void {
    const recv = this.untaken;
    if (recv.exists) {
      recv.takenBy = message;
      this.#taken = recv;
    } else {
      this.#starved ??= [];
      this.#starved.push(message);
    }
  }

  /** It had not taken one for a message: those behind it have been taken by one place earlier. */
  giveBack(message: Message): void {
    this.#isServed(message);
    let at = this.receiveOf(message);
    if (!at.exists) return;
    for (; at !== this.#taken; at = at.next) at.takenBy = at.next.takenBy;
    at.takenBy = NO_MESSAGE;
    let before = NO_RECEIVE;
    for (let recv = this.head; recv !== at; recv = recv.next) before = recv;
    this.#taken = before;
    const next = this.#starved?.shift();
    if (next !== undefined) this.#bind(next);
  }

  /** A receive that has left the queue was filled with a message: what was taken for it is what that receive was taken for. */
  filled(recv: Receive, message: Message): void {
    if (recv.takenBy !== message) {
      this.#isServed(message);
      this.#displace(recv, this.receiveOf(message));
    }
    recv.takenBy = NO_MESSAGE;
  }

  /** A receive that has left the queue has ended on queue pair `q` without a message: what it was taken for has another one of that. */
  failed(recv: Receive, q: QueuePair): void {
    if (recv.takenBy.exists && recv.takenBy.dest !== q) {
      let other = this.head;
      while (other.exists && other.takenBy.dest !== q) other = other.next;
      this.#displace(recv, other);
    }
    recv.takenBy = NO_MESSAGE;
  }

  /** Another message has come to a receive: what it was taken for has the one of that, or where that had none the next. */
  #displace({ takenBy }: Receive, other: Receive): void {
    if (other.exists) other.takenBy = takenBy;
    else if (takenBy.exists) this.#bind(takenBy);
  }

  /** A message waits for none any more. */
  #isServed(message: Message): void {
    const at = this.#starved?.indexOf(message) ?? -1;
    if (at >= 0) this.#starved?.splice(at, 1);
  }

  /** The one that has been taken for a message, or `NO_RECEIVE`. */
  receiveOf(message: Message): Receive {
    if (!this.#taken.exists) return NO_RECEIVE;
    let at = this.head;
    while (at.exists && at.takenBy !== message) at = at.next;
    return at;
  }

  /** How many can have been taken by other queue pairs than `q`: for messages that have arrived, and of UD one each that is not seen. */
  takenByOthers(q: QueuePair): number {
    let count = this.unseenTakers(q);
    for (let at = this.head; at.exists; at = at.next) if (at.takenBy.exists && at.takenBy.dest !== q) count++;
    return count;
  }

  /** Other queue pairs than `q` that may hold a receive which was too short for what has come, or whose message is not seen yet. */
  unseenTakers(q: QueuePair): number {
    let count = 0;
    for (const user of this.users) if (user !== q && user.type === QP_TYPE.ud) count++;
    return count;
  }

  /** Receives that are posted and have no completion. */
  get waiting(): number {
    return this.posted - this.done;
  }
}

/** Requests that are posted to be sent. */
export class SendQueue extends WorkQueue<Message> {
  /**
   * An error has stopped it, and software has not brought it out of that. What meets it are requests: its moments are
   * places in the order of posting.
   */
  readonly stopped = new Windowed<boolean>(false);
  /** Solicited messages that were posted. */
  solicited = 0;
  /** When a send was posted last, ps, and when one was that found nothing left to do. */
  postedAt = 0;
  beganAt = 0;
  /** Plain WRITEs whose data have not been found where they belong; those of them that have completed, the last first. */
  writes = 0;
  lateWrites: Message = NO_MESSAGE;
  /** Plain WRITEs that have completed and whose data have been found where they belong, the last first; their targets are open. */
  writesThere: Message = NO_MESSAGE;

  constructor() {
    super(NO_MESSAGE);
  }

  /** Without those of which nothing is sent: as `posted` and `done` count. */
  override get length(): number {
    let count = 0;
    for (let m = firstSent(this.head); m.exists; m = firstSent(m.next)) count++;
    return count;
  }

  /** One has completed with an error: those behind it are flushed. */
  get failed(): boolean {
    return this.stopped.now && !this.stopped.isOpen;
  }

  /** Software takes it out of SQE, or did so before everything was flushed: what is in it is not judged. */
  get resuming(): boolean {
    return this.stopped.isOpen || (!this.stopped.now && !this.stopped.isSettled);
  }
}

/** The first request from `r` on of which something is sent; `NO_MESSAGE` where there is none. */
export function firstSent(r: Message): Message {
  let at = r;
  while (at.exists && isSilent(at.opcode)) at = at.next;
  return at;
}

/** Messages that peers have sent to a queue pair and that no receive has completed for, in the order of posting. */
export class Inbound {
  head: Message = NO_MESSAGE;
  tail: Message = NO_MESSAGE;
  /** Of reliable services: the last one that has come so far that its responder takes a receive for it. */
  taken: Message = NO_MESSAGE;
  count = 0;
  /** UC, UD: bytes of the longest message ever sent here. */
  longest = 0;
}

/** What the wire shows of the requests of a queue pair. */
export class Transmitted {
  /** New messages, highest PSN (-1 before the first), and solicited messages. */
  count = 0;
  psn = NONE;
  solicited = 0;
  /** RC: messages that the peer says it has taken, modulo 2^24. */
  msn = 0;
  /** Request whose message comes next, `NO_MESSAGE` = none is posted, `UNATTRIBUTED` = not known; the one of which it has begun. */
  next: Message = NO_MESSAGE;
  now: Message = NO_MESSAGE;
  /** PSN with which that began. */
  first = 0;
}

/** What is known of a queue pair. */
export class QueuePair {
  /** Its number among all that were ever known, by which tables name it. */
  readonly id: number;
  readonly host: number;
  readonly qpn: number;
  process = 0;
  /** `QP_TYPE`; -1 before it is known. */
  type = NONE;
  /** Protection domain, -1 where it is not known. */
  pd = NONE;
  /** Connected peer; -1 for UD. */
  remoteHost = NONE;
  remoteQpn = NONE;
  /** The same, resolved at the first message. */
  declare peer: QueuePair;
  /** Path MTU in bytes. */
  mtu = NONE;
  /** What software has given it; counts once the queue pair is ready. */
  readonly attributes = new Attributes();
  /** 32 bits; counts once the queue pair is ready. Messages meet it: its moments are places in the order of posting. */
  readonly qkey = new Windowed<number>(NONE);

  /** Completion queues of sends and receives; -1 before they are known. */
  sendCqn = NONE;
  recvCqn = NONE;
  readonly sq: SendQueue;
  rq: ReceiveQueue;
  /** A receive has completed with an error: those behind it are flushed. */
  recvFailed = false;
  /** Receives, in the order of posting, that must complete because it must be in the error state; -1 for none. */
  mustFlush = NONE;
  readonly inbound: Inbound;
  #transit: Inbound | null = null;
  readonly tx: Transmitted;

  // ---- its state, as far as it is known

  /**
   * The state to which software has taken it, and takes it, by the times (ps) of its commands; -1 before anything is
   * said. To SQE, and often to ERR, it goes by itself, which is not told here.
   */
  readonly state = new Windowed<QpState | typeof NONE>(NONE);
  /** It reached RTR and its attributes are known. */
  ready = false;
  /** Every send asks for a completion. */
  signalAll = false;
  /** It has received something in RTR: software is told of the first. */
  receivedInRtr = false;
  /** A completion with an error took the whole queue pair down: what follows on it is the consequence. */
  broken = false;
  /** A request that it must refuse, or software, takes it to the error state: its own work may be flushed. */
  stops = false;
  /** Whether its sends may be flushed then without an error of one of them before: not one of them fails. */
  flushesSends = false;
  /** Sends of it have failed at some time, so that a peer may keep receives. */
  sendsLost = false;
  /** A WRITE with immediate was posted to it whose remote key does not open the range. */
  refusesWrite = false;
  /** Reported as stuck and not moved since. */
  stuck = false;

  /** Its last progress, ps, and the service clock at that moment. */
  progressAt = 0;
  progressService = 0;
  /** Frames that its NIC had sent when it was given work, of which no packet has been sent; -1 when there is none. */
  waitsFrom = NONE;

  /** @param rq receives that it shares with others; default: it has its own */
  constructor(id: number, host: number, qpn: number, rq: ReceiveQueue = new ReceiveQueue()) {
    this.id = id;
    this.host = host;
    this.qpn = qpn;
    this.sq = new SendQueue();
    this.rq = rq;
    if (!rq.isShared) rq.owner.host = host;
    this.inbound = new Inbound();
    this.tx = new Transmitted();
  }

  get exists(): boolean {
    return this.host >= 0;
  }

  /** Of unreliable services: what it has posted and what has not reached a receiver. */
  get transit(): Inbound {
    this.#transit ??= new Inbound();
    return this.#transit;
  }

  /** Sends are not expected to be carried out. */
  get sendsFail(): boolean {
    return this.broken || this.sq.failed || this.sq.resuming;
  }

  /** Nothing has ever been said of it. */
  get isUnknown(): boolean {
    const untold = this.state.now === NONE && !this.state.isOpen;
    return untold && !(this.ready || this.broken || this.stops || this.stuck);
  }

  /** It was reset or destroyed. */
  get gone(): boolean {
    return this.state.now === QP_STATE.reset;
  }

  /** Software resets or destroys it, or has done so: its NIC may have dropped what was sent to it. */
  get isLeaving(): boolean {
    return this.state.next === QP_STATE.reset;
  }

  /** Software has taken it to ERR, and the NIC has said so: it executes nothing any more. Also of one that is gone since. */
  get dead(): boolean {
    return this.state.now === QP_STATE.err || (this.gone && this.state.mayBe(QP_STATE.err, Number.NEGATIVE_INFINITY));
  }

  /** What the NIC has not begun of its sends waits: software has taken it to SQD. */
  get isDraining(): boolean {
    return this.state.now === QP_STATE.sqd;
  }

  /** It is in RTR and has received nothing there: software must be told when it does. */
  get listening(): boolean {
    const { state } = this;
    return state.now === QP_STATE.rtr && !this.receivedInRtr && !state.mayBe(QP_STATE.rts, Number.POSITIVE_INFINITY);
  }

  /** Whether it may not have taken requests yet at `time` (ps): it was not in RTR, as far as software knew. */
  mayHaveTakenNothing(time: number): boolean {
    return this.state.some(time, isBeforeRtr);
  }

  /** Bytes in front of the data of what it receives. */
  get headBytes(): number {
    return this.type === QP_TYPE.ud ? GRH_BYTES : 0;
  }

  /** Whether what may come to it, or what it permits, is being changed. */
  get isChanging(): boolean {
    return this.attributes.permitsChange || this.qkey.isOpen;
  }

  /** It goes to the error state for a reason that is known: its work may be flushed. */
  mayFlush(): void {
    this.mayFail();
    this.flushesSends = true;
  }

  /** The same where one of its sends fails, and says so: the others are flushed behind it, receives perhaps before. */
  mayFail(): void {
    this.waitsFrom = NONE;
    this.stops = true;
  }
}

function isBeforeRtr(state: number): boolean {
  return state < QP_STATE.rtr;
}

/** No queue pair. */
export const NO_QP = new QueuePair(NONE, NONE, NONE);
NO_QP.peer = NO_QP;
for (const m of [NO_MESSAGE, UNATTRIBUTED]) Object.assign(m, { qp: NO_QP, dest: NO_QP });
Object.assign(NO_RECEIVE, { qp: NO_QP, queue: NO_QP.rq, takenBy: NO_MESSAGE });

/**
 * What must come of reads of host memory that fail (roce-transport.md 4.2, 5.1, 5.6). The fault rules of PCIe say which they are;
 * the profile of the kind of NIC says what its requests end with.
 *
 * - Data or an entry of a send queue: the request ends with the status of the profile, its queue pair goes to ERR (UC, UD: SQE).
 * - Data of a READ by a peer, or an entry of a receive queue: the responder says NAK 0x63, the requester ends with REM_OP_ERR.
 * - The context of a queue pair, or what it keeps of atomics: QP_FATAL; the queue pair does nothing more until software takes it to ERR or RESET.
 * - The context or ring of a completion queue: CQ_ERR, nothing more is written there, and whoever needs it has QP_FATAL.
 * - Translation entries: the requests that need them, as if their data could not be read; a queue whose ring it is, likewise.
 * - What is read for a command: the command fails, as software sees.
 *
 * Where the profile says so (`failedContexts`), a context that cannot be read stops the whole device instead: DEVICE_FATAL.
 */

import type { FailedAccess } from '../../../agents/pcie/faults/failedAccess.ts';
import type { HeldEntries } from '../../../agents/pcie/faults/place/accessPlace.ts';
import { ASYNC_EVENT, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { hexAddress } from '../../../uvm/report/hexTexts.ts';
import { MS, US } from '../../../uvm/kernel/time.ts';
import { logTime } from '../../../uvm/report/reportMessage.ts';
import { NO_REGION, type Region } from '../../model/mrTable.ts';
import type { OracleState } from '../../model/oracleState.ts';
import { CAUSE, type PossibleCause } from '../../model/outcomes.ts';
import { giveUp } from '../../model/queues.ts';
import { type Message, NONE, type QueuePair, type AnyRequest } from '../../model/work.ts';
import { SCB } from '../../report/reportIds.ts';
import { forgetOwed } from '../../checks/flushes.ts';
import { noteTakesNothing } from '../deregistrations.ts';
import { FailedRead } from './failedRead.ts';
import { LostQueues } from './lostQueues.ts';
import { messagesTo, outstandingSends, servedByDataRead, servedByRegion, type DataReaders } from './servedByRead.ts';
import { aMoment, bytesOfHost } from '../../../rdma/subjectParts.ts';

/** Causes of what a requester finds itself, by the status that the profile gives. */
const LOCAL_CAUSE: Readonly<Record<number, PossibleCause | undefined>> = {
  [WC_STATUS.locProtErr]: CAUSE.readFailedProtection,
  [WC_STATUS.locQpOpErr]: CAUSE.readFailedOperation,
  [WC_STATUS.generalErr]: CAUSE.readFailedGeneral,
  [WC_STATUS.fatalErr]: CAUSE.readFailedFatal,
};

/** So long after a read that is never answered was sent its NIC may still wait, and so long after another: ps. */
const UNTOLD = { lost: 10 * MS, answered: 10 * US } as const;

/** A message that a read may have been made for, and what it may end with then. */
type Served = readonly [message: AnyRequest, cause: PossibleCause];

interface Readers {
  readonly served: readonly Served[];
  /** It may have been made for none of them, and leave nothing to be seen. */
  readonly forNone: boolean;
}

/** What is said of a read for messages. */
const ANSWER: Readonly<Record<FailedAccess['how'], string>> = {
  unsupported: 'answered as an unsupported request',
  aborted: 'aborted by its completer',
  poisoned: 'answered with poisoned data',
  lost: 'never answered',
};

export class FailedReads {
  /** Any read has failed so far: all that costs a run without PCIe faults. */
  any = false;

  readonly #s: OracleState;
  readonly #queues: LostQueues;
  #open: FailedRead[] = [];
  /** Until when the NIC of a queue pair may not have noticed that what it keeps of atomics cannot be read, ps. */
  readonly #untold = new Map<QueuePair, number>();
  /** Commands under way that may be reading the context of a queue pair, by host and number. */
  readonly #asked = new Map<string, number>();

  constructor(state: OracleState) {
    this.#s = state;
    this.#queues = new LostQueues(state);
  }

  /** A read of a NIC fails. */
  hit(access: FailedAccess): void {
    this.any = true;
    switch (access.area) {
      case 'data':
        this.#data(access);
        break;
      case 'queue':
        this.#queue(access);
        break;
      // What is kept of atomics is as much part of a queue pair as its context.
      case 'context':
        this.#context(access);
        break;
      case 'results':
        this.#context(access);
        this.#results(access);
        break;
      case 'cq_context':
        for (let cqn = access.firstCqn; cqn >= 0 && cqn <= access.lastCqn; cqn++)
          this.#completionQueue(access, cqn, true);
        break;
      case 'translation':
        if (access.held === undefined) this.#translation(access);
        else this.#entries(access, access.held);
        break;
      // Of a command software sees itself what it ends with; the rest nobody reads, or rules are told apart by nobody.
      case 'command':
      case 'cq':
      case 'event':
      case 'msix':
      case 'other':
        break;
    }
  }

  /** A completion queue may overflow before anybody says so: whoever uses it may stop. */
  mayOverflow(host: number, cqn: number): void {
    for (const q of this.#usersOf(host, cqn)) {
      this.#mayStop(q);
      this.#s.fatalEvents.grounded(host, q.qpn);
    }
  }

  /** A completion queue has overflowed: what is to be written there is lost, and whoever needs that stops (roce-transport.md 5.5). */
  overflowed(host: number, cqn: number): void {
    const users = this.#usersOf(host, cqn);
    this.#queues.lost(host, cqn, users, 'which has overflowed');
    for (const q of users) {
      forgetOwed(this.#s, q);
      this.#fatal(q, false, '');
    }
  }

  /** A request has ended with an error. */
  failed(q: QueuePair, r: AnyRequest): void {
    for (const read of this.#open) {
      read.failed(r);
      read.mayBeThrownAway(q);
    }
  }

  /** Software stops or resets a queue pair: what is read for it may come to nothing, or for its peer. */
  leaves(q: QueuePair): void {
    const untold = this.#untold.get(q);
    if (untold !== undefined && this.#s.clock.now < untold) this.#s.events.excused(q.host, q.qpn, ASYNC_EVENT.qpFatal);
    this.#untold.delete(q);
    this.#queues.ended(q);
    for (const read of this.#open) read.mayBeThrownAway(q);
  }

  /** QP_FATAL has come of a queue pair. */
  fatal(q: QueuePair): void {
    this.#queues.ended(q);
  }

  /** A queue pair sends something again: what it was about to send is thrown away. */
  repeated(q: QueuePair): void {
    for (const read of this.#open) read.repeated(q);
  }

  /** A command for a queue pair begins or has ended: it reads the context too. */
  asks(host: number, qpn: number, under: boolean): void {
    const key = `${host} ${qpn}`;
    const asking = (this.#asked.get(key) ?? 0) + (under ? 1 : -1);
    if (asking > 0) this.#asked.set(key, asking);
    else this.#asked.delete(key);
  }

  /** Nothing is in flight: what a read was made for has ended, and how is known. */
  quiet(): void {
    this.#queues.quiet();
    if (this.#open.length === 0) return;
    for (const read of this.#open) if (read.isIgnored) this.#ignored(read);
    this.#open = this.#open.filter((read) => read.isOpen);
  }

  #data(access: FailedAccess): void {
    const { served, forNone } = this.#servedData(access.host, servedByDataRead(this.#s, access));
    this.#bind(access, served, forNone);
  }

  /** Those that need data may fail with them, or be refused. */
  #servedData(host: number, { local, remote, responders, mayBeRepeat }: DataReaders): Readers {
    const own = this.#localCause(this.#statuses(host).data);
    for (const r of local) this.#mayFail(r.qp);
    for (const r of remote) this.#mayRefuse(r);
    for (const q of responders) {
      this.#mayStop(q);
      this.#s.fatalEvents.grounded(q.host, q.qpn);
    }
    const served: Served[] = local.map((r) => [r, own]);
    served.push(...remote.map((r): Served => [r, CAUSE.readFailedRemotely]));
    return { served, forNone: responders.length > 0 || mayBeRepeat };
  }

  #queue(access: FailedAccess): void {
    const { served, forNone } = this.#servedByRing(access.host, access.firstQpn, access.receives);
    this.#bind(access, served, forNone);
  }

  /** What an entry of a work queue, or a translation of its ring, may have been read for. */
  #servedByRing(host: number, qpn: number, receives: boolean): Readers {
    const q = this.#s.qps.find(host, qpn);
    if (!q.exists) return { served: [], forNone: true };
    if (!receives) {
      this.#mayFail(q);
      const cause = this.#localCause(this.#statuses(host).queue);
      return { served: outstandingSends(q).map((r) => [r, cause]), forNone: false };
    }
    this.#mayStop(q);
    this.#s.fatalEvents.grounded(host, qpn);
    const messages = messagesTo(q);
    for (const r of messages) this.#mayRefuse(r);
    if (q.type !== QP_TYPE.rc) this.#stopsReceiving(q);
    // In ERR it reads its receives to flush them. What a requester has done with by now ends with nothing else any more.
    const forNone = q.broken || q.dead || !messages.every((r) => r.outstanding);
    return { served: messages.map((r) => [r, CAUSE.readFailedRemotely]), forNone };
  }

  /** @param forNone it may have been made for none of them, and leave nothing to be seen */
  #bind(access: FailedAccess, served: readonly Served[], forNone: boolean): void {
    this.#open.push(new FailedRead(access, served, forNone));
  }

  /** Every queue pair whose context the read held is lost until software resets it. */
  #context({ host, firstQpn, lastQpn }: FailedAccess): void {
    const s = this.#s;
    for (let qpn = firstQpn; qpn >= 0 && qpn <= lastQpn; qpn++) {
      const q = s.qps.find(host, qpn);
      if (!q.exists) continue;
      const isAsked = this.#asked.has(`${host} ${qpn}`);
      this.#fatal(q, !isAsked && q.ready && !q.broken, 'could not read its context');
    }
  }

  /** Other than its context, what a queue pair keeps of atomics is read for a packet: without the queue pair nobody asks for it. */
  #results({ host, firstQpn, how }: FailedAccess): void {
    const { qps, clock } = this.#s;
    this.#untold.set(qps.find(host, firstQpn), clock.now + (how === 'lost' ? UNTOLD.lost : UNTOLD.answered));
  }

  /** A queue pair has lost something without which it cannot go on. @param owes whether it must say so, or may */
  #fatal(q: QueuePair, owes: boolean, cause: string): void {
    const s = this.#s;
    const { host, qpn } = q;
    if (s.options.profiles.of(host).failedContexts !== 'device') {
      if (owes) s.events.failed(host, qpn, ASYNC_EVENT.qpFatal, cause);
      s.fatalEvents.grounded(host, qpn);
      this.#stopsWhole(q);
      return;
    }
    if (owes) s.events.deviceFailed(host, `could not read what it needs for QP ${qpn}`);
    s.fatalEvents.deviceGrounded(host);
    for (const other of s.qps.all) if (other.exists && other.host === host && !other.gone) this.#stopsWhole(other);
  }

  /**
   * A completion queue is in error: it says so, and each queue pair that has something to report there. What a NIC reads its
   * context for need not be an entry: a doorbell asks for it too.
   * @param owes whether it must say so, or may
   */
  #completionQueue({ host }: FailedAccess, cqn: number, owes: boolean): void {
    const s = this.#s;
    const users = this.#usersOf(host, cqn);
    s.fatalEvents.queueGrounded(host, cqn);
    if (owes && users.length > 0) s.events.queueFailed(host, cqn, 'could not read its context');
    if (owes && s.options.profiles.of(host).failedContexts !== 'device')
      this.#queues.lost(host, cqn, users, 'the context of which could not be read');
    for (const q of users) this.#fatal(q, false, '');
  }

  #usersOf(host: number, cqn: number): readonly QueuePair[] {
    return [...this.#s.qps.all].filter((q) => q.exists && q.host === host && !q.gone && uses(q, cqn));
  }

  /** Each request that may need one of these entries may fail, and one of them must; nothing else is touched. */
  #entries(access: FailedAccess, { keys, queues, cqns, events }: HeldEntries): void {
    const s = this.#s;
    const { host } = access;
    const readers = queues.map(({ qpn, receives }) => this.#servedByRing(host, qpn, receives));
    let others = events || cqns.length > 0;
    for (const key of keys) {
      const region = s.mrs.find(host, key);
      // Software registers it, or has just taken it away: that command reads the entry too.
      if (region === NO_REGION || s.mrs.isDeregistering(region)) others = true;
      if (region !== NO_REGION) readers.push(this.#servedByRegion(host, region));
    }
    for (const cqn of cqns) this.#completionQueue(access, cqn, !events && keys.length + queues.length === 0);
    const served = readers.flatMap((each) => each.served);
    this.#bind(access, served, others || readers.some(({ forNone }) => forNone));
  }

  #servedByRegion(host: number, region: Region): Readers {
    const readers = servedByRegion(this.#s, host, region);
    const { receives } = readers;
    const { served: data, forNone } = this.#servedData(host, readers);
    const served = [...data];
    // The receive ends with LOC_PROT_ERR, and its sender hears of it (roce-transport.md 4.2).
    for (const r of receives) r.outcomes.allow(CAUSE.entryUnreadable);
    for (const q of new Set(receives.map((r) => r.qp))) {
      this.#mayStop(q);
      if (q.type !== QP_TYPE.rc) this.#stopsReceiving(q);
      for (const r of messagesTo(q)) {
        this.#mayRefuse(r);
        served.push([r, CAUSE.readFailedRemotely]);
      }
    }
    return { served, forNone };
  }

  /** Whose page or region it was is not seen: any request of the host may end so, and any that comes to it be refused. */
  #translation(access: FailedAccess): void {
    const s = this.#s;
    const own = this.#localCause(this.#statuses(access.host).data);
    for (const q of s.qps.all) {
      if (!q.exists || q.gone || q.host !== access.host) continue;
      this.#mayStop(q);
      s.fatalEvents.grounded(q.host, q.qpn);
      for (const r of outstandingSends(q)) {
        r.outcomes.allow(own);
        r.outcomes.allow(CAUSE.readFailedOperation);
      }
      for (const r of messagesTo(q)) r.outcomes.allow(CAUSE.readFailedRemotely);
      const peer = s.qps.peerOf(q);
      if (peer.exists) for (const r of outstandingSends(peer)) r.outcomes.allow(CAUSE.readFailedRemotely);
    }
  }

  /**
   * Its requester may fail: of RC what it has posted may be flushed before the error is seen. Of UC and UD only the send queue
   * stops, when the completion says so (6.3), and software may bring it out of that again.
   */
  #mayFail(q: QueuePair): void {
    q.waitsFrom = NONE;
    if (q.type === QP_TYPE.rc) q.mayFail();
    this.#s.disturbances.add(q.host, q.qpn);
  }

  /** It may go to the error state as a whole. */
  #mayStop(q: QueuePair): void {
    q.mayFlush();
    noteTakesNothing(this.#s, q);
    this.#s.disturbances.add(q.host, q.qpn);
  }

  /** The responder of a message may refuse it for good, and go to the error state. */
  #mayRefuse(r: Message): void {
    r.outcomes.allow(CAUSE.readFailedRemotely);
    r.qp.mayFail();
    const responder = this.#s.qps.peerOf(r.qp);
    if (!responder.exists) return;
    this.#mayStop(responder);
    this.#s.fatalEvents.grounded(responder.host, responder.qpn);
  }

  #stopsReceiving(q: QueuePair): void {
    for (let r = q.inbound.head; r.exists; r = r.link) giveUp(this.#s, r);
  }

  #stopsWhole(q: QueuePair): void {
    const s = this.#s;
    this.#mayStop(q);
    this.#stopsReceiving(q);
    q.broken = true;
    s.broken.add(q);
    for (const r of outstandingSends(q)) giveUp(s, r);
  }

  /** What the NIC of a host says of reads that have failed. */
  #statuses(host: number): { readonly data: number; readonly queue: number } {
    const { failedReads = DEFAULT_OUTCOMES } = this.#s.options.profiles.of(host);
    return failedReads;
  }

  #localCause(status: number): PossibleCause {
    return LOCAL_CAUSE[status] ?? CAUSE.readFailedGeneral;
  }

  #ignored({ access }: FailedRead): void {
    const { host, length, hi, lo, area, how, time } = access;
    const text = (): string => {
      const what = `the read of ${length} B at ${hexAddress(hi, lo)} (${area}) that the NIC of host ${host} sent at ${logTime(time)}`;
      return `${what} was ${ANSWER[how]}, and every request that it may have been made for has ended well`;
    };
    this.#s.reporter.error(SCB.failedRead, text, [bytesOfHost(host, hi, lo, length), aMoment(time)]);
  }
}

/** Whether completions of a queue pair go to a completion queue. */
function uses({ sendCqn, recvCqn }: QueuePair, cqn: number): boolean {
  return sendCqn === cqn || recvCqn === cqn;
}

const DEFAULT_OUTCOMES = { data: WC_STATUS.locProtErr, queue: WC_STATUS.locQpOpErr };

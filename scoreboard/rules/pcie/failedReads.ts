/**
 * What must come of reads of host memory that fail (roce-transport.md 4.2, 5.1, 5.6). The fault rules of PCIe say which they are;
 * the profile of the kind of NIC says what its requests end with.
 *
 * - Data or an entry of a send queue: the request ends with the status of the profile, its queue pair goes to ERR (UC, UD: SQE).
 * - Data of a READ by a peer, or an entry of a receive queue: the responder says NAK 0x63, the requester ends with REM_OP_ERR.
 * - The context of a queue pair, or what it keeps of atomics: QP_FATAL; the queue pair does nothing more until software takes it to ERR or RESET.
 * - What is read for a command: the command fails, as software sees.
 */

import type { FailedAccess } from '../../../agents/pcie/faults/failedAccess.ts';
import { ASYNC_EVENT, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { hexAddress } from '../../../uvm/report/hexTexts.ts';
import { MS, US } from '../../../uvm/kernel/time.ts';
import { logTime } from '../../../uvm/report/reportMessage.ts';
import type { OracleState } from '../../model/oracleState.ts';
import { CAUSE, type PossibleCause } from '../../model/outcomes.ts';
import { giveUp } from '../../model/queues.ts';
import type { Message, QueuePair } from '../../model/work.ts';
import { SCB } from '../../report/reportIds.ts';
import { FailedRead } from './failedRead.ts';
import { messagesTo, outstandingSends, servedByDataRead } from './servedByRead.ts';

/** Causes of what a requester finds itself, by the status that the profile gives. */
const LOCAL_CAUSE: Readonly<Record<number, PossibleCause | undefined>> = {
  [WC_STATUS.locProtErr]: CAUSE.readFailedProtection,
  [WC_STATUS.locQpOpErr]: CAUSE.readFailedOperation,
  [WC_STATUS.generalErr]: CAUSE.readFailedGeneral,
  [WC_STATUS.fatalErr]: CAUSE.readFailedFatal,
};

/** So long after a read that is never answered was sent its NIC may still wait, and so long after another: ps. */
const UNTOLD = { lost: 10 * MS, answered: 10 * US } as const;

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
  #open: FailedRead[] = [];
  /** Until when the NIC of a queue pair may not have noticed that what it keeps of atomics cannot be read, ps. */
  readonly #untold = new Map<QueuePair, number>();
  /** Queue pairs whose contexts a command may be reading, by host and number. */
  readonly #modifying = new Set<string>();

  constructor(state: OracleState) {
    this.#s = state;
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
      case 'translation':
        this.#translation(access);
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

  /** A request has ended with an error. */
  failed(q: QueuePair, r: Message): void {
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
    for (const read of this.#open) read.mayBeThrownAway(q);
  }

  /** A queue pair sends something again: what it was about to send is thrown away. */
  repeated(q: QueuePair): void {
    for (const read of this.#open) read.repeated(q);
  }

  /** A command for a queue pair begins or has ended: it reads the context too. */
  modifying(host: number, qpn: number, under: boolean): void {
    const key = `${host} ${qpn}`;
    if (under) this.#modifying.add(key);
    else this.#modifying.delete(key);
  }

  /** Nothing is in flight: what a read was made for has ended, and how is known. */
  quiet(): void {
    if (this.#open.length === 0) return;
    for (const read of this.#open) if (read.isIgnored) this.#ignored(read);
    this.#open = this.#open.filter((read) => read.isOpen);
  }

  #data(access: FailedAccess): void {
    const { local, remote } = servedByDataRead(this.#s, access);
    const own = this.#localCause(this.#profile.data);
    const served = [
      ...local.map((r) => [r, own] as const),
      ...remote.map((r) => [r, CAUSE.readFailedRemotely] as const),
    ];
    for (const r of local) this.#mayFail(r.qp);
    for (const r of remote) this.#mayRefuse(r);
    this.#bind(access, served);
  }

  #queue(access: FailedAccess): void {
    const { qps } = this.#s;
    const q = qps.find(access.host, access.firstQpn);
    if (!q.exists) return;
    if (!access.receives) {
      this.#mayFail(q);
      const cause = this.#localCause(this.#profile.queue);
      const sends = outstandingSends(q).map((r) => [r, cause] as const);
      this.#bind(access, sends);
      return;
    }
    this.#mayStop(q);
    const messages = messagesTo(q);
    for (const r of messages) this.#mayRefuse(r);
    if (q.type !== QP_TYPE.rc) this.#stopsReceiving(q);
    const refused = messages.map((r) => [r, CAUSE.readFailedRemotely] as const);
    this.#bind(access, refused);
  }

  #bind(access: FailedAccess, served: readonly (readonly [message: Message, cause: PossibleCause])[]): void {
    this.#open.push(new FailedRead(access, served));
  }

  /** Every queue pair whose context the read held is lost until software resets it. */
  #context({ host, firstQpn, lastQpn }: FailedAccess): void {
    const s = this.#s;
    for (let qpn = firstQpn; qpn >= 0 && qpn <= lastQpn; qpn++) {
      const q = s.qps.find(host, qpn);
      if (!q.exists) continue;
      const isAsked = this.#modifying.has(`${host} ${qpn}`);
      if (!isAsked && q.ready) s.events.failed(host, qpn, ASYNC_EVENT.qpFatal, 'could not read its context');
      this.#stopsWhole(q);
    }
  }

  /** Other than its context, what a queue pair keeps of atomics is read for a packet: without the queue pair nobody asks for it. */
  #results({ host, firstQpn, how }: FailedAccess): void {
    const { qps, clock } = this.#s;
    this.#untold.set(qps.find(host, firstQpn), clock.now + (how === 'lost' ? UNTOLD.lost : UNTOLD.answered));
  }

  /** Whose page or region it was is not seen: any request of the host may end so, and any that comes to it be refused. */
  #translation(access: FailedAccess): void {
    const s = this.#s;
    const own = this.#localCause(this.#profile.data);
    for (const q of s.qps.all) {
      if (!q.exists || q.gone || q.host !== access.host) continue;
      this.#mayStop(q);
      for (const r of outstandingSends(q)) {
        r.outcomes.allow(own);
        r.outcomes.allow(CAUSE.readFailedOperation);
      }
      for (const r of messagesTo(q)) r.outcomes.allow(CAUSE.readFailedRemotely);
      const peer = s.qps.peerOf(q);
      if (peer.exists) for (const r of outstandingSends(peer)) r.outcomes.allow(CAUSE.readFailedRemotely);
    }
  }

  /** Its requester may fail: of RC what it has posted may be flushed before the error is seen, of UC and UD only its sends are. */
  #mayFail(q: QueuePair): void {
    if (q.type === QP_TYPE.rc) q.mayFail();
    this.#s.disturbances.add(q.host, q.qpn);
  }

  /** It may go to the error state as a whole. */
  #mayStop(q: QueuePair): void {
    q.mayFlush();
    this.#s.disturbances.add(q.host, q.qpn);
  }

  /** The responder of a message may refuse it for good, and go to the error state. */
  #mayRefuse(r: Message): void {
    r.outcomes.allow(CAUSE.readFailedRemotely);
    r.qp.mayFail();
    const responder = this.#s.qps.peerOf(r.qp);
    if (!responder.exists) return;
    responder.mayFlush();
    this.#s.disturbances.add(responder.host, responder.qpn);
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
    for (const r of outstandingSends(q)) r.mayVanish = true;
  }

  get #profile(): { readonly data: number; readonly queue: number } {
    const { failedReads = DEFAULT_OUTCOMES } = this.#s.options.profile;
    return failedReads;
  }

  #localCause(status: number): PossibleCause {
    return LOCAL_CAUSE[status] ?? CAUSE.readFailedGeneral;
  }

  #ignored({ access }: FailedRead): void {
    this.#s.reporter.error(SCB.failedRead, () => {
      const { host, length, hi, lo, area, how, time } = access;
      const what = `the read of ${length} B at ${hexAddress(hi, lo)} (${area}) that the NIC of host ${host} sent at ${logTime(time)}`;
      return `${what} was ${ANSWER[how]}, and every request that it may have been made for has ended well`;
    });
  }
}

const DEFAULT_OUTCOMES = { data: WC_STATUS.locProtErr, queue: WC_STATUS.locQpOpErr };

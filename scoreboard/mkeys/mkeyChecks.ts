/**
 * The room of memory keys that requests change: what is known of them, what is wrong with a request that changes one, and what becomes
 * of requests that name one meanwhile.
 *
 * `checks/posting` tells of requests, `checks/retirement` of their ends, the oracle of commands. Whatever a key opens, or may open, is
 * in the table of regions, where all other rules look for it.
 */

import type { MkeyInfo } from '../../agents/verbs/mkeyItems.ts';
import type { KeyChange, SendWr } from '../../agents/verbs/verbsItems.ts';
import { WC_STATUS, WR_OPCODE } from '../../rdma/verbs.ts';
import { aHost } from '../../rdma/subjectParts.ts';
import { hex } from '../../uvm/report/hexTexts.ts';
import type { MkeyEvents } from '../model/mkeyEvents.ts';
import { NO_REGION } from '../model/mrTable.ts';
import { CAUSE } from '../model/outcomes.ts';
import type { OracleState } from '../model/oracleState.ts';
import { type Message, NO_QP, type QueuePair } from '../model/work.ts';
import { SCB } from '../report/reportIds.ts';
import { noteDeregistration } from '../rules/deregistrations.ts';
import { invalidationFault, openedBy, registrationFault, regionFault, windowFault } from './mkeyFaults.ts';
import { type Mkey, type MkeyChange, MkeyTable, type Opened } from './mkeyTable.ts';

/** A request that is to change a key. */
interface Pending {
  readonly mkey: Mkey;
  readonly change: MkeyChange;
}

export class MkeyChecks implements MkeyEvents {
  readonly #s: OracleState;
  readonly #table = new MkeyTable();
  /** By request, which must be the one of this place in the order. */
  readonly #pending = new Map<Message, Pending>();

  constructor(state: OracleState) {
    this.#s = state;
  }

  get any(): boolean {
    return this.#table.any;
  }

  // ---- commands

  made(info: MkeyInfo): void {
    this.#table.add(info);
  }

  /** Software is about to free it: from now on it may open nothing. */
  going(host: number, key: number): void {
    const mkey = this.#table.find(host, key);
    if (mkey === undefined) return;
    mkey.begin({ order: this.#s.requests.nextOrder, queue: undefined, next: null });
    for (const [r, pending] of this.#pending) if (pending.mkey === mkey) this.#mayFail(r);
    this.#list(mkey);
  }

  gone(host: number, key: number): void {
    const mkey = this.#table.find(host, key);
    if (mkey === undefined) return;
    for (const [r, pending] of this.#pending) if (pending.mkey === mkey) this.#pending.delete(r);
    mkey.changes.length = 0;
    mkey.settled = [null];
    this.#list(mkey);
    this.#table.remove(mkey);
  }

  /** Software is about to deregister a region: where that is done with windows bound, those open nothing any more. */
  regionGoing(host: number, key: number): void {
    if (!this.any) return;
    for (const [r, { change }] of this.#pending)
      if (change.next?.parent === key && change.next.info.host === host) this.#mayFail(r);
    if (this.#choices(host).boundRegion === 'kept') return;
    for (const mkey of this.#table.windowsOf(host, key, false)) {
      mkey.begin({ order: this.#s.requests.nextOrder, queue: undefined, next: null });
      this.#list(mkey);
    }
  }

  /** The NIC has deregistered it. */
  regionGone(host: number, key: number): void {
    if (!this.any) return;
    if (this.#choices(host).boundRegion === 'kept') {
      const bound = this.#table.windowsOf(host, key, true);
      if (bound.length > 0) this.#wrong(host, key, `was deregistered with ${bound.length} windows bound to it`);
      return;
    }
    for (const mkey of this.#table.windowsOf(host, key, false)) {
      const change = mkey.changes.find(({ queue, next }) => queue === undefined && next === null);
      if (change !== undefined) mkey.done(change);
      this.#list(mkey);
    }
  }

  /** The NIC has refused to deregister it. */
  regionKept(host: number, key: number): void {
    const isRight = this.#choices(host).boundRegion === 'kept' && this.#table.windowsOf(host, key, false).length > 0;
    if (!isRight) this.#wrong(host, key, 'is not deregistered, and no windows are bound to it');
  }

  // ---- requests

  /** A request that changes a key was posted. */
  posted(q: QueuePair, r: Message, wr: SendWr): void {
    if (r.outcomes.isBad) return;
    if (wr.opcode === WR_OPCODE.localInv) this.#invalidation(q, r, wr.imm);
    else if (wr.opcode === WR_OPCODE.bindMw) this.#bind(q, r, wr.change as KeyChange);
    else this.#registration(q, r, wr.change as KeyChange);
  }

  /** A SEND with invalidate was posted on `q`, which takes a key from queue pair `dest`. */
  sent(q: QueuePair, r: Message, dest: QueuePair): void {
    const key = r.imm;
    const mkey = this.#table.find(q.remoteHost, key);
    // What its peer has posted is in no order with what comes from here.
    const faults = this.#faults(mkey, q, (found) => invalidationFault(this.#table, mkey, found, key, dest));
    const answers = this.#choices(q.remoteHost).refusedInvalidate === 'nak';
    if (faults.all) {
      r.outcomes.only(answers ? CAUSE.invalidationRefused : CAUSE.invalidationUnanswered, faults.text);
      dest.mayFlush();
      return;
    }
    if (faults.any || !dest.ready) this.#mayNotInvalidate(r, dest, answers);
    this.#begin(r, mkey as Mkey, { order: r.order, queue: q, next: null });
    this.#othersMayFail(mkey as Mkey, r);
  }

  /** A request has left its send queue, or a SEND with invalidate has filled its receive. @param status `WC_STATUS` */
  ended(r: Message, status: number): void {
    const pending = this.#pending.get(r);
    if (pending === undefined || pending.change.order !== r.order) return;
    this.#pending.delete(r);
    const { mkey, change } = pending;
    if (status === WC_STATUS.success) mkey.done(change);
    else if (REFUSALS.includes(status)) mkey.failed(change);
    else mkey.lost(change);
    this.#list(mkey);
  }

  /** A message of a queue pair has been taken: what changes keys in front of it has done so. */
  taken(q: QueuePair, order: number): void {
    for (const [r, { change }] of this.#pending)
      if (change.queue === q && r.qp === q && r.opcode !== WR_OPCODE.sendWithInv && ((change.order - order) | 0) < 0)
        this.ended(r, WC_STATUS.success);
  }

  #bind(q: QueuePair, r: Message, change: KeyChange): void {
    const { mrs } = this.#s;
    const mkey = this.#table.find(q.host, change.key);
    const choices = this.#choices(q.host);
    const faults = this.#faults(mkey, q, (found) => windowFault(mkey, found, change, q, choices));
    const ofRegion = regionFault(mrs, change, q);
    if (faults.all || ofRegion !== undefined) {
      r.outcomes.only(CAUSE.bindRefused, ofRegion ?? faults.text);
      return;
    }
    const region = change.length === 0 ? NO_REGION : mrs.find(q.host, change.mrKey);
    const isUnsure = region !== NO_REGION && mrs.isDeregistering(region) && !mrs.isOpenedBy(region, q);
    if (faults.any || isUnsure) {
      r.outcomes.allow(CAUSE.bindMayBeRefused);
      q.mayFlush();
    }
    this.#begin(r, mkey as Mkey, { order: r.order, queue: q, next: openedBy(mkey as Mkey, change, q) });
  }

  #registration(q: QueuePair, r: Message, change: KeyChange): void {
    const mkey = this.#table.find(q.host, change.key);
    const faults = this.#faults(mkey, q, (found) => registrationFault(mkey, found, change, q));
    if (faults.all) {
      r.outcomes.only(CAUSE.service, faults.text);
      return;
    }
    if (faults.any) this.#mayHaveGone(q, r);
    this.#begin(r, mkey as Mkey, { order: r.order, queue: q, next: openedBy(mkey as Mkey, change, q) });
  }

  #invalidation(q: QueuePair, r: Message, key: number): void {
    const mkey = this.#table.find(q.host, key);
    const faults = this.#faults(mkey, q, (found) => invalidationFault(this.#table, mkey, found, key, q));
    if (faults.all) {
      const ends = this.#choices(q.host).failedLocalInvalidate;
      r.outcomes.only(ends === WC_STATUS.locProtErr ? CAUSE.localKey : CAUSE.service, faults.text);
      return;
    }
    if (faults.any) this.#mayHaveGone(q, r);
    this.#begin(r, mkey as Mkey, { order: r.order, queue: q, next: null });
    this.#othersMayFail(mkey as Mkey, r);
  }

  /** What is wrong with a request, by what it may find of its key: with all of that, with some; and the first in words. */
  #faults(
    mkey: Mkey | undefined,
    q: QueuePair,
    faultOf: (found: Opened | null) => string | undefined,
  ): { readonly all: boolean; readonly any: boolean; readonly text: string } {
    const texts = (mkey?.before(q) ?? [null]).map(faultOf);
    const wrong = texts.filter((text) => text !== undefined);
    return { all: wrong.length === texts.length, any: wrong.length > 0, text: wrong[0] ?? '' };
  }

  /** Others invalidate the same key: of requests that are under way any may come second. */
  #othersMayFail(mkey: Mkey, one: Message): void {
    for (const [r, pending] of this.#pending) {
      if (pending.mkey !== mkey || r === one || pending.change.queue === one.qp) continue;
      this.#mayFail(r);
    }
  }

  /** What a request finds of its key, or of its region, is not known any more. */
  #mayFail(r: Message): void {
    if (r.opcode === WR_OPCODE.bindMw) {
      r.outcomes.allow(CAUSE.bindMayBeRefused);
      r.qp.mayFlush();
    } else if (r.opcode !== WR_OPCODE.sendWithInv) this.#mayHaveGone(r.qp, r);
    else {
      const dest = this.#s.qps.peerOf(r.qp);
      if (dest.exists) this.#mayNotInvalidate(r, dest, this.#choices(dest.host).refusedInvalidate === 'nak');
    }
  }

  #mayNotInvalidate(r: Message, dest: QueuePair, answers: boolean): void {
    r.outcomes.allow(answers ? CAUSE.keyDeregistered : CAUSE.refusedInSilence);
    if (dest !== NO_QP) dest.mayFlush();
  }

  /** The choice is about invalidations: a registration that fails ends with LOC_QP_OP_ERR on every NIC. */
  #mayHaveGone(q: QueuePair, r: Message): void {
    const ends = r.opcode === WR_OPCODE.localInv ? this.#choices(q.host).failedLocalInvalidate : WC_STATUS.locQpOpErr;
    r.outcomes.allow(ends === WC_STATUS.locProtErr ? CAUSE.localKeyDeregistered : CAUSE.keyMayHaveGone);
    q.mayFlush();
  }

  #begin(r: Message, mkey: Mkey, change: Omit<MkeyChange, 'overlaps'>): void {
    this.#pending.set(r, { mkey, change: mkey.begin(change) });
    this.#list(mkey);
  }

  /** Brings the table of regions up to what is known of a key. */
  #list(mkey: Mkey): void {
    const { isSure, possible, listed } = mkey;
    for (const [opened, sure] of listed) {
      if (!possible.includes(opened)) this.#unlist(mkey, opened, sure);
      else if (sure && !isSure) this.#mayClose(mkey, opened);
    }
    for (const opened of possible) {
      if (opened === null) continue;
      const sure = listed.get(opened);
      if (sure === undefined) this.#enter(mkey, opened, isSure);
      else if (!sure && isSure) this.#opens(mkey, opened);
    }
  }

  #enter(mkey: Mkey, opened: Opened, isSure: boolean): void {
    const { mrs, requests } = this.#s;
    const { info, qpn } = opened;
    const opener = mkey.changes.find(({ next }) => next === opened)?.queue ?? null;
    if (isSure) mrs.add(info);
    else mrs.opening(info, opener, requests.nextOrder);
    if (mkey.isWindow) mrs.setWindow(info.host, info.key, qpn);
    mkey.listed.set(opened, isSure);
  }

  #opens(mkey: Mkey, opened: Opened): void {
    const { mrs, requests } = this.#s;
    mrs.opened(opened.info.host, opened.info.key, requests.nextOrder);
    mkey.listed.set(opened, true);
  }

  /** Requests with it that are under way may be refused from now on. */
  #mayClose(mkey: Mkey, { info: { host, key } }: Opened): void {
    const { mrs, requests, deregisteredKeys } = this.#s;
    noteDeregistration(this.#s, host, key, true);
    mrs.deregistering(host, key, requests.nextOrder);
    const region = mrs.find(host, key);
    const { queue, order = -1 } = mkey.changes.at(-1) ?? {};
    // LOCAL_INV waits for what is in front of it in its queue.
    const waits = queue?.host === host && this.#choices(host).localInvalidateFenced && order === requests.nextOrder - 1;
    if (region !== NO_REGION && !mkey.isWindow) deregisteredKeys.begins(region, waits ? queue : undefined);
    for (const opened of mkey.listed.keys()) if (opened.info.key === key) mkey.listed.set(opened, false);
  }

  #unlist(mkey: Mkey, opened: Opened, sure: boolean): void {
    const { mrs, requests } = this.#s;
    const { host, key } = opened.info;
    if (sure) this.#mayClose(mkey, opened);
    mkey.listed.delete(opened);
    // Another range has its key by now.
    const isTaken = [...mkey.listed.keys()].some((other) => other.info.key === key);
    if (!isTaken) mrs.deregistered(host, key, requests.nextOrder);
  }

  #choices(host: number) {
    return this.#s.options.profiles.of(host).choices;
  }

  #wrong(host: number, key: number, what: string): void {
    this.#s.reporter.error(SCB.regionBound, () => `host ${host}: the region of key ${hex(key)} ${what}`, [aHost(host)]);
  }
}

/** Statuses that say that a request has changed nothing. */
const REFUSALS: readonly number[] = [WC_STATUS.mwBindErr, WC_STATUS.locQpOpErr, WC_STATUS.locProtErr];

/**
 * Asynchronous events that say that a responder has refused a request for good (roce-transport.md 4.2, 5.6): there must
 * be such a refusal on the wire, and no receive that has told of it. The event may come before its NAK has left, so that
 * both are compared once nothing moves any more.
 */

import type { Subject } from '../../rdma/subject.ts';
import type { QueuePairs } from '../model/queuePairs.ts';
import { SYNDROME } from '../../rdma/bth.ts';
import { ASYNC_EVENT, ASYNC_EVENT_NAME, WC_STATUS } from '../../rdma/verbs.ts';
import type { Findings } from '../../uvm/report/findings.ts';
import { counted } from '../../uvm/report/counted.ts';
import { hexDigits } from '../../uvm/report/hexTexts.ts';
import { SCB, type ScbId } from '../report/reportIds.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import type { WireView } from '../model/wireView.ts';
import { aQueuePair } from '../../rdma/subjectParts.ts';

const QPN_BITS = 24;
const NO_TALLIES: readonly Tally[] = [];
/** The syndrome of the refusal, and the status of a receive that tells of it, by event. */
const CAUSE = new Map<number, { readonly syndrome: number; readonly status: number }>([
  [ASYNC_EVENT.qpReqErr, { syndrome: SYNDROME.nakInvalid, status: WC_STATUS.locLenErr }],
  [ASYNC_EVENT.qpAccessErr, { syndrome: SYNDROME.nakAccess, status: WC_STATUS.locAccessErr }],
]);

/** Events of one kind for one queue pair of a host. */
interface Tally {
  readonly host: number;
  readonly event: number;
  readonly qpn: number;
  came: number;
  /** Refusals that were sent, and those of which a receive has told. */
  refused: number;
  told: number;
  /** NAKs 0x63 that were sent: of a READ before that could not be answered to its end, in place of the refusal (3.4). */
  others: number;
  /** When the latest came, ps. */
  latest: number;
  /** Of those that came, the ones that need no refusal: software has stopped the queue pair since, or it was reported. */
  excused: number;
}

export class ErrorEvents {
  readonly #qps: QueuePairs;
  readonly #reporter: Findings<ScbId, Subject>;
  /** Simulated time, ps. */
  readonly #clock: { readonly now: number };
  readonly #wire: WireView;
  readonly #tallies = new Map<string, Tally>();
  /** Those with events that have come since nothing was in flight. */
  readonly #suspects = new Set<Tally>();
  /** Queue pairs that software has taken out of work, by `keyOf`: a NAK of theirs may not have left. */
  readonly #stopped = new Set<number>();
  /** Hosts that have sent refusals since nothing was in flight of which it is not known which queue pair they are of. */
  readonly #unclear = new Set<number>();

  constructor(qps: QueuePairs, reporter: Findings<ScbId, Subject>, clock: { readonly now: number }, wire: WireView) {
    this.#qps = qps;
    this.#reporter = reporter;
    this.#clock = clock;
    this.#wire = wire;
  }

  /** An event reached the software of a host. */
  happened(host: number, event: number, qpn: number): void {
    if (!CAUSE.has(event) || this.#stopped.has(keyOf(host, qpn))) return;
    const tally = this.#tallyOf(host, event, qpn);
    tally.came++;
    tally.latest = this.#clock.now;
    this.#suspects.add(tally);
  }

  /** A NAK that ends its queue pair leaves a host. */
  refused(p: WirePacket): void {
    const q = this.#qps.senderTo(p.host, p.to, p.destQp);
    const { qpn } = q;
    if (qpn < 0) this.#unclear.add(p.host);
    for (const [event, { syndrome }] of CAUSE) {
      if (qpn < 0) continue;
      const tally = this.#tallyOf(p.host, event, qpn);
      if (syndrome === p.syndrome) tally.refused++;
      else if (p.syndrome === SYNDROME.nakOperation) tally.others++;
    }
  }

  /** A receive has completed with an error. */
  received(host: number, qpn: number, status: number): void {
    for (const [event, cause] of CAUSE) if (cause.status === status) this.#tallyOf(host, event, qpn).told++;
  }

  /** Software takes a queue pair to ERR or RESET, or destroys it: what it was about to send does not leave any more. */
  stopped(host: number, qpn: number): void {
    this.#stopped.add(keyOf(host, qpn));
    for (const tally of this.#talliesOf(host, qpn))
      if (this.#wire.hasPaused(host, tally.latest) !== true) excuse(tally);
  }

  /** Something is posted: of a queue pair in ERR the driver says so by 2ERR, with which what was to be sent does not leave. */
  posted(host: number, qpn: number): void {
    if (this.#suspects.size > 0) this.#talliesOf(host, qpn).forEach(excuse);
  }

  /** A queue pair is in INIT: another life begins. */
  made(host: number, qpn: number): void {
    this.#stopped.delete(keyOf(host, qpn));
    for (const tally of this.#talliesOf(host, qpn)) {
      this.#judge(tally);
      this.#suspects.delete(tally);
      this.#tallies.delete(tallyKey(host, tally.event, qpn));
    }
  }

  /** Nothing is in flight: reports events without a refusal. */
  quiet(): void {
    for (const tally of this.#suspects) this.#judge(tally);
    this.#suspects.clear();
    this.#unclear.clear();
  }

  #judge(tally: Tally): void {
    const surplus = groundless(tally);
    if (surplus <= 0 || this.#unclear.has(tally.host)) return;
    this.#surplus(tally);
    tally.excused += surplus;
  }

  #talliesOf(host: number, qpn: number): readonly Tally[] {
    if (this.#tallies.size === 0) return NO_TALLIES;
    const found = [...CAUSE.keys()].map((event) => this.#tallies.get(tallyKey(host, event, qpn)));
    return found.filter((tally) => tally !== undefined);
  }

  #surplus({ host, event, qpn, came, refused, told }: Tally): void {
    const text = (): string => {
      const { syndrome } = CAUSE.get(event) as { syndrome: number };
      const events = `${counted(came, `${ASYNC_EVENT_NAME[event]} event`)} came`;
      const naks = `it sent ${counted(refused, 'NAK')} ${hexDigits(syndrome, 2)}`;
      const receives = told === 0 ? '' : `, and ${counted(told, 'receive')} told so`;
      return `host ${host} QP ${qpn}: ${events}, but ${naks}${receives}`;
    };
    this.#reporter.error(SCB.asyncEvent, text, [aQueuePair(host, qpn)]);
  }

  #tallyOf(host: number, event: number, qpn: number): Tally {
    const key = tallyKey(host, event, qpn);
    const known = this.#tallies.get(key);
    if (known !== undefined) return known;
    const tally: Tally = { host, event, qpn, came: 0, refused: 0, told: 0, others: 0, latest: 0, excused: 0 };
    this.#tallies.set(key, tally);
    return tally;
  }
}

function excuse(tally: Tally): void {
  tally.excused += Math.max(0, groundless(tally));
}

/** Events that nothing explains so far. */
function groundless({ came, refused, told, others, excused }: Tally): number {
  return came - Math.max(0, refused - told) - others - excused;
}

function tallyKey(host: number, event: number, qpn: number): string {
  return `${host} ${event} ${qpn}`;
}

/** A queue pair of a host. */
function keyOf(host: number, qpn: number): number {
  return (host << QPN_BITS) | qpn;
}

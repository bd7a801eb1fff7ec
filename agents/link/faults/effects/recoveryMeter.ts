/**
 * Measures what faults lead to, from frames as they are sent and as they arrive: packets that are sent again, how long it
 * takes until what was hit is acknowledged, how fast NAKs come and are answered, how often congestion is notified. It
 * judges nothing.
 */

import { BTH_CLASS, BTH_OP, OPCODE_CNP, SYNDROME } from '../../../../rdma/bth.ts';
import type { SimTime } from '../../../../uvm/kernel/scheduler.ts';
import { psnAdd, psnCompare } from '../../../wire/psnArithmetic.ts';
import { OPCODE } from '../../../wire/wireOpcodes.ts';
import type { FrameHeaders } from '../frame/frameHeaders.ts';
import { flowKey, type FrameView } from '../frame/frameView.ts';
import { Samples, type TimeSummary } from './samples.ts';

const ACKNOWLEDGE = BTH_CLASS.rc | BTH_OP.acknowledge;

/** What is said of one host. Times in ps. */
export interface HostEffects {
  readonly host: number;
  /** Packets that it has sent again. */
  readonly sentAgain: number;
  /** From a packet of it that was lost or damaged until that is acknowledged, or has come after all. */
  readonly recovery: TimeSummary;
  /** Packets of it that were hit and of which nothing was seen any more. */
  readonly notRecovered: number;
  /** From the arrival of a packet behind a gap until its NAK is sent. */
  readonly nakGeneration: TimeSummary;
  /** From the arrival of a NAK of a gap until the packet is sent again. */
  readonly nakReaction: TimeSummary;
  /** Between notifications of congestion for one queue pair; the worst is the shortest. */
  readonly cnpInterval: TimeSummary;
}

/** A packet that was lost or damaged and has not come yet. */
interface Hit {
  readonly host: number;
  readonly psn: number;
  readonly time: SimTime;
  /** An answer with data: one behind it does not stand for it. */
  readonly isData: boolean;
}

/** What is known of the requests between two queue pairs. */
interface Requests {
  first: number;
  /** PSN that the responder waits for, by what has arrived. */
  expected: number;
  /** PSN for which a NAK was sent; -1 = none. */
  naked: number;
  /** When something behind a gap came for which no NAK was sent yet; -1 = nothing did. */
  gapAt: SimTime;
  /** The last NAK of a gap that came to the requester. */
  nakPsn: number;
  nakAt: SimTime;
  readonly hits: Hit[];
}

class HostMeter {
  sentAgain = 0;
  readonly recovery = new Samples();
  readonly nakGeneration = new Samples();
  readonly nakReaction = new Samples();
  readonly cnpInterval = new Samples();
}

export class RecoveryMeter {
  readonly #hosts: HostMeter[] = [];
  readonly #requests = new Map<number, Requests>();
  /** When the last notification was sent, by the queue pair that it goes to. */
  readonly #cnps = new Map<number, SimTime>();

  /** A frame is sent. @param hit it is lost or damaged */
  sent(view: FrameView, hit: boolean): void {
    const { headers: h, time } = view;
    if (!h.isRoce) return;
    const meter = this.#meter(view.host);
    if (view.round > 0) meter.sentAgain++;
    if (h.opcode === OPCODE_CNP) this.#cnp(view, meter);
    const requests = this.#requestsOf(view);
    if (requests === undefined) return;
    if (!h.isResponse) this.#resent(requests, h, time, meter);
    else if (isSequenceNak(h)) nakSent(requests, h.psn, time, meter);
    if (hit) this.#hit(requests, view);
  }

  /** A frame that is what was sent arrives, at `view.time`. */
  arrived(view: FrameView): void {
    const { headers: h, time } = view;
    const requests = h.isRoce ? this.#requestsOf(view) : undefined;
    if (requests === undefined) return;
    if (h.isResponse) this.#answered(requests, h, time);
    else requestArrived(requests, h.psn, view.span, time);
  }

  /** What was measured, for each host of which something was seen. */
  effects(): HostEffects[] {
    const open = [...this.#requests.values()].flatMap(({ hits }) => hits);
    return this.#hosts.flatMap((meter, host) => ({
      host,
      sentAgain: meter.sentAgain,
      recovery: meter.recovery.summary(),
      notRecovered: open.filter((hit) => hit.host === host).length,
      nakGeneration: meter.nakGeneration.summary(),
      nakReaction: meter.nakReaction.summary(),
      cnpInterval: meter.cnpInterval.summary('shortest'),
    }));
  }

  #meter(host: number): HostMeter {
    for (let i = this.#hosts.length; i <= host; i++) this.#hosts.push(new HostMeter());
    return this.#hosts[host] as HostMeter;
  }

  /** Those that a packet of a reliable connection belongs to or answers; undefined where the queue pairs are not known. */
  #requestsOf({ headers: h, host, to, sender, firstPsn }: FrameView): Requests | undefined {
    if (to < 0 || firstPsn < 0 || sender === undefined) return undefined;
    if ((h.flags & (OPCODE.request | OPCODE.response)) === 0 || h.sourceQp >= 0) return undefined;
    const key = h.isResponse ? flowKey(to, host, sender.qpn, false) : flowKey(host, to, h.destQp, false);
    const known = this.#requests.get(key);
    if (known?.first === firstPsn) return known;
    const requests = { first: firstPsn, expected: firstPsn, naked: -1, gapAt: -1, nakPsn: -1, nakAt: -1, hits: [] };
    this.#requests.set(key, requests);
    return requests;
  }

  #cnp({ host, to, headers, time }: FrameView, meter: HostMeter): void {
    const key = flowKey(host, to, headers.destQp, false);
    const before = this.#cnps.get(key);
    if (before !== undefined) meter.cnpInterval.add(time - before);
    this.#cnps.set(key, time);
  }

  #resent(requests: Requests, { psn }: FrameHeaders, time: SimTime, meter: HostMeter): void {
    if (requests.nakAt < 0 || psn !== requests.nakPsn) return;
    meter.nakReaction.add(time - requests.nakAt);
    requests.nakAt = -1;
  }

  #hit({ hits }: Requests, { host, headers: h, time, span }: FrameView): void {
    const isData = h.isResponse && h.opcode !== ACKNOWLEDGE;
    // A NAK acknowledges what is before it.
    const psn = h.isResponse ? (isNak(h) ? psnAdd(h.psn, -1) : h.psn) : psnAdd(h.psn, span - 1);
    if (!hits.some((hit) => hit.host === host && hit.psn === psn)) hits.push({ host, psn, time, isData });
  }

  #answered(requests: Requests, h: FrameHeaders, time: SimTime): void {
    if (isSequenceNak(h)) {
      requests.nakPsn = h.psn;
      requests.nakAt = time;
    }
    const { hits } = requests;
    if (hits.length === 0) return;
    const acknowledged = isNak(h) ? psnAdd(h.psn, -1) : h.psn;
    for (let i = hits.length - 1; i >= 0; i--) {
      const hit = hits[i] as Hit;
      const distance = psnCompare(hit.psn, acknowledged);
      if (hit.isData ? distance !== 0 || h.opcode === ACKNOWLEDGE : distance > 0) continue;
      this.#meter(hit.host).recovery.add(time - hit.time);
      hits.splice(i, 1);
    }
  }
}

function requestArrived(requests: Requests, psn: number, span: number, time: SimTime): void {
  const distance = psnCompare(psn, requests.expected);
  if (distance === 0) {
    requests.expected = psnAdd(psn, span);
    requests.gapAt = -1;
    requests.naked = -1;
  } else if (distance > 0 && requests.gapAt < 0 && requests.naked !== requests.expected) requests.gapAt = time;
}

function nakSent(requests: Requests, psn: number, time: SimTime, meter: HostMeter): void {
  requests.naked = psn;
  if (requests.gapAt < 0) return;
  meter.nakGeneration.add(time - requests.gapAt);
  requests.gapAt = -1;
}

/** Of a gap: what comes is not what is expected. */
function isSequenceNak(h: FrameHeaders): boolean {
  return h.opcode === ACKNOWLEDGE && h.syndrome === SYNDROME.nakSequence;
}

/** Of any kind, RNR included. */
function isNak(h: FrameHeaders): boolean {
  return h.opcode === ACKNOWLEDGE && h.syndrome >= SYNDROME.rnr;
}

/**
 * QP_FATAL and DEVICE_FATAL without a ground (roce-transport.md 4.2, 5.6): a queue pair says so of itself when it could not read
 * what it needs, or has refused a request with NAK 0x63 for which it holds no receive. The event may come before its NAK has
 * left, so that those are compared once nothing moves any more.
 */

import type { Subject } from '../../../rdma/subject.ts';
import type { SubjectPart } from '../../../rdma/subject.ts';
import { SYNDROME } from '../../../rdma/bth.ts';
import { ASYNC_EVENT } from '../../../rdma/verbs.ts';
import type { Findings } from '../../../uvm/report/findings.ts';
import type { QueuePairs } from '../../model/queuePairs.ts';
import type { WirePacket } from '../../model/wirePacket.ts';
import { SCB, type ScbId } from '../../report/reportIds.ts';
import { aHost, aQueuePair } from '../../../rdma/subjectParts.ts';

export class FatalEvents {
  readonly #qps: QueuePairs;
  readonly #reporter: Findings<ScbId, Subject>;
  /** Queue pairs that may say so: in the life that they have now. */
  readonly #grounds = new Set<string>();
  /** Those that have said so without, since nothing was in flight. */
  readonly #suspects = new Set<string>();
  /** Completion queues that may be in error. */
  readonly #queues = new Set<string>();
  readonly #devices = new Set<number>();
  /** Hosts that have refused since nothing was in flight, not known which queue pair. */
  readonly #unclear = new Set<number>();

  constructor(qps: QueuePairs, reporter: Findings<ScbId, Subject>) {
    this.#qps = qps;
    this.#reporter = reporter;
  }

  // ---- what may be the ground of an event

  /** Something could not be read without which a queue pair cannot go on. */
  grounded(host: number, qpn: number): void {
    this.#grounds.add(keyOf(host, qpn));
  }

  /** The same of a completion queue. */
  queueGrounded(host: number, cqn: number): void {
    this.#queues.add(keyOf(host, cqn));
  }

  /** The same of a device. */
  deviceGrounded(host: number): void {
    this.#devices.add(host);
  }

  /** A NAK that ends its queue pair leaves a host. */
  refused(p: WirePacket): void {
    if (p.syndrome !== SYNDROME.nakOperation) return;
    const { qpn } = this.#qps.senderTo(p.host, p.to, p.destQp);
    if (qpn < 0) this.#unclear.add(p.host);
    else this.grounded(p.host, qpn);
  }

  /** Software stops a queue pair: the NAK for which it has said so may not leave any more. */
  stopped(host: number, qpn: number): void {
    this.#suspects.delete(keyOf(host, qpn));
    this.grounded(host, qpn);
  }

  /** A queue pair is in INIT: another life begins. */
  made(host: number, qpn: number): void {
    this.#grounds.delete(keyOf(host, qpn));
  }

  // ---- events

  /** Whether a completion queue may be in error for want of host memory. */
  mayFail(host: number, cqn: number): boolean {
    return this.#queues.has(keyOf(host, cqn));
  }

  /** An event reached the software of a host. */
  happened(host: number, event: number, number: number): void {
    if (event === ASYNC_EVENT.qpFatal && !this.#grounds.has(keyOf(host, number))) {
      if (this.#qps.find(host, number).exists) this.#suspects.add(keyOf(host, number));
    } else if (event === ASYNC_EVENT.deviceFatal && !this.#devices.has(host))
      this.#report(
        `DEVICE_FATAL event: host ${host} has lost nothing without which its device cannot go on`,
        aHost(host),
      );
  }

  /** Nothing is in flight: reports events without a ground. */
  quiet(): void {
    for (const suspect of this.#suspects) this.#judge(suspect);
    this.#suspects.clear();
    this.#unclear.clear();
  }

  #judge(suspect: string): void {
    const [host, qpn] = suspect.split(' ');
    if (this.#grounds.has(suspect) || this.#unclear.has(Number(host))) return;
    const what = 'could read all that it needs, and has refused nothing with NAK 0x63';
    this.#report(`QP_FATAL event: host ${host} QP ${qpn} ${what}`, aQueuePair(Number(host), Number(qpn)));
  }

  #report(text: string, accused: SubjectPart): void {
    this.#reporter.error(SCB.eventGroundless, () => text, [accused]);
  }
}

/** A queue pair or completion queue of a host. */
function keyOf(host: number, number: number): string {
  return `${host} ${number}`;
}

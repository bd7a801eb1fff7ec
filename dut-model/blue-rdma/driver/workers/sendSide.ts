/**
 * Retransmit and completion workers of the send queues: what acknowledgements and time-outs mean (blue-rdma.md sections
 * 11.3 to 11.6).
 */
import { WC_STATUS } from '../../../../rdma/verbs.ts';
import type { BlueQp, Ending } from '../blueObjects.ts';
import type { CompletionQueues } from '../completionQueues.ts';
import { partsOf } from '../tracking/messageCut.ts';
import { psnAfter, psnDistance } from '../tracking/psn.ts';
import type { PsnRun, ResendPolicy } from '../tracking/sendTracker.ts';
import type { SendRequest } from '../tracking/sendRequest.ts';
import type { WindowBits } from '../tracking/windowBits.ts';
import type { Worker } from '../worker.ts';
import type { ChunkSender } from './chunkSender.ts';
import type { RequestStarter, StarterUser } from './requestStarter.ts';
import type { TimeoutUser, Timeouts } from './timeouts.ts';

/** Whom the send side tells. */
export interface SendSideUser {
  /** A queue pair is not to go on: its NIC is told, and then `stopped` is called. */
  failed(qp: BlueQp): void;
  /** The message behind the last one is longer than the receive that it would take. */
  tooLong(qp: BlueQp): void;
}

/** How what is lost is sent again; see `BlueSettings`. */
export interface ResendSettings {
  readonly resend: ResendPolicy;
  readonly probe: boolean;
  readonly chunkBytes: number;
}

interface Resend {
  readonly qp: BlueQp;
  readonly life: number;
  readonly run: PsnRun;
}

export class SendSide implements StarterUser, TimeoutUser {
  /** All set once after construction. */
  retransmitter!: Worker;
  completer!: Worker;
  starter!: RequestStarter;
  timeouts!: Timeouts;
  user!: SendSideUser;
  protected readonly chunks: ChunkSender;
  protected readonly completions: CompletionQueues;
  readonly #policy: ResendPolicy;
  readonly #probes: boolean;
  readonly #chunkBytes: number;
  #resends: Resend[] = [];
  #touched = new Set<BlueQp>();

  constructor(chunks: ChunkSender, completions: CompletionQueues, settings: ResendSettings) {
    this.chunks = chunks;
    this.completions = completions;
    this.#policy = settings.resend;
    this.#probes = settings.probe;
    this.#chunkBytes = settings.chunkBytes;
  }

  started(qp: BlueQp): void {
    this.timeouts.start(qp);
  }

  unreachable(qp: BlueQp): void {
    this.timeouts.start(qp);
  }

  blocked(qp: BlueQp, request: SendRequest, status: number): void {
    if (qp.list.all().some(({ number }) => number >= 0)) return;
    if (status === WC_STATUS.remInvReqErr) this.user.tooLong(qp);
    this.fail(qp, request, status);
  }

  driverAck(qp: BlueQp, end: number): void {
    const base = qp.sent.base;
    qp.sent.before(end);
    this.afterAck(qp, base);
    // Whose oldest request is a READ that has arrived sees that the peer is alive, and waits for the data.
    const { oldest } = qp.list;
    if (oldest?.isRead === true && psnDistance(oldest.psn, qp.sent.base) > 0) qp.retries = qp.retryCnt;
  }

  driverNak(qp: BlueQp, base: number, end: number): void {
    const before = qp.sent.base;
    if (!qp.sent.before(base)) return;
    this.afterAck(qp, before);
    for (const run of qp.sent.missing(base, end)) this.#resend(qp, run);
  }

  hardwareNak(qp: BlueQp, sequence: number, before: WindowBits, now: WindowBits): void {
    const base = qp.sent.base;
    if (!qp.sent.hardwareNak(sequence, before, now)) return;
    this.afterAck(qp, base);
    for (const run of qp.sent.toResend(this.#policy, before, now)) this.#resend(qp, run);
  }

  /** The data of a READ have come, so its request has: its own acknowledgement may be lost, and nobody asks for it again. */
  answered(qp: BlueQp, { psn, packets }: SendRequest): void {
    const { base } = qp.sent;
    qp.sent.acknowledged.addRange(psn, psnAfter(psn, packets));
    this.afterAck(qp, base);
  }

  /** Something of a request has changed: its data have come, the peer has refused it, or it is to be flushed. */
  touch(qp: BlueQp): void {
    this.#touched.add(qp);
    this.completer.wake();
  }

  /** Retransmit worker. */
  retransmit(): void {
    const resends = this.#resends.filter(({ qp, life }) => life === qp.life && qp.running);
    this.#resends = [];
    if (this.#policy === 'gbn') {
      for (const { qp, run } of resends) this.#goBack(qp, run.first);
      return;
    }
    for (const { qp, run } of resends) {
      for (const left of qp.sent.missing(run.first, psnAfter(run.first, run.count), this.#policy === 'hull'))
        this.#runAgain(qp, left);
    }
  }

  /** Completion worker. */
  complete(): void {
    const touched = this.#touched;
    this.#touched = new Set();
    for (const qp of touched) {
      if (!qp.alive) continue;
      if (qp.failed) {
        if (qp.stopped) this.flush(qp);
      } else this.#completeAll(qp);
    }
  }

  timedOut(qp: BlueQp): void {
    const due = this.timeouts.due(qp);
    if (due === undefined) return;
    // The NIC drops chunks whose region has gone since they were given to it, and says nothing.
    const inVain = this.#upTo(qp, due).find((r) => r.number >= 0 && !this.starter.isStillRight(qp, r));
    const first = qp.list.all().find(({ number }) => number >= 0) ?? inVain;
    if (inVain !== undefined && inVain === first) {
      this.fail(qp, inVain, WC_STATUS.locProtErr);
      return;
    }
    if (qp.retries <= 0) {
      this.#giveUp(qp);
      return;
    }
    const isSecond = ((qp.retryCnt - qp.retries) & 1) === 1;
    qp.retries--;
    if (qp.list.size === 0) {
      this.timeouts.restart(qp);
      return;
    }
    if (inVain !== undefined && first !== undefined) {
      // A READ before it that waits for its data ends first.
      inVain.refused = WC_STATUS.locProtErr;
      this.#again(qp, first, 0, 1);
      this.timeouts.restart(qp);
      return;
    }
    const runs = qp.sent.missing(qp.sent.base, qp.sent.next);
    // A READ whose request has arrived waits for its data: asking again shows whether the peer is alive.
    if (runs.length === 0) this.#again(qp, due, 0, 1);
    else if (isSecond && this.#probes) this.#probe(qp);
    else for (const run of runs) this.#resend(qp, run);
    this.timeouts.restart(qp);
  }

  /** The requests up to one: itself, where it is not started. */
  #upTo({ list }: BlueQp, due: SendRequest): readonly SendRequest[] {
    const at = list.all().indexOf(due);
    return at < 0 ? [due] : list.all().slice(0, at + 1);
  }

  /** Has the peer say what it is missing, by the newest packet that was sent. */
  #probe(qp: BlueQp): void {
    this.#runAgain(qp, { first: psnAfter(qp.sent.given, -1), count: 1 });
  }

  /** What is posted to a queue pair that its peer does not hear is given up. */
  posted(qp: BlueQp): void {
    if (qp.failed) this.touch(qp);
    else if (qp.unheard) this.#giveUp(qp);
    else this.starter.wake(qp);
  }

  /** Ends a queue pair: the request fails, all behind it are flushed, once the NIC touches their buffers no more. */
  fail(qp: BlueQp, request: SendRequest, status: number): void {
    this.end(qp, { request, receive: null, status });
  }

  /** As `fail`, whatever it is that fails. */
  end(qp: BlueQp, ending: Ending): void {
    if (qp.failed) return;
    qp.failed = true;
    qp.due = 0;
    qp.ending = ending;
    this.user.failed(qp);
  }

  /** The peer of a queue pair asks once more for what was given up: it is alive. */
  askedAgain(qp: BlueQp): void {
    if (!qp.unheard || qp.failed) return;
    qp.unheard = false;
    qp.retries = qp.retryCnt;
    this.timeouts.restart(qp);
  }

  /** The NIC of a queue pair that has failed has been told. */
  stopped(qp: BlueQp): void {
    const { ending } = qp;
    const request = ending?.request ?? null;
    if (ending !== null && request !== null) {
      // Those before it in the list are READ responses, which have no completion.
      const at = qp.list.all().indexOf(request);
      for (let i = 0; i <= at; i++) qp.list.shift();
      if (at < 0) qp.waiting.shift();
      this.completions.sent(qp, request, ending.status);
    }
    this.flush(qp);
  }

  /**
   * The oldest request of the software fails, since nothing gets through. A READ response that nobody acknowledges is no
   * request: without one, whoever posts the next one is told.
   */
  #giveUp(qp: BlueQp): void {
    const request = qp.list.all().find(({ number }) => number >= 0) ?? qp.waiting[0];
    qp.unheard = true;
    qp.due = 0;
    if (request !== undefined) this.fail(qp, request, WC_STATUS.retryExcErr);
  }

  /** Ends all requests of a queue pair that has failed. */
  flush(qp: BlueQp): void {
    for (let r = qp.list.shift(); r !== undefined; r = qp.list.shift()) this.#flushOne(qp, r);
    for (let r = qp.waiting.shift(); r !== undefined; r = qp.waiting.shift()) this.#flushOne(qp, r);
    qp.responses.length = 0;
    qp.reads = 0;
  }

  /** Overridable for planting. */
  protected afterAck(qp: BlueQp, baseBefore: number): void {
    if (qp.sent.base !== baseBefore) {
      qp.unheard = false;
      qp.retries = qp.retryCnt;
      this.timeouts.restart(qp);
    }
    this.touch(qp);
  }

  /** Whether a request is complete; overridable for planting. */
  protected isComplete(qp: BlueQp, r: SendRequest): boolean {
    const received = psnDistance(psnAfter(r.psn, r.packets), qp.sent.base) >= 0;
    return received && (!r.isRead || r.dataHere);
  }

  #flushOne(qp: BlueQp, request: SendRequest): void {
    if (request.number >= 0) this.completions.sent(qp, request, WC_STATUS.wrFlushErr);
  }

  #completeAll(qp: BlueQp): void {
    for (;;) {
      const oldest = qp.list.oldest;
      if (oldest === undefined) break;
      if (oldest.refused !== 0) {
        this.fail(qp, oldest, oldest.refused);
        return;
      }
      if (!this.isComplete(qp, oldest)) break;
      qp.list.shift();
      if (oldest.isRead) qp.reads--;
      if (oldest.number >= 0 && oldest.signaled) this.completions.sent(qp, oldest, WC_STATUS.success);
    }
    if (qp.list.size === 0) this.timeouts.restart(qp);
    this.starter.wake(qp);
  }

  /** All from one packet on is sent again, in place of what was to be sent again from there. */
  #goBack(qp: BlueQp, from: number): void {
    this.chunks.forgetAgain(qp, from);
    for (const left of qp.sent.missing(from, qp.sent.given, true)) this.#runAgain(qp, left);
  }

  #runAgain(qp: BlueQp, { first, count }: PsnRun): void {
    qp.list.forEach(first, count, (request, packet, n) => this.#again(qp, request, packet, n));
  }

  #resend(qp: BlueQp, run: PsnRun): void {
    this.#resends.push({ qp, life: qp.life, run });
    this.retransmitter.wake();
  }

  #again(qp: BlueQp, request: SendRequest, packet: number, count: number): void {
    if (request.isRead) {
      const part = { offset: 0, length: request.length, packet: 0, first: true, last: true };
      this.chunks.add(qp, request, part, true);
      return;
    }
    if (request.length === 0) {
      this.chunks.add(qp, request, { offset: 0, length: 0, packet: 0, first: true, last: true }, true);
      return;
    }
    for (const part of partsOf(request, qp.mtu, packet, count, this.#chunkBytes)) {
      this.chunks.add(qp, request, part, true);
    }
  }
}

/**
 * The host side of a scenario: what the software of one host does, in the process of that host. It meets the others
 * at the batch gate.
 *
 *   bring up ─ connect ─ for each doorbell: register, post receives, post sends, complete ─ tear down
 *            │                                                     │                     │
 *          gate                                                  gate                  gate
 */
import { aCompletionQueue } from '../../rdma/subjectParts.ts';
import { RecvWr, SendWr, WorkCompletion } from '../../agents/verbs/verbsItems.ts';
import { cqName } from '../../env/verbs/cqName.ts';
import type { HostApi } from '../../env/verbs/hostApi.ts';
import type { Cq } from '../../env/verbs/verbsObjects.ts';
import { WC_STATUS } from '../../rdma/verbs.ts';
import type { Proc, Process } from '../../uvm/kernel/process.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { Sequence } from '../../uvm/seq/sequence.ts';
import { BRING_UP, type ScenarioSource } from '../../config/scenario/scenario.ts';
import { RegionPlan } from '../../config/scenario/regionPlan.ts';
import { WorkPlan } from '../../config/scenario/workPlan.ts';
import type { BatchGate } from './batchGate.ts';
import { WR_ID_BITS, bindRecvs, bindSends } from './bindWork.ts';
import type { Endpoint } from './endpoint.ts';
import { untilFatal } from './faults/untilFatal.ts';
import { EventLoop, type EventLoopUser } from './eventLoop.ts';
import { HostSetup } from './hostSetup.ts';
import { LatencyStats } from './latencyStats.ts';
import type { RunProgress } from './runProgress.ts';
import type { ScenarioPlay } from './scenarioPlay.ts';
import { Stillness } from './stillness.ts';
import { UnfilledReceives } from './unfilledReceives.ts';
import { UnsignaledSends } from './unsignaledSends.ts';

/** A byte at 1 Gb/s takes 8000 ps. */
const PS_PER_BYTE_AT_GBPS = 8000;
/** Headers, and data that crosses the same bus twice. */
const DATA_MARGIN = 4;

export class HostSequence extends Sequence implements EventLoopUser {
  readonly setup: HostSetup;
  readonly latency = new LatencyStats();
  readonly #api: HostApi;
  readonly #source: ScenarioSource;
  readonly #play: ScenarioPlay;
  readonly #progress: RunProgress;
  readonly #gate: BatchGate;
  readonly #plan: WorkPlan;
  readonly #regions = new RegionPlan();
  readonly #sends: SendWr[];
  readonly #recvs: RecvWr[];
  readonly #wc = new WorkCompletion();
  /** When the doorbell of each queue pair was rung. */
  readonly #postedAt: Float64Array;
  readonly #busyQps: number;
  #events: EventLoop | undefined;
  #unfilled: UnfilledReceives | undefined;
  #outstanding = 0;
  readonly #unsignaled: UnsignaledSends;

  constructor(api: HostApi, play: ScenarioPlay, gate: BatchGate) {
    super(`host${api.host}`);
    const { source } = play;
    this.setup = new HostSetup(api, source, source.regionNumbers);
    this.setup.device = play.env.device ?? {};
    this.setup.ends = play.env.ends;
    this.#api = api;
    this.#source = source;
    this.#play = play;
    this.#progress = play.progress;
    this.#gate = gate;
    this.#plan = new WorkPlan(source.maxRequests, source.maxSge);
    this.#sends = Array.from({ length: source.maxRequests }, () => new SendWr());
    this.#recvs = Array.from({ length: source.maxRequests }, () => new RecvWr());
    this.#busyQps = source.busyQps(api.host);
    this.#postedAt = new Float64Array(source.qpCount(api.host));
    this.#unsignaled = new UnsignaledSends(source.qpCount(api.host));
  }

  override *body(): Proc {
    const fatal = yield* untilFatal(this.#work());
    if (fatal !== undefined) yield* this.#leave(fatal);
  }

  *#work(): Proc {
    const { host } = this.#api;
    const { options } = this.#play;
    const began = this.run.scheduler.now;
    const ipv6 = options.connect.ipv6 === true;
    const [reads, inline] = [this.#source.hasReads(), this.#source.hasInline()];
    yield* this.setup.bringUp({ reads, inline, events: options.events, ipv6 });
    yield* this.#register(BRING_UP);
    yield* this.#gate.together();
    yield* this.setup.connect((h, qp) => this.#gate.endpoint(h, qp), options.connect);
    if (options.events) yield* this.#armAll(this.run.scheduler.now - began);
    for (let doorbell = 0; doorbell < this.#source.doorbells; doorbell++) {
      yield* this.#register(doorbell);
      yield* this.#postReceives(doorbell);
      yield* this.#gate.begin(host, doorbell);
      yield* this.#postSends(doorbell);
      yield* this.#complete();
      yield* this.#gate.end(host);
      if (this.#mayBreak && doorbell + 1 < this.#source.doorbells) yield* this.#mend(doorbell + 1);
    }
    if (options.tearDown) yield* this.setup.tearDown();
  }

  /** The device is gone, and with it what this host had to do; the others go on among themselves. */
  *#leave(fatal: Error): Proc {
    for (const child of this.run.processes.current?.children ?? []) child.kill();
    this.info('SEQ_DEVICE_FATAL', `${this.name} ends: ${fatal.message}`);
    this.#gate.leave(this.#api.host);
    if (this.#play.options.tearDown) yield* this.#api.closeDevice();
  }

  /** True when everything posted has completed. */
  finished(): boolean {
    return this.#outstanding <= 0;
  }

  /** A completion lay in an armed queue and no event came. */
  lost(cq: Cq, armedAt: number, seenAt: number): void {
    const name = cqName(
      cq,
      this.setup.endpoints.map((end) => end.qp),
    );
    const held = `holds ${cq.arrived} completions of ${cq.produced} so far, some since ${logTime(seenAt)} at the latest`;
    const armed = `it was armed at ${logTime(armedAt)}, and the NIC has sent no event`;
    this.error('SEQ_EVENT_LOST', `${name} ${held}; ${armed}`, [aCompletionQueue(this.setup.host, cq.cqn)]);
  }

  /** Takes everything out of a queue and counts it. */
  drain(cq: Cq): void {
    const wc = this.#wc;
    const progress = this.#progress;
    const unsignaled = this.#unsignaled;
    const { now } = this.run.scheduler;
    while (cq.arrived > 0 && this.#api.pollCq(cq, wc) === true) {
      if (wc.isSend !== true || !unsignaled.any || unsignaled.asked(wc.wrId)) this.#outstanding--;
      if (wc.status !== WC_STATUS.success && !this.#isAskedFor(wc)) progress.hasFailed(this.#requestOf(wc), wc.status);
      if (wc.isSend === true) {
        progress.requestsDone += unsignaled.any ? unsignaled.done(wc.wrId) : 1;
        this.latency.add(now - (this.#postedAt[wc.wrId >> WR_ID_BITS] as number));
      } else progress.receivesDone++;
    }
  }

  /** It is the flush of a receive that nobody could fill. */
  #isAskedFor({ isSend, status, wrId }: WorkCompletion): boolean {
    const end = this.setup.endpoints[wrId >> WR_ID_BITS] as Endpoint;
    return !isSend && status === WC_STATUS.wrFlushErr && this.#unfilled?.isReleased(end) === true;
  }

  /** For messages. */
  #requestOf(wc: WorkCompletion): string {
    const queue = wc.isSend ? 'send' : 'receive';
    return `wrId ${wc.wrId} of the ${queue} queue of host ${this.#api.host} QP ${wc.qpn}`;
  }

  /**
   * Bringing up takes dozens of commands, each with a way to the NIC, work inside and a way back: at any clock and bus
   * speed that is longer than the NIC needs for one event.
   * @param bringUpTime ps
   */
  *#armAll(bringUpTime: number): Proc<void> {
    const { env, progress, slowestRate } = this.#play;
    this.#events = new EventLoop(this.#api, this.setup.cqs, this.run.processes, this, {
      stillness: new Stillness(env),
      silence: bringUpTime,
      dataTime: () => (DATA_MARGIN * PS_PER_BYTE_AT_GBPS * progress.bytesPosted) / slowestRate,
    });
    yield* this.#events.armAll();
  }

  /** Registers the memory of a doorbell, or that of the whole run. */
  *#register(doorbell: number): Proc<void> {
    const { lastingRegions, regionNumbers } = this.#source;
    if (doorbell !== BRING_UP && lastingRegions === regionNumbers) return;
    const plan = this.#regions;
    for (let q = 0; q < this.setup.endpoints.length; q++) {
      this.#source.regions(this.#api.host, q, doorbell, plan);
      if (plan.count > 0) yield* this.setup.registerAll(this.setup.endpoints[q] as Endpoint, plan);
    }
  }

  *#postReceives(doorbell: number): Proc<void> {
    const plan = this.#plan;
    for (let i = 0; i < this.#busyQps; i++) {
      this.#source.recvs(this.#api.host, i, doorbell, plan);
      const count = plan.count;
      if (count === 0) continue;
      const end = this.setup.endpoints[i] as Endpoint;
      if (isAlone(end)) continue;
      bindRecvs(plan, this.#recvs, end, i << WR_ID_BITS);
      this.#outstanding += count;
      yield* this.#api.postRecv(end.qp, this.#recvs, count);
    }
  }

  /** One doorbell per queue pair. Every receive has been posted, on all hosts. */
  *#postSends(doorbell: number): Proc<void> {
    const plan = this.#plan;
    for (let i = 0; i < this.#busyQps; i++) {
      this.#source.sends(this.#api.host, i, doorbell, plan);
      const count = plan.count;
      if (count === 0) continue;
      const end = this.setup.endpoints[i] as Endpoint;
      if (isAlone(end)) continue;
      const bytes = bindSends(plan, this.#sends, end, end.peer as Endpoint, i << WR_ID_BITS);
      this.#progress.bytesPosted += bytes;
      this.#outstanding += end.qp.signalAll ? count : this.#unsignaled.posted(i, plan);
      this.#postedAt[i] = this.run.scheduler.now;
      yield* this.#api.postSend(end.qp, this.#sends, count);
    }
  }

  /** Takes completions until all that was posted is done, or cannot be. */
  *#complete(): Proc<void> {
    const watch = this.#mayBreak ? this.#watchReceives() : undefined;
    if (this.#events !== undefined) yield* this.#events.run();
    else yield* this.#api.takeCompletions(this);
    watch?.kill();
  }

  /** Messages may be lost for good. */
  get #mayBreak(): boolean {
    return this.#play.env.lossAllowed || this.#play.options.mayGiveUp;
  }

  #watchReceives(): Process {
    const { env, options } = this.#play;
    this.#unfilled ??= new UnfilledReceives(this.#api, env, this.setup.endpoints, options.settle);
    return this.run.processes.spawn('unfilled receives', this.#unfilled.watch(this.run.scheduler));
  }

  /** Connects again what has broken, on all hosts. @param lives number of the batch that comes */
  *#mend(lives: number): Proc<void> {
    const unfilled = this.#unfilled as UnfilledReceives;
    const broken = unfilled.broken().filter((end) => !isAlone(end));
    yield* this.#gate.together();
    yield* unfilled.reset(broken);
    yield* this.#gate.together();
    yield* this.setup.reconnect(broken, this.#play.options.connect, lives);
  }
}

/** The device of the host is gone that its peer is on. */
function isAlone({ peer }: Endpoint): boolean {
  return peer?.qp.alive !== true;
}

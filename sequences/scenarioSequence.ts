/**
 * The virtual sequence: plays a scenario on all hosts, one process per host, kept together by barriers.
 *
 * A batch is everything of one doorbell index. The gates make it safe: no host rings a doorbell before every receive
 * of the batch is posted and every region registered, on all hosts; and no host starts the next batch before
 * everything of this one has completed, nothing moves any more, and the judge has been told so.
 */
import { aHost } from '../rdma/subjectParts.ts';
import { type Proc, joinAll } from '../uvm/kernel/process.ts';
import { Sequence } from '../uvm/seq/sequence.ts';
import { Barrier } from './host/barrier.ts';
import type { BatchGate } from './host/batchGate.ts';
import type { Endpoint } from './host/endpoint.ts';
import { HostSequence } from './host/hostSequence.ts';
import { LatencyStats } from './host/latencyStats.ts';
import type { ScenarioPlay } from './host/scenarioPlay.ts';
import { settle } from './host/settle.ts';

export class ScenarioSequence extends Sequence implements BatchGate {
  /** Factory type name, so that a test can put another in its place. */
  static readonly typeName: string = 'scenario_sequence';
  /** Set before the start. */
  play: ScenarioPlay | undefined;
  /** Request latencies of all hosts, complete when the sequence has ended. */
  readonly latency = new LatencyStats();
  #hosts: HostSequence[] = [];
  #barrier = new Barrier('all hosts', 1);
  #began = 0;
  /** Hosts that take part, the first of which settles a batch for all. */
  #present: number[] = [];

  override *body(): Proc {
    const play = this.#given();
    const { source, env, progress } = play;
    progress.requestsTotal += source.requestCount();
    progress.batchesTotal += source.doorbells;
    progress.stage = 'bring-up';
    this.#barrier = new Barrier('all hosts', source.hosts);
    this.#present = Array.from({ length: source.hosts }, (_, host) => host);
    this.#hosts = env.hosts.slice(0, source.hosts).map((api) => new HostSequence(api, play, this));
    const started = this.#hosts.map((host) => this.run.processes.spawn(host.name, this.startChild(host)));
    yield* joinAll(started);
    for (const host of this.#hosts) this.latency.merge(host.latency);
  }

  together(): Proc<void> {
    return this.#meet();
  }

  *begin(host: number, doorbell: number): Proc<void> {
    yield* this.#meet();
    if (host !== this.#present[0]) return;
    this.#given().progress.stage = `batch ${doorbell}`;
    this.#began = this.run.scheduler.now;
  }

  *end(host: number): Proc<void> {
    yield* this.#meet();
    if (host === this.#present[0]) yield* this.#settle();
    yield* this.#meet();
  }

  leave(host: number): void {
    this.#present = this.#present.filter((each) => each !== host);
    this.#barrier.leave();
  }

  endpoint(host: number, qp: number): Endpoint | undefined {
    return (this.#hosts[host] as HostSequence).setup.endpoints[qp];
  }

  *#meet(): Proc<void> {
    yield* this.#barrier.arrive();
    this.#given().env.recording?.barrier();
  }

  *#settle(): Proc<void> {
    const { env, options, progress } = this.#given();
    progress.busyTime += this.run.scheduler.now - this.#began;
    progress.batchesDone++;
    if (progress.batchesDone === progress.batchesTotal) progress.stage = 'tear-down';
    if (yield* settle(env, options.settle)) return;
    this.error(
      'SEQ_NOT_QUIET',
      `all requests are done, but the NICs do not come to rest; look for endless retransmission`,
      env.hosts.map(({ host }) => aHost(host)),
    );
  }

  #given(): ScenarioPlay {
    if (this.play === undefined) throw new Error(`${this.fullName}: set .play before starting the sequence`);
    return this.play;
  }
}

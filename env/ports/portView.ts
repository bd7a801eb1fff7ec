/** What the scoreboard is told of the ports of NICs and of the wire, when it asks. */

import type { LinkAgent } from '../../agents/link/linkAgent.ts';
import type { LinkStatistics } from '../../agents/link/linkStatistics.ts';
import type { Attempt } from '../../scoreboard/reference/attempts.ts';
import type { DamagedAnswer } from '../../scoreboard/reference/connection.ts';
import type { FlowProgress, QpAddress } from '../../scoreboard/reference/flowProgress.ts';
import type { TransportMonitor } from '../../scoreboard/reference/transportMonitor.ts';
import type { Certainty } from '../../scoreboard/model/certainty.ts';
import type { Profiles } from '../../scoreboard/model/profiles.ts';
import type { WireView } from '../../scoreboard/model/wireView.ts';
import type { IdleTime } from '../../agents/idleTime.ts';
import type { HostEnv } from '../hostEnv.ts';

type Stretch = Pick<IdleTime, 'from' | 'to'>;

export class PortView implements WireView {
  readonly watches = true;
  readonly #hosts: readonly HostEnv[];
  readonly #link: LinkAgent;
  readonly #transport: TransportMonitor;
  readonly #profiles: Profiles;

  constructor(hosts: readonly HostEnv[], link: LinkAgent, transport: TransportMonitor, profiles: Profiles) {
    this.#hosts = hosts;
    this.#link = link;
    this.#transport = transport;
    this.#profiles = profiles;
  }

  get shortestTrip(): number {
    return this.#link.shortestTrip;
  }

  get certainty(): Certainty | undefined {
    return this.#transport.certainty;
  }

  sentFrames(host: number): number {
    return (this.#link.statistics[host] as LinkStatistics).sentFrames;
  }

  mostFrames(time: number): number {
    return Math.ceil(time / this.#link.shortestFrame);
  }

  hasRested(host: number, since: number): boolean {
    const { emptyAt } = this.#link;
    return since >= 0 && emptyAt > since && this.#paused(host, emptyAt);
  }

  hasIdled(host: number, since: number, wait: number): boolean {
    const { emptyAt, inFlight } = this.#link;
    return inFlight === 0 && this.#paused(host, Math.max(since, emptyAt) + wait);
  }

  hasPaused(host: number, since: number): boolean {
    const { downLatency, rate, headerBytes } = (this.#hosts[host] as HostEnv).agent.settings;
    const { doorbellBytes, doorbellBurst } = this.#profiles.of(host);
    const access = (8000 * (doorbellBytes + headerBytes)) / rate;
    return this.#paused(host, since + downLatency + doorbellBurst * access);
  }

  hasHeardAll(host: number): boolean {
    if (this.#link.inFlight > 0) return false;
    const { now } = (this.#hosts[host] as HostEnv).run.scheduler;
    return now - (this.#link.statistics[host] as LinkStatistics).receivedAt > this.#workTime(host);
  }

  hearingTime(host: number): number {
    return this.#link.shortestTrip + this.#workTime(host);
  }

  unanswered(host: number, remoteHost: number, remoteQpn: number): number {
    return this.#transport.unanswered(host, remoteHost, remoteQpn);
  }

  damagedAnswer(host: number, remoteHost: number, remoteQpn: number): DamagedAnswer | null {
    return this.#transport.damagedAnswer(host, remoteHost, remoteQpn);
  }

  attempt(host: number, qpn: number, remoteHost: number, remoteQpn: number): Attempt | undefined {
    return this.#transport.attempt(host, qpn, remoteHost, remoteQpn);
  }

  progress(host: number, qpn: number, remote: QpAddress | null): FlowProgress | undefined {
    return this.#transport.progress(host, qpn, remote);
  }

  requestsFrom(host: number, qpn: number, first: number): number {
    return this.#transport.requestsFrom(host, qpn, first);
  }

  requestsTo(host: number, qpn: number, first: number): number {
    return this.#transport.requestsTo(host, qpn, first);
  }

  /** Time in ps that a NIC takes for a frame. */
  #workTime(host: number): number {
    const { upLatency, downLatency, memoryLatency } = (this.#hosts[host] as HostEnv).agent.settings;
    const { reactionTime, readsPerFrame } = this.#profiles.of(host);
    return reactionTime + readsPerFrame * (upLatency + downLatency + memoryLatency);
  }

  /** Whether nothing moved at the ports of a NIC, nor in memory on its card, for long enough since it knew of something. */
  #paused(host: number, since: number): boolean {
    const { agent, ddr, run } = this.#hosts[host] as HostEnv;
    // What a fault rule has done to its reads, a NIC may take long to find out.
    if (agent.slave.faults !== null) return false;
    const { now } = run.scheduler;
    const pcie = agent.statistics;
    const port = this.#link.statistics[host] as LinkStatistics;
    const bus = [pcie.idle, { from: pcie.lastAt, to: pcie.isIdle ? now : 0 }];
    const link = [port.idle, { from: port.movedAt, to: now }];
    // Payload may wait for memory on the card long after its frame, with nothing to be seen on bus and link.
    const banks = ddr === null ? [{ from: 0, to: now }] : [ddr.idle, { from: ddr.movedAt, to: now }];
    const { restTime } = this.#profiles.of(host);
    const isLong = (...all: readonly Stretch[]): boolean =>
      Math.min(...all.map(({ to }) => to)) - Math.max(since, ...all.map(({ from }) => from)) >= restTime;
    return bus.some((a) => link.some((b) => banks.some((c) => isLong(a, b, c))));
  }
}

/** Brings all hosts up and joins the queue pairs of a topology, for user sequences. */
import type { DeviceRequest } from '../../env/verbs/srq/srqRequests.ts';
import type { ConnectAttributes } from '../../env/verbs/hostApi.ts';
import { type Proc, type Process, type ProcessManager, joinAll } from '../../uvm/kernel/process.ts';
import type { RunNeeds } from '../host/capabilityNeeds.ts';
import { QP_STATE, QP_TYPE } from '../../rdma/verbs.ts';
import type { Endpoint } from '../host/endpoint.ts';
import type { EndsOf } from '../host/endDraws.ts';
import { HostSetup } from '../host/hostSetup.ts';
import type { Sharing } from '../host/sharing.ts';
import type { PlayEnv } from '../host/playEnv.ts';
import type { RunProgress } from '../host/runProgress.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import type { TopologyPlan } from '../../config/scenario/scenario.ts';
import { CompletionRouter, type CompletionUser } from './waits/completionRouter.ts';
import type { Connection } from './connection.ts';
import { loseSides } from './waits/loseSides.ts';
import { idleWaits } from './waits/idleWaits.ts';
import { notedApi } from './notedApi.ts';
import { type Clock, QpSide } from './qpSide.ts';
import { SideCalls } from './waits/sideCalls.ts';

/** Bits of tags where a sequence needs some, and the run says nothing of them. */
const USUAL_TAGS = 8;

export class ConnectionSetup {
  readonly #plan: TopologyPlan;
  readonly #processes: ProcessManager;
  readonly #progress: RunProgress;
  readonly #hosts: readonly HostSetup[];
  readonly #clock: Clock;
  readonly #calls = new SideCalls();
  readonly #device: DeviceRequest;
  readonly #ends: EndsOf | undefined;
  /** Receives that queue pairs share; set before they are brought up. */
  sharing: Sharing | null = null;
  /** Keys with tags are needed; set before they are brought up. */
  needsTags = false;
  #sides: readonly (readonly QpSide[])[] = [];
  /** By host. */
  readonly #routers: CompletionRouter[] = [];
  #common: ConnectAttributes = {};
  #pollDelay: () => SimTime = () => 0;
  /** Times that hosts were brought up again. */
  #reopened = 0;

  constructor(env: PlayEnv, plan: TopologyPlan, processes: ProcessManager, progress: RunProgress, clock: Clock) {
    this.#plan = plan;
    this.#processes = processes;
    this.#progress = progress;
    this.#clock = clock;
    this.#device = env.device ?? {};
    this.#ends = env.ends;
    this.#hosts = env.hosts.slice(0, plan.hosts).map((api) => new HostSetup(api, plan, 0));
  }

  /**
   * All hosts side by side: up, then connected; returns the connections.
   * @param pollDelay see `UserSequence.pollDelay`
   */
  *bringUp(common: ConnectAttributes, pollDelay: () => SimTime): Proc<Connection[]> {
    const { keyTags = this.needsTags ? USUAL_TAGS : 0 } = this.#device;
    for (const host of this.#hosts) {
      host.sharing = this.sharing;
      host.ends = this.#ends;
      host.device = keyTags > 0 ? { ...this.#device, keyTags } : this.#device;
    }
    this.#common = common;
    this.#pollDelay = pollDelay;
    yield* this.#all((host) => host.bringUp(this.#needs));
    const find = (host: number, qp: number): Endpoint => (this.#hosts[host] as HostSetup).endpoints[qp] as Endpoint;
    yield* this.#all((host) => host.connect(find, common));
    return this.#connections();
  }

  /** See `UserSequence.reopen`. */
  *reopen(host: number): Proc<void> {
    const setup = this.#hosts[host] as HostSetup;
    const pairs = [...this.#pairs()].filter(([side]) => side.host === host);
    yield* setup.reopen(this.#needs);
    this.#reopened++;
    for (const [side, peer] of pairs) {
      if (peer.qp.type !== QP_TYPE.ud) yield* peer.api.modifyQp(peer.qp, { state: QP_STATE.reset });
      side.revive();
      peer.revive();
    }
    yield* setup.reconnect(setup.endpoints, this.#common, this.#reopened);
    for (const end of setup.endpoints) setup.addressAnew(end, this.#common);
    for (const [, peer] of pairs) yield* this.#connectAgain(peer);
    this.#startRouter(host, this.#sides[host] as readonly QpSide[]);
  }

  *#connectAgain({ host, qp }: QpSide): Proc<void> {
    if (qp.type === QP_TYPE.ud) return;
    const setup = this.#hosts[host] as HostSetup;
    const ends = setup.endpoints.filter((end) => end.qp === qp);
    yield* setup.reconnect(ends, this.#common, this.#reopened);
  }

  /** See `UserContext.giveCompletions`. */
  giveCompletions(host: number, user: CompletionUser): void {
    this.#routers[host]?.add(user);
  }

  get #needs(): RunNeeds {
    return { reads: false, inline: false, events: false, ipv6: this.#common.ipv6 === true };
  }

  /** Calls of the sides that were made without `yield*`; '' when there is none. */
  callsNeverBegun(): string {
    return this.#calls.neverBegun();
  }

  /** Who waits for completions that nobody can send, where that is what all wait for; see `idleWaits`. */
  idleWaits(): string | undefined {
    return idleWaits(this.#processes, this.#sides.flat());
  }

  /** Sides of whose completions somebody waits. */
  waitingSides(): QpSide[] {
    const parked = this.#processes.parked();
    return this.#sides
      .flat()
      .filter((side) => parked.some(({ waitsOn }) => side.callThatWaitsOn(waitsOn) !== undefined));
  }

  /** For the deadlock report: first who waits for a completion of a queue pair with work, then the sequence's others. */
  rank(process: Process): number {
    if (process.daemon) return 3;
    const side = this.#sides.flat().find((each) => each.callThatWaitsOn(process.waitsOn) !== undefined);
    if (side === undefined) return 2;
    return side.qp.alive && side.qp.sendOutstanding + side.qp.recvOutstanding > 0 ? 0 : 1;
  }

  *tearDown(): Proc<void> {
    yield* this.#all((host) => host.tearDown());
  }

  *#all(work: (host: HostSetup) => Proc<void>): Proc<void> {
    yield* joinAll(this.#hosts.map((host) => this.#processes.spawn(`host${host.host}`, work(host))));
  }

  #connections(): Connection[] {
    const sides = this.#hosts.map((host) => {
      const api = notedApi(host.api, this.#calls);
      return host.endpoints.map((end) => new QpSide(host, end, api, this.#progress, this.#calls, this.#clock));
    });
    this.#sides = sides;
    for (const [host, own] of sides.entries()) this.#startRouter(host, own);
    const connections: Connection[] = [];
    sides.forEach((own, host) => {
      own.forEach((left, index) => {
        const { peer, type } = this.#plan.qp(host, index);
        if (peer === undefined || peer.host < host) return;
        const right = (sides[peer.host] as QpSide[])[peer.qp] as QpSide;
        connections.push({ index: connections.length, type, left, right });
      });
    });
    return connections;
  }

  /** Every side of a connection with its peer. */
  *#pairs(): Iterable<readonly [QpSide, QpSide]> {
    for (const [host, own] of this.#sides.entries())
      for (const [index, side] of own.entries()) {
        const { peer } = this.#plan.qp(host, index);
        const other = peer === undefined ? undefined : this.#sides[peer.host]?.[peer.qp];
        if (other !== undefined) yield [side, other];
      }
  }

  #startRouter(host: number, sides: readonly QpSide[]): void {
    const { api } = this.#hosts[host] as HostSetup;
    const router = new CompletionRouter(api, this.#pollDelay);
    for (const side of sides) router.add(side);
    this.#routers[host] = router;
    const lost = (error: Error): void => loseSides(host, error, this.#pairs(), this.#processes);
    this.#processes.spawn(`completions${host}`, router.route(lost), { daemon: true });
  }
}

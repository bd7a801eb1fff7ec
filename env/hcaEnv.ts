/**
 * The environment: hosts with their NICs, the link between them, wire monitor, scoreboard, and a place for coverage.
 *
 * The test makes it in its build phase with `EnvOptions`, or sets those as config field `env_options` for it. The
 * NICs are children in name only (`<env>.hca0.nic`): they are whatever the builder returns. MAC addresses are
 * 02:00:00:00:00:<host+1>, IPv4 addresses 10.0.0.<host+1>, IPv6 addresses fd00::<host+1>.
 */

import { LinkAgent } from '../agents/link/linkAgent.ts';
import { resolveLinkSettings } from '../agents/link/linkSettings.ts';
import { WireMonitor } from '../agents/wire/wireMonitor.ts';
import { type PcieHostSettings, resolvePcieSettings } from '../agents/pcie/pcieSettings.ts';
import type { Nic, NicBuilder, NicContext, NicKnobs } from '../dut-model/nic.ts';
import { TransportMonitor } from '../scoreboard/reference/transportMonitor.ts';
import { Scoreboard } from '../scoreboard/scoreboard.ts';
import { Component } from '../uvm/base/component.ts';
import { BlockPool } from '../uvm/bytes/blockPool.ts';
import type { Run } from '../uvm/run.ts';
import { envOptionsFor, nicBuilderOf, nicKnobsOf, recorderOf } from './configFields.ts';
import { resolveEnvSettings } from './envSettings.ts';
import type { EnvOptions, EnvSettings } from './envSettings.ts';
import type { HostApi } from './verbs/hostApi.ts';
import { HostEnv } from './hostEnv.ts';
import { HostApiError } from './verbs/hostErrors.ts';
import { HostSpaces } from './memory/hostSpaces.ts';
import type { ObservedEnv } from './observedEnv.ts';
import { MAC_HIGH, macLow, portAddress } from './netAddress.ts';
import { PortView } from './portView.ts';
import { NO_WIRE_PSNS, type WirePsns } from './verbs/queryChecks.ts';
import { serviceCost, slowest } from './serviceCost.ts';
import type { Qp } from './verbs/verbsObjects.ts';
import { wireHost, wireLink } from './wiring.ts';
import { BLOCK_BYTES } from '../dut-model/nic.ts';

export class HcaEnv extends Component implements ObservedEnv {
  readonly settings: EnvSettings;
  /** Complete after the build phase. */
  readonly hostEnvs: HostEnv[] = [];
  readonly nics: Nic[] = [];
  readonly link: LinkAgent;
  /** Null when switched off. */
  readonly monitor: WireMonitor | null;
  /** What packets mean to each other; null without a monitor. */
  readonly transport: TransportMonitor | null;
  readonly scoreboard: Scoreboard;
  readonly coverage: Component | null;
  readonly blocks: BlockPool;
  #finished = false;

  /** @throws HostApiError when neither options nor config name a NIC builder, or a setting is impossible. */
  constructor(name: string, parent: Component | Run, options?: EnvOptions) {
    super(name, parent);
    const given = options ?? envOptionsFor(this);
    if (given === undefined) throw this.#missing('options', "pass EnvOptions or set config field 'env_options'");
    this.settings = resolveEnvSettings(given);
    const { hosts, kind, link, wireMonitor, coverage } = this.settings;
    this.blocks = new BlockPool(this.run.bytes, BLOCK_BYTES);
    this.link = this.create(LinkAgent, 'link', { hosts, blocks: this.blocks, settings: link });
    this.link.faults = this.settings.linkFaults;
    this.monitor = wireMonitor ? this.create(WireMonitor, 'wire') : null;
    this.transport = this.monitor && new TransportMonitor(this.monitor, !this.settings.lossAllowed, kind.profile);
    for (let host = 0; host < hosts; host++) this.hostEnvs.push(this.#makeHost(host));
    this.scoreboard = this.#makeScoreboard();
    this.coverage = coverage?.(this) ?? null;
    for (let host = 0; host < hosts; host++) this.#makeNic(host);
  }

  /** The host APIs by host number: what sequences are given. */
  get hosts(): readonly HostApi[] {
    return this.hostEnvs.map((h) => h.api);
  }

  /** A number that changes with every transaction and frame anywhere. */
  activity(): number {
    return this.run.transcript.events;
  }

  /** Requests, accesses and frames that have not come to their end. */
  get inFlight(): number {
    return this.hostEnvs.reduce((n, h) => n + h.inFlight, this.link.inFlight);
  }

  /** Whether a completion must still become visible that a send request of any host has asked for. */
  get owesCompletion(): boolean {
    return this.hostEnvs.some(({ verbs }) => verbs.owesCompletion);
  }

  /** Nothing is in flight anywhere: plain WRITEs are judged now. */
  quiet(): void {
    this.scoreboard.quiet();
  }

  override connectPhase(): void {
    // First, so that what happened is there before what is found in it.
    recorderOf(this)?.watch(this);
    for (const host of this.hostEnvs) wireHost(host, this.scoreboard, this.transport);
    wireLink(this.link, this.scoreboard, this.monitor);
    for (const { host } of this.hostEnvs) this.transport?.portReady(host, portAddress(host));
  }

  override endOfElaborationPhase(): void {
    const { hosts, processes, kind, pages } = this.settings;
    if (kind.profile.wire === 'private')
      this.info('HCA_PLAN', 'frames are not RoCEv2: they are not decoded, and no rule of the wire is checked');
    this.info(
      'HCA_PLAN',
      () => `${hosts} hosts with ${processes === 1 ? 'a process' : `${processes} processes`} each, ${pages} pages`,
    );
  }

  override finalPhase(): void {
    this.#finishNics();
  }

  /** Instead of the final phase, when the run is broken off. */
  override preAbort(): void {
    this.#finishNics();
  }

  #finishNics(): void {
    if (this.#finished) return;
    this.#finished = true;
    for (const { agent } of this.hostEnvs) agent.close();
    this.link.close();
    for (const nic of this.nics) nic.finish?.();
  }

  #makeHost(host: number): HostEnv {
    const { hosts, processes, kind, pages, dataOffset, provider } = this.settings;
    const surroundings = { blocks: this.blocks, kind, pages, dataOffset, pcie: this.#pcieOf(host) };
    const wirePsns = (qp: Qp): WirePsns => this.#wirePsns(qp);
    const software = { provider, knobs: this.#knobsOf(host), wirePsns };
    return this.create(HostEnv, `hca${host}`, { host, hosts, processes, ...surroundings, ...software });
  }

  #knobsOf(host: number): NicKnobs {
    return nicKnobsOf(this, `hca${host}`) ?? this.settings.nicKnobs;
  }

  #wirePsns({ host, qpn, sqPsn, rqPsn }: Qp): WirePsns {
    if (this.transport === null) return NO_WIRE_PSNS;
    return {
      sent: this.transport.requestsFrom(host, qpn, sqPsn),
      received: this.transport.requestsTo(host, qpn, rqPsn),
    };
  }

  #pcieOf(host: number): Partial<PcieHostSettings> {
    return { ...this.settings.pcie, ...this.settings.pcieOf(host) };
  }

  #makeScoreboard(): Scoreboard {
    const { hosts, queuePairs, checkLevel, receivesMayRemain, lossAllowed, stallTime, kind, link } = this.settings;
    const profile = { ...kind.profile, restTime: this.settings.restTime };
    const buses = this.hostEnvs.map(({ host }) => resolvePcieSettings(this.#pcieOf(host)));
    const addresses = this.hostEnvs.map((h) => portAddress(h.host));
    const wire = this.transport === null ? undefined : new PortView(this.hostEnvs, this.link, this.transport, profile);
    if (wire !== undefined) this.transport?.listenAt(wire);
    return this.create(Scoreboard, 'scoreboard', {
      hosts,
      memory: new HostSpaces(this.run.bytes, this.hostEnvs),
      queuePairs: queuePairs * hosts,
      level: checkLevel,
      receivesMayRemain,
      lossAllowed,
      addresses,
      stallTime,
      profile,
      wire,
      stateOf: (host, qpn) => this.hostEnvs[host]?.verbs.objects.qps.get(qpn)?.state,
      service: slowest(buses.map((pcie) => serviceCost(pcie, resolveLinkSettings(link), profile))),
    });
  }

  #makeNic(host: number): void {
    const env = this.hostEnvs[host] as HostEnv;
    const builder = this.#builderOf(host);
    const nic = builder(this.#contextOf(env), this.#knobsOf(host));
    nic.connect(env.agent.upstream, this.link.port(host));
    env.attach(nic);
    this.link.attach(host, nic, MAC_HIGH, macLow(host));
    this.nics.push(nic);
  }

  #builderOf(host: number): NicBuilder {
    const { nic } = this.settings;
    const builder = nicBuilderOf(this, `hca${host}`) ?? (typeof nic === 'function' ? nic : nic[host]);
    if (builder === undefined)
      throw this.#missing(`NIC builder for host ${host}`, 'give one for all hosts or one for each');
    return builder;
  }

  #contextOf(env: HostEnv): NicContext {
    const { run, blocks } = this;
    const name = `${env.fullName}.nic`;
    return {
      name,
      macHigh: MAC_HIGH,
      macLow: macLow(env.host),
      scheduler: run.scheduler,
      bytes: run.bytes,
      blocks,
      random: (purpose) => run.random.fast(name, purpose),
      trace: (verbosity, id, text) => env.info(id, text, verbosity),
      error: (id, text) => env.error(id, text),
    };
  }

  #missing(what: string, hint: string): HostApiError {
    return new HostApiError('ATTRIBUTE', this.fullName, `no ${what}`, hint);
  }
}

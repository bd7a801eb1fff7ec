/**
 * The room that builds a run: `hcaEnv` (all hosts), `hostEnv` (one), `wiring` (who observes what), settings with defaults
 * (`envSettings`). Tests make it; sequences see the host APIs only. A part that judges belongs to `scoreboard`, what one NIC
 * kind needs to `dut-model/<kind>/driver`, a rate or delay to the settings of its agent.
 *
 * The environment: hosts with their NICs, the link between them, wire monitor, scoreboard, and a place for coverage.
 *
 * The test makes it in its build phase with `EnvOptions`, or sets those as config field `env_options` for it. The
 * NICs are children in name only (`<env>.hca0.nic`): they are whatever the builder returns.
 */

import { HARNESS, aHost } from '../rdma/subjectParts.ts';
import type { Profile } from '../scoreboard/model/profile.ts';
import { mayDisturb, mayForge } from '../agents/link/faults/faultPlan.ts';
import { ruleText } from '../agents/link/faults/rule/ruleText.ts';
import type { ActiveRule } from '../agents/link/faults/play/activeRule.ts';
import { longestDelay } from '../agents/link/faults/longestDelay.ts';
import { resetOf } from '../agents/link/faults/rule/nicReset.ts';
import { unfiredText } from '../agents/link/faults/report/faultTexts.ts';
import type { InjectedPacket } from '../agents/link/inject/injectedPacket.ts';
import { PacketForge } from '../agents/link/inject/packetForge.ts';
import { FaultInjector } from '../agents/link/faults/faultInjector.ts';
import type { SourcedRule } from '../agents/link/faults/rule/faultRule.ts';
import type { PcieInjector } from '../agents/pcie/faults/pcieInjector.ts';
import { unfiredPcieText } from '../agents/pcie/faults/pcieFaultTexts.ts';
import type { ActivePcieRule } from '../agents/pcie/faults/play/activePcieRule.ts';
import { mayFail, type SourcedPcieRule } from '../agents/pcie/faults/rule/pcieRule.ts';
import { LinkAgent } from '../agents/link/linkAgent.ts';
import { resolveLinkSettings } from '../agents/link/linkSettings.ts';
import { WireMonitor } from '../agents/wire/wireMonitor.ts';
import { type PcieHostSettings, resolvePcieSettings } from '../agents/pcie/pcieSettings.ts';
import type { Nic, NicBuilder, NicContext, NicKnobs } from '../dut-model/nic.ts';
import { Profiles } from '../scoreboard/model/profiles.ts';
import { TransportMonitor } from '../scoreboard/reference/transportMonitor.ts';
import { type CongestionNotice, NO_NOTICE } from '../scoreboard/model/congestion.ts';
import { NO_WIRE } from '../scoreboard/model/wireView.ts';
import { Scoreboard } from '../scoreboard/scoreboard.ts';
import { Component } from '../uvm/base/component.ts';
import type { SimTime } from '../uvm/kernel/scheduler.ts';
import { BlockPool } from '../uvm/bytes/blockPool.ts';
import type { Run } from '../uvm/run.ts';
import { EventPoll } from './providers/eventPoll.ts';
import type { ProviderBuilder } from './providers/provider.ts';
import { SharedParts } from './providers/sharedParts.ts';
import type { NicKind } from './nicKind.ts';
import { envOptionsFor, nicBuilderOf, nicKnobsOf, recorderOf } from './settings/configFields.ts';
import { resolveEnvSettings } from './envSettings.ts';
import type { EnvOptions, EnvSettings } from './envSettings.ts';
import type { HostApi } from './verbs/hostApi.ts';
import { NO_CQ_INDICES } from './settings/cqIndices.ts';
import { HostEnv } from './hostEnv.ts';
import type { PortAddress } from '../agents/wire/pathChecker.ts';
import { HostApiError } from './verbs/hostErrors.ts';
import { HostSpaces } from './memory/hostSpaces.ts';
import type { ObservedEnv } from './observedEnv.ts';
import { NicResets } from './ports/nicResets.ts';
import { NetAddresses } from './ports/netAddress.ts';
import { PcieFaults } from './ports/pcieFaults.ts';
import { SwallowedReads } from './ports/swallowedReads.ts';
import { PortView } from './ports/portView.ts';
import { serviceCost, slowest } from './ports/serviceCost.ts';
import { wireHost, wireLink } from './wiring.ts';
import { BLOCK_BYTES, TLP_KIND } from '../dut-model/nic.ts';

const NO_RESET = ['the software of this NIC cannot take a reset of its NIC', 'leave nic_reset out'] as const;

/** Accesses over PCIe, one after the other, between a request and its answer, where software has a part in both: doorbells, descriptors, commands. */
const ANSWER_ACCESSES = 16;

/** @public */
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
  /** What the NICs do unseen, and what they have declared. */
  readonly profiles: Profiles;
  readonly #addresses: NetAddresses;
  /** Made for the first fault rule. */
  #injector: FaultInjector | null = null;
  #forge: PacketForge | undefined;
  readonly #pcieFaults: PcieFaults;
  /** Reads that fault rules have swallowed and that their NICs still wait for. */
  readonly #swallowed: SwallowedReads;
  readonly #shared = new SharedParts();
  readonly #resets: NicResets;
  /** Hosts whose NICs have been reset. */
  readonly #resetBefore = new Set<number>();
  #finished = false;
  #lossAllowed: boolean;

  /** @throws HostApiError when neither options nor config name a NIC builder, or a setting is impossible. */
  constructor(name: string, parent: Component | Run, options?: EnvOptions) {
    super(name, parent);
    const given = options ?? envOptionsFor(this);
    if (given === undefined) throw this.#missing('options', "pass EnvOptions or set config field 'env_options'");
    this.settings = resolveEnvSettings(given);
    this.#addresses = this.#makeAddresses();
    this.#lossAllowed = this.settings.lossAllowed;
    const { hosts, link, wireMonitor, coverage } = this.settings;
    this.blocks = new BlockPool(this.run.bytes, BLOCK_BYTES);
    const ports = Array.from({ length: hosts }, (_, host) => this.#portsOf(host));
    this.link = this.create(LinkAgent, 'link', { hosts, ports, blocks: this.blocks, settings: link });
    const { rules, census } = this.settings.faults;
    if (rules.length > 0 || census === true) this.#injector = this.#makeInjector();
    this.link.faults = this.settings.linkFaults ?? this.#injector;
    this.monitor = wireMonitor ? this.create(WireMonitor, 'wire') : null;
    const profiles = this.#makeProfiles();
    this.profiles = profiles;
    const noticeOf = (host: number): CongestionNotice =>
      profiles.of(host).congestion?.(this.#knobsOf(host)) ?? NO_NOTICE;
    this.transport = this.monitor && new TransportMonitor(this.monitor, profiles, noticeOf);
    const providers = this.#makeProviders();
    for (let host = 0; host < hosts; host++) this.hostEnvs.push(this.#makeHost(host, providers));
    this.scoreboard = this.#makeScoreboard(profiles);
    this.#swallowed = new SwallowedReads((host) => profiles.of(host).readTimeout?.(this.#knobsOf(host)) ?? 0);
    this.#pcieFaults = this.#makePcieFaults();
    this.#makeChecks();
    this.coverage = coverage?.(this) ?? null;
    for (let host = 0; host < hosts; host++) this.#makeNic(host);
    this.#resets = this.#makeResets();
  }

  /** What plays the fault rules; null as long as there is none. */
  get faults(): FaultInjector | null {
    return this.#injector;
  }

  /**
   * From now on a fault rule acts, after all others, and the judge is told what may happen.
   * @param stallTime with which nothing is stuck on a link that loses frames, ps
   * @throws HostApiError where a hook decides what happens on the link
   */
  addFault(sourced: SourcedRule, stallTime: SimTime): ActiveRule {
    if (resetOf(sourced.rule) !== null && this.#kinds.some(({ limits }) => limits.nicReset === false))
      throw new HostApiError('UNSUPPORTED', this.fullName, ...NO_RESET);
    this.#injector ??= this.#makeInjector();
    this.link.faults = this.#injector;
    if (mayDisturb(sourced.rule) && !this.settings.faults.explain) {
      this.#lossAllowed = true;
      this.scoreboard.lengthenStall(stallTime);
    }
    this.#warnOfForgery(sourced);
    const rule = this.#injector.add(sourced);
    this.#resets.plan(rule);
    return rule;
  }

  /** What plays the fault rules of PCIe; null as long as there is none. */
  get pcieFaults(): PcieInjector | null {
    return this.#pcieFaults.injector;
  }

  /**
   * From now on a fault rule of PCIe acts, after all others, and the judge is told of what it does.
   * @param stallTime as in `addFault`: what its peer does not answer any more a NIC sends again, until it gives up
   */
  addPcieFault(sourced: SourcedPcieRule, stallTime: SimTime): ActivePcieRule {
    if (mayFail(sourced.rule) && !this.settings.pcieFaults.explain) {
      this.#lossAllowed = true;
      this.scoreboard.lengthenStall(stallTime);
    }
    return this.#pcieFaults.add(sourced);
  }

  /**
   * Sends a packet that no NIC has sent. The judge knows it as that.
   * @param stallTime as in `addFault`: what takes it for a request may ask its peer to send again
   * @throws HostApiError for a packet from or to a host that is not there
   */
  inject(packet: InjectedPacket, stallTime: SimTime): void {
    const { from, to, destQp } = packet;
    const { hosts } = this.settings;
    for (const [name, host] of Object.entries({ from, to }))
      if (host >>> 0 >= hosts) throw this.#missing(`host ${host} (${name})`, `name one of 0 to ${hosts - 1}`);
    if (from === to) throw this.#missing(`link from host ${from} to itself`, 'let from and to be two hosts');
    const port = packet.port ?? this.hostEnvs[to]?.verbs.objects.qps.get(destQp)?.port ?? 1;
    const ports = Math.min(this.#portsOf(from), this.#portsOf(to));
    if (port < 1 || port > ports) throw this.#missing(`port ${port} that both NICs have`, `name one of 1 to ${ports}`);
    this.scoreboard.lengthenStall(stallTime);
    this.#forge ??= new PacketForge(this.run.bytes, (host, number) => this.#addresses.of(host, number));
    const forge = this.#forge;
    this.link.inject(from, to, (data) => forge.write({ ...packet, port }, data), port);
  }

  /** The link may lose, delay, repeat or damage frames. */
  get lossAllowed(): boolean {
    return this.#lossAllowed;
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
    return this.hostEnvs.reduce(
      (n, h) => n + h.inFlight,
      this.link.inFlight + this.#swallowed.countAt(this.run.scheduler.now),
    );
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
    wireLink(this.link, this.scoreboard, this.monitor, this.transport);
    for (const { host } of this.hostEnvs)
      for (let port = 1; port <= this.#portsOf(host); port++)
        this.transport?.portReady(host, this.#addresses.of(host, port), port);
  }

  override endOfElaborationPhase(): void {
    const { faults } = this.settings;
    if (!faults.explain) for (const rule of faults.rules) this.#warnOfForgery(rule);
    const { hosts, processes, pages } = this.settings;
    const kinds = this.#kinds;
    if (faults.ecn && kinds.some(({ ecnKnobs = {} }) => Object.keys(ecnKnobs).length === 0)) this.#warnOfEcn();
    if (kinds.some(({ profile }) => profile.wire === 'private'))
      this.info(
        'HCA_PLAN',
        kinds.every(({ checks }) => checks === undefined)
          ? 'frames are not RoCEv2: they are not decoded, and no rule of the wire is checked'
          : 'frames are not RoCEv2: they are judged by the rules of this NIC',
      );
    this.info(
      'HCA_PLAN',
      () => `${hosts} hosts with ${processes === 1 ? 'a process' : `${processes} processes`} each, ${pages} pages`,
    );
  }

  override startOfSimulationPhase(): void {
    for (const rule of this.#injector?.rules ?? []) this.#resets.plan(rule);
    const { eventPoll } = this.settings;
    if (eventPoll > 0)
      for (const { verbs } of this.hostEnvs) new EventPoll(this.run.scheduler, verbs.provider, eventPoll);
  }

  #warnOfEcn(): void {
    const what =
      'ECN is on (+ECN, or a rule or share that marks), and no knob of this kind of NIC switches it on there';
    const hint =
      'packets may be marked that nobody answers; leave it out, or name the knobs as ecnKnobs of the NIC entry';
    this.warning('FAULT_ECN', `${what}: ${hint}`);
  }

  #warnOfForgery({ rule, source }: SourcedRule): void {
    if (!mayForge(rule)) return;
    const text = `'${ruleText(rule)}' (${source}) makes frames with a right CRC that no NIC has sent`;
    const hint = 'the scoreboard knows only what was sent, and blames receivers for what they make of them';
    this.warning('FAULT_FORGED', `${text}; ${hint}`);
  }

  override checkPhase(): void {
    this.transport?.finish();
    if (this.settings.faults.explain) return;
    for (const rule of this.#injector?.unfired ?? []) this.error('FAULT_NOT_FIRED', unfiredText(rule), [HARNESS]);
    for (const rule of this.pcieFaults?.unfired ?? []) this.error('FAULT_NOT_FIRED', unfiredPcieText(rule), [HARNESS]);
  }

  override finalPhase(): void {
    this.#finishNics();
  }

  /** Instead of the final phase, when the run is broken off. */
  override preAbort(): void {
    this.#finishNics();
  }

  #makeInjector(): FaultInjector {
    const { linkFaults, faults: plan } = this.settings;
    if (linkFaults !== null)
      throw this.#missing('place for fault rules', 'leave linkFaults out: it decides what happens on the link');
    return new FaultInjector({
      plan,
      bytes: this.run.bytes,
      directory: { find: (host, qpn) => this.hostEnvs[host]?.verbs.objects.qps.get(qpn) },
      sentFrames: (host) => this.link.statistics[host]?.sentFrames ?? 0,
      random: (purpose, ordinal) => this.run.random.fast(this.link.fullName, purpose, ordinal),
    });
  }

  #makePcieFaults(): PcieFaults {
    const { pcieFaults: plan, kindOf } = this.settings;
    return new PcieFaults({
      plan,
      kindOf,
      hosts: this.hostEnvs,
      scheduler: this.run.scheduler,
      random: (purpose, ordinal) => this.run.random.fast(`${this.fullName}.pcie`, purpose, ordinal),
      failed: (access) => {
        this.hostEnvs[access.host]?.verbs.readFails(access);
        if (access.how === 'lost') this.#swallowed.note(access.host, access.time);
        this.scoreboard.observer?.accessFails(access);
      },
    });
  }

  #makeResets(): NicResets {
    const { hostEnvs: hosts, nics, run } = this;
    const { until, explain } = this.settings.faults;
    return new NicResets({
      hosts,
      nics,
      scheduler: run.scheduler,
      until,
      longestDelay: longestDelay(this.settings.faults),
      explain,
      resets: (host) => this.#nicIsReset(host),
    });
  }

  #nicIsReset(host: number): void {
    const { agent } = this.hostEnvs[host] as HostEnv;
    const { observer } = this.scoreboard;
    this.info('HCA_RESET', () => `host ${host}: its NIC is reset`);
    if (observer === null || this.#resetBefore.has(host)) return;
    // Only from here on is it of interest when a request is sent, and not only what it does.
    this.#resetBefore.add(host);
    agent.requests.connect(({ kind, hi, lo, length }) =>
      observer.requested(host, { isWrite: kind === TLP_KIND.memWrite, hi, lo, length }),
    );
  }

  #finishNics(): void {
    if (this.#finished) return;
    this.#finished = true;
    for (const { agent } of this.hostEnvs) agent.close();
    this.link.close();
    for (const nic of this.nics) nic.finish?.();
  }

  #makeAddresses(): NetAddresses {
    const { hosts, addresses } = this.settings;
    const ports = this.#mostPorts;
    if (addresses === 'usual') return NetAddresses.usual(hosts, ports);
    return NetAddresses.any(hosts, this.run.random.fast(this.fullName, 'addresses'), ports);
  }

  get #mostPorts(): number {
    return Math.max(...Array.from({ length: this.settings.hosts }, (_, host) => this.#portsOf(host)));
  }

  /** Ethernet ports of the NIC of a host. */
  #portsOf(host: number): number {
    return this.settings.kindOf(host).limits.ports ?? 1;
  }

  /** Kinds of the NICs of all hosts, each once. */
  get #kinds(): readonly NicKind[] {
    const { hosts, kindOf } = this.settings;
    return [...new Set(Array.from({ length: hosts }, (_, host) => kindOf(host)))];
  }

  /** Builders of host software: of a kind there is one. */
  #makeProviders(): ReadonlyMap<NicKind, ProviderBuilder> {
    const { provider } = this.settings;
    return new Map(this.#kinds.map((kind) => [kind, provider ?? kind.provider()]));
  }

  /** What judges the rules that kinds have of their own: for each set of rules once, with the hosts that they are about. */
  #makeChecks(): void {
    const { observer } = this.scoreboard;
    if (observer === null) return;
    const hostsOf = new Map<NonNullable<NicKind['checks']>, number[]>();
    for (const { host } of this.hostEnvs) {
      const { checks } = this.settings.kindOf(host);
      if (checks !== undefined) hostsOf.set(checks, [...(hostsOf.get(checks) ?? []), host]);
    }
    for (const [checks, hosts] of hostsOf) checks(this, observer, (host) => this.#knobsOf(host), hosts);
  }

  #makeHost(host: number, providers: ReadonlyMap<NicKind, ProviderBuilder>): HostEnv {
    const { hosts, processes, kindOf, pages, dataOffset, domainOf, firstNumbers } = this.settings;
    const cqIndices = kindOf(host).limits.capabilities.cqOverflow ? this.settings.cqIndices : NO_CQ_INDICES;
    const kind = this.#withCommonPorts(kindOf(host));
    const parts = { blocks: this.blocks, addresses: this.#addresses, pcie: this.#pcieOf(host) };
    const surroundings = { ...parts, kind, pages, dataOffset, domainOf, firstNumbers, cqIndices };
    const provider = providers.get(kindOf(host)) as ProviderBuilder;
    const software = { provider, shared: this.#shared, knobs: this.#knobsOf(host) };
    return this.create(HostEnv, `hca${host}`, { host, hosts, processes, ...surroundings, ...software });
  }

  /** Ports of the same number are joined: where NICs have different numbers of them, software uses those that all have. */
  #withCommonPorts(kind: NicKind): NicKind {
    const ports = Math.min(...this.#kinds.map(({ limits }) => limits.ports ?? 1));
    return ports === (kind.limits.ports ?? 1) ? kind : { ...kind, limits: { ...kind.limits, ports } };
  }

  #knobsOf(host: number): NicKnobs {
    return nicKnobsOf(this, `hca${host}`) ?? this.settings.knobsOf(host);
  }

  #pcieOf(host: number): Partial<PcieHostSettings> {
    return { ...this.settings.pcie, ...this.settings.pcieOf(host) };
  }

  /** What the NIC of each host does unseen, as its knobs change that. */
  #makeProfiles(): Profiles {
    const { hosts, kindOf, restTime } = this.settings;
    const byHost = Array.from({ length: hosts }, (_, host): Profile => {
      const { profile, profileOf } = kindOf(host);
      const own = { ...profile, ...profileOf?.(this.#knobsOf(host)) };
      const { upLatency = 0, downLatency = 0, memoryLatency = 0 } = this.#pcieOf(host);
      const access = upLatency + downLatency + memoryLatency;
      return {
        ...own,
        answerTime: own.answerTime + ANSWER_ACCESSES * access,
        restTime: restTime + (own.burstTime ?? 0),
      };
    });
    return new Profiles(...(byHost as [Profile, ...Profile[]]));
  }

  #makeScoreboard(profiles: Profiles): Scoreboard {
    const { hosts, queuePairs, checkLevel, receivesMayRemain, stallTime, link } = this.settings;
    const linkSettings = resolveLinkSettings(link);
    const costs = this.hostEnvs.map(({ host }) =>
      serviceCost(resolvePcieSettings(this.#pcieOf(host)), linkSettings, profiles.of(host)),
    );
    const ofPort = (port: number): PortAddress[] => this.hostEnvs.map((h) => this.#addresses.of(h.host, port));
    const portAddresses = Array.from({ length: this.#mostPorts - 1 }, (_, i) => ofPort(i + 2));
    const wire = this.transport === null ? NO_WIRE : new PortView(this.hostEnvs, this.link, this.transport, profiles);
    this.transport?.listenAt(wire);
    return this.create(Scoreboard, 'scoreboard', {
      hosts,
      memory: new HostSpaces(this.run.bytes, this.hostEnvs),
      queuePairs: queuePairs * hosts,
      level: checkLevel,
      receivesMayRemain,
      addresses: ofPort(1),
      portAddresses,
      stallTime,
      profile: profiles,
      wire,
      stateOf: (host, qpn) => this.hostEnvs[host]?.verbs.objects.qps.get(qpn)?.state,
      service: slowest(costs),
    });
  }

  #makeNic(host: number): void {
    const env = this.hostEnvs[host] as HostEnv;
    const builder = this.#builderOf(host);
    const nic = builder(this.#contextOf(env), this.#knobsOf(host));
    const ports = Array.from({ length: this.#portsOf(host) }, (_, i) => i + 1);
    nic.connect(
      env.agent.upstream,
      ports.map((port) => this.link.port(host, port)),
      env.ddr ?? undefined,
    );
    env.attach(nic);
    for (const port of ports) {
      const { macHigh, macLow } = this.#addresses.of(host, port);
      this.link.attach(host, nic, macHigh, macLow, port);
    }
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
    const ports = Array.from({ length: this.#portsOf(env.host) }, (_, i) => this.#addresses.of(env.host, i + 1));
    const { macHigh, macLow } = this.#addresses.of(env.host);
    return {
      name,
      macHigh,
      macLow,
      ports,
      scheduler: run.scheduler,
      bytes: run.bytes,
      blocks,
      random: (purpose) => run.random.fast(name, purpose),
      trace: (verbosity, id, text) => env.info(id, text, verbosity),
      error: (id, text) => env.error(id, text, [aHost(env.host)]),
    };
  }

  #missing(what: string, hint: string): HostApiError {
    return new HostApiError('ATTRIBUTE', this.fullName, `no ${what}`, hint);
  }
}

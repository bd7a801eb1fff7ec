/**
 * The base of all tests: builds the environment from the run's configuration, runs `main` under an objection, and says
 * at the end what was done.
 *
 * The composition root puts into the configuration database: `run_config`, the resolved parameters (without it the test
 * resolves the run's plusargs itself), and for the test `nic_builder`, the NIC under test, and `nic_kind`, what belongs to it.
 */
import { ArrivedFrames } from '../agents/link/arrivedFrames.ts';
import { FrameOrder } from '../agents/link/frameOrder.ts';
import { pcieOutcomeLines } from '../agents/pcie/faults/pcieFaultTexts.ts';
import { type InjectionOutcome, PlannedInjections } from '../env/ports/plannedInjections.ts';
import type { PcieRuleOutcome } from '../agents/pcie/faults/pcieInjector.ts';
import type { FaultOutcome } from '../agents/link/faults/faultInjector.ts';
import { longestDelay } from '../agents/link/faults/longestDelay.ts';
import { outcomeLines } from '../agents/link/faults/report/faultTexts.ts';
import { PcapWriter } from '../agents/link/pcapWriter.ts';
import type { NicBuilder } from '../dut-model/nic.ts';
import { certaintyCounts } from '../scoreboard/model/certainty.ts';
import { rowNames } from '../scoreboard/model/judgeRows.ts';
import { CHECK_LEVEL } from '../scoreboard/model/options.ts';
import { nicBuilderOf, nicHostsOf, nicKindOf } from '../env/settings/configFields.ts';
import type { EnvOptions } from '../env/envSettings.ts';
import type { NicKind } from '../env/nicKind.ts';
import type { ConnectAttributes } from '../env/verbs/hostApi.ts';
import { isDeviceFatal } from '../env/verbs/hostErrors.ts';
import { HcaEnv } from '../env/hcaEnv.ts';
import { resolveParameters } from '../config/parameters.ts';
import { ParameterReads, SEQUENCE_PARAMETERS, TRAFFIC_PARAMETERS } from '../config/parameterReads.ts';
import type { ParameterName } from '../config/table/parameterTable.ts';
import type { RunConfig } from '../config/runConfig.ts';
import type { LatencyStats } from '../sequences/host/latencyStats.ts';
import { declaredStatus } from '../scoreboard/rules/statusChoices.ts';
import { drawnEnd, type EndsOf } from '../sequences/host/endDraws.ts';
import type { PlayEnv, PlayOptions } from '../sequences/host/playEnv.ts';
import { RunProgress } from '../sequences/host/runProgress.ts';
import type { CallObserver } from '../sequences/calls/callObserver.ts';
import { RunCalls } from './runCalls.ts';
import { Component } from '../uvm/base/component.ts';
import { typeLineage } from '../uvm/base/typeLineage.ts';
import type { Phase } from '../uvm/base/phase.ts';
import type { Proc } from '../uvm/kernel/process.ts';
import { RdmaCoverage } from '../coverage/rdmaCoverage.ts';
import { NS, formatTime } from '../uvm/kernel/time.ts';
import { UVM_NONE } from '../uvm/report/verbosity.ts';
import { endOnRefusal } from './commandRefusal.ts';
import { watchTraffic } from './watchTraffic.ts';
import { endlessLoop } from './endlessLoop.ts';
import { connectAttributesOf, deviceRequestOf, envOptionsOf, patientOnLoss, stallTimeOnLoss } from './envOptions.ts';
import { counted } from '../uvm/report/counted.ts';

/** @public */
export abstract class BaseTest extends Component {
  /** How far the run has come. */
  readonly progress = new RunProgress();
  #settings: RunConfig | undefined;
  #reads: ParameterReads | undefined;
  #injections: PlannedInjections | undefined;
  #env: HcaEnv | undefined;
  #pcap: PcapWriter | undefined;
  #frameOrder: FrameOrder | undefined;
  #calls: RunCalls | undefined;

  /** What the test does; the run phase lasts as long. */
  protected abstract main(): Proc;

  /**
   * What the environment is built with; by default, what the parameters say. A test overrides this to change some of
   * it: `return { ...super.envOptions(), checkLevel: CHECK_LEVEL.memory }`. Called once, in the build phase.
   */
  protected envOptions(): EnvOptions {
    const [nic, kind] = [nicBuilderOf(this), nicKindOf(this)];
    if (nic === undefined || kind === undefined) {
      const fields = 'set the config fields nic_builder and nic_kind';
      this.fatal('NO_NIC', `there is no NIC named ${this.settings.values.DUT}; ${fields}`);
    }
    return envOptionsOf(this.settings, nic as NicBuilder, kind as NicKind, nicHostsOf(this));
  }

  /** Parameters of which a warning says so when they are typed and the test does not read them. */
  protected get maybeUnread(): readonly ParameterName[] {
    return [...SEQUENCE_PARAMETERS, ...TRAFFIC_PARAMETERS];
  }

  /** `+DUMP_SCENARIO` writes the calls of the run; otherwise the test writes something of its own. */
  protected get dumpsCalls(): boolean {
    return true;
  }

  /** Latencies for the summary, where a test has them. */
  protected latency(): LatencyStats | undefined {
    return undefined;
  }

  /** What runs, as messages about its mistakes name it. */
  protected get runs(): string {
    return `the test ${this.run.testName}`;
  }

  /** The resolved parameters. Available from the build phase on. */
  get settings(): RunConfig {
    if (this.#settings === undefined) throw this.#tooEarly('settings are read');
    return this.#settings;
  }

  /** Other parameters for what is played from here on; those of the environment stay. */
  protected set settings(settings: RunConfig) {
    this.#settings = settings;
  }

  /** The environment. Available from the build phase on. */
  get env(): HcaEnv {
    if (this.#env === undefined) throw this.#tooEarly('the environment is used');
    return this.#env;
  }

  override buildPhase(): void {
    const settings = this.config<RunConfig>('run_config') ?? this.#resolve();
    this.#reads = new ParameterReads(settings, this.maybeUnread);
    this.#settings = { ...settings, values: this.#reads.values };
    this.#limitTime();
    this.#letWaitersEnd();
    this.run.deadlock.findLoop = (error) => endlessLoop(error, this.runs);
    const { SIM_TIMEOUT } = this.#settings.values;
    const { calls } = this.#settings;
    const own = this.envOptions();
    const played = calls === null ? own : { ...own, receivesMayRemain: calls.receivesMayRemain };
    const options = this.#covered(patientOnLoss(played, this.connectAttributes, SIM_TIMEOUT));
    this.run.config.set(this, 'env', 'env_options', options);
    this.#env = this.create<HcaEnv>(HcaEnv, 'env');
    this.#switchOffRows(rowNames(this.#settings.values.JUDGE_WITHOUT));
  }

  override connectPhase(): void {
    const { PCAP, HOST_NUM } = this.settings.values;
    if (PCAP === '') return;
    const { kindOf } = this.env.settings;
    const ports = Array.from({ length: HOST_NUM }, (_, host) => kindOf(host).limits.ports ?? 1);
    const names = interfaceNames(HOST_NUM, Math.max(...ports));
    this.#pcap = new PcapWriter(PCAP, this.run.bytes, names, HOST_NUM);
    this.#frameOrder = new FrameOrder(this.run.bytes, this.run.scheduler, this.#pcap);
    this.env.link.frames.connect(this.#frameOrder);
    this.env.link.arrivals.connect(new ArrivedFrames(this.run.scheduler, this.#frameOrder));
  }

  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this, 'test');
    this.#planInjections();
    this.#calls = new RunCalls(this, {
      env: this.env,
      playEnv: this.#plainPlayEnv,
      settings: this.settings,
      progress: this.progress,
      dump: this.dumpsCalls ? this.settings.values.DUMP_SCENARIO : '',
      observer: this.config<CallObserver>('call_observer'),
    });
    yield* endOnRefusal(this, this.settings.calls === null ? this.main() : this.#calls.play());
    phase.dropObjection(this, 'test');
  }

  override checkPhase(): void {
    super.checkPhase();
    for (const problem of this.#injections?.problems ?? []) this.error('FAULT_NOT_FIRED', problem);
  }

  override reportPhase(): void {
    // What a scenario file overrules has been named as that.
    if (this.settings.scenario === null && this.settings.calls === null) {
      for (const name of this.#reads?.unread() ?? []) this.#disclaim(name);
      this.#disclaimInline();
    }
    const { requestsDone, receivesDone, failed, bytesPosted } = this.progress;
    const parts = [
      counted(requestsDone, 'request'),
      counted(receivesDone, 'receive'),
      counted(bytesPosted, 'byte'),
      counted(this.checks, 'check'),
    ];
    if (failed > 0) {
      parts.push(`${counted(failed, 'completion')} with an error`);
      const { count, first } = this.progress.unexpected();
      if (count > 0) this.warning('ERROR_COMPLETIONS', errorCompletions(count, first));
    }
    this.info('TEST_SUMMARY', [...parts, ...this.#speed()].join(', '), UVM_NONE);
    this.#tellFaults();
    if (this.settings.values.JUDGE_STATS) this.#env?.scoreboard.tellStatistics();
  }

  override finalPhase(): void {
    this.#calls?.finish();
    this.#closeCapture();
  }

  override preAbort(): void {
    this.#calls?.finish();
    this.#closeCapture();
  }

  /** Judgements of the scoreboard so far. */
  get checks(): number {
    return this.#env?.scoreboard.checks ?? 0;
  }

  /** Counters for the progress line and the run's record. */
  runCounts(): Readonly<Record<string, number>> {
    const { requestsDone, requestsTotal, receivesDone, bytesPosted, batchesDone, failed, busyTime } = this.progress;
    return {
      checks: this.checks,
      longest_wait_ns: Math.ceil((this.#env?.scoreboard.longestWait ?? 0) / NS),
      requests_done: requestsDone,
      requests_total: requestsTotal,
      receives_done: receivesDone,
      payload_bytes: bytesPosted,
      busy_ns: Math.round(busyTime / NS),
      batches_done: batchesDone,
      error_completions: failed,
      ...this.#faultCount(),
      ...this.#certaintyCounts(),
      ...this.#wideningCounts(),
    };
  }

  /** How certain the judge was, where fault rules may act. */
  #certaintyCounts(): Readonly<Record<string, number>> {
    const certainty = this.#env?.transport?.certainty;
    return certainty === undefined ? {} : certaintyCounts(certainty);
  }

  /** Rules and widenings with these names do not hold in this run. */
  #switchOffRows(names: readonly string[]): void {
    if (names.length === 0) return;
    this.env.monitor?.rules.switchOff(names);
    this.env.scoreboard.switchOff(names);
    this.warning('JUDGE_WITHOUT', `the judge does without ${names.join(', ')}: this run verifies nothing`);
  }

  /** How often a verdict depended on each widening of the judge, and each rule was broken, where that was asked for. */
  #wideningCounts(): Readonly<Record<string, number>> {
    if (this.#env === undefined || this.#settings?.values.JUDGE_STATS !== true) return {};
    const entries = Object.entries(this.#env.scoreboard.widenings);
    const broken = [...(this.#env.monitor?.rules.counts ?? [])].map(([name, hits]) => [`broken_${name}`, hits]);
    return Object.fromEntries([...entries.map(([name, hits]) => [`widened_${name}`, hits]), ...broken]);
  }

  /** What fault rules of the link did; undefined without any. */
  faultOutcome(): FaultOutcome | undefined {
    return this.#env?.faults?.outcome();
  }

  /** What fault rules of PCIe did; undefined without any. */
  pcieFaultOutcome(): readonly PcieRuleOutcome[] | undefined {
    return this.#env?.pcieFaults?.outcome();
  }

  /** What became of the packets that the run was to inject; undefined without any. */
  injectionOutcome(): readonly InjectionOutcome[] | undefined {
    return this.#injections?.outcome();
  }

  /** What the run is at, for the progress line and for a run that is interrupted: `bring-up`, `batch 3`; '' = nothing yet. */
  runStage(): string {
    return this.progress.stage;
  }

  /** The environment as sequences see it. */
  protected get playEnv(): PlayEnv {
    return this.#calls?.recorded ?? this.#plainPlayEnv;
  }

  get #plainPlayEnv(): PlayEnv {
    const { env } = this;
    const stallTime = stallTimeOnLoss(this.connectAttributes, this.settings.values.SIM_TIMEOUT);
    return {
      hosts: env.hosts,
      stallTime: env.settings.stallTime,
      device: deviceRequestOf(this.settings.values),
      ends: this.#ends,
      get lossAllowed() {
        return env.lossAllowed;
      },
      link: {
        longestDelay: longestDelay(this.settings.faults),
        addFault: (rule) => env.addFault(rule, stallTime),
        inject: (packet) => env.inject(packet, stallTime),
      },
      pcie: { addFault: (rule) => env.addPcieFault(rule, stallTime) },
      choicesOf: (host) => env.profiles.of(host).choices,
      declaredStatus: (host, isSend, status) => declaredStatus(env.profiles.of(host).choices, isSend, status),
      watch: (watcher) => watchTraffic(env, watcher),
      activity: () => env.activity(),
      inFlight: () => env.inFlight,
      owesCompletion: () => env.owesCompletion,
      quiet: () => env.quiet(),
    };
  }

  protected get playOptions(): PlayOptions {
    const { CQ_EVENT, SETTLE, TEARDOWN, DRAW_WIDE } = this.settings.values;
    const common = { connect: this.connectAttributes, events: CQ_EVENT, settle: SETTLE, tearDown: TEARDOWN };
    return { ...common, mayGiveUp: DRAW_WIDE > 0 && this.settings.origin.ACK_TIMEOUT === 'drawn' };
  }

  protected get connectAttributes(): ConnectAttributes {
    return connectAttributesOf(this.settings);
  }

  /** Ends that differ, each drawn from a stream of its own. */
  get #ends(): EndsOf | undefined {
    const { UNEQUAL_PCT } = this.settings.values;
    if (UNEQUAL_PCT === 0) return undefined;
    const { random } = this.run;
    return (host, qp, common) => {
      const stream = random.stream(`host${host}`, 'end', qp);
      return stream.chance(UNEQUAL_PCT / 100) ? drawnEnd(stream, common) : {};
    };
  }

  #planInjections(): void {
    const { injections: rules, faults, pcieFaults, values } = this.settings;
    if (rules.length === 0 || faults.explain || pcieFaults.explain) return;
    const { env } = this;
    const stallTime = stallTimeOnLoss(this.connectAttributes, values.SIM_TIMEOUT);
    this.#injections = new PlannedInjections({
      rules,
      scheduler: this.run.scheduler,
      qpsOf: (host) => env.hostEnvs[host]?.verbs.objects.qps.values() ?? [],
      inject: (packet) => env.inject(packet, stallTime),
    });
    this.#injections.start();
  }

  /** `+SIM_TIMEOUT`; the shorter one when `+UVM_TIMEOUT` is given too, unless that one may not be overridden. */
  #limitTime(): void {
    const { values, origin } = this.settings;
    const { root } = this.run;
    const standard = root.args.timeout;
    if (standard !== undefined && (origin.SIM_TIMEOUT === 'default' || values.SIM_TIMEOUT >= standard.time)) return;
    root.setTimeout(values.SIM_TIMEOUT, true, '+SIM_TIMEOUT');
    if (root.timeout <= values.SIM_TIMEOUT) return;
    const times = `${formatTime(values.SIM_TIMEOUT)} of +SIM_TIMEOUT, ${formatTime(root.timeout)} of +UVM_TIMEOUT`;
    this.warning(
      'SIM_TIMEOUT',
      `${times}: the latter counts, since it ends in ,NO; write ,YES or leave one of them out`,
    );
  }

  /** A daemon that only waits for what a device brings ends with the device, and that is no failure. */
  #letWaitersEnd(): void {
    const { processes } = this.run;
    const { onFailure } = processes;
    processes.onFailure = (error, process) => {
      if (!process.daemon || !isDeviceFatal(error)) onFailure(error, process);
    };
  }

  /** With functional coverage where that is asked for, `+COV`, and the test has none of its own. */
  #covered(options: EnvOptions): EnvOptions {
    if (!this.run.coverage.enabled || options.coverage !== undefined) return options;
    return { ...options, coverage: (env) => new RdmaCoverage('coverage', env, env) };
  }

  #faultCount(): { readonly faults?: number } {
    const injector = this.#env?.faults;
    const pcie = this.#env?.pcieFaults;
    const played = [injector, pcie].filter((each) => each !== null && each !== undefined);
    return played.length === 0 ? {} : { faults: played.reduce((sum, { fired }) => sum + fired, 0) };
  }

  #tellFaults(): void {
    const outcome = this.settings.faults.explain ? undefined : this.faultOutcome();
    const pcie = this.settings.pcieFaults.explain ? [] : (this.pcieFaultOutcome() ?? []);
    const lines = [...(outcome === undefined ? [] : outcomeLines(outcome)), ...pcieOutcomeLines(pcie)];
    for (const line of lines) this.info('FAULT_SUMMARY', line, UVM_NONE);
  }

  #disclaim(name: ParameterName): void {
    const hint = SEQUENCE_PARAMETERS.includes(name)
      ? 'runs no user sequence; leave it out, or give +UVM_TESTNAME=test_sequence'
      : 'does not read it; leave it out, or give +UVM_TESTNAME=test_direct_param';
    this.run.plusargs.disclaim(name, `${this.run.testName} ${hint}`);
  }

  /** Room for inline data that nobody has used shapes the queues and nothing else. */
  #disclaimInline(): void {
    const { values, origin } = this.settings;
    const { level, inlinePosted } = this.env.scoreboard;
    if (origin.MAX_INLINE !== 'given' || values.MAX_INLINE === 0 || level === CHECK_LEVEL.off || inlinePosted) return;
    const hint = 'leave it out, or give +UVM_TESTNAME=test_random, or +UVM_TEST_SEQ=inline_data to test_sequence';
    this.run.plusargs.disclaim('MAX_INLINE', `no request of ${this.runs} was inline; ${hint}`);
  }

  #tooEarly(what: string): Error {
    const hint = 'a test with a buildPhase() of its own calls super.buildPhase() first';
    return new Error(`${this.fullName}: ${what} before the build phase of BaseTest; ${hint}`);
  }

  #closeCapture(): void {
    this.#frameOrder?.flush();
    this.#pcap?.close();
  }

  #resolve(): RunConfig {
    const { plusargs, testName, seed } = this.run;
    const lineage = [...new Set([testName, ...typeLineage(this.constructor)])];
    const { config, problems, notes } = resolveParameters(plusargs, lineage, seed, {
      limitsOf: () => nicKindOf(this)?.limits,
    });
    for (const note of notes) this.info('PARAM', note);
    if (problems.length > 0) this.fatal('PARAM_ERROR', problems.join('\n'));
    return config;
  }

  /** Simulated latency of requests and bandwidth while there was work. */
  #speed(): string[] {
    const { busyTime, bytesPosted } = this.progress;
    const latency = this.latency();
    const parts: string[] = [];
    if (latency !== undefined && latency.count > 0) {
      const times = [latency.min, latency.percentile(0.5), latency.percentile(0.99), latency.max];
      parts.push(`simulated latency min/median/99%/max ${times.map(shortTime).join('/')}`);
    }
    if (busyTime > 0)
      parts.push(`simulated bandwidth of all hosts ${((bytesPosted * 8000) / busyTime).toFixed(2)} Gb/s`);
    return parts;
  }
}

/** Whether the requests had to fail, the scoreboard has judged. */
function errorCompletions(count: number, first: string): string {
  const causes = first.endsWith('with RETRY_EXC_ERR')
    ? 'an ACK_TIMEOUT and a RETRY_CNT that leave no time for the answer, or a peer that was stopped'
    : 'a wrong key or range, or a receive that is too short or posted too late';
  return `${counted(count, 'request')} ended with an error status, first ${first}; look for ${causes}, unless that was meant`;
}

/** Three digits are enough for a summary. */
function shortTime(ps: number): string {
  return formatTime(ps < 1000 ? Math.round(ps) : Math.round(Number(ps.toPrecision(3))));
}

/** Of a capture: `host0`, and of NICs with more ports `host0 port 2`. */
function interfaceNames(hosts: number, ports: number): string[] {
  return Array.from({ length: hosts * ports }, (_, line) => {
    const port = Math.floor(line / hosts) + 1;
    return `host${line % hosts}${port === 1 ? '' : ` port ${port}`}`;
  });
}

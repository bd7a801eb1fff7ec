/** Arguments without effect that are named one by one: an option file may hold any number. */
const MOST_UNUSED = 100;
/** Characters of one that are shown. */
const LONGEST_UNUSED = 200;

/**
 * The root of the hierarchy (1800.2 F.7 `uvm_root`): makes the test, drives the phases, ends the run.
 *
 * `runTest` is the whole of a run. It applies the plusargs of the standard, creates the test through the factory as
 * `uvm_test_top`, executes the phases, turns whatever goes wrong into a report, says which settings never took effect
 * and prints the summary. It never throws for what happens inside the run: the result says how it ended.
 */
import { applyConfigs, applyOverrides, reportNotes, unusedSettings } from '../cmdline/applyArguments.ts';
import { didYouMean } from '../cmdline/nearest.ts';
import { describeReporter, ReportSettings, ROOT_REPORTER, UNUSED_ID } from '../cmdline/reportSettings.ts';
import { readUvmArguments, type UvmArguments } from '../cmdline/uvmArguments.ts';
import type { SimTime } from '../kernel/eventHandler.ts';
import { DeltaLimitError } from '../kernel/schedulerErrors.ts';
import type { ReportSubject } from '../report/reportMessage.ts';
import { FatalStop } from '../report/fatalStop.ts';
import type { Reporter } from '../report/reporter.ts';
import { SEVERITY, type Severity } from '../report/severity.ts';
import { UVM_HIGH, UVM_LOW, UVM_NONE } from '../report/verbosity.ts';
import { earlyEndText, sum, switchedOffText } from './closingTexts.ts';
import type { ComponentNode } from './componentNode.ts';
import { exceptionText, originOf } from './exceptionText.ts';
import { raisedObjections, traceObjections } from './objectionTexts.ts';
import type { Phase, PhaseName } from './phase.ts';
import { DEFAULT_TIMEOUT, endFatally, type PhaseOwner, PhaseRunner } from './phaseRunner.ts';
import type { RootOptions, RunResult } from './runResult.ts';
import type { RunServices } from './runServices.ts';
import { UvmError } from './uvmError.ts';

export class Root {
  /** Standard arguments of the command line. */
  readonly args: UvmArguments;
  readonly #services: RunServices;
  readonly #options: RootOptions;
  readonly #reporter: Reporter;
  readonly #settings: ReportSettings;
  readonly #phases: PhaseRunner;
  readonly #tops: ComponentNode[] = [];
  readonly #numbers = new Map<string, number>();
  #timeout: SimTime = DEFAULT_TIMEOUT;
  #timeoutLocked = false;
  #timeoutSource = '';
  #accepts = true;
  #fatalId: string | undefined;
  #exception: unknown;
  #crashed = false;
  #misused = false;

  constructor(services: RunServices, options: RootOptions = {}) {
    this.#services = services;
    this.#options = options;
    this.args = readUvmArguments(services.plusargs);
    this.#settings = new ReportSettings(this.args, services.reports, services.scheduler);
    this.#reporter = services.reports.reporter(ROOT_REPORTER);
    this.#phases = new PhaseRunner(services, this.#phaseOwner());
    services.reports.onExit = () => services.scheduler.stop();
    services.reports.onMessage((m) => {
      if (m.severity === SEVERITY.fatal) this.#fatalId ??= m.id;
    });
    if ((this.args.verbosity ?? UVM_LOW) >= UVM_HIGH) services.deadlock.listed = Infinity;
    services.deadlock.register('objections', () => raisedObjections(this.currentPhase));
    this.#applyLimits();
  }

  /** Components without a parent, in the order of creation; the test is named `uvm_test_top`. */
  get tops(): readonly ComponentNode[] {
    return this.#tops;
  }

  /** False once the build phase is over. */
  get acceptsComponents(): boolean {
    return this.#accepts;
  }

  /** Limit of the run phase in ps; default 9200 s clamped to the largest safe time (about 9007 s). */
  get timeout(): SimTime {
    return this.#timeout;
  }

  /**
   * Sets the limit of the run phase; once set as not overridable, later calls are ignored (1800.2 F.7.2.2).
   * @param source named in the message when the limit is reached, e.g. the plusarg to be raised
   */
  setTimeout(time: SimTime, overridable = true, source = ''): void {
    if (this.#timeoutLocked) return;
    this.#timeoutSource = source;
    this.#timeout = Math.min(time, DEFAULT_TIMEOUT);
    this.#timeoutLocked = !overridable;
  }

  /** One of the nine common phases: to raise objections or read its state from outside a component. */
  phase(name: PhaseName): Phase {
    return this.#phases.phases.get(name) as Phase;
  }

  /** The phase being executed; undefined before the first. */
  get currentPhase(): Phase | undefined {
    return this.#phases.current;
  }

  /** Counts the calls with this key, from 1: reproducible numbers for sequences. */
  nextNumber(key: string): number {
    const number = (this.#numbers.get(key) ?? 0) + 1;
    this.#numbers.set(key, number);
    return number;
  }

  /** For the constructor of `Component` only. */
  addTop(component: ComponentNode): void {
    this.#tops.push(component);
  }

  /** The component with this full name. */
  find(path: string): ComponentNode | undefined {
    const [first, ...rest] = path.split('.');
    let at = this.#tops.find((c) => c.name === first);
    for (const name of rest) at = at?.children.find((c) => c.name === name);
    return at;
  }

  /** Calls `visitor` for every component, parents first. */
  visit(visitor: (component: ComponentNode) => void): void {
    const walk = (nodes: readonly ComponentNode[]): void => {
      for (const node of nodes) {
        visitor(node);
        walk(node.children);
      }
    };
    walk(this.#tops);
  }

  /** An info of the run itself, whose path is `reporter`. */
  info(id: string, text: string, verbosity = UVM_LOW): void {
    this.#reporter.report(SEVERITY.info, id, text, verbosity);
  }

  warning(id: string, text: string): void {
    this.#reporter.report(SEVERITY.warning, id, text, UVM_NONE);
  }

  error(id: string, text: string): void {
    this.#reporter.report(SEVERITY.error, id, text, UVM_NONE);
  }

  fatal(id: string, text: string, about?: ReportSubject): void {
    this.#reporter.report(SEVERITY.fatal, id, text, UVM_NONE, '', about);
  }

  /**
   * Runs a test from build to final and prints the summary.
   * @param parent what top components are created under: the run
   * @param testName type registered with the factory; `+UVM_TESTNAME` overrides it, default the run's test name. May
   *   be empty when top components have been created by hand.
   */
  runTest(parent: object, testName?: string): RunResult {
    this.playTest(parent, testName);
    return this.conclude();
  }

  /** The first half of `runTest`: from build to final. What a caller does before the second half is part of the run. */
  playTest(parent: object, testName = this.#services.testName): void {
    const phases = (): void => {
      this.#start();
      this.#createTest(parent, testName);
      this.#phases.runAll();
    };
    try {
      const brokenOff = this.#options.around === undefined ? phases() : this.#options.around(phases);
      if (brokenOff !== undefined) endFatally(brokenOff, (id, text) => this.fatal(id, text));
    } catch (error) {
      this.#guarded(() => this.#caught(error));
    }
  }

  /**
   * The second half of `runTest`: the summary and how the run ended.
   * @param late what promises and callbacks of the run have thrown that nobody waited for
   */
  conclude(late: readonly unknown[] = []): RunResult {
    for (const error of late) this.#guarded(() => this.#caughtLate(error));
    this.#guarded(() => this.#finish());
    return this.#result();
  }

  #start(): void {
    const { reports, config, factory } = this.#services;
    if (this.#options.banner !== undefined && !this.args.noBanner) reports.sink(this.#options.banner);
    if (this.args.dumpArguments) this.#dumpArguments();
    const applied = [applyOverrides(this.args, factory), applyConfigs(this.args, config), reportNotes(this.args)];
    for (const n of [...this.args.notes, ...applied.flat()]) this.#note(n.severity, n.id, n.text);
    this.#warnRepeated();
    this.#phases.trace = this.args.phaseTrace;
    if (this.args.objectionTrace)
      traceObjections(this.#phases.phases.values(), (text) => this.info('OBJTN_TRC', text, UVM_NONE));
    if (this.args.configTrace || this.args.resourceTrace) config.trace = (id, text) => this.info(id, text);
  }

  #createTest(parent: object, coded: string): void {
    const name = this.args.testName ?? coded;
    if (name !== '') {
      this.#requireTest(name);
      this.info('RNTST', `Running test ${name}...`);
      this.#services.factory.create(name, 'uvm_test_top', parent);
    } else if (this.#tops.length === 0) {
      this.fatal(
        'NOCOMP',
        'No components instantiated. Give a test with +UVM_TESTNAME=<type> or create a component before the run',
      );
    }
  }

  #requireTest(name: string): void {
    const { factory } = this.#services;
    if (factory.has(name)) return;
    const where = this.args.testName === undefined ? `call to runTest(${name})` : `command line +UVM_TESTNAME=${name}`;
    const names = factory.typeNames();
    this.fatal('INVTST', `Requested test from ${where} not found${didYouMean(name, names)}`);
  }

  #note(severity: Severity, id: string, text: string): void {
    this.#reporter.report(severity, id, text, severity === SEVERITY.info ? UVM_LOW : UVM_NONE);
  }

  #warnRepeated(): void {
    for (const text of this.#services.plusargs.takeWarnings()) this.warning('MULTARG', text);
  }

  #phaseOwner(): PhaseOwner {
    const root = this;
    return {
      get tops() {
        return root.#tops;
      },
      get timeout() {
        return root.#timeout;
      },
      get timeoutSource() {
        return root.#timeoutSource;
      },
      entering: (phase) => this.#entering(phase),
      elaborated: () => this.#elaborated(),
      info: (id, text) => this.info(id, text),
      warning: (id, text) => this.warning(id, text),
      fatal: (id, text, about) => this.fatal(id, text, about),
      deadlock: () => this.#services.deadlock.report(),
      waiting: () => this.#services.deadlock.waiting(),
      heartbeat: () => this.#options.heartbeat?.(),
    };
  }

  #entering(phase: Phase): void {
    this.#settings.enterPhase(phase.name);
    if (phase.name !== 'connect') return;
    this.#accepts = false;
    this.#services.config.building = false;
  }

  /** Build and connect are done: the connections are verified. */
  #elaborated(): void {
    this.visit((c) => {
      const reporter = this.#services.reports.reporter(c.fullName);
      for (const check of c.elaborationChecks) {
        const wrong = check.resolve();
        if (wrong !== undefined) reporter.report(SEVERITY.error, 'CONNECTION', wrong, UVM_NONE);
      }
    });
    if (this.#services.reports.severityCount(SEVERITY.error) > 0)
      this.fatal('BUILDERR', 'stopping due to build errors');
  }

  #applyLimits(): void {
    const { timeout, maxQuitCount } = this.args;
    if (timeout !== undefined) this.setTimeout(timeout.time, timeout.overridable, '+UVM_TIMEOUT');
    if (maxQuitCount !== undefined) {
      this.#services.reports.setMaxQuitCount(maxQuitCount.count, maxQuitCount.overridable);
    }
  }

  #caught(thrown: unknown): void {
    const error = originOf(thrown);
    if (error instanceof FatalStop) return;
    if (error instanceof UvmError) {
      this.#misused = true;
      this.fatal(error.id, error.message);
    } else if (error instanceof DeltaLimitError) {
      const { id, text, about } = this.#services.deadlock.loop(error);
      this.fatal(id, text, about);
    } else {
      this.#crashed = true;
      this.#exception = error;
      this.fatal('EXCEPTION', exceptionText(error, this.#services.processes.origins.of(error)));
    }
  }

  #caughtLate(error: unknown): void {
    this.#crashed = true;
    this.#exception ??= error;
    const text = exceptionText(error, this.#services.processes.origins.of(error));
    this.fatal('EXCEPTION', `in a promise or callback that nobody waited for: ${text}`);
  }

  /** Runs a closing step, in which a fatal report is no news any more and a second exception must not hide the first. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (error instanceof FatalStop) return;
      this.#crashed = true;
      this.#exception ??= error;
    }
  }

  #finish(): void {
    if (!this.#completed()) this.#guarded(() => this.#phases.abort());
    this.#guarded(() => this.#sayNotBegun());
    this.#guarded(() => this.#warnUnused());
    this.#guarded(() => this.#sayEarlyEnd());
    this.#guarded(() => this.#warnSwitchedOff());
    if (this.args.dumpReportArguments) this.#dumpReports();
    this.#services.reports.sink(this.#services.reports.summary());
  }

  #warnUnused(): void {
    this.#warnRepeated();
    const { factory, config, plusargs } = this.#services;
    const paths: string[] = [];
    this.visit((c) => paths.push(c.fullName));
    const settings = [...this.#settings.unused(paths), ...unusedSettings(this.args, factory, config, paths)];
    const unused = [...settings, ...plusargs.unused()];
    for (const { arg, reason } of unused.slice(0, MOST_UNUSED)) {
      this.warning(UNUSED_ID, `${shortArgument(arg)} never took effect: ${reason}`);
    }
    const more = unused.length - MOST_UNUSED;
    if (more > 0) this.warning(UNUSED_ID, `${more} more arguments never took effect`);
  }

  /** A sequence that was never begun has done nothing: no pass, and no failure of what is verified. */
  #sayNotBegun(): void {
    const calls = this.#services.processes.starts.neverBegun();
    if (calls === '') return;
    if (this.#completed()) this.fatal('SEQ_NOT_BEGUN', calls);
    else this.warning('SEQ_NOT_BEGUN', calls);
  }

  /** A run that an info or a warning ended would fail without a reason. */
  #sayEarlyEnd(): void {
    const { reports } = this.#services;
    const failed = reports.severityCount(SEVERITY.error) + reports.severityCount(SEVERITY.fatal) > 0;
    const text = failed || this.#completed() ? undefined : earlyEndText(reports);
    if (text !== undefined) this.error('EARLY_END', text);
  }

  #warnSwitchedOff(): void {
    const text = switchedOffText(this.#services.reports.switchedOffCounts());
    if (text !== undefined) this.warning('ERRORS_OFF', text);
  }

  #dumpArguments(): void {
    const args = this.#services.plusargs.args.map((a, i) => `\n  [${i}] ${a}`);
    this.info('DUMPARGS', `command line:${args.join('')}`, UVM_NONE);
  }

  #dumpReports(): void {
    const lines = [...this.#services.reports.reporters()].map(describeReporter);
    const text = [...this.#settings.usage(), ...lines].map((l) => `\n  ${l}`).join('');
    this.info('DUMPREPORTARGS', `report settings:${text}`, UVM_NONE);
  }

  #completed(): boolean {
    return this.phase('final').state === 'done' && !this.#crashed;
  }

  #result(): RunResult {
    const { reports, scheduler } = this.#services;
    const errors = reports.severityCount(SEVERITY.error);
    const fatals = reports.severityCount(SEVERITY.fatal);
    return {
      passed: errors === 0 && fatals === 0 && this.#completed(),
      end: this.#crashed ? 'exception' : (reports.exitReason ?? 'completed'),
      fatalId: this.#fatalId,
      warnings: reports.severityCount(SEVERITY.warning),
      errors,
      fatals,
      switchedOff: sum(reports.switchedOffCounts().values()),
      time: scheduler.now,
      exception: this.#exception,
      misused: this.#misused,
    };
  }
}

/** A word of an option file may have any length. */
function shortArgument(arg: string): string {
  const missing = arg.length - LONGEST_UNUSED;
  return missing <= 0 ? arg : `${arg.slice(0, LONGEST_UNUSED)}... (${missing} more characters)`;
}

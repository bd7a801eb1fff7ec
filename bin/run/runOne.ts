/**
 * The composition root of one run: from a specification to a verdict. The run itself is synchronous; between its end
 * and its verdict a caller may let come what promises and callbacks still have to say.
 *
 * Builds the run with all registered types, gives the test its configuration and its NIC through the configuration
 * database, runs it, and reads off what the record needs. Everything that may be wrong with the command line has been
 * found before by `checkSpec`, and what is found only now is not played; whatever else goes wrong from here on is part of
 * the verdict.
 */

import type { InjectionOutcome } from '../../env/ports/plannedInjections.ts';
import type { PcieRuleOutcome } from '../../agents/pcie/faults/pcieInjector.ts';
import type { FaultOutcome } from '../../agents/link/faults/faultInjector.ts';
import { CommandError } from '../../env/verbs/hostErrors.ts';
import type { RunSignature } from '../../regress/runRecord.ts';
import { type ResolvedParameters, resolveParameters } from '../../config/parameters.ts';
import { type RunConfig, typedKnobs } from '../../config/runConfig.ts';
import type { RunResult as UvmResult } from '../../uvm/base/runResult.ts';
import type { EndReason } from '../../uvm/base/phaseRunner.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { Plusargs } from '../../uvm/cmdline/plusargs.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import type { ReportMessage, ReportSubject } from '../../uvm/report/reportMessage.ts';
import { SEVERITY } from '../../uvm/report/severity.ts';
import { Run } from '../../uvm/run.ts';
import { breakOffAfter } from './breakOff.ts';
import { DistinctErrors } from './distinctErrors.ts';
import { withDrawnKnobs } from './drawKnobs.ts';
import { findKnob } from '../../dut-model/nicKnob.ts';
import { fitEngineLimits } from './limits/engineLimits.ts';
import type { Interrupt } from './limits/interrupts.ts';
import { INTERRUPTED, interruption } from './limits/interruption.ts';
import { LivelockWatch } from './limits/livelock.ts';
import { isIgnoredPlusarg } from '../cli/simulatorFlags.ts';
import { bugOfHost, kindOf, limitsAmong, nicNamed } from '../nicEntry.ts';
import type { NicOfHost } from '../../env/nicKind.ts';
import { type Registry, testLineage } from '../registry.ts';
import type { OpenRun, RunHooks, RunResult, RunSoFar, RunSpec } from './runSpec.ts';

/** Names under which a test finds what the composition root hands it in the configuration database. */
const CONFIG_FIELD = {
  runConfig: 'run_config',
  nicBuilder: 'nic_builder',
  nicKind: 'nic_kind',
  nicHosts: 'nic_hosts',
  recorder: 'run_recorder',
  calls: 'call_observer',
} as const;

/** What tests of this harness offer beyond UVM, for progress and records; all of it optional. */
interface CountingTest {
  /** `checks`, `requests_done`, `requests_total` and whatever else belongs into the record. */
  runCounts?(): Readonly<Record<string, number>>;
  /** What it is at: `bring-up`, `batch 3`. */
  runStage?(): string;
  /** What fault rules of the link did. */
  faultOutcome?(): FaultOutcome | undefined;
  pcieFaultOutcome?(): readonly PcieRuleOutcome[] | undefined;
  injectionOutcome?(): readonly InjectionOutcome[] | undefined;
}

/** A run from start to verdict at once: nobody waits for what it may have left behind. See `openRun`. */
export function runOne(spec: RunSpec, registry: Registry, hooks: RunHooks, bytes?: ByteStore): RunResult {
  return openRun(spec, registry, hooks, bytes).conclude();
}

/** What says how a random test draws, and what it draws. */
const DRAWS = [
  ['DRAW_KNOBS', 'knobs'],
  ['DRAW_FAULTS', 'faults'],
  ['DRAW_PCIE_FAULTS', 'PCIe faults'],
  ['DRAW_WIDE', 'parameters'],
] as const;

/**
 * Plays a run up to its verdict.
 * @param bytes store to be reused by the runs of one process, once the one before is concluded; default: a new one
 */
export function openRun(spec: RunSpec, registry: Registry, hooks: RunHooks, bytes?: ByteStore): OpenRun {
  const plusargs = new Plusargs(spec.plusargs.filter((arg) => !isIgnoredPlusarg(arg)));
  plusargs.declare(registry.plusargs?.keys() ?? []);
  const resolved = resolveParameters(plusargs, testLineage(spec.testName, registry), spec.seed, {
    ...spec,
    ...limitsAmong(registry.nics),
  });
  const { config, notes } = withDrawnKnobs(resolved, registry.nics);
  fitEngineLimits(config);
  const livelock = new LivelockWatch(config.values.STALL_TIME);
  const found: Findings = {
    first: null,
    accuses: undefined,
    firstTranscript: '',
    ids: new Set(),
    errors: new DistinctErrors(),
    fatal: null,
    unused: [],
    warnings: 0,
    interruptedBy: undefined,
  };
  const run: Run = new Run({
    seed: spec.seed,
    testName: spec.testName,
    plusargs,
    factory: registry.factory,
    sink: (text) => hooks.sink(text),
    heartbeat: () => heartbeat(run, livelock, hooks, found),
    around: (phases) => refusal(resolved) ?? brokenOff(run, hooks, found, phases),
    coverage: config.values.COV,
    ...(bytes === undefined ? {} : { bytes }),
  });
  run.config.set(null, '*', CONFIG_FIELD.runConfig, config);
  // For the test alone: what a test sets for its hosts would count less than what the root sets for all.
  setNic(run, config, registry);
  watchMessages(run, found);
  record(run, hooks);
  if (hooks.calls !== undefined) run.config.set(null, '*', CONFIG_FIELD.calls, hooks.calls);
  hooks.begun?.(() => soFar(run, config, found));
  for (const [name, what] of DRAWS) {
    if (resolved.isDrawn || config.origin[name] !== 'given') continue;
    const hint = 'leave it out, or give +UVM_TESTNAME=test_random or test_random_verbs';
    plusargs.disclaim(name, `${spec.testName} draws no ${what}; ${hint}`);
  }
  for (const note of notes) run.root.info('PARAM', note);
  run.root.playTest(run);
  return { conclude: (late) => resultOf(run, config, run.root.conclude(late), found) };
}

function record(run: Run, { recorder }: RunHooks): void {
  if (recorder === undefined) return;
  run.config.set(null, '*', CONFIG_FIELD.recorder, recorder);
  run.reports.onMessage((message) => recorder.report(message));
}

function setNic(run: Run, { duts, plantedBugs }: RunConfig, { nics }: Registry): void {
  const made = new Map<string, NicOfHost>();
  const nicOf = (name: string, host: number): NicOfHost | undefined => {
    const entry = nicNamed(nics, name);
    if (entry === undefined) return undefined;
    const bug = bugOfHost(entry, plantedBugs, host);
    const takesKnob = (knob: string): boolean => findKnob(entry.knobs, knob) !== undefined;
    const key = `${name} ${bug}`;
    const nic = made.get(key) ?? { builder: entry.nic(bug), kind: kindOf(entry, bug), takesKnob };
    made.set(key, nic);
    return nic;
  };
  const hosts = duts.map(nicOf);
  const [first] = hosts;
  if (first === undefined || hosts.includes(undefined)) return;
  run.config.set(null, 'uvm_test_top', CONFIG_FIELD.nicBuilder, first.builder);
  run.config.set(null, 'uvm_test_top', CONFIG_FIELD.nicKind, first.kind);
  if (made.size > 1) run.config.set(null, 'uvm_test_top', CONFIG_FIELD.nicHosts, hosts);
}

/** Id of the warning that an argument took no effect. */
const UNUSED = 'CMDLINE_UNUSED';

/** Warnings whose matter the closing line counts by itself: failed requests, errors that were switched off. */
const SAID_OTHERWISE: ReadonlySet<string> = new Set(['ERROR_COMPLETIONS', 'ERRORS_OFF']);

/** Ids that are kept of the errors of a run. */
const MOST_IDS = 16;

interface Findings {
  /** First error or fatal message. */
  first: RunSignature | null;
  /** What that accuses. */
  accuses: ReportSubject | undefined;
  /** Transcript at that moment; '' before. */
  firstTranscript: string;
  /** Ids of errors and fatal messages. */
  readonly ids: Set<string>;
  readonly errors: DistinctErrors;
  /** First fatal message: it ended the run. */
  fatal: RunSignature | null;
  /** Arguments that took no effect, each with the reason. */
  readonly unused: string[];
  /** Warnings that the closing line is to mention. */
  warnings: number;
  interruptedBy: Interrupt | undefined;
}

function watchMessages(run: Run, found: Findings): void {
  run.reports.onMessage((message: ReportMessage) => {
    if (message.id === UNUSED) found.unused.push(message.text);
    if (message.severity === SEVERITY.warning && !SAID_OTHERWISE.has(message.id)) found.warnings++;
    if (message.severity < SEVERITY.error) return;
    const { id, path, text, time, subject } = message;
    const signature = { id, component: path, message: text.split('\n')[0] as string, time };
    if (found.first === null) {
      found.first = signature;
      found.accuses = subject;
      found.firstTranscript = run.transcript.digest();
    }
    if (found.ids.size < MOST_IDS) found.ids.add(id);
    found.errors.add(id, signature.message);
    if (message.severity >= SEVERITY.fatal) found.fatal ??= signature;
  });
}

function heartbeat(run: Run, livelock: LivelockWatch, hooks: RunHooks, found: Findings): EndReason | undefined {
  const counts = countsOf(run);
  const signal = hooks.interrupt?.();
  if (signal !== undefined) return interrupted(run, found, signal);
  const { now } = run.scheduler;
  const wanted = hooks.heartbeat?.({
    simulatedTimePs: now,
    done: counts['requests_done'] ?? 0,
    total: counts['requests_total'] ?? 0,
    stage: stageOf(run),
  });
  return wanted ?? livelock.look(now, run.reports.severityCount(SEVERITY.error), counts);
}

/** Mistakes in the parameters: a run that plays something else than it was told must not pass. */
function refusal({ problems }: ResolvedParameters): EndReason | undefined {
  return problems.length === 0 ? undefined : { id: 'PARAM_ERROR', text: problems.join('\n') };
}

/** Carries out the phases of a run. @returns why they were broken off, if they were */
function brokenOff(run: Run, hooks: RunHooks, found: Findings, phases: () => void): EndReason | undefined {
  const { breakOff, interrupt } = hooks;
  if (breakOff === undefined) {
    phases();
    return undefined;
  }
  const { afterMs, onSignal } = breakOff;
  const cause = breakOffAfter(afterMs, (interrupt ?? onSignal) !== undefined, phases);
  if (cause === undefined) return undefined;
  if (cause === 'SIGINT' && onSignal?.() !== true) return interrupted(run, found, hooks.interrupt?.() ?? cause);
  const { current } = run.processes;
  const who = current === null ? 'what was going on' : `process ${current.fullName}`;
  const hint = `a loop that never waits (yield*)? ${who} was aborted at ${formatTime(run.scheduler.now)}`;
  return `${breakOff.reason}: ${hint}`;
}

function interrupted(run: Run, found: Findings, signal: Interrupt): EndReason {
  found.interruptedBy = signal;
  return { id: INTERRUPTED, text: interruption(run, signal, countsOf(run), stageOf(run)) };
}

function countsOf(run: Run): Readonly<Record<string, number>> {
  return testOf(run)?.runCounts?.() ?? {};
}

function faultsOf(run: Run): Pick<RunResult, 'faults' | 'pcieFaults' | 'injections'> {
  const faults = testOf(run)?.faultOutcome?.();
  const pcieFaults = testOf(run)?.pcieFaultOutcome?.();
  const injections = testOf(run)?.injectionOutcome?.();
  return {
    ...(faults === undefined ? {} : { faults }),
    ...(pcieFaults === undefined ? {} : { pcieFaults }),
    ...(injections === undefined ? {} : { injections }),
  };
}

function stageOf(run: Run): string {
  return testOf(run)?.runStage?.() ?? '';
}

function testOf(run: Run): CountingTest | undefined {
  return run.root.find('uvm_test_top') as CountingTest | undefined;
}

/** What ended the run before its time, if that is not its first finding anyway. */
function endedBy(run: Run, { end }: UvmResult, { first, fatal }: Findings): RunSignature | null {
  if (end !== 'quit-count') return fatal === first ? null : fatal;
  const message = `the limit of ${run.reports.maxQuitCount} counted reports`;
  return { id: 'UVM_MAX_QUIT_COUNT', component: 'reporter', message, time: run.scheduler.now };
}

function resultOf(run: Run, config: RunConfig, ended: UvmResult, found: Findings): RunResult {
  const { first, accuses, unused, interruptedBy } = found;
  const { counts, ...others } = soFar(run, config, found);
  const { warnings, errors, fatals, switchedOff } = ended;
  return {
    ...judge(ended, counts['checks'] ?? 0, first),
    ...(run.coverage.enabled ? { coverage: run.coverage.hits() } : {}),
    ...faultsOf(run),
    signature: first,
    ...(accuses === undefined ? {} : { accuses }),
    errorIds: [...found.ids],
    findings: found.errors.findings,
    endedBy: endedBy(run, ended, found),
    ...(interruptedBy === undefined ? {} : { interruptedBy }),
    unused,
    ...others,
    counts: {
      ...counts,
      UVM_WARNING: warnings,
      UVM_ERROR: errors,
      UVM_FATAL: fatals,
      errors_switched_off: switchedOff,
    },
    simulatedTimePs: ended.time,
  };
}

function soFar(run: Run, config: RunConfig, { warnings, firstTranscript }: Findings): RunSoFar {
  const { reports, scheduler, transcript } = run;
  return {
    counts: {
      UVM_INFO: reports.severityCount(SEVERITY.info),
      UVM_WARNING: reports.severityCount(SEVERITY.warning),
      UVM_ERROR: reports.severityCount(SEVERITY.error),
      UVM_FATAL: reports.severityCount(SEVERITY.fatal),
      events: scheduler.executed,
      checks: 0,
      errors_switched_off: 0,
      ...(warnings === 0 ? {} : { warnings }),
      ...countsOf(run),
    },
    simulatedTimePs: scheduler.now,
    transcript: {
      hash: transcript.digest(),
      events: transcript.events,
      checkpoints: transcript.checkpoints,
      ...(firstTranscript === '' ? {} : { atSignature: firstTranscript }),
    },
    parameters: { ...config.values, ...typedKnobs(config) },
  };
}

/**
 * Ids of the fatal messages that end a run without a judgement: when somebody interrupts it, at the limits of wall-clock
 * and of simulated time, and of what the NIC says it can do; and when the test asks for what cannot be, or its sequence
 * has made a mistake that the NIC has no part in.
 */
const NOT_JUDGED: ReadonlySet<string | undefined> = new Set([
  INTERRUPTED,
  'RUN_LIMIT',
  'PH_TIMEOUT',
  'HCA_LIMITS',
  'SEQ_DEADLOCK',
  'SEQ_ENDLESS',
  'SEQ_GIVEN_UP',
  'SEQ_NOT_BEGUN',
]);

/** Ends before there is a system to judge, whatever was counted on the way. */
const NOT_BUILT: ReadonlySet<string | undefined> = new Set(['BUILDERR', 'FCTTYP', 'OVRDLOOP', 'PARAM_ERROR']);

/**
 * Once an error has been counted the NIC has failed, whatever ends the run afterwards: an exception may well be what
 * the NIC's misbehaviour did to the test. Without one, a run that an exception or a limit ended says nothing about it.
 */
function judge(
  ended: UvmResult,
  checks: number,
  signature: RunSignature | null,
): Pick<RunResult, 'verdict' | 'message'> {
  const failure = signature === null ? `ended by ${ended.end}` : `[${signature.id}] ${signature.message}`;
  // A command that the NIC refused or never answered ends the test; that is the NIC's failure, and was reported.
  const refused = ended.exception instanceof CommandError;
  const givenUp = (ended.end === 'exception' && !refused) || ended.misused || NOT_JUDGED.has(ended.fatalId);
  if ((givenUp && ended.errors === 0) || NOT_BUILT.has(ended.fatalId)) return { verdict: 'error', message: failure };
  if (!ended.passed) return { verdict: 'failed', message: failure };
  if (checks === 0) return { verdict: 'vacuous', message: 'the run ended without error but made no check' };
  return { verdict: 'passed', message: '' };
}

/**
 * The composition root of one run: from a specification to a verdict, synchronously.
 *
 * Builds the run with all registered types, gives the test its configuration and its NIC through the configuration
 * database, runs it, and reads off what the record needs. Everything that may be wrong with the command line has been
 * found before by `checkSpec`; whatever goes wrong from here on is part of the verdict.
 */

import type { NicBuilder } from '../dut-model/nic.ts';
import { CommandError } from '../env/hostErrors.ts';
import type { RunSignature } from '../regress/runRecord.ts';
import { resolveParameters } from '../sequences/parameters.ts';
import type { RunConfig } from '../sequences/parameters/runConfig.ts';
import type { RunResult as UvmResult } from '../uvm/base/root.ts';
import type { ByteStore } from '../uvm/bytes/byteStore.ts';
import { Plusargs } from '../uvm/cmdline/plusargs.ts';
import type { ReportMessage } from '../uvm/report/reportMessage.ts';
import { SEVERITY } from '../uvm/report/severity.ts';
import { Run } from '../uvm/run.ts';
import { IGNORED_PLUSARGS } from './cli/simulatorFlags.ts';
import { fitEngineLimits } from './engineLimits.ts';
import type { Registry } from './registry.ts';
import type { RunHooks, RunProgress, RunResult, RunSpec } from './runSpec.ts';

/** Names under which a test finds what the composition root hands it (configuration database, scope `*`). */
export const CONFIG_FIELD = { runConfig: 'run_config', nicBuilder: 'nic_builder' } as const;

/** What tests of this harness offer beyond UVM, for progress and records; all of it optional. */
interface CountingTest {
  /** `checks`, `requests_done`, `requests_total` and whatever else belongs into the record. */
  runCounts?(): Readonly<Record<string, number>>;
}

/**
 * @param bytes store to be reused by the runs of one process; default: a new one
 */
export function runOne(spec: RunSpec, registry: Registry, hooks: RunHooks, bytes?: ByteStore): RunResult {
  const plusargs = new Plusargs(spec.plusargs.filter((arg) => !isIgnored(arg)));
  const { config, notes } = resolveParameters(plusargs, spec.testName, spec.seed);
  fitEngineLimits(config);
  const run: Run = new Run({
    seed: spec.seed,
    testName: spec.testName,
    plusargs,
    factory: registry.factory,
    sink: (text) => hooks.sink(text),
    heartbeat: () => hooks.heartbeat?.(progressOf(run)),
    ...(bytes === undefined ? {} : { bytes }),
  });
  run.config.set(null, '*', CONFIG_FIELD.runConfig, config);
  run.config.set(null, '*', CONFIG_FIELD.nicBuilder, builderOf(config, registry));
  const first = watchFirstFailure(run);
  for (const note of notes) run.root.info('PARAM', note);
  const ended = run.runTest();
  return resultOf(run, config, ended, first.signature);
}

function builderOf(config: RunConfig, registry: Registry): NicBuilder | undefined {
  const { DUT, DUT_FAULT } = config.values;
  return registry.nics.find((nic) => nic.name === DUT)?.builder(DUT_FAULT);
}

/** Plusargs of simulators, such as `+vpdfile+waves.vpd`, that mean nothing here. */
function isIgnored(arg: string): boolean {
  return IGNORED_PLUSARGS.some((name) => new RegExp(`^\\+${name}([=+]|$)`).test(arg));
}

function watchFirstFailure(run: Run): { signature: RunSignature | null } {
  const first: { signature: RunSignature | null } = { signature: null };
  run.reports.onMessage((message: ReportMessage) => {
    if (first.signature !== null || message.severity < SEVERITY.error) return;
    const { id, path, text, time } = message;
    first.signature = { id, component: path, message: text.split('\n')[0] as string, time };
  });
  return first;
}

function countsOf(run: Run): Readonly<Record<string, number>> {
  const test = run.root.find('uvm_test_top') as CountingTest | undefined;
  return test?.runCounts?.() ?? {};
}

function progressOf(run: Run): RunProgress {
  const counts = countsOf(run);
  return {
    simulatedTimePs: run.scheduler.now,
    done: counts['requests_done'] ?? 0,
    total: counts['requests_total'] ?? 0,
  };
}

function resultOf(run: Run, config: RunConfig, ended: UvmResult, signature: RunSignature | null): RunResult {
  const counts = {
    UVM_INFO: run.reports.severityCount(SEVERITY.info),
    UVM_WARNING: ended.warnings,
    UVM_ERROR: ended.errors,
    UVM_FATAL: ended.fatals,
    events: run.scheduler.executed,
    checks: 0,
    ...countsOf(run),
  };
  return {
    ...judge(ended, counts.checks, signature),
    signature,
    counts,
    simulatedTimePs: ended.time,
    transcript: { hash: run.transcript.digest(), events: run.transcript.events },
    parameters: config.values,
  };
}

/** Id of the fatal message that ends a run at the wall-clock limit: the harness gave up, the DUT is not judged. */
const RUN_LIMIT = 'RUN_LIMIT';

function judge(
  ended: UvmResult,
  checks: number,
  signature: RunSignature | null,
): Pick<RunResult, 'verdict' | 'message'> {
  const failure = signature === null ? `ended by ${ended.end}` : `[${signature.id}] ${signature.message}`;
  // A command that the NIC refused or never answered ends the test; that is the NIC's failure, and was reported.
  const refused = ended.exception instanceof CommandError;
  if ((ended.end === 'exception' && !refused) || ended.fatalId === RUN_LIMIT)
    return { verdict: 'error', message: failure };
  if (!ended.passed) return { verdict: 'failed', message: failure };
  if (checks === 0) return { verdict: 'vacuous', message: 'the run ended without error but made no check' };
  return { verdict: 'passed', message: '' };
}

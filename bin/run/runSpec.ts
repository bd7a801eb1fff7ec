/** What one run is asked to do, and what came of it: the contract between `runOne` and its callers. */

import type { ReportSubject } from '../../uvm/report/reportMessage.ts';
import type { InjectionOutcome } from '../../env/ports/plannedInjections.ts';
import type { PcieRuleOutcome } from '../../agents/pcie/faults/pcieInjector.ts';
import type { FaultOutcome } from '../../agents/link/faults/faultInjector.ts';
import type { FaultSources } from '../../config/faultPlan.ts';
import type { RunRecorder } from '../../env/trace/runRecorder.ts';
import type { CallObserver } from '../../sequences/calls/callObserver.ts';
import type { RunRecord, RunSignature } from '../../regress/runRecord.ts';
import type { Verdict } from '../../regress/verdict.ts';
import type { ScenarioFile } from '../../config/scenario/file/scenarioFile.ts';
import type { EndReason } from '../../uvm/base/phaseRunner.ts';
import type { Checkpoint } from '../../uvm/bytes/checkpoints.ts';
import type { GroupHits } from '../../uvm/coverage/coverageCollector.ts';
import type { Interrupt } from './limits/interrupts.ts';

/** What is asked for. Root seed, test, plusargs and scenario decide the run. */
export interface RunSpec extends FaultSources {
  readonly testName: string;
  /** Root seed, unsigned 32 bits. */
  readonly seed: number;
  /** Plusargs in order, each with its `+`. */
  readonly plusargs: readonly string[];
  /** What +SCENARIO names, where it has been read. Default: it is read. */
  readonly scenarioFile?: ScenarioFile | undefined;
}

/** How far a run has come; shown on a terminal. */
export interface RunProgress {
  readonly simulatedTimePs: number;
  /** Work requests completed, and in all; 0 when the test does not say. */
  readonly done: number;
  readonly total: number;
  /** What it is at, such as `bring-up`; '' when the test does not say. */
  readonly stage?: string;
}

/** What can be said of a run at any moment. */
export type RunSoFar = Pick<RunResult, 'counts' | 'simulatedTimePs' | 'transcript' | 'parameters'>;

/** When a run that does not end by itself is broken off, and what is said of it then. */
export interface BreakOffRule {
  /** Wall-clock time (ms); default: no end. */
  readonly afterMs?: number;
  /** Asked when SIGINT has come, with which its time is over: whether it is. Default: SIGINT is a matter of `interrupt`. */
  readonly onSignal?: () => boolean;
  readonly reason: string;
}

/** What a run reports to while it goes on. */
export interface RunHooks {
  /** Receives the log, one or more lines at a time, without the final newline. */
  sink(text: string): void;
  /** Called once, before the run does anything. @param soFar what can be said of it, whenever that is asked */
  begun?(soFar: () => RunSoFar): void;
  /** Keeps the events of the run. Default: nobody does. */
  readonly recorder?: RunRecorder;
  /** Wants the calls of the run, or to know which are played. Default: nobody does. */
  readonly calls?: CallObserver;
  /** Called now and then; a text ends the run with that as the reason. */
  heartbeat?(progress: RunProgress): EndReason | undefined;
  /** What breaks the run off wherever it is, heartbeat or not. */
  readonly breakOff?: BreakOffRule;
  /**
   * The signal that is to end the run, if one has come; asked now and then. With it, and with `breakOff`, SIGINT breaks
   * the run off wherever it is.
   */
  interrupt?(): Interrupt | undefined;
}

/** What came of a run. */
export interface RunResult {
  readonly verdict: Verdict;
  /** Why the run did not pass, in one line; '' when it did. */
  readonly message: string;
  /** First error or fatal message. */
  readonly signature: RunSignature | null;
  /** What the first error accuses; default: it does not say. */
  readonly accuses?: ReportSubject;
  /** Ids of all errors, each once, in the order in which they came first; default: that of the first one. */
  readonly errorIds?: readonly string[];
  /** The errors without what is different in each run; default: that of the first one. */
  readonly findings?: RunRecord['findings'];
  /** The signal that ended the run; default: it ended by itself. */
  readonly interruptedBy?: Interrupt;
  /** The fatal message, or the limit of counted reports, that ended the run when an error came before it. */
  readonly endedBy: RunSignature | null;
  /** Arguments that took no effect, each with the reason. */
  readonly unused: readonly string[];
  /** `checks`, `requests`, `events`, reports by severity, ... */
  readonly counts: Readonly<Record<string, number>>;
  readonly simulatedTimePs: number;
  readonly transcript: {
    readonly hash: string;
    readonly events: number;
    /** What it was on the way; default: not known. */
    readonly checkpoints?: readonly Checkpoint[];
    /** What it was when `signature` was reported; default: nothing was. */
    readonly atSignature?: string;
  };
  /** Every parameter, defaults filled in. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  /** What fault rules of the link did; default: there were none. */
  readonly faults?: FaultOutcome;
  /** The same of PCIe; undefined without any rule. */
  readonly pcieFaults?: readonly PcieRuleOutcome[];
  /** What became of packets that were to be injected; undefined without any. */
  readonly injections?: readonly InjectionOutcome[];
  /** What covergroups have counted; default: nothing was asked for. */
  readonly coverage?: readonly GroupHits[];
}

/** A run that has come to its end and is not judged yet: what it has left behind may still throw. */
export interface OpenRun {
  /**
   * Judges the run; to be called once.
   * @param late what promises and callbacks of the run have thrown that nobody waited for; default: nothing
   */
  conclude(late?: readonly unknown[]): RunResult;
}

/** Exit codes of `hca_test` and `hca_regress`. */
export const EXIT = { passed: 0, failed: 1, usage: 2, infrastructure: 3, gate: 4 } as const;

/** Exit code of a run. */
export function exitCodeOf(verdict: Verdict): number {
  if (verdict === 'passed') return EXIT.passed;
  return verdict === 'error' ? EXIT.infrastructure : EXIT.failed;
}

/**
 * Everything of one run: time, seed, reports, factory, configuration, bytes. There is no other state.
 *
 * A run is created by the composition root, handed to the top component as its parent, and reached by every other
 * component as `this.run`. Two runs in one process share nothing but the classes: the factory is copied, so that
 * overrides set during a run end with it.
 */
import { ConfigDb } from './base/configDb.ts';
import { Factory } from './base/factory.ts';
import { Root } from './base/root.ts';
import type { RootOptions, RunResult } from './base/runResult.ts';
import type { RunServices } from './base/runServices.ts';
import { ByteStore } from './bytes/byteStore.ts';
import { Transcript } from './bytes/transcript.ts';
import { Plusargs } from './cmdline/plusargs.ts';
import { runCollector } from './coverage/runCollector.ts';
import type { CoverageCollector } from './coverage/coverageCollector.ts';
import { DeadlockReport } from './kernel/deadlock.ts';
import { ProcessManager } from './kernel/process.ts';
import { Scheduler } from './kernel/scheduler.ts';
import { RandomStreams } from './random/randomStreams.ts';
import type { TextSink } from './report/reportMessage.ts';
import { ReportServer } from './report/reportServer.ts';

/** What a run is made of. @public */
export interface RunOptions extends RootOptions {
  /** Root seed, an unsigned 32-bit integer. */
  readonly seed: number;
  /** Type name of the test; also part of every random stream. Empty if top components are created by hand. */
  readonly testName: string;
  /** Default: none given. */
  readonly plusargs?: Plusargs;
  /** Registered types; copied. Default: none. */
  readonly factory?: Factory;
  /** Reset at the start and then owned by the run; default: a new one. */
  readonly bytes?: ByteStore;
  /** Receives each log line; default: nothing is printed. */
  readonly sink?: TextSink;
  /** Whether covergroups count what they sample. Default false. */
  readonly coverage?: boolean;
}

/** @public */
export class Run implements RunServices {
  readonly seed: number;
  readonly testName: string;
  readonly scheduler: Scheduler;
  readonly processes: ProcessManager;
  /** Register fill levels and progress here; printed when nothing can happen any more. */
  readonly deadlock: DeadlockReport;
  readonly bytes: ByteStore;
  readonly random: RandomStreams;
  readonly reports: ReportServer;
  readonly factory: Factory;
  readonly config: ConfigDb;
  readonly plusargs: Plusargs;
  readonly transcript: Transcript;
  /** Makes instances of covergroups. */
  readonly coverage: CoverageCollector;
  readonly root: Root;

  /** @throws RangeError for a seed that is no unsigned 32-bit integer. */
  constructor(options: RunOptions) {
    this.seed = options.seed;
    this.testName = options.testName;
    this.plusargs = options.plusargs ?? new Plusargs();
    this.scheduler = new Scheduler();
    this.processes = new ProcessManager(this.scheduler);
    this.deadlock = new DeadlockReport(this.processes);
    this.bytes = options.bytes ?? ByteStore.create();
    this.bytes.reset();
    this.random = new RandomStreams(options.seed, options.testName);
    this.reports = new ReportServer(this.scheduler, options.sink ?? (() => {}));
    this.factory = options.factory?.clone() ?? new Factory();
    this.config = new ConfigDb();
    this.transcript = new Transcript(this.bytes);
    this.coverage = runCollector(options.coverage === true, this.reports);
    this.root = new Root(this, options);
  }

  /** Full name of the top of the hierarchy: empty, so that paths begin with the name of a top component. */
  get fullName(): string {
    return '';
  }

  /** Runs the test of this run from build to final; see `Root.runTest`. */
  runTest(testName?: string): RunResult {
    return this.root.runTest(this, testName);
  }
}

import type { Plusargs } from '../cmdline/plusargs.ts';
import type { DeadlockReport } from '../kernel/deadlock.ts';
import type { ProcessManager } from '../kernel/process.ts';
import type { Scheduler } from '../kernel/scheduler.ts';
import type { ReportServer } from '../report/reportServer.ts';
import type { ConfigDb } from './configDb.ts';
import type { Factory } from './factory.ts';

/** What the root and the phase runner need of a run. */
export interface RunServices {
  readonly testName: string;
  readonly scheduler: Scheduler;
  readonly processes: ProcessManager;
  readonly deadlock: DeadlockReport;
  readonly reports: ReportServer;
  readonly factory: Factory;
  readonly config: ConfigDb;
  readonly plusargs: Plusargs;
}

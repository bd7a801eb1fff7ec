/** What a run is started with besides its command line, and what comes of it. */
import type { SimTime } from '../kernel/scheduler.ts';
import type { EndReason } from './phaseRunner.ts';

/** How a run ended. @public */
export interface RunResult {
  /** No error and no fatal message, and all phases were completed. */
  readonly passed: boolean;
  readonly end: 'completed' | 'fatal' | 'quit-count' | 'exit-action' | 'exception';
  /** Id of the fatal message that ended the run. */
  readonly fatalId: string | undefined;
  readonly warnings: number;
  readonly errors: number;
  readonly fatals: number;
  /** Errors and fatal messages that report settings switched off or lowered. A pass says nothing about them. */
  readonly switchedOff: number;
  /** Simulated time at the end in ps. */
  readonly time: SimTime;
  /** What was thrown, when the end is `exception`: a defect of the harness or test code, not of the DUT. */
  readonly exception: unknown;
  /** Test code has used this library wrongly (`UvmError`), which ended the run: it says nothing about the DUT either. */
  readonly misused: boolean;
}

/** What a caller adds to a run: limits, and a banner. @public */
export interface RootOptions {
  /** Called now and then during the run phase (wall-clock limits); a reason ends the run. */
  readonly heartbeat?: () => EndReason | undefined;
  /**
   * Carries out the phases, all at once. A reason says that they were broken off from outside, where they were: for
   * loops that never let the heartbeat be called.
   */
  readonly around?: (phases: () => void) => EndReason | undefined;
  /** Printed at the start unless `+UVM_NO_RELNOTES`. */
  readonly banner?: string;
}

/** What the calls of a scenario are played with, and who wants to know of them. */

import type { HostApi } from '../../env/verbs/hostApi.ts';
import type { Cq, Qp } from '../../env/verbs/verbsObjects.ts';
import type { Proc, ProcessManager } from '../../uvm/kernel/process.ts';
import type { PsnCounter } from '../../env/trace/psnCounter.ts';
import type { PlayEnv } from '../host/playEnv.ts';
import type { RunProgress } from '../host/runProgress.ts';
import type { CallScenario, CallStep } from '../../config/scenario/calls/callScenario.ts';
import type { BoundObjects } from './boundObjects.ts';
import type { OutstandingWork } from './outstandingWork.ts';

/** What a player works with. */
export interface CallPlay {
  readonly scenario: CallScenario;
  readonly env: PlayEnv;
  readonly processes: ProcessManager;
  readonly progress: RunProgress;
  /** Counts which PSNs come next. */
  readonly psns: PsnCounter;
  /** See `settle`, ps. */
  readonly settle: number;
  readonly watch?: CallWatch | undefined;
}

/** Whoever wants to know what has been played. */
export interface CallWatch {
  /** A step begins, at a simulated time in ps. */
  begun(step: CallStep, time: number): void;
  /** A queue pair has been made. */
  named(name: string, host: number, qpn: number): void;
  /** A step could not be made and was left out. */
  leftOut(step: CallStep, why: string): void;
}

/** The player, as each call sees it. */
export interface PlayedCalls {
  readonly objects: BoundObjects;
  readonly work: OutstandingWork;
  readonly play: CallPlay;
  /** Takes down what is there on a host. */
  closeDevice(api: HostApi): Proc<void>;
  named(name: string | undefined, qp: Qp): void;
  takeFrom(name: string | undefined, cq: Cq): void;
}

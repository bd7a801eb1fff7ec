import type { Scheduler, SimTime } from '../kernel/scheduler.ts';
import { Objection, type Objector } from './objection.ts';

/**
 * The nine common phases in their order (1800.2 9.8.1). All but `run` are functions and take no simulated time.
 * @public
 */
export const COMMON_PHASES = [
  'build',
  'connect',
  'end_of_elaboration',
  'start_of_simulation',
  'run',
  'extract',
  'check',
  'report',
  'final',
] as const;
/** @public */
export type PhaseName = (typeof COMMON_PHASES)[number];

/** Where a phase stands (1800.2 9.3.1.1, reduced to what the common phases pass through). @public */
export type PhaseState = 'dormant' | 'executing' | 'ready_to_end' | 'done';

/** One phase of a run: its name, state and, for the run phase, who objects to its end. @public */
export class Phase {
  readonly name: PhaseName;
  readonly objection: Objection;
  state: PhaseState = 'dormant';

  constructor(name: PhaseName, scheduler: Scheduler) {
    this.name = name;
    this.objection = new Objection(name, scheduler);
  }

  /** Keeps the phase going until the same source drops as often as it raised. `description` appears in reports. */
  raiseObjection(source: Objector, description = '', count = 1): void {
    this.objection.raise(source, description, count);
  }

  /** @throws UvmError `OBJTN_ZERO` when the source has not raised that many. */
  dropObjection(source: Objector, description = '', count = 1): void {
    this.objection.drop(source, description, count);
  }

  /** Time in ps between the last drop and the end of the phase; default 0. */
  setDrainTime(time: SimTime, source: Objector | null = null): void {
    this.objection.setDrainTime(source, time);
  }
}

/** The phase named `run`, `run_phase` or with any other `_phase` suffix; undefined if it is none of the nine. */
export function parsePhaseName(text: string): PhaseName | undefined {
  const plain = text.replace(/_phase$/, '');
  return COMMON_PHASES.find((name) => name === plain);
}

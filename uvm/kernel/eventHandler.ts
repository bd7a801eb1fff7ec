/** What the scheduler and those whom it wakes know of each other. */

/** Simulated time in integer picoseconds, 0 .. 2^53 - 1 (about 2.5 hours). @public */
export type SimTime = number;

/** Order within one instant: stimulus, delta cycles, read-only observation, judgement. @public */
export const REGION = { drive: 0, settle: 1, observe: 2, check: 3 } as const;
/** @public */
export type Region = (typeof REGION)[keyof typeof REGION];

/** Anything that can be woken by the scheduler. `arg` is the number given at scheduling. @public */
export interface EventHandler {
  fire(arg: number): void;
  /** Name for deadlock and delta-limit reports. */
  readonly fullName?: string;
}

import type { Scheduler } from './scheduler.ts';

/** A function that takes simulated time and returns T. Call it with `yield*`, or start it with `spawn`. @public */
export type Proc<T = void> = Generator<Wait, T, unknown>;

/** What a primitive of the kernel yields: a delay in ps, or something to wait for. @public */
export type Wait = number | Waitable;

/** The side of a process that a waitable sees. @public */
export interface Waiter {
  /** For waitables that end by themselves after some time. */
  readonly scheduler: Scheduler;
  /**
   * Schedules the process to go on, later in this instant, with `value` as the result of its wait. Called by the
   * waitable it is parked on, after forgetting it.
   */
  wake(value: unknown, source: Waitable): void;
  /** Path for reports. */
  readonly fullName: string;
}

/** Something a process can wait for. @public */
export interface Waitable {
  /** Notes that the process waits, or wakes it at once. */
  park(waiter: Waiter): void;
  /** Forgets the process; nothing happens when it is not noted. */
  unpark(waiter: Waiter): void;
  /** What is waited for, for the deadlock report. */
  describe(): string;
  /** True where waiting for ever is no sign of anything stuck: who waits serves others, and nobody asks for anything. */
  readonly idle?: boolean;
  /** A process that was woken with `value` ended or was interrupted before it took it. */
  abandon?(value: unknown): void;
  /**
   * For a waitable that parks its waiters elsewhere: one of those places, `source`, woke it. Returns the value, which
   * `abandon` gets in its turn.
   */
  settle?(waiter: Waiter, source: Waitable, value: unknown): unknown;
}

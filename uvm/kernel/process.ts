/**
 * Processes: generator functions that take simulated time.
 *
 * A body is written as `function* (): Proc<T>` and calls other such functions with `yield*`. Only the primitives of
 * the kernel (`delay`, `join`, `Event.wait`, `Mailbox.get`, ...) yield themselves: a number of picoseconds, or a
 * `Waitable`. Each resumption of a process is one event of the scheduler, so its order among all other events is total.
 *
 * Lifetime is structured: a process started by another is its child and is killed when the parent ends; a daemon has
 * no parent. Killing unwinds `finally` blocks. An error that leaves a child is thrown into its parent at the place
 * where that waits. Without a parent it goes to those who `join` the process, and if nobody does, it fails the run.
 *
 * Left out on purpose: priorities, suspension, promises.
 */

import { Event } from './event.ts';
import type { Joinable, ProcessState } from './join.ts';
import { NotedCalls } from './notedCalls.ts';
import { badWait, describeWait, ErrorOrigins, ProcessError, ProcessUsageError } from './processError.ts';
import type { EventHandler, Scheduler, SimTime } from './scheduler.ts';
import { formatTime } from './time.ts';
import type { Proc, Wait, Waitable, Waiter } from './wait.ts';
import { WaitList } from './waitList.ts';

export { join, joinAll, joinAny, type ProcessState } from './join.ts';
export { ProcessError, ProcessUsageError } from './processError.ts';
export { delay } from './singleWait.ts';
export type { Proc, Wait, Waitable, Waiter } from './wait.ts';

/** Waits that a killed process may attempt in its `finally` blocks before it is given up. */
const UNWIND_LIMIT = 1000;

/** One running generator. Made by `ProcessManager.spawn`. As a waitable it stands for its end. @public */
export class Process implements EventHandler, Joinable, Waiter {
  readonly scheduler: Scheduler;
  readonly name: string;
  readonly parent: Process | null;
  readonly daemon: boolean;
  /** When the present wait began (ps). */
  since: SimTime;

  readonly #manager: ProcessManager;
  readonly #body: Proc<unknown>;
  #state: ProcessState = 'ready';
  /** True while the body is on the call stack. */
  #active = false;
  /** Number of the wake-up that is valid. A scheduled event with another number is stale and does nothing. */
  #token = 0;
  /** What it is parked on; null for a delay. */
  #wait: Waitable | null = null;
  /** The delay it waits for. */
  #delay: SimTime = 0;
  /** Who gave it `#value`, and takes it back, until it resumes. */
  #source: Waitable | null = null;
  #value: unknown = undefined;
  /** Errors to be thrown at its wait, one at a time. */
  #errors: unknown[] | null = null;
  #killRequested = false;
  #result: unknown = undefined;
  #error: unknown = undefined;
  #children: Set<Process> | null = null;
  #joiners: WaitList | null = null;
  #done: Event<Process> | null = null;

  /** For `ProcessManager` only. */
  constructor(manager: ProcessManager, name: string, body: Proc<unknown>, parent: Process | null, daemon: boolean) {
    this.#manager = manager;
    this.scheduler = manager.scheduler;
    this.name = name;
    this.#body = body;
    this.parent = parent;
    this.daemon = daemon;
    this.since = manager.scheduler.now;
    (parent === null ? manager.roots : parent.#ownChildren()).add(this);
    this.scheduler.schedule(0, this, 0);
  }

  /** Names of its ancestors and its own, joined by dots. */
  get fullName(): string {
    return this.parent === null ? this.name : `${this.parent.fullName}.${this.name}`;
  }

  get state(): ProcessState {
    return this.#state;
  }

  /** True when it has finished, failed or been killed. */
  get ended(): boolean {
    return this.#state !== 'ready' && this.#state !== 'parked';
  }

  /** What the body returned; undefined before its end and after a kill or failure. */
  get result(): unknown {
    return this.#result;
  }

  /** What the body threw, when the state is 'failed'. */
  get error(): unknown {
    return this.#error;
  }

  /** Triggered with the process when it ends in any way; stays on. */
  get done(): Event<Process> {
    if (this.#done === null) {
      this.#done = new Event<Process>(`end of process ${this.fullName}`);
      if (this.ended) this.#done.trigger(this);
    }
    return this.#done;
  }

  /** Children that have not ended, oldest first. */
  get children(): readonly Process[] {
    return this.#children === null ? [] : [...this.#children];
  }

  /** What it is parked on; null for a delay, and unless it is parked. */
  get waitsOn(): Waitable | null {
    return this.#state === 'parked' ? this.#wait : null;
  }

  /** What it waits for, for reports; empty unless it is parked. */
  get waitsFor(): string {
    if (this.#state !== 'parked') return '';
    return this.#wait === null ? `delay until ${formatTime(this.since + this.#delay)}` : this.#wait.describe();
  }

  /**
   * Ends the process and its children, youngest first: `finally` blocks run at once, without taking time. A process
   * that kills itself, or one of its ancestors, goes on to its next wait. Nothing happens when it has ended already.
   * @throws ProcessUsageError when a `finally` block waits, and whatever a `finally` block throws
   */
  kill(): void {
    if (this.ended) return;
    if (this.#active) {
      this.#killRequested = true;
      return;
    }
    this.#forgetWait();
    const errors = this.#errors;
    try {
      this.#killChildren();
      this.#unwind();
    } finally {
      this.#end('killed');
    }
    if (errors !== null) this.#escalate(errors[0]);
  }

  /**
   * Throws `error` where the process waits, later in this instant; if it runs now, at its next wait. Several errors
   * are thrown one at a time. Nothing happens when it has ended.
   */
  interrupt(error: unknown): void {
    if (this.ended) return;
    if (this.#errors === null) this.#errors = [error];
    else this.#errors.push(error);
    if (this.#active) return;
    this.#forgetWait();
    this.#state = 'ready';
    this.scheduler.schedule(0, this, this.#token);
  }

  wake(value: unknown, source: Waitable): void {
    const wait = this.#wait;
    if (wait === source || wait?.settle === undefined) {
      this.#value = value;
      this.#source = source;
    } else {
      this.#value = wait.settle(this, source, value);
      this.#source = wait;
    }
    this.#wait = null;
    this.#state = 'ready';
    this.scheduler.schedule(0, this, this.#token);
  }

  /** The event that a wait scheduled is due. */
  fire(token: number): void {
    if (token !== this.#token) return;
    const manager = this.#manager;
    const before = manager.current;
    manager.current = this;
    this.#active = true;
    this.#token = token + 1;
    this.#state = 'ready';
    let step: IteratorResult<Wait, unknown>;
    try {
      if (this.#source === null && this.#errors === null) step = this.#body.next();
      else step = this.#errors === null ? this.#nextWithValue() : this.#throwNext();
    } catch (error) {
      manager.current = before;
      this.#active = false;
      this.#fail(error);
      return;
    }
    manager.current = before;
    this.#active = false;
    if (step.done === true) this.#finish(step.value);
    else if (this.#killRequested || this.#errors !== null) this.#stopHere();
    else this.#waitFor(step.value);
  }

  park(waiter: Waiter): void {
    if (this.ended) {
      waiter.wake(this, this);
      return;
    }
    this.#joiners ??= new WaitList();
    this.#joiners.park(waiter);
  }

  unpark(waiter: Waiter): void {
    this.#joiners?.unpark(waiter);
  }

  describe(): string {
    return `end of process ${this.fullName}`;
  }

  #nextWithValue(): IteratorResult<Wait, unknown> {
    const value = this.#value;
    this.#value = undefined;
    this.#source = null;
    return this.#body.next(value);
  }

  #throwNext(): IteratorResult<Wait, unknown> {
    const errors = this.#errors as unknown[];
    const error = errors.shift();
    if (errors.length === 0) this.#errors = null;
    return this.#body.throw(error);
  }

  #waitFor(wait: Wait): void {
    const scheduler = this.scheduler;
    this.since = scheduler.now;
    this.#state = 'parked';
    try {
      if (typeof wait === 'number') {
        this.#delay = wait;
        scheduler.schedule(wait, this, this.#token);
      } else {
        this.#wait = wait;
        wait.park(this);
      }
    } catch (error) {
      this.#wait = null;
      this.interrupt(badWait(this.fullName, wait, error));
    }
  }

  /** It came to a wait after somebody asked for its end, or threw at it, while it ran. */
  #stopHere(): void {
    if (this.#killRequested) this.kill();
    else this.scheduler.schedule(0, this, this.#token);
  }

  #finish(result: unknown): void {
    this.#result = result;
    this.#killChildren();
    this.#end('finished');
    if (this.#errors !== null) this.#escalate(this.#errors[0]);
  }

  #fail(error: unknown): void {
    this.#error = error;
    this.#manager.origins.note(error, this.fullName);
    const joined = this.#joiners !== null && this.#joiners.size > 0;
    try {
      this.#killChildren();
    } finally {
      this.#end('failed');
    }
    if (this.#parentAlive() || !joined) this.#escalate(error);
  }

  #escalate(error: unknown): void {
    if (this.#parentAlive()) this.parent?.interrupt(error);
    else this.#manager.onFailure(new ProcessError(this.fullName, this.scheduler.now, error), this);
  }

  #parentAlive(): boolean {
    return this.parent !== null && !this.parent.ended;
  }

  #end(state: ProcessState): void {
    this.#state = state;
    this.#token++;
    (this.parent === null ? this.#manager.roots : this.parent.#ownChildren()).delete(this);
    this.#joiners?.wakeAll(this, this);
    this.#done?.trigger(this);
  }

  /** Leaves its wait; what it was given and has not taken goes back. */
  #forgetWait(): void {
    this.#token++;
    const source = this.#source;
    const value = this.#value;
    this.#wait?.unpark(this);
    this.#wait = null;
    this.#source = null;
    this.#value = undefined;
    if (source?.abandon !== undefined) source.abandon(value);
  }

  #ownChildren(): Set<Process> {
    this.#children ??= new Set();
    return this.#children;
  }

  #killChildren(): void {
    if (this.#children === null) return;
    for (const child of [...this.#children].reverse()) child.kill();
  }

  #unwind(): void {
    const manager = this.#manager;
    const before = manager.current;
    manager.current = this;
    this.#active = true;
    try {
      let step = this.#body.return(undefined);
      if (step.done === true) return;
      const where = describeWait(step.value);
      for (let i = 0; i < UNWIND_LIMIT && step.done !== true; i++) step = this.#body.return(undefined);
      throw new ProcessUsageError(
        `process ${this.fullName} waits for ${where} in a finally block while it is being killed; ` +
          'clean up without taking time',
      );
    } finally {
      manager.current = before;
      this.#active = false;
    }
  }
}

/** How a process is started. @public */
export interface SpawnOptions {
  /** Has no parent: outlives whoever started it, and ends with the run. Default false. */
  readonly daemon?: boolean;
  /** Default: the running process, if any. */
  readonly parent?: Process | null;
}

/** All processes of a run. @public */
export class ProcessManager {
  readonly scheduler: Scheduler;
  /** The process whose body is executing now. Set by `Process` only. */
  current: Process | null = null;
  /** Processes without a parent that have not ended, oldest first. Changed by `Process` only. */
  readonly roots: Set<Process> = new Set();
  /** Called with an error that nobody took. Default: throws it, which ends `Scheduler.run`. */
  onFailure: (error: ProcessError, process: Process) => void = (error) => {
    throw error;
  };

  /** Starts of sequences that have not been begun. */
  readonly starts = new NotedCalls();

  /** Where errors come from. */
  readonly origins = new ErrorOrigins();

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * Starts a process. Its body begins at this instant, after what is already scheduled for it.
   * @param name its last path component, unique among its siblings by convention only
   * @param body the generator, for example `this.drive()`
   */
  spawn<T>(name: string, body: Proc<T>, options: SpawnOptions = {}): Process {
    const daemon = options.daemon ?? false;
    const parent = daemon ? null : options.parent === undefined ? this.current : options.parent;
    if (parent?.ended === true) {
      throw new ProcessUsageError(
        `spawn: the parent ${parent.fullName} of process ${name} has ended (${parent.state})`,
      );
    }
    return new Process(this, name, body as Proc<unknown>, parent, daemon);
  }

  /** Every process that has not ended, parents before children, older before younger. */
  all(): Process[] {
    const list: Process[] = [];
    const visit = (process: Process): void => {
      list.push(process);
      process.children.forEach(visit);
    };
    this.roots.forEach(visit);
    return list;
  }

  /** Every process that waits, in the order of `all`. */
  parked(): Process[] {
    return this.all().filter((process) => process.state === 'parked');
  }

  /** Kills every process, youngest first: the end of a run. */
  killAll(): void {
    for (const process of [...this.roots].reverse()) process.kill();
  }
}

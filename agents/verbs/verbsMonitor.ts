/**
 * The monitor of the verbs interface of a host. The host API and its provider tell it what happens; it tells everybody who
 * observes it, in the order in which they began to.
 *
 * What every request passes has an analysis port each; observers that want it are connected to them.
 */

import { AnalysisPort, type Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { PostedRecv, PostedSend, VisibleCompletion } from './verbsItems.ts';
import type { VerbsEvent, VerbsEventArgs, VerbsObserver } from './verbsObserver.ts';

/** @public */
export class VerbsMonitor {
  /** Requests, before their doorbell. */
  readonly postedSends = new AnalysisPort<PostedSend>('postedSends');
  readonly postedRecvs = new AnalysisPort<PostedRecv>('postedRecvs');
  /** Completions, the moment they are in host memory. */
  readonly completions = new AnalysisPort<VisibleCompletion>('completions');
  readonly #observers: VerbsObserver[] = [];

  /** From now on the observer is told of what happens. */
  observe(observer: VerbsObserver): void {
    this.#observers.push(observer);
    if (observer.postedSend !== undefined) this.postedSends.connect(new Sends(observer));
    if (observer.postedRecv !== undefined) this.postedRecvs.connect(new Recvs(observer));
    if (observer.completion !== undefined) this.completions.connect(new Completions(observer));
  }

  /** Tells everybody of something that happens; work goes by the analysis ports instead. */
  tell<E extends Exclude<VerbsEvent, 'postedSend' | 'postedRecv' | 'completion'>>(
    event: E,
    ...args: VerbsEventArgs<E>
  ): void {
    for (const observer of this.#observers) (observer[event] as ((...args: unknown[]) => void) | undefined)?.(...args);
  }
}

// What every request passes: classes, so that the engine knows what it calls.

class Sends implements Subscriber<PostedSend> {
  readonly #observer: VerbsObserver;

  constructor(observer: VerbsObserver) {
    this.#observer = observer;
  }

  write(item: PostedSend): void {
    this.#observer.postedSend?.(item);
  }
}

class Recvs implements Subscriber<PostedRecv> {
  readonly #observer: VerbsObserver;

  constructor(observer: VerbsObserver) {
    this.#observer = observer;
  }

  write(item: PostedRecv): void {
    this.#observer.postedRecv?.(item);
  }
}

class Completions implements Subscriber<VisibleCompletion> {
  readonly #observer: VerbsObserver;

  constructor(observer: VerbsObserver) {
    this.#observer = observer;
  }

  write(item: VisibleCompletion): void {
    this.#observer.completion?.(item);
  }
}

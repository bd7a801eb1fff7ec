/** What an analysis port writes to (1800.2 12.2.10 `uvm_analysis_imp`). @public */
export interface Subscriber<T> {
  write(item: T): void;
}

/**
 * Broadcasts an item to any number of subscribers at once, in the order in which they connected (1800.2 12.2.8).
 *
 * `write` takes no simulated time and allocates nothing. Subscribers get the object itself: whoever wants to keep a
 * pooled item must copy it. A port may be connected to a port (hierarchical connection); no connection is legal.
 * @public
 */
export class AnalysisPort<T> implements Subscriber<T> {
  /** For reports; default `analysis_port`. */
  readonly name: string;
  /** Who is written to, in the order of `write`: for a producer with a loop of its own. */
  readonly subscribers: readonly Subscriber<T>[] = [];

  constructor(name = 'analysis_port') {
    this.name = name;
  }

  /** Number of subscribers: lets a producer skip building an item that nobody wants. */
  get size(): number {
    return this.subscribers.length;
  }

  /** Adds a subscriber: an object with `write`, another analysis port, or a function. */
  connect(subscriber: Subscriber<T> | ((item: T) => void)): void {
    const added = typeof subscriber === 'function' ? new FunctionSubscriber(subscriber) : subscriber;
    (this.subscribers as Subscriber<T>[]).push(added);
  }

  write(item: T): void {
    const { subscribers } = this;
    for (let i = 0; i < subscribers.length; i++) (subscribers[i] as Subscriber<T>).write(item);
  }
}

class FunctionSubscriber<T> implements Subscriber<T> {
  readonly write: (item: T) => void;

  constructor(write: (item: T) => void) {
    this.write = write;
  }
}

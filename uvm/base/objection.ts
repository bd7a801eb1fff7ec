/**
 * Objections (1800.2 10.5): a phase ends when the last objection is dropped and its drain time has passed.
 *
 * Counts propagate from the raiser up to the top, so that a drain time can be set at any level: when the count of a
 * node falls to zero, the drop travels on to its parent only after the drain time of the node, and not at all if
 * somebody below objects again in the meantime.
 */
import type { EventHandler, Scheduler, SimTime } from '../kernel/scheduler.ts';
import { UvmError } from './uvmError.ts';

/** Who may object: a component, a sequence. */
export interface Objector {
  readonly fullName: string;
  readonly parent: Objector | null;
}

/** One outstanding objection, for reports. @public */
export interface RaisedObjection {
  readonly path: string;
  readonly count: number;
  /** What was said at the most recent raise. */
  readonly description: string;
  /** Time of the most recent raise in ps. */
  readonly since: SimTime;
}

/** What happened to an objection; told to the listener. */
export type ObjectionChange = 'raised' | 'dropped' | 'all_dropped';
/** Called after each change with the object, the count by which, and the remaining total below that object. @public */
export type ObjectionListener = (
  change: ObjectionChange,
  source: Objector,
  description: string,
  count: number,
  total: number,
) => void;

interface Claim {
  count: number;
  description: string;
  since: SimTime;
}

/** @public */
export class Objection {
  readonly name: string;
  /** Called when nothing is objected to any more at the top, after all drain times. */
  onAllDropped: () => void = () => {};
  /** Receives every change for tracing; undefined costs nothing. */
  listener: ObjectionListener | undefined;

  readonly #scheduler: Scheduler;
  readonly #claims = new Map<Objector, Claim>();
  readonly #nodes = new Map<Objector, Node>();
  readonly #top: Node;

  constructor(name: string, scheduler: Scheduler) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#top = new Node(this, null, scheduler);
  }

  /** Objections that hold the phase, including those whose drain time runs. */
  get total(): number {
    return this.#top.total;
  }

  /** Objections of `source` and everything below it. */
  totalOf(source: Objector): number {
    return this.#nodes.get(source)?.total ?? 0;
  }

  /** Objections raised by `source` itself and not yet dropped. */
  countOf(source: Objector): number {
    return this.#claims.get(source)?.count ?? 0;
  }

  /** Raises `count` objections on behalf of `source`. */
  raise(source: Objector, description = '', count = 1): void {
    checkCount(source, count);
    const claim = this.#claims.get(source);
    if (claim === undefined) this.#claims.set(source, { count, description, since: this.#scheduler.now });
    else {
      claim.count += count;
      claim.description = description;
      claim.since = this.#scheduler.now;
    }
    this.#node(source).raise(count);
    this.listener?.('raised', source, description, count, this.totalOf(source));
  }

  /**
   * Drops `count` objections that `source` raised.
   * @throws UvmError `OBJTN_ZERO` when it has not raised that many.
   */
  drop(source: Objector, description = '', count = 1): void {
    checkCount(source, count);
    const claim = this.#claims.get(source);
    if (claim === undefined || claim.count < count) throw belowZero(this.name, source, claim?.count ?? 0, count);
    claim.count -= count;
    if (claim.count === 0) this.#claims.delete(source);
    const node = this.#node(source);
    this.listener?.('dropped', source, description, count, Math.max(0, node.total - count));
    node.drop(count);
  }

  /** Time that passes between the last drop at or below `source` (null: the phase itself) and its taking effect. */
  setDrainTime(source: Objector | null, time: SimTime): void {
    (source === null ? this.#top : this.#node(source)).drainTime = time;
  }

  /** Who objects now, with descriptions, in the order of raising. */
  raised(): RaisedObjection[] {
    return [...this.#claims].map(([source, c]) => ({
      path: source.fullName,
      count: c.count,
      description: c.description,
      since: c.since,
    }));
  }

  /** Forgets all objections without the phase ending by it (1800.2 10.5.1.3.4). */
  clear(): void {
    this.#claims.clear();
    for (const node of this.#nodes.values()) node.clear();
    this.#top.clear();
  }

  #node(source: Objector): Node {
    let node = this.#nodes.get(source);
    if (node === undefined) {
      const parent = source.parent === null ? this.#top : this.#node(source.parent);
      node = new Node(this, parent, this.#scheduler, source);
      this.#nodes.set(source, node);
    }
    return node;
  }
}

/** Count at one level of the hierarchy. `held` has been dropped below but waits for the drain time. */
class Node implements EventHandler {
  total = 0;
  drainTime: SimTime = 0;
  readonly fullName: string;
  readonly #owner: Objection;
  readonly #parent: Node | null;
  readonly #scheduler: Scheduler;
  readonly #source: Objector | undefined;
  #held = 0;
  #drain = 0;

  constructor(owner: Objection, parent: Node | null, scheduler: Scheduler, source?: Objector) {
    this.#owner = owner;
    this.#parent = parent;
    this.#scheduler = scheduler;
    this.#source = source;
    this.fullName = `${owner.name}.objection.${source?.fullName ?? 'top'}`;
  }

  raise(count: number): void {
    const net = count - this.#held;
    this.total += net;
    this.#held = 0;
    this.#drain++;
    if (net > 0) this.#parent?.raise(net);
    else if (net < 0) this.#parent?.drop(-net);
  }

  drop(count: number): void {
    if (this.total - this.#held > count || this.drainTime === 0) {
      this.#settle(count);
      return;
    }
    this.#held += count;
    this.#scheduler.schedule(this.drainTime, this, ++this.#drain);
  }

  /** End of the drain time, unless another raise made it stale. */
  fire(drain: number): void {
    if (drain !== this.#drain || this.#held === 0) return;
    const held = this.#held;
    this.#held = 0;
    this.#settle(held);
  }

  clear(): void {
    this.total = 0;
    this.#held = 0;
    this.#drain++;
  }

  #settle(count: number): void {
    this.total -= count;
    if (this.total === 0 && this.#source !== undefined) {
      this.#owner.listener?.('all_dropped', this.#source, '', count, 0);
    }
    if (this.#parent !== null) this.#parent.drop(count);
    else if (this.total === 0) this.#owner.onAllDropped();
  }
}

function checkCount(source: Objector, count: number): void {
  if (Number.isInteger(count) && count > 0) return;
  throw new UvmError('OBJTN_COUNT', `${source.fullName}: objection count ${count} is not a positive integer`);
}

function belowZero(name: string, source: Objector, has: number, count: number): UvmError {
  return new UvmError(
    'OBJTN_ZERO',
    `"${source.fullName}" attempted to drop ${count} of the objection '${name}' but has raised only ${has}; ` +
      'drop what the same object raised, once',
  );
}

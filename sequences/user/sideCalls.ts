/**
 * The calls of all sides that a sequence has made and not begun: a call without `yield*` posts nothing, and nothing
 * else would say so. Lint finds most of them, but only for who runs it.
 */
import { describe } from '../../env/qpTransitions.ts';
import type { Qp } from '../../env/verbsObjects.ts';
import type { Proc, Wait } from '../../uvm/kernel/process.ts';

/** Kinds of calls that are named; the rest is counted. */
const NAMED = 3;

export class SideCalls {
  readonly #open = new Set<SideCall<unknown>>();

  /** What a side hands out for a call: `body`, which is noted as begun as soon as anybody runs it. */
  made<T>(name: string, qp: Qp, body: Proc<T>): Proc<T> {
    const call = new SideCall(name, qp, body, this.#open as Set<unknown>);
    this.#open.add(call as SideCall<unknown>);
    return call;
  }

  /** The calls that nobody has begun, equal ones counted, oldest first; '' when there is none. */
  neverBegun(): string {
    const counts = new Map<string, number>();
    for (const call of this.#open) counts.set(call.text, (counts.get(call.text) ?? 0) + 1);
    if (counts.size === 0) return '';
    const texts = [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
    const more = texts.length > NAMED ? `, and ${texts.length - NAMED} more,` : '';
    const verb = this.#open.size === 1 ? 'was' : 'were';
    return `${texts.slice(0, NAMED).join(', ')}${more} ${verb} called without yield*, so that nothing was done`;
  }
}

/** A generator that says when it is begun. `yield*` asks it for its iterator first, a process runs it as it is. */
class SideCall<T> implements Generator<Wait, T, unknown> {
  readonly #name: string;
  readonly #qp: Qp;
  readonly #body: Proc<T>;
  readonly #open: Set<unknown>;

  constructor(name: string, qp: Qp, body: Proc<T>, open: Set<unknown>) {
    this.#name = name;
    this.#qp = qp;
    this.#body = body;
    this.#open = open;
  }

  get text(): string {
    return `${this.#name}() of ${describe(this.#qp)}`;
  }

  [Symbol.iterator](): Proc<T> {
    return this.#begun();
  }

  next(value?: unknown): IteratorResult<Wait, T> {
    return this.#begun().next(value);
  }

  return(value: T): IteratorResult<Wait, T> {
    return this.#begun().return(value);
  }

  throw(error: unknown): IteratorResult<Wait, T> {
    return this.#begun().throw(error);
  }

  #begun(): Proc<T> {
    this.#open.delete(this);
    return this.#body;
  }
}

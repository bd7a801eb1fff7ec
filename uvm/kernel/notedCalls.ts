/**
 * Calls that take time, noted until they are begun: a call without `yield*` does nothing, and nothing else would say so.
 * Lint finds most of them, but only for who runs it.
 */
import type { Proc, Wait } from './wait.ts';

/** Kinds of calls that are named; the rest is counted. */
const NAMED = 3;

/** The calls that have been made and that nobody has begun. */
export class NotedCalls {
  readonly #open = new Set<NotedCall<unknown>>();

  /** Notes a call until it is begun, and returns it: what is handed out in place of its body. */
  note<T>(call: NotedCall<T>): Proc<T> {
    call.open = this.#open as Set<unknown>;
    this.#open.add(call as NotedCall<unknown>);
    return call;
  }

  /** Those that nobody has begun, equal ones counted, oldest first; '' when there is none. */
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
export abstract class NotedCall<T> implements Generator<Wait, T, unknown> {
  /** Where it is noted. */
  open: Set<unknown> | null = null;
  readonly #body: Proc<T>;

  constructor(body: Proc<T>) {
    this.#body = body;
  }

  /** The call, for messages. */
  abstract get text(): string;

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
    this.open?.delete(this);
    return this.#body;
  }
}

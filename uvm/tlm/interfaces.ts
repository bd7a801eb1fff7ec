import type { Proc } from '../kernel/process.ts';

/**
 * The TLM-1 interfaces (1800.2 12.2.4). Blocking calls are generators that take simulated time; the `try` forms
 * return at once. Items may be anything but undefined, which means "none".
 * @public
 */
export interface Put<T> {
  put(item: T): Proc;
  /** False when there is no room now. */
  tryPut(item: T): boolean;
  canPut(): boolean;
}

/** Gives values and takes them out; `get` waits for one. @public */
export interface Get<T> {
  get(): Proc<T>;
  /** Undefined when there is nothing now. */
  tryGet(): T | undefined;
  canGet(): boolean;
}

/** As `Get`, but the item stays where it is. @public */
export interface Peek<T> {
  peek(): Proc<T>;
  tryPeek(): T | undefined;
  canPeek(): boolean;
}

/** Request and response in one call. @public */
export interface Transport<REQ, RSP> {
  transport(request: REQ): Proc<RSP>;
  /** Undefined when the request cannot be served at once. */
  nbTransport(request: REQ): RSP | undefined;
}

/** Gives values, with or without taking them out. @public */
export interface GetPeek<T> extends Get<T>, Peek<T> {}

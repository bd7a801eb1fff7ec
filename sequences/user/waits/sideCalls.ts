/** The calls of sides and of host APIs that a sequence has made and not begun: a call without `yield*` does nothing. */
import { describe } from '../../../env/verbs/qpTransitions.ts';
import type { Qp } from '../../../env/verbs/verbsObjects.ts';
import { NotedCall, NotedCalls } from '../../../uvm/kernel/notedCalls.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';

export class SideCalls {
  readonly #calls = new NotedCalls();

  /** What a side hands out for a call: `body`, which is noted as begun as soon as anybody runs it. */
  made<T>(name: string, qp: Qp, body: Proc<T>): Proc<T> {
    return this.#calls.note(new SideCall(name, qp, body));
  }

  /** The same for a call of the API of a host. */
  madeOfHost<T>(name: string, host: number, body: Proc<T>): Proc<T> {
    return this.#calls.note(new HostCall(name, host, body));
  }

  /** The calls that nobody has begun, equal ones counted, oldest first; '' when there is none. */
  neverBegun(): string {
    return this.#calls.neverBegun();
  }
}

class SideCall<T> extends NotedCall<T> {
  readonly #name: string;
  readonly #qp: Qp;

  constructor(name: string, qp: Qp, body: Proc<T>) {
    super(body);
    this.#name = name;
    this.#qp = qp;
  }

  override get text(): string {
    return `${this.#name}() of ${describe(this.#qp)}`;
  }
}

class HostCall<T> extends NotedCall<T> {
  readonly #name: string;
  readonly #host: number;

  constructor(name: string, host: number, body: Proc<T>) {
    super(body);
    this.#name = name;
    this.#host = host;
  }

  override get text(): string {
    return `api.${this.#name}() of host ${this.#host}`;
  }
}

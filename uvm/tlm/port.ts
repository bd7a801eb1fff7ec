/**
 * Connections between components (1800.2 12.2.2 and 5.5 `uvm_port_base`).
 *
 * A port asks, a provider (an object that implements the interface, or an export leading to one) answers. Ports may
 * be chained up the hierarchy. At the end of elaboration each port is resolved to the providers it reaches, and their
 * number is compared with the least and the most that the port allows; a mismatch is an error of the build.
 */
import type { ComponentNode, ElaborationCheck } from '../base/componentNode.ts';
import { UvmError } from '../base/uvmError.ts';

/** For the most connections of a port: no limit. @public */
export const UNBOUNDED = Number.POSITIVE_INFINITY;

/** The component that owns a port. */
export interface PortOwner extends ComponentNode {
  addElaborationCheck(check: ElaborationCheck): void;
}

/** @public */
export class Port<I extends object> implements ElaborationCheck {
  readonly name: string;
  readonly fullName: string;
  /** Least number of providers; default 1. */
  readonly minSize: number;
  /** Most providers; default 1. */
  readonly maxSize: number;
  readonly #connected: (Port<I> | I)[] = [];
  #providers: I[] | undefined;

  constructor(name: string, owner: PortOwner, minSize = 1, maxSize = 1) {
    this.name = name;
    this.fullName = `${owner.fullName}.${name}`;
    this.minSize = minSize;
    this.maxSize = maxSize;
    owner.addElaborationCheck(this);
  }

  /**
   * Connects to another port (further up) or to a provider.
   * @throws UvmError `CONNECTION` after elaboration or to itself.
   */
  connect(provider: Port<I> | I): void {
    if (this.#providers !== undefined) throw this.#wrong('cannot be connected after the end of elaboration');
    if (provider === this) throw this.#wrong('cannot be connected to itself');
    this.#connected.push(provider);
  }

  /** Number of providers reached. */
  get size(): number {
    return this.#resolved().length;
  }

  /** One of the providers, in the order of connection. @throws UvmError `CONNECTION` when there is none. */
  at(index = 0): I {
    const provider = this.#resolved()[index];
    if (provider === undefined) throw this.#wrong(`is used but has no connection ${index}; connect it in connectPhase`);
    return provider;
  }

  resolve(): string | undefined {
    this.#providers = this.#reach([]);
    const count = this.#providers.length;
    if (count < this.minSize) {
      return `${this.fullName}: connection count of ${count} does not meet required minimum of ${this.minSize}`;
    }
    if (count > this.maxSize) {
      return `${this.fullName}: connection count of ${count} exceeds maximum of ${this.maxSize}`;
    }
    return undefined;
  }

  #resolved(): readonly I[] {
    return this.#providers ?? this.#reach([]);
  }

  #reach(through: readonly Port<I>[]): I[] {
    if (through.includes(this)) throw this.#wrong('is connected in a circle');
    const path = [...through, this];
    return this.#connected.flatMap((c) => (c instanceof Port ? (c as Port<I>).#reach(path) : [c]));
  }

  #wrong(what: string): UvmError {
    return new UvmError('CONNECTION', `the port ${this.fullName} ${what}`);
  }
}

/** A port that provides: leads from the boundary of a component to a provider inside it. @public */
export class Export<I extends object> extends Port<I> {}

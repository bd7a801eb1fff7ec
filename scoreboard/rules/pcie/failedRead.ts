/**
 * A read of host memory that a NIC was answered with an error, with poisoned data, or never, and what must come of it
 * (roce-transport.md 4.2, 5.1): one of the messages that it was made for ends with an error.
 *
 *   hit ─► bound (to the messages that it may have served) ─► ended | excused | ignored
 */

import type { FailedAccess } from '../../../agents/pcie/faults/failedAccess.ts';
import type { PossibleCause } from '../../model/outcomes.ts';
import { Message, type QueuePair, type AnyRequest } from '../../model/work.ts';

/** A message that the read may have been made for. Records are used again: the place in the order tells which one is meant. */
interface Served {
  readonly message: AnyRequest;
  readonly order: number;
  /** What it ends with then. */
  readonly cause: PossibleCause;
}

/** How it stands with a read. */
type Life = 'bound' | 'ended' | 'excused' | 'ignored';

export class FailedRead {
  readonly access: FailedAccess;
  readonly #served: readonly Served[];
  #life: Life = 'bound';

  /**
   * Binds it to the messages that it may have served, each of which may end so from now on.
   * @param forNone it may have been made for none of them
   */
  constructor(access: FailedAccess, served: readonly (readonly [AnyRequest, PossibleCause])[], forNone: boolean) {
    this.access = access;
    this.#served = served.map(([message, cause]) => ({ message, order: message.order, cause }));
    for (const { message, cause } of this.#served) message.outcomes.allow(cause);
    // What was read for nobody that is known leaves nothing to be seen.
    if (forNone || this.#served.length === 0) this.#life = 'excused';
  }

  /** Nothing is known yet of what has come of it. */
  get isOpen(): boolean {
    return this.#life === 'bound';
  }

  /** A message has ended with an error: its own, or that of one before it. */
  failed(message: AnyRequest): void {
    if (this.isOpen && this.#served.some((s) => s.message === message && s.order === message.order))
      this.#life = 'ended';
  }

  /** A queue pair sends something again: data that were read for it are thrown away. What a responder reads is not. */
  repeated(q: QueuePair): void {
    if (!this.access.receives) this.mayBeThrownAway(q);
  }

  /** Something else has happened to a queue pair with which what was read may have been thrown away. */
  mayBeThrownAway(q: QueuePair): void {
    if (
      this.isOpen &&
      this.#served.some(
        ({ message }) => message.qp === q || (message instanceof Message && message.dest === q) || peers(message, q),
      )
    )
      this.#life = 'excused';
  }

  /** Whether all that it may have served has ended well, which is then final. */
  get isIgnored(): boolean {
    if (!this.isOpen || this.#served.some(isUnderWay)) return false;
    this.#life = 'ignored';
    return true;
  }
}

function isUnderWay({ message, order }: Served): boolean {
  return message.order === order && message.outstanding;
}

function peers({ qp }: AnyRequest, q: QueuePair): boolean {
  return qp.remoteHost === q.host && qp.remoteQpn === q.qpn;
}

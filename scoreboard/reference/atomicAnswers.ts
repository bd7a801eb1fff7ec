/**
 * What responders have answered to atomics (roce-transport.md 3.10): a request that comes again is not executed again, so that
 * every answer to it carries the value of the first. Responders may forget old ones, and answer nothing then.
 */

import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';

/** Answers of a flow that are remembered, the newest: a responder has no more. */
const KEPT = 1024;

interface Answer {
  readonly hi: number;
  readonly lo: number;
}

export class AtomicAnswers {
  /** By flow of requests, then by PSN. */
  readonly #flows = new Map<number, Map<number, Answer>>();

  /** An atomic with this PSN is sent for the first time. */
  asked(flow: number, psn: number): void {
    this.#flows.get(flow)?.delete(psn);
  }

  /** One is answered. @returns what it was answered before, where that was another value */
  answered(flow: number, p: DecodedPacket): Answer | undefined {
    let answers = this.#flows.get(flow);
    if (answers === undefined) {
      answers = new Map();
      this.#flows.set(flow, answers);
    }
    const first = answers.get(p.psn);
    if (first !== undefined) return first.hi === p.originalHi && first.lo === p.originalLo ? undefined : first;
    answers.set(p.psn, { hi: p.originalHi, lo: p.originalLo });
    if (answers.size > KEPT) answers.delete(answers.keys().next().value as number);
    return undefined;
  }

  /** The flow begins anew. */
  forget(flow: number): void {
    this.#flows.delete(flow);
  }
}

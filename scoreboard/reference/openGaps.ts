/**
 * Packets that a responder misses and has asked for, and that have not been sent again since: it drops what follows them,
 * and says nothing until they come (roce-transport.md 3.5). Few at a time.
 */
export class OpenGaps {
  /** PSN by flow. */
  readonly #psns = new Map<number, number>();

  /** Whether there are any: cheap, for every packet. */
  get any(): boolean {
    return this.#psns.size > 0;
  }

  /** A request packet is sent. */
  sent(flow: number, psn: number): void {
    if (this.#psns.get(flow) === psn) this.#psns.delete(flow);
  }

  /** A packet is missed. @returns whether it had been, and has not been sent again */
  askedFor(flow: number, psn: number): boolean {
    const again = this.#psns.get(flow) === psn;
    this.#psns.set(flow, psn);
    return again;
  }

  /** The flow begins anew. */
  begin(flow: number): void {
    this.#psns.delete(flow);
  }
}

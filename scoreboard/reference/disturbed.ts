/**
 * Flows that fault rules have meddled with. A flow once disturbed stays so: what was delayed may arrive at any time, also in
 * a later connection of the same queue pairs.
 */
export class Disturbed {
  readonly #flows = new Set<number>();

  /** Negative numbers, of no flow, are ignored. */
  add(flow: number): void {
    if (flow >= 0) this.#flows.add(flow);
  }

  has(flow: number): boolean {
    return this.#flows.size > 0 && this.#flows.has(flow);
  }
}

/** Which queue pairs share completion queues, and what came into those last. */

interface Cq {
  sharers: number;
  lastQpn: number;
  lastWasSend: boolean;
  armed: boolean;
  /** Completions that it holds, by the smaller and by the larger one of two sizes while it is resized; 0: that was not told. */
  least: number;
  most: number;
}

export class SharedCqs {
  readonly #cqs = new Map<number, Cq>();

  of(host: number, cqn: number): Cq {
    const key = host * 0x1_0000_0000 + cqn;
    const found = this.#cqs.get(key);
    if (found !== undefined) return found;
    const made = { sharers: 0, lastQpn: -1, lastWasSend: false, armed: false, least: 0, most: 0 };
    this.#cqs.set(key, made);
    return made;
  }

  forget(host: number, cqn: number): void {
    this.#cqs.delete(host * 0x1_0000_0000 + cqn);
  }
}

/** Which queue pairs share completion queues, and what came into those last. */

interface Cq {
  sharers: number;
  lastQpn: number;
  lastWasSend: boolean;
  armed: boolean;
}

export class SharedCqs {
  readonly #cqs = new Map<number, Cq>();

  of(host: number, cqn: number): Cq {
    const key = host * 0x1_0000_0000 + cqn;
    const found = this.#cqs.get(key);
    if (found !== undefined) return found;
    const made = { sharers: 0, lastQpn: -1, lastWasSend: false, armed: false };
    this.#cqs.set(key, made);
    return made;
  }

  forget(host: number, cqn: number): void {
    this.#cqs.delete(host * 0x1_0000_0000 + cqn);
  }
}

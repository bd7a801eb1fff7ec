const SLOTS = 1 << 15;

/**
 * Remembers of recent request packets what a retransmission must repeat. One direct-mapped table for all flows: an
 * entry may be overwritten by another packet's, and then that packet's retransmission goes unchecked.
 */
export class RetryCache {
  readonly #keys = new Int32Array(SLOTS * 2).fill(-1);
  readonly #values = new Int32Array(SLOTS);
  readonly #times = new Float64Array(SLOTS);

  /** Notes a packet sent for the first time, at `time`. `generation` tells the connections of a flow apart. */
  note(flow: number, generation: number, psn: number, opcode: number, length: number, time: number): void {
    const i = slot(flow, psn);
    this.#times[i] = time;
    this.#keys[2 * i] = flow;
    this.#keys[2 * i + 1] = psn | (generation << 24);
    this.#values[i] = (opcode << 16) | length;
  }

  /** False when the packet is remembered and was different. */
  matches(flow: number, generation: number, psn: number, opcode: number, length: number): boolean {
    const i = this.#find(flow, generation, psn);
    return i < 0 || this.#values[i] === ((opcode << 16) | length);
  }

  /** Opcode and payload length of the packet when it was sent first, which is remembered. */
  first(flow: number, generation: number, psn: number): { readonly opcode: number; readonly length: number } {
    const value = this.#values[this.#find(flow, generation, psn)] as number;
    return { opcode: value >> 16, length: value & 0xffff };
  }

  /** When the packet was sent last; -1 when it is not remembered. */
  sentAt(flow: number, generation: number, psn: number): number {
    const i = this.#find(flow, generation, psn);
    return i < 0 ? -1 : (this.#times[i] as number);
  }

  /** The packet is sent again, at `time`. */
  again(flow: number, generation: number, psn: number, time: number): void {
    const i = this.#find(flow, generation, psn);
    if (i >= 0) this.#times[i] = time;
  }

  #find(flow: number, generation: number, psn: number): number {
    const i = slot(flow, psn);
    return this.#keys[2 * i] === flow && this.#keys[2 * i + 1] === (psn | (generation << 24)) ? i : -1;
  }
}

function slot(flow: number, psn: number): number {
  return (Math.imul(flow, 0x9e3779b1) + psn) & (SLOTS - 1);
}

/** Requests of a queue that have no completion yet, in the order of posting. Grows; never shrinks. */

const FIRST_CAPACITY = 16;

export class RequestFifo {
  #wrIds = new Float64Array(FIRST_CAPACITY);
  #numbers = new Float64Array(FIRST_CAPACITY);
  #bytes = new Float64Array(FIRST_CAPACITY);
  /** Opcode, class of rights and what else a byte says. */
  #opcodes = new Uint8Array(FIRST_CAPACITY);
  #rights = new Uint8Array(FIRST_CAPACITY);
  #head = 0;
  #count = 0;

  /** Of the request that `take` has taken. */
  opcode = 0;
  rights = 0;
  bytes = 0;
  /** Place among all requests of the host. */
  number = 0;

  get count(): number {
    return this.#count;
  }

  /** Number of the oldest request; -1 without one. */
  get oldest(): number {
    return this.#count === 0 ? -1 : (this.#numbers[this.#head] as number);
  }

  add(wrId: number, number: number, opcode: number, bytes: number, rights: number): void {
    if (this.#count === this.#wrIds.length) this.#grow();
    const at = (this.#head + this.#count) & (this.#wrIds.length - 1);
    this.#wrIds[at] = wrId;
    this.#numbers[at] = number;
    this.#opcodes[at] = opcode;
    this.#bytes[at] = bytes;
    this.#rights[at] = rights;
    this.#count++;
  }

  /**
   * Takes the oldest request of this id and those before it, which it completes too.
   * @returns false where there is none of this id: nothing is taken then
   */
  take(wrId: number): boolean {
    const mask = this.#wrIds.length - 1;
    for (let n = 0; n < this.#count; n++) {
      const at = (this.#head + n) & mask;
      if (this.#wrIds[at] !== wrId) continue;
      this.opcode = this.#opcodes[at] as number;
      this.bytes = this.#bytes[at] as number;
      this.rights = this.#rights[at] as number;
      this.number = this.#numbers[at] as number;
      this.#head = (at + 1) & mask;
      this.#count -= n + 1;
      return true;
    }
    return false;
  }

  clear(): void {
    this.#head = 0;
    this.#count = 0;
  }

  #grow(): void {
    const size = this.#wrIds.length;
    const order = (at: number): number => (this.#head + at) & (size - 1);
    const floats = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const larger = new Float64Array(2 * size);
      for (let i = 0; i < size; i++) larger[i] = old[order(i)] as number;
      return larger;
    };
    const bytes = (old: Uint8Array): Uint8Array<ArrayBuffer> => {
      const larger = new Uint8Array(2 * size);
      for (let i = 0; i < size; i++) larger[i] = old[order(i)] as number;
      return larger;
    };
    this.#wrIds = floats(this.#wrIds);
    this.#numbers = floats(this.#numbers);
    this.#bytes = floats(this.#bytes);
    this.#opcodes = bytes(this.#opcodes);
    this.#rights = bytes(this.#rights);
    this.#head = 0;
  }
}

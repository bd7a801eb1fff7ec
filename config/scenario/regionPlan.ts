/** Memory regions to be registered for one queue pair, in columns: a buffer that is filled again and again. */

/** Regions 0 .. count-1, each with the number that requests name it by. Grows as needed. */
export class RegionPlan {
  count = 0;
  number = new Int32Array(64);
  area = new Uint8Array(64);
  offset = new Float64Array(64);
  length = new Float64Array(64);
  /** `ACCESS` bits. */
  access = new Uint8Array(64);

  /** Appends a region. An empty range is registered as one byte: a region of no bytes does not exist. */
  add(number: number, area: number, offset: number, length: number, access: number): void {
    const i = this.count++;
    if (i === this.number.length) this.#grow();
    this.number[i] = number;
    this.area[i] = area;
    this.offset[i] = offset;
    this.length[i] = Math.max(length, 1);
    this.access[i] = access;
  }

  #grow(): void {
    const capacity = this.number.length * 2;
    this.number = widened(this.number, new Int32Array(capacity));
    this.area = widened(this.area, new Uint8Array(capacity));
    this.offset = widened(this.offset, new Float64Array(capacity));
    this.length = widened(this.length, new Float64Array(capacity));
    this.access = widened(this.access, new Uint8Array(capacity));
  }
}

function widened<T extends Int32Array | Uint8Array | Float64Array>(old: T, wider: T): T {
  wider.set(old);
  return wider;
}

/** Work requests of one queue and doorbell, in columns: a buffer that is filled again and again. */

/**
 * Requests 0 .. count-1; scatter/gather entry g of request k is at `k * stride + g`. Offsets are bytes within the
 * area named beside them. For receive requests only the entries count.
 */
export class WorkPlan {
  count = 0;
  /** Requests and entries per request that fit. */
  readonly capacity: number;
  readonly stride: number;
  /** `WR_OPCODE`. */
  readonly opcode: Uint8Array;
  /** `SEND_FLAG` bits. */
  readonly flags: Uint8Array;
  readonly imm: Uint32Array;
  readonly numSge: Uint8Array;
  /** RDMA operations: memory of the peer queue pair. */
  readonly remoteArea: Uint8Array;
  readonly remoteOffset: Float64Array;
  readonly remoteRegion: Int32Array;
  readonly area: Uint8Array;
  readonly offset: Float64Array;
  readonly length: Uint32Array;
  readonly region: Int32Array;

  constructor(capacity: number, maxSge: number) {
    this.capacity = capacity;
    this.stride = maxSge;
    this.opcode = new Uint8Array(capacity);
    this.flags = new Uint8Array(capacity);
    this.imm = new Uint32Array(capacity);
    this.numSge = new Uint8Array(capacity);
    this.remoteArea = new Uint8Array(capacity);
    this.remoteOffset = new Float64Array(capacity);
    this.remoteRegion = new Int32Array(capacity);
    const entries = capacity * maxSge;
    this.area = new Uint8Array(entries);
    this.offset = new Float64Array(entries);
    this.length = new Uint32Array(entries);
    this.region = new Int32Array(entries);
  }

  /** Appends a request without entries and returns its index. */
  add(opcode: number): number {
    const k = this.count++;
    this.opcode[k] = opcode;
    this.flags[k] = 0;
    this.imm[k] = 0;
    this.numSge[k] = 0;
    this.remoteArea[k] = 0;
    this.remoteOffset[k] = 0;
    this.remoteRegion[k] = 0;
    return k;
  }

  /** Appends an entry to request `k`. */
  addSge(k: number, area: number, offset: number, length: number, region: number): void {
    const entries = this.numSge[k] as number;
    const at = k * this.stride + entries;
    this.numSge[k] = entries + 1;
    this.area[at] = area;
    this.offset[at] = offset;
    this.length[at] = length;
    this.region[at] = region;
  }

  /** Names the memory of the peer that RDMA request `k` works on. */
  setRemote(k: number, area: number, offset: number, region: number): void {
    this.remoteArea[k] = area;
    this.remoteOffset[k] = offset;
    this.remoteRegion[k] = region;
  }

  /** Message length of request `k`: sum of its entries. */
  total(k: number): number {
    const { length } = this;
    let sum = 0;
    const first = k * this.stride;
    const end = first + (this.numSge[k] as number);
    for (let i = first; i < end; i++) sum += length[i] as number;
    return sum;
  }
}

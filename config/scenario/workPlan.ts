/** Work requests of one queue and doorbell: a buffer that is filled again and again. */

/** One scatter/gather entry: bytes of an area of the queue pair, and the number of the region that opens them. */
export class PlannedEntry {
  area = 0;
  /** Bytes from the start of the area. */
  offset = 0;
  length = 0;
  region = 0;
}

/** One work request. Of a receive request only the entries count. */
export class PlannedRequest {
  /** `WR_OPCODE`. */
  opcode = 0;
  /** `SEND_FLAG` bits but for that of a completion. */
  flags = 0;
  /** It asks for a completion. */
  signaled = true;
  imm = 0;
  /** Entries in use. */
  numSge = 0;
  readonly entries: readonly PlannedEntry[];
  /** RDMA operations: memory of the peer queue pair. */
  remoteArea = 0;
  remoteOffset = 0;
  remoteRegion = 0;
  /** Index of the queue pair of the peer's host whose memory that is; -1 = the peer's own. */
  remoteQp = -1;
  /** Atomics: what is compared or added, and what is stored. */
  compareHi = 0;
  compareLo = 0;
  swapHi = 0;
  swapLo = 0;

  constructor(maxSge: number) {
    this.entries = Array.from({ length: maxSge }, () => new PlannedEntry());
  }

  /** Appends an entry. */
  addSge(area: number, offset: number, length: number, region: number): void {
    const entry = this.entries[this.numSge++] as PlannedEntry;
    entry.area = area;
    entry.offset = offset;
    entry.length = length;
    entry.region = region;
  }

  /** Message length: sum of the entries. */
  get total(): number {
    const { entries, numSge } = this;
    let sum = 0;
    for (let g = 0; g < numSge; g++) sum += (entries[g] as PlannedEntry).length;
    return sum;
  }
}

export class WorkPlan {
  /** Requests in use. */
  count = 0;
  /** All requests that there is room for. */
  readonly requests: readonly PlannedRequest[];

  constructor(capacity: number, maxSge: number) {
    this.requests = Array.from({ length: capacity }, () => new PlannedRequest(maxSge));
  }

  /** Request `k`. */
  at(k: number): PlannedRequest {
    return this.requests[k] as PlannedRequest;
  }

  /** Appends a request without entries and returns its index. */
  add(opcode: number): number {
    const k = this.count++;
    const request = this.at(k);
    request.opcode = opcode;
    request.flags = 0;
    request.signaled = true;
    request.imm = 0;
    request.numSge = 0;
    request.remoteArea = 0;
    request.remoteOffset = 0;
    request.remoteRegion = 0;
    request.remoteQp = -1;
    return k;
  }

  /** Names the memory of the peer that RDMA request `k` works on. */
  setRemote(k: number, area: number, offset: number, region: number): void {
    const request = this.at(k);
    request.remoteArea = area;
    request.remoteOffset = offset;
    request.remoteRegion = region;
  }
}

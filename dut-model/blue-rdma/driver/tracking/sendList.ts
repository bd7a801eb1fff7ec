/** Requests that were started and are not complete, in the order of their PSNs (blue-rdma.md section 11.4). */
import { psnAfter, psnDistance } from './psn.ts';
import type { SendRequest } from './sendRequest.ts';

export class SendList {
  readonly #requests: SendRequest[] = [];

  get size(): number {
    return this.#requests.length;
  }

  get oldest(): SendRequest | undefined {
    return this.#requests[0];
  }

  get newest(): SendRequest | undefined {
    return this.#requests.at(-1);
  }

  push(request: SendRequest): void {
    this.#requests.push(request);
  }

  shift(): SendRequest | undefined {
    return this.#requests.shift();
  }

  /** Oldest first. */
  all(): readonly SendRequest[] {
    return this.#requests;
  }

  /** The oldest of which PSNs are not before `base`, up to which all is acknowledged: READs wait for their data behind it. */
  unacknowledged(base: number): SendRequest | undefined {
    return this.#requests.find(({ psn, packets }) => psnDistance(psnAfter(psn, packets), base) < 0);
  }

  byMsn(msn: number): SendRequest | undefined {
    return this.#requests.find((request) => request.msn === msn);
  }

  /** Calls `visit` with each request that PSNs [first, first + count) touch, and its packets among them. */
  forEach(first: number, count: number, visit: (request: SendRequest, packet: number, packets: number) => void): void {
    for (let i = this.firstAt(first); i < this.#requests.length; i++) {
      const request = this.#requests[i] as SendRequest;
      const from = Math.max(0, psnDistance(request.psn, first));
      const end = psnDistance(request.psn, psnAfter(first, count));
      if (end <= 0) return;
      const to = Math.min(request.packets, end);
      if (from < to) visit(request, from, to - from);
    }
  }

  /** Index of the last request that begins at `psn` or before it; 0 when none does. Overridable for planting. */
  protected firstAt(psn: number): number {
    let low = 0;
    let high = this.#requests.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (psnDistance((this.#requests[middle] as SendRequest).psn, psn) >= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

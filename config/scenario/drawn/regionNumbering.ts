/**
 * How the memory of a queue pair is cut into regions, and the number each piece has. The number follows from the
 * position alone, so that both ends of a connection know it without asking each other.
 */
import { AREA } from '../scenario.ts';

/** One region per scatter/gather entry, per request, or per area of the queue pair. */
export type Granularity = 'sg' | 'request' | 'qp';

/** Sizes that the numbering leaves room for. */
export interface RegionNumberingOptions {
  readonly granularity: Granularity;
  /** Requests per doorbell and entries per request (without a GRH entry). */
  readonly maxRequests: number;
  readonly maxSge: number;
  /** A further region, which lasts: the words of atomics. */
  readonly words?: boolean;
}

export class RegionNumbering {
  readonly granularity: Granularity;
  /** Numbers in use: 0 .. count - 1. */
  readonly count: number;
  /** The region of the words; -1 = there is none. */
  readonly words: number;
  readonly #shift: number;
  readonly #sendBase: number;
  readonly #recvBase: number;
  readonly #grhBase: number;
  readonly #perRequest: number;
  readonly #perSge: number;
  readonly #perArea: number;

  constructor(options: RegionNumberingOptions) {
    const n = options.maxRequests;
    const words = options.words === true;
    // Regions that last have the first numbers.
    this.words = !words ? -1 : options.granularity === 'qp' ? 2 : 0;
    this.#shift = words && options.granularity !== 'qp' ? 1 : 0;
    const local = { sg: n * options.maxSge, request: n, qp: 0 }[options.granularity];
    this.granularity = options.granularity;
    this.#perArea = options.granularity === 'qp' ? 1 : 0;
    this.#perRequest = { sg: options.maxSge, request: 1, qp: 0 }[options.granularity];
    this.#perSge = options.granularity === 'sg' ? 1 : 0;
    const remote = options.granularity === 'qp' ? 0 : n;
    this.#sendBase = this.#shift + remote;
    this.#recvBase = this.#sendBase + local;
    this.#grhBase = this.#recvBase + local;
    this.count = options.granularity === 'qp' ? 2 + (words ? 1 : 0) : this.#grhBase + n;
  }

  /** Region of entry `g` of send request `k`, which lies in `area`. */
  send(k: number, g: number, area: number): number {
    return this.#sendBase + k * this.#perRequest + g * this.#perSge + area * this.#perArea;
  }

  /** Region of data entry `g` of receive request `k`. */
  recv(k: number, g: number): number {
    return this.#recvBase + k * this.#perRequest + g * this.#perSge + this.#perArea;
  }

  /** Region of the GRH entry of receive request `k`. */
  grh(k: number): number {
    return this.#perArea === 1 ? AREA.receive : this.#grhBase + k;
  }

  /** Region of this queue pair that request `k` of its peer works on. */
  remote(k: number, area: number): number {
    return this.#perArea === 1 ? area : this.#shift + k;
  }
}

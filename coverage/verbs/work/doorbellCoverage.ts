/** Samples the covergroup of doorbells: what each of them announces. */

import type { CoverageCollector } from '../../../uvm/coverage/coverageCollector.ts';
import { type Backlog, READER_BITS } from '../../backlog.ts';
import { BatchSample, batchCg } from '../queueGroups.ts';

const NOTE_WORDS = 2;
/** Of several queue pairs. */
const SEVERAL = -1;

export class DoorbellCoverage {
  readonly #backlog: Backlog;
  readonly #reader: number;
  /** By host: requests since the latest doorbell, and the queue pair that all of them are of. */
  readonly #requests: Int32Array;
  readonly #qpn: Int32Array;
  readonly #sample = new BatchSample();
  readonly #group;

  constructor(collector: CoverageCollector, hosts: number, backlog: Backlog) {
    this.#backlog = backlog;
    this.#reader = backlog.reader((at) => this.#work(at));
    this.#requests = new Int32Array(hosts);
    this.#qpn = new Int32Array(hosts);
    this.#group = collector.create(batchCg);
  }

  /** A request that has been worked through. */
  posted(host: number, qpn: number): void {
    const count = this.#requests[host] as number;
    this.#requests[host] = count + 1;
    if (count === 0) this.#qpn[host] = qpn;
    else if (this.#qpn[host] !== qpn) this.#qpn[host] = SEVERAL;
  }

  /** Software writes to a BAR of the NIC: what was posted before is announced. */
  doorbell(host: number): void {
    const { words } = this.#backlog;
    const at = this.#backlog.note(NOTE_WORDS);
    words[at] = this.#reader | (host << READER_BITS);
  }

  #work(at: number): number {
    const host = (this.#backlog.words[at] as number) >>> READER_BITS;
    const requests = this.#requests[host] as number;
    if (requests > 0) {
      const b = this.#sample;
      b.requests = requests;
      b.queuePairs = this.#qpn[host] === SEVERAL ? 2 : 1;
      this.#requests[host] = 0;
      this.#group.sample(b);
    }
    return at + NOTE_WORDS;
  }
}

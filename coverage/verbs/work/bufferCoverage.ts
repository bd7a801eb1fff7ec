/** Samples the covergroup of buffers. */

import type { CoverageCollector } from '../../../uvm/coverage/coverageCollector.ts';
import { Tally } from '../../../uvm/coverage/tally.ts';
import { alignmentOf, crosses4Gib, PAGE_BYTES, pageCrossings } from '../../sizeClass.ts';
import { BufferSample, bufferCg, bufferLength } from './bufferGroups.ts';

export class BufferCoverage {
  readonly #sample = new BufferSample();
  readonly #tally = new Tally();

  constructor(collector: CoverageCollector) {
    const group = collector.create(bufferCg);
    const b = this.#sample;
    collector.beforeHits(() =>
      this.#tally.flush((key, times) => {
        b.key = key;
        group.sample(b, times);
      }),
    );
  }

  /** @param use `BUFFER_USE` @param lo lower half of its address */
  sample(use: number, lo: number, length: number): void {
    const b = this.#sample;
    b.use = use;
    b.length = bufferLength(length);
    b.alignment = alignmentOf(lo);
    b.crossings = pageCrossings(lo, length);
    b.over4Gib = crosses4Gib(lo, length);
    b.endsAtPage = ((lo + length) & (PAGE_BYTES - 1)) === 0;
    this.#tally.count(b.key);
  }
}

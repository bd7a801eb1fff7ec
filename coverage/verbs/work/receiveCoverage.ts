/** Samples the covergroup of receives. */

import type { PostedRecv, Sge } from '../../../agents/verbs/verbsItems.ts';
import type { CoverageCollector } from '../../../uvm/coverage/coverageCollector.ts';
import { Tally } from '../../../uvm/coverage/tally.ts';
import { type Backlog, READER_BITS } from '../../backlog.ts';
import { ReceiveSample, receiveCg } from '../queueGroups.ts';
import type { SrqCoverage } from '../srq/srqCoverage.ts';
import type { QueuePairs } from '../queuePairs.ts';
import type { BufferCoverage } from './bufferCoverage.ts';
import { BUFFER_USE } from './bufferGroups.ts';

/** Words of a note before its scatter entries, and of each of those. */
const NOTE_WORDS = 6;
const ENTRY_WORDS = 2;
/** Host in the low bits, and above it the number of a shared queue. */
const HOST_BITS = 0xff;
const SRQN_SHIFT = 8;

export class ReceiveCoverage {
  readonly #pairs: QueuePairs;
  readonly #buffers: BufferCoverage;
  readonly #shared: SrqCoverage;
  readonly #backlog: Backlog;
  readonly #reader: number;
  readonly #sample = new ReceiveSample();
  readonly #tally = new Tally();

  constructor(
    collector: CoverageCollector,
    pairs: QueuePairs,
    buffers: BufferCoverage,
    shared: SrqCoverage,
    backlog: Backlog,
  ) {
    const group = collector.create(receiveCg);
    const r = this.#sample;
    this.#pairs = pairs;
    this.#buffers = buffers;
    this.#shared = shared;
    this.#backlog = backlog;
    this.#reader = backlog.reader((at) => this.#workThrough(at));
    collector.beforeHits(() =>
      this.#tally.flush((key, times) => {
        r.key = key;
        group.sample(r, times);
      }),
    );
  }

  postedRecv({ host, qpn, srqn, wr, wqeIndex }: PostedRecv): void {
    const { numSge, sges } = wr;
    const { words, numbers } = this.#backlog;
    const at = this.#backlog.note(NOTE_WORDS + ENTRY_WORDS * numSge);
    words[at] = this.#reader | (numSge << READER_BITS);
    words[at + 1] = qpn;
    numbers[(at + 2) >> 1] = wr.wrId;
    words[at + 4] = host | (srqn << SRQN_SHIFT);
    words[at + 5] = wqeIndex;
    for (let i = 0, to = at + NOTE_WORDS; i < numSge; i++, to += ENTRY_WORDS) {
      const sge = sges[i] as Sge;
      words[to] = sge.lo;
      words[to + 1] = sge.length;
    }
  }

  #workThrough(at: number): number {
    const { words, numbers } = this.#backlog;
    const end = at + NOTE_WORDS + ENTRY_WORDS * ((words[at] as number) >>> READER_BITS);
    const wqeIndex = words[at + 5] as number;
    let bytes = 0;
    for (let entry = at + NOTE_WORDS; entry < end; entry += ENTRY_WORDS) {
      const length = (words[entry + 1] as number) >>> 0;
      bytes += length;
      this.#buffers.sample(BUFFER_USE.receive, words[entry] as number, length);
    }
    const host = (words[at + 4] as number) & HOST_BITS;
    const qpn = words[at + 1] as number;
    const wrId = numbers[(at + 2) >> 1] as number;
    if (qpn < 0) {
      this.#shared.posted(host, (words[at + 4] as number) >> SRQN_SHIFT, wrId, bytes);
      return end;
    }
    const qp = this.#pairs.of(host, qpn);
    const r = this.#sample;
    r.service = qp.service;
    r.numSge = (words[at] as number) >>> READER_BITS;
    r.bytes = bytes;
    r.outstanding = qp.receives.count;
    r.wrapped = wqeIndex < qp.receiveSlot;
    r.state = qp.state;
    qp.receiveSlot = wqeIndex;
    qp.receives.add(wrId, 0, 0, bytes, 0);
    this.#tally.count(r.key);
    return end;
  }
}

/** Covergroups of buffers: entries of scatter/gather lists. */

import { bins, enumBins } from '../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../uvm/coverage/covergroup.ts';

/** What a buffer is for. */
export const BUFFER_USE = { source: 0, readTarget: 1, receive: 2 } as const;

/** Lengths of a buffer. */
export const BUFFER_LENGTH = { zero: 0, belowDword: 1, belowLine: 2, belowPage: 3, page: 4, more: 5 } as const;

/** @returns `BUFFER_LENGTH` */
export function bufferLength(bytes: number): number {
  if (bytes < 64)
    return bytes === 0 ? BUFFER_LENGTH.zero : bytes < 4 ? BUFFER_LENGTH.belowDword : BUFFER_LENGTH.belowLine;
  return bytes < 4096 ? BUFFER_LENGTH.belowPage : bytes === 4096 ? BUFFER_LENGTH.page : BUFFER_LENGTH.more;
}

/** An entry of a list. One object for all: valid while it is sampled. */
export class BufferSample {
  use = 0;
  /** `BUFFER_LENGTH`. */
  length = 0;
  /** Power of two that its address is a multiple of. */
  alignment = 0;
  /** Pages that it reaches into beyond the first. */
  crossings = 0;
  over4Gib = false;
  /** Its last byte is the last of a page. */
  endsAtPage = false;

  /** All of it in one number. */
  get key(): number {
    const flags = (this.over4Gib ? 1 : 0) | (this.endsAtPage ? 2 : 0);
    return this.use | (this.length << 2) | (this.alignment << 5) | (Math.min(this.crossings, 2) << 9) | (flags << 11);
  }

  set key(key: number) {
    this.use = key & 3;
    this.length = (key >>> 2) & 7;
    this.alignment = (key >>> 5) & 15;
    this.crossings = (key >>> 9) & 3;
    this.over4Gib = (key & (1 << 11)) !== 0;
    this.endsAtPage = (key & (2 << 11)) !== 0;
  }
}

/** Bins of `alignmentOf`. */
export const ALIGNMENT_BINS = [
  bins('odd', 0),
  bins('even', 1),
  bins('dword', 2),
  bins('below_line', [3, 5]),
  bins('line', [6, 11]),
  bins('page', 12),
];

export const bufferCg = covergroup<BufferSample>(
  'buffer_cg',
  { comment: 'alignment and pages of local buffers' },
  (g) => {
    const use = g.coverpoint('use', (b) => b.use, [bins('source', 0), bins('read_target', 1), bins('receive', 2)]);
    const alignment = g.coverpoint('alignment', (b) => b.alignment, ALIGNMENT_BINS);
    const pages = g.coverpoint('page_crossings', (b) => b.crossings, [
      bins('none', 0),
      bins('one', 1),
      bins('several', [2, 1 << 20]),
    ]);
    const gib = g.coverpoint('over_4_gib', (b) => (b.over4Gib ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    const end = g.coverpoint('ends_at_page', (b) => (b.endsAtPage ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    g.coverpoint('length', (b) => b.length, enumBins(BUFFER_LENGTH));
    g.cross('use_x_alignment', [use, alignment]);
    g.cross('use_x_pages', [use, pages]);
    g.cross('use_x_4_gib', [use, gib]);
    g.cross('use_x_end', [use, end]);
  },
);

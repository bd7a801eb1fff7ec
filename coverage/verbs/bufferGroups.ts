/** Covergroups of buffers: entries of scatter/gather lists. */

import { bins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';

/** What a buffer is for. */
export const BUFFER_USE = { source: 0, readTarget: 1, receive: 2 } as const;

/** An entry of a list. One object for all: valid while it is sampled. */
export class BufferSample {
  use = 0;
  length = 0;
  /** Power of two that its address is a multiple of. */
  alignment = 0;
  /** Pages that it reaches into beyond the first. */
  crossings = 0;
  over4Gib = false;
  /** Its last byte is the last of a page. */
  endsAtPage = false;
}

export const bufferCg = covergroup<BufferSample>(
  'buffer_cg',
  { comment: 'alignment and pages of local buffers' },
  (g) => {
    const use = g.coverpoint('use', (b) => b.use, [bins('source', 0), bins('read_target', 1), bins('receive', 2)]);
    const alignment = g.coverpoint('alignment', (b) => b.alignment, [
      bins('odd', 0),
      bins('even', 1),
      bins('dword', 2),
      bins('below_line', [3, 5]),
      bins('line', [6, 11]),
      bins('page', 12),
    ]);
    const pages = g.coverpoint('page_crossings', (b) => b.crossings, [
      bins('none', 0),
      bins('one', 1),
      bins('several', [2, 1 << 20]),
    ]);
    const gib = g.coverpoint('over_4_gib', (b) => (b.over4Gib ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    const end = g.coverpoint('ends_at_page', (b) => (b.endsAtPage ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    g.coverpoint('length', (b) => b.length, [
      bins('zero', 0),
      bins('below_dword', [1, 3]),
      bins('below_line', [4, 63]),
      bins('below_page', [64, 4095]),
      bins('page', 4096),
      bins('more', [4097, 2 ** 31]),
    ]);
    g.cross('use_x_alignment', [use, alignment]);
    g.cross('use_x_pages', [use, pages]);
    g.cross('use_x_4_gib', [use, gib]);
    g.cross('use_x_end', [use, end]);
  },
);

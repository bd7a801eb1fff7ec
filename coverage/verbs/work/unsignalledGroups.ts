/** Covergroup of requests that ask for no completion. */
import { bins, enumBins } from '../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../uvm/coverage/covergroup.ts';
import { SERVICE } from '../queuePairs.ts';

export const ENDING = { success: 0, flushed: 1, error: 2 } as const;

/** A completion of a queue pair on which not every request completes. One object for all: valid while it is sampled. */
export class UnsignalledSample {
  service = 0;
  /** Requests before its own that had none. */
  standsFor = 0;
  /** `ENDING`. */
  ending = 0;
  /** Requests that are outstanding behind it. */
  left = 0;
}

export const unsignalledCg = covergroup<UnsignalledSample>(
  'unsignalled_cg',
  { comment: 'requests that ask for no completion: the completions that stand for them' },
  (g) => {
    const service = g.coverpoint('service', (u) => u.service, enumBins(SERVICE));
    const row = g.coverpoint('stands_for', (u) => u.standsFor, [
      bins('none', 0),
      bins('one', 1),
      bins('few', [2, 7]),
      bins('many', [8, 65535]),
    ]);
    const ending = g.coverpoint('ends_with', (u) => u.ending, enumBins(ENDING));
    const left = g.coverpoint('left', (u) => Math.min(u.left, 1), [bins('none', 0), bins('some', 1)]);
    g.cross('service_x_stands_for', [service, row]);
    g.cross('stands_for_x_ends_with', [row, ending]);
    g.cross('service_x_ends_with', [service, ending]);
    g.cross('stands_for_x_left', [row, left]);
  },
);

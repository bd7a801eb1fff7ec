/** Covergroup of completion queues that are full or overflow. */
import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';

export const FILLING = { filled: 0, overflowed: 1 } as const;

/** A queue of which every entry is in use, or that has overflowed. One object for all: valid while it is sampled. */
export class OverflowSample {
  /** `FILLING`. */
  outcome = 0;
  entries = 0;
  isResizing = false;
  /** Queue pairs that have it. */
  users = 0;
  /** The completion that came last is of a send queue. */
  lastWasSend = false;
  isArmed = false;
}

export const cqOverflowCg = covergroup<OverflowSample>(
  'cq_overflow_cg',
  { comment: 'completion queues that are full, and that overflow' },
  (g) => {
    const outcome = g.coverpoint('outcome', (o) => o.outcome, enumBins(FILLING));
    const entries = g.coverpoint('entries', (o) => o.entries, [
      bins('one', 1),
      bins('few', [2, 8]),
      bins('some', [9, 16]),
      bins('many', [17, 1 << 24]),
    ]);
    const resizing = g.coverpoint('resizing', (o) => (o.isResizing ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    const users = g.coverpoint('users', (o) => o.users, [bins('one', [0, 1]), bins('several', [2, 65535])]);
    const side = g.coverpoint('last_entry', (o) => (o.lastWasSend ? 1 : 0), [bins('receive', 0), bins('send', 1)]);
    const armed = g.coverpoint('armed', (o) => (o.isArmed ? 1 : 0), [bins('no', 0), bins('yes', 1)]);
    g.cross('outcome_x_entries', [outcome, entries]);
    g.cross('outcome_x_resizing', [outcome, resizing]);
    g.cross('outcome_x_users', [outcome, users]);
    g.cross('outcome_x_last_entry', [outcome, side]);
    g.cross('outcome_x_armed', [outcome, armed]);
  },
);

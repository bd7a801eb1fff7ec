/** Covergroups of shared receive queues. */
import { bins, enumBins } from '../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../uvm/coverage/covergroup.ts';
import { binsof, where } from '../../../uvm/coverage/selection.ts';
import { SERVICE } from '../queuePairs.ts';

/** UC has no shared receives. */
const SERVICES = enumBins(SERVICE, ['rc', 'ud']);

export const OUTCOME = { success: 0, flushed: 1, error: 2 } as const;

/** A shared receive that has completed. One object for all: valid while it is sampled. */
export class SharedReceiveSample {
  service = 0;
  /** Queue pairs that take receives of the queue. */
  users = 0;
  /** An older one of the queue has not completed. */
  isAhead = false;
  /** The one before it completed on another queue pair. */
  switchesQp = false;
  /** Receives of the queue that have not completed. */
  left = 0;
  /** `OUTCOME`. */
  outcome = 0;
}

export const sharedReceiveCg = covergroup<SharedReceiveSample>(
  'shared_receive_cg',
  { comment: 'receives of shared queues as they complete' },
  (g) => {
    const service = g.coverpoint('service', (r) => r.service, SERVICES);
    const users = g.coverpoint('users', (r) => r.users, [bins('one', 1), bins('two', 2), bins('more', [3, 65535])]);
    const order = g.coverpoint('order', (r) => (r.isAhead ? 1 : 0), [bins('oldest', 0), bins('out_of_order', 1)]);
    const taker = g.coverpoint('taker', (r) => (r.switchesQp ? 1 : 0), [bins('same', 0), bins('other', 1)]);
    const left = g.coverpoint('left', (r) => r.left, [bins('none', 0), bins('few', [1, 7]), bins('many', [8, 65535])]);
    const outcome = g.coverpoint('outcome', (r) => r.outcome, enumBins(OUTCOME));
    const alone = { nobody_else: binsof(users, 'one').and(binsof(taker, 'other')) };
    g.cross('service_x_outcome', [service, outcome]);
    g.cross('service_x_order', [service, order]);
    g.cross('order_x_users', [order, users]);
    g.cross('users_x_taker', [users, taker], { ignore: alone });
    g.cross('left_x_taker', [left, taker]);
  },
);

/** What happens to the limit of a shared queue. */
export const LIMIT_STEP = { armed: 0, armedAgain: 1, changed: 2, takenBack: 3, reached: 4 } as const;

/** A limit as it is set or reached. One object for all: valid while it is sampled. */
export class LimitSample {
  /** `LIMIT_STEP`. */
  step = 0;
  limit = 0;
  /** Receives that had not completed when it was set. */
  left = 0;
  /** Queue pairs whose receives complete in the moment in which it is reached. */
  takers = 0;
}

const isSet = ({ step }: LimitSample): boolean => step < LIMIT_STEP.takenBack;
const isReached = ({ step }: LimitSample): boolean => step === LIMIT_STEP.reached;

export const sharedLimitCg = covergroup<LimitSample>(
  'shared_limit_cg',
  { comment: 'limits of shared receive queues: set, set again behind the event, changed, taken back, reached' },
  (g) => {
    const step = g.coverpoint('step', (l) => l.step, enumBins(LIMIT_STEP));
    const room = g.coverpoint(
      'receives',
      (l) => Math.sign(l.left - l.limit),
      [bins('fewer_than_limit', -1), bins('limit', 0), bins('more_than_limit', 1)],
      { iff: isSet },
    );
    g.coverpoint('takers', (l) => l.takers, [bins('one', [0, 1]), bins('several', [2, 65535])], { iff: isReached });
    g.cross('step_x_receives', [step, room], {
      ignore: { not_set: where((s) => s === 'takenBack' || s === 'reached') },
    });
  },
);

/** A queue pair in ERR that says that no receive of it is left. One object for all: valid while it is sampled. */
export class LastReceiveSample {
  service = 0;
  /** Receives that it had taken, and that have completed with an error. */
  held = 0;
  /** Receives that are left for others; and queue pairs that may take them. */
  left = 0;
  others = 0;
}

export const lastReceiveCg = covergroup<LastReceiveSample>(
  'last_receive_cg',
  { comment: 'queue pairs with shared receives that say that they have none any more' },
  (g) => {
    const service = g.coverpoint('service', (l) => l.service, SERVICES);
    const held = g.coverpoint('held', (l) => Math.min(l.held, 1), [bins('none', 0), bins('some', 1)]);
    const left = g.coverpoint('left', (l) => Math.min(l.left, 1), [bins('none', 0), bins('some', 1)]);
    const others = g.coverpoint('other_users', (l) => Math.min(l.others, 1), [bins('none', 0), bins('some', 1)]);
    g.cross('service_x_left', [service, left]);
    g.cross('held_x_others', [held, others]);
  },
);

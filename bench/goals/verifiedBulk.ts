/** Goal 1: payload bytes that were moved and compared, a second. */

import { metric } from '../format.ts';
import {
  type BenchContext,
  failedRow,
  type Goal,
  type GoalRow,
  measuredRow,
  type Target,
  unmeasuredRow,
} from '../goal.ts';
import { inTurn } from '../inTurn.ts';
import { median } from '../statistics.ts';
import { playSteady } from '../steady/playSteady.ts';
import type { Stretch } from '../steady/steadyChild.ts';
import { withSteady } from '../steady/steadyContender.ts';
import { BULK_BYTES, bulkSpec, cReference, NO_C } from '../workloads.ts';

const TITLE = 'verified bulk, 4 KiB WRITEs';
const TARGET: Target = { direction: 'at least', target: 0.45, stretch: 0.65 };
/** Drops a piece of payload now and then and acknowledges it: a measured run that passes with it checks nothing. */
const PLANTED = '+DUT_FAULT=payload_dropped';

export const VERIFIED_BULK: Goal = {
  number: 1,
  title: TITLE,
  async measure(context) {
    const reference = cReference(context, 'bulk');
    if (reference === undefined) return [unmeasuredRow('1', TITLE, TARGET, NO_C)];
    const verdict = await verdictWithFault(context);
    if (verdict !== 'failed') {
      return [failedRow('1', TITLE, TARGET, `with ${PLANTED} the measured run ended as "${verdict}", not as failed`)];
    }
    return withSteady([bulkSpec(context)], async ([run]) => {
      const ours = run as NonNullable<typeof run>;
      const [c = []] = await inTurn(context.rounds, [reference, ours]);
      return [row(c, ours.stretches)];
    });
  },
};

function row(c: readonly number[], stretches: readonly Stretch[]): GoalRow {
  const theirs = c.map((ns) => (BULK_BYTES / ns) * 1e9);
  const ours = stretches.map((s) => (comparedMessages(s) * BULK_BYTES * 1e9) / s.cpu);
  return measuredRow({
    id: '1',
    title: TITLE,
    ours: metric(median(ours), 'B/s'),
    reference: `${metric(median(theirs), 'B/s')} (C)`,
    target: TARGET,
    rounds: ours.map((rate, i) => rate / (theirs[i] as number)),
    note: 'a planted fault makes this run fail',
  });
}

/** The scoreboard counts one judgement for each completion and one for each message it compared. */
function comparedMessages(stretch: Stretch): number {
  return Math.max(0, stretch.checks - stretch.requests - stretch.receives);
}

/** The measured configuration with the fault planted, until it has played one batch more than nothing. */
async function verdictWithFault(context: BenchContext): Promise<string> {
  const { run } = await playSteady(bulkSpec(context, [PLANTED]), ({ batch }) => batch < 2);
  return run.verdict;
}

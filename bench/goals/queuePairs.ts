/** Goal 5: what queue pairs cost, idle ones and used ones. */

import { time } from '../format.ts';
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
import { median, ratios } from '../statistics.ts';
import { withSteady } from '../steady/steadyContender.ts';
import { cReference, NO_C, PAIRS, smallSpec } from '../workloads.ts';

const FEW = 2;
const MANY = 8192;
const IDLE_TITLE = `cost a request, ${MANY} queue pairs and ${PAIRS} used / ${PAIRS}`;
const IDLE: Target = { direction: 'at most', target: 1.15, stretch: 1.03 };
const GROWTH_TITLE = `growth of the cost from ${FEW} to ${MANY} used / that of C`;
const GROWTH: Target = { direction: 'at most', target: 1.1, stretch: 1 };

export const QUEUE_PAIRS: Goal = {
  number: 5,
  title: 'queue pairs, idle and used',
  async measure(context) {
    const idleRow = await attempt('5a', IDLE_TITLE, IDLE, () => idle(context));
    return [idleRow, await attempt('5b', GROWTH_TITLE, GROWTH, () => growth(context))];
  },
};

/** So many queue pairs can bring a run to its end by themselves: then the target is missed, and the note says why. */
async function attempt(id: string, title: string, target: Target, measure: () => Promise<GoalRow>): Promise<GoalRow> {
  try {
    return await measure();
  } catch (error) {
    return failedRow(id, title, target, error instanceof Error ? error.message : String(error));
  }
}

async function idle(context: BenchContext): Promise<GoalRow> {
  context.say(`bringing up ${MANY} queue pairs on each host`);
  const specs = [smallSpec(context), smallSpec(context, [], { pairs: MANY, used: PAIRS })];
  const [few = [], many = []] = await withSteady(specs, (runs) => inTurn(context.rounds, runs));
  return measuredRow({
    id: '5a',
    title: IDLE_TITLE,
    ours: time(median(many)),
    reference: time(median(few)),
    target: IDLE,
    rounds: ratios(many, few),
  });
}

async function growth(context: BenchContext): Promise<GoalRow> {
  const references = [cReference(context, 'small', FEW), cReference(context, 'small', MANY)];
  const [cFew, cMany] = references;
  if (cFew === undefined || cMany === undefined) return unmeasuredRow('5b', GROWTH_TITLE, GROWTH, NO_C);
  // Finding out whose turn it is would cost time for each of them.
  const specs = [FEW, MANY].map((pairs) => smallSpec(context, [], { pairs, atOnce: pairs }));
  return withSteady(specs, async (runs) => {
    const costs = await inTurn(context.rounds, [cFew, cMany, ...runs]);
    const [c2 = [], c8192 = [], few = [], many = []] = costs;
    const theirs = ratios(c8192, c2);
    const ours = ratios(many, few);
    return measuredRow({
      id: '5b',
      title: GROWTH_TITLE,
      ours: `${time(median(few))} -> ${time(median(many))}`,
      reference: `${time(median(c2))} -> ${time(median(c8192))} (C)`,
      target: GROWTH,
      rounds: ratios(ours, theirs),
    });
  });
}

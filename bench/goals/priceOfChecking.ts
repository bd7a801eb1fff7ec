/** Goal 9: how much longer a run takes because it is checked, because it is traced, and because coverage is counted. */

import { join } from 'node:path';
import { time } from '../format.ts';
import { type BenchContext, type Goal, type GoalRow, measuredRow, type Target } from '../goal.ts';
import { inTurn } from '../inTurn.ts';
import { median, ratios } from '../statistics.ts';
import { withSteady } from '../steady/steadyContender.ts';
import type { SteadySpec } from '../steady/steadySpec.ts';
import { bulkSpec, smallSpec } from '../workloads.ts';

const CHECKS_TITLE = 'time with checks / without';
const CHECKS: Target = { direction: 'at most', target: 1.7, stretch: 1.5 };
const TRACE_TITLE = 'time with packet trace / without';
const TRACE: Target = { direction: 'at most', target: 1.4, stretch: 1.25 };
const COVERAGE_TITLE = 'time with coverage / without';
const COVERAGE: Target = { direction: 'at most', target: 1.1, stretch: 1.05 };
const UNCHECKED = '+CHECKS=0';

type MakeSpec = (context: BenchContext, extra?: readonly string[]) => SteadySpec;
type Figures = Pick<GoalRow, 'ours' | 'reference' | 'rounds' | 'note'>;

export const PRICE_OF_CHECKING: Goal = {
  number: 9,
  title: 'price of checking, tracing and coverage',
  async measure(context) {
    const small = await compare('small', smallSpec, context);
    const bulk = await compare('bulk', bulkSpec, context);
    return [
      measuredRow({ id: '9a', title: CHECKS_TITLE, target: CHECKS, ...worse(small.checks, bulk.checks) }),
      measuredRow({ id: '9b', title: TRACE_TITLE, target: TRACE, ...worse(small.trace, bulk.trace) }),
      measuredRow({ id: '9c', title: COVERAGE_TITLE, target: COVERAGE, ...worse(small.coverage, bulk.coverage) }),
    ];
  },
};

async function compare(
  name: string,
  spec: MakeSpec,
  context: BenchContext,
): Promise<{ readonly checks: Figures; readonly trace: Figures; readonly coverage: Figures }> {
  const file = join(context.scratch, `${name}.pcap`);
  const extras = [[], [UNCHECKED], [`+PCAP=${file}`], ['+COV']];
  const specs = extras.map((extra) => spec(context, extra));
  const [on = [], off = [], traced = [], covered = []] = await withSteady(specs, (runs) =>
    inTurn(context.rounds, runs),
  );
  return {
    checks: figures(name, on, off),
    trace: figures(name, traced, on),
    coverage: figures(name, covered, on),
  };
}

function figures(name: string, dear: readonly number[], cheap: readonly number[]): Figures {
  return {
    ours: time(median(dear)),
    reference: time(median(cheap)),
    rounds: ratios(dear, cheap),
    note: `worse of small and bulk: ${name}`,
  };
}

function worse(a: Figures, b: Figures): Figures {
  return median(a.rounds) >= median(b.rounds) ? a : b;
}

/** Goal 1: payload bytes that were moved and compared, a second, in requests of one packet and of many. */

import { metric } from '../format.ts';
import { failedRow, type Goal, type GoalRow, measuredRow, type Target, unmeasuredRow } from '../goal.ts';
import { inTurn } from '../inTurn.ts';
import { median } from '../statistics.ts';
import { playSteady } from '../steady/playSteady.ts';
import type { Stretch } from '../steady/steadyChild.ts';
import type { SteadySpec } from '../steady/steadySpec.ts';
import { withSteady } from '../steady/steadyContender.ts';
import { bulkSpec, cReference, LONG_BYTES, longSpec, NO_C, PACKET_BYTES } from '../workloads.ts';

const TITLE = 'verified bulk in 4 KiB packets';
const WORKS: readonly Work[] = [
  {
    id: '1a',
    title: 'verified bulk, WRITEs of one 4 KiB packet',
    bytes: PACKET_BYTES,
    spec: bulkSpec,
    target: { direction: 'at least', target: 0.34 },
  },
  {
    id: '1b',
    title: 'verified bulk, WRITEs of sixteen 4 KiB packets',
    bytes: LONG_BYTES,
    spec: longSpec,
    target: { direction: 'at least', target: 0.5, stretch: 0.65 },
  },
];

/** A row, the bytes of a request, the run, and what is asked of it. */
interface Work {
  readonly id: string;
  readonly title: string;
  readonly bytes: number;
  readonly spec: typeof bulkSpec;
  readonly target: Target;
}

/** Drops a piece of payload now and then and acknowledges it: a measured run that passes with it checks nothing. */
const PLANTED = '+DUT_FAULT=payload_dropped';

export const VERIFIED_BULK: Goal = {
  number: 1,
  title: TITLE,
  async measure(context) {
    const reference = cReference(context, 'bulk');
    if (reference === undefined) return WORKS.map(({ id, title, target }) => unmeasuredRow(id, title, target, NO_C));
    for (const { id, spec } of WORKS) {
      const verdict = await verdictWithFault(spec(context, [PLANTED]));
      const note = `with ${PLANTED} the run of ${id} ended as "${verdict}", not as failed`;
      if (verdict !== 'failed') return WORKS.map((work) => failedRow(work.id, work.title, work.target, note));
    }
    const specs = WORKS.map(({ spec }) => spec(context));
    return withSteady(specs, async (runs) => {
      const [c = []] = await inTurn(context.rounds, [reference, ...runs]);
      return WORKS.map((work, i) => row(work, c, runs[i]?.stretches ?? []));
    });
  },
};

function row({ id, title, bytes, target }: Work, c: readonly number[], stretches: readonly Stretch[]): GoalRow {
  const theirs = c.map((ns) => (PACKET_BYTES / ns) * 1e9);
  const ours = stretches.map((s) => (comparedMessages(s) * bytes * 1e9) / s.cpu);
  return measuredRow({
    id,
    title,
    ours: metric(median(ours), 'B/s'),
    reference: `${metric(median(theirs), 'B/s')} (C)`,
    target,
    rounds: ours.map((rate, i) => rate / (theirs[i] as number)),
    note: 'a planted fault makes this run fail',
  });
}

/** The scoreboard counts one judgement for each completion and one for each message it compared. */
function comparedMessages(stretch: Stretch): number {
  return Math.max(0, stretch.checks - stretch.requests - stretch.receives);
}

/** The measured configuration with the fault planted, until it has played one batch more than nothing. */
async function verdictWithFault(spec: SteadySpec): Promise<string> {
  const { run } = await playSteady(spec, ({ batch }) => batch < 2);
  return run.verdict;
}

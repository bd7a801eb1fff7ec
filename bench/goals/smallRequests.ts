/** Goal 2: small work requests a second. */

import { metric } from '../format.ts';
import { type Goal, measuredRow, type Target, unmeasuredRow } from '../goal.ts';
import { inTurn } from '../inTurn.ts';
import { median, ratios } from '../statistics.ts';
import { type SteadyContender, withSteady } from '../steady/steadyContender.ts';
import { cReference, NO_C, PAIRS, smallSpec } from '../workloads.ts';

const TITLE = `small requests, 6 x 10 B, ${PAIRS} queue pairs`;
const TARGET: Target = { direction: 'at least', target: 0.2 };

/** What the processor has to hold in its caches of instructions. */
function codeNote([run]: readonly SteadyContender[]): string {
  const last = run?.stretches.at(-1);
  if (last === undefined) return '';
  const kib = (bytes: number): string => `${Math.round(bytes / 1024)} KiB`;
  return `compiled code of the warm process ${kib(last.code)}, bytecode ${kib(last.bytecode)}`;
}

export const SMALL_REQUESTS: Goal = {
  number: 2,
  title: TITLE,
  async measure(context) {
    const reference = cReference(context, 'small');
    if (reference === undefined) return [unmeasuredRow('2', TITLE, TARGET, NO_C)];
    return withSteady([smallSpec(context)], async (runs) => {
      const [c = [], ours = []] = await inTurn(context.rounds, [reference, ...runs]);
      return [
        measuredRow({
          id: '2',
          title: TITLE,
          ours: metric(1e9 / median(ours), 'requests/s'),
          reference: `${metric(1e9 / median(c), 'requests/s')} (C)`,
          target: TARGET,
          rounds: ratios(c, ours),
          note: codeNote(runs),
        }),
      ];
    });
  },
};

/** Goal 3: PCIe transactions a second, against a transaction-level simulator in C++. */

import { metric } from '../format.ts';
import { type Goal, measuredRow, type Target, unmeasuredRow } from '../goal.ts';
import { inTurn } from '../inTurn.ts';
import { compileReference, TLM_PING } from '../reference/compile.ts';
import { ProgramContender } from '../reference/programContender.ts';
import { median } from '../statistics.ts';
import { withSteady } from '../steady/steadyContender.ts';
import { scaled, smallSpec } from '../workloads.ts';

const TITLE = 'PCIe transactions in the run of goal 2';
const TARGET: Target = { direction: 'at least', target: 0.6 };
const PING_ROUND = 1_000_000;

export const TRANSACTIONS: Goal = {
  number: 3,
  title: TITLE,
  async measure(context) {
    const compiled = compileReference(TLM_PING, context.scratch);
    const missing = 'missing' in compiled;
    const reference = missing ? [] : [new ProgramContender(compiled.program, [scaled(context, PING_ROUND)])];
    return withSteady([smallSpec(context)], async (runs) => {
      const [first = []] = await inTurn(context.rounds, [...reference, ...runs]);
      const stretches = runs[0]?.stretches ?? [];
      const ours = stretches.map((s) => (s.transactions * 1e9) / s.cpu);
      const rate = metric(median(ours), 'transactions/s');
      if (missing) return [{ ...unmeasuredRow('3', TITLE, TARGET, `no reference: ${compiled.missing}`), ours: rate }];
      const theirs = first.map((ns) => 1e9 / ns);
      return [
        measuredRow({
          id: '3',
          title: TITLE,
          ours: rate,
          reference: `${metric(median(theirs), 'transactions/s')} (SystemC)`,
          target: TARGET,
          rounds: ours.map((value, i) => value / (theirs[i] as number)),
        }),
      ];
    });
  },
};

/** Goal 6: memory of a connected pair beyond the pages of host memory that it touches. */

import type { MemoryUse } from '../children/memoryChild.ts';
import { digits } from '../format.ts';
import { failedRow, type Goal, measuredRow, type Target } from '../goal.ts';
import { inTurn } from '../inTurn.ts';
import { callChild } from '../runProcess.ts';
import { median } from '../statistics.ts';
import { type SteadySpec, steadySpec } from '../steady/steadySpec.ts';

const FEW = 2;
const MANY = 8192;
const TITLE = `memory a connected pair, ${MANY} pairs, in KiB`;
const TARGET: Target = { direction: 'at most', target: 9.9, stretch: 7 };
/** Played by few pairs and by many: what the engine's compiler and its code take for them is no cost of a pair. */
const REQUESTS = 2 * MANY;
/** Fresh processes vary little, and each takes seconds. */
const MOST_ROUNDS = 3;

export const MEMORY: Goal = {
  number: 6,
  title: TITLE,
  async measure(context) {
    const rounds = Math.min(context.rounds, MOST_ROUNDS);
    context.say(`${rounds} fresh processes with ${MANY} pairs`);
    const verdicts = new Set<string>();
    const costs = await inTurn(rounds, [contender(FEW, verdicts), contender(MANY, verdicts)]);
    const [few = [], many = []] = costs;
    if ([...verdicts].some((verdict) => verdict !== 'passed')) {
      return [failedRow('6', TITLE, TARGET, `a run ended as ${[...verdicts].join(', ')}`)];
    }
    return [
      measuredRow({
        id: '6',
        title: TITLE,
        ours: `${digits(median(many) / 2 ** 20)} MiB beyond pages`,
        reference: `${digits(median(few) / 2 ** 20)} MiB with ${FEW} pairs`,
        target: TARGET,
        rounds: many.map((bytes, i) => (bytes - (few[i] as number)) / MANY / 1024),
      }),
    ];
  },
};

/** Peak memory of a fresh process, without pages of host memory. */
function contender(pairs: number, verdicts: Set<string>) {
  return {
    async round(): Promise<number> {
      const use = (await callChild('memory', sameWork(pairs))) as MemoryUse;
      verdicts.add(use.verdict);
      return use.peak - use.pages;
    },
  };
}

/** Every pair connected and used. The last batch begins `pairs` requests before the end. */
function sameWork(pairs: number): SteadySpec {
  return steadySpec({ kind: 'send', pairs, perDoorbell: 1, perRound: REQUESTS - pairs, extra: ['+TEARDOWN=0'] });
}

/** Goal 8: how long it takes to see a failing seed again, and what many seeds in one process save. */

import { fileURLToPath } from 'node:url';
import { projectRoot } from '../../bin/versions.ts';
import type { SeedsJob, SeedsResult } from '../children/seedsChild.ts';
import { time } from '../format.ts';
import { type BenchContext, failedRow, type Goal, type GoalRow, measuredRow, type Target } from '../goal.ts';
import { type Contender, inTurn } from '../inTurn.ts';
import { callChild, cpuOfProcess, timeProcess } from '../runProcess.ts';
import { median, ratios } from '../statistics.ts';

const ALONE_TITLE = 'replay of a failing 300-request seed beyond node -e 0, in ms';
const ALONE: Target = { direction: 'at most', target: 200 };
/** Steps of arithmetic, and what they take (ns) on the core whose milliseconds are meant. */
const STEPS = 100_000_000;
const STEPS_TAKE = 115e6;
const SEEDS = 200;
const MANY_TITLE = `${SEEDS} seeds in one process / in ${SEEDS} processes`;
const MANY: Target = { direction: 'at most', target: 0.1, stretch: 0.06 };
/** Fresh processes that stand for all. */
const SAMPLE = 8;

const TEST = 'test_direct_param';
/** 10 queue pairs on each of two hosts with 15 requests each; everything else is left at its default. */
const PLUSARGS = [
  '+RC_QP_NUM=10',
  '+WRITE_WQE_NUM=5',
  '+READ_WQE_NUM=5',
  '+SEND_WQE_NUM=5',
  '+DUT_FAULT=payload_dropped',
];

export const REPLAY: Goal = {
  number: 8,
  title: 'replay, and many seeds in one process',
  async measure(context) {
    const verdicts = await playSeeds(1);
    if (verdicts['failed'] !== 1) return [failedRow('8a', ALONE_TITLE, ALONE, 'the seed does not fail')];
    return [await alone(context), await together(context)];
  },
};

async function alone(context: BenchContext): Promise<GoalRow> {
  const node: Contender = { round: () => cpuOfProcess(process.execPath, ['-e', '0'], context.scratch) };
  const [program, args] = commandLine();
  const replayed: Contender = { round: () => cpuOfProcess(program, args, context.scratch) };
  arithmetic();
  const loop: Contender = { round: () => Promise.resolve(arithmetic()) };
  const [bare = [], ours = [], steps = []] = await inTurn(context.rounds, [node, replayed, loop]);
  return measuredRow({
    id: '8a',
    title: ALONE_TITLE,
    ours: time(median(ours)),
    reference: `${time(median(bare))} (node)`,
    target: ALONE,
    rounds: ours.map((ns, i) => ((ns - (bare[i] as number)) / 1e6) * (STEPS_TAKE / (steps[i] as number))),
    note: `processor time of ./hca_test, record and log written; ${time(median(steps))} for the arithmetic, of ${time(STEPS_TAKE)}`,
  });
}

async function together(context: BenchContext): Promise<GoalRow> {
  const fresh: Contender = {
    async round() {
      let sum = 0;
      for (let i = 0; i < SAMPLE; i++) sum += await command(context).round();
      return (sum / SAMPLE) * SEEDS;
    },
  };
  const batch: Contender = {
    async round() {
      const start = process.hrtime.bigint();
      const verdicts = await playSeeds(SEEDS);
      if (verdicts['failed'] !== SEEDS) throw new Error(`of ${SEEDS} failing seeds: ${JSON.stringify(verdicts)}`);
      return Number(process.hrtime.bigint() - start);
    },
  };
  const [apart = [], ours = []] = await inTurn(context.rounds, [fresh, batch]);
  return measuredRow({
    id: '8b',
    title: MANY_TITLE,
    ours: time(median(ours)),
    reference: `${time(median(apart))} (from ${SAMPLE} processes)`,
    target: MANY,
    rounds: ratios(ours, apart),
  });
}

/** Does some arithmetic that no memory holds up. @returns what it took, ns of processor time */
function arithmetic(): number {
  const before = process.cpuUsage();
  let x = 1;
  for (let i = 0; i < STEPS; i++) x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
  const { user, system } = process.cpuUsage(before);
  // The result is used, or the loop could be left out.
  return (user + system) * 1000 + (x & 1);
}

function command(context: BenchContext): Contender {
  const [program, args] = commandLine();
  return { round: () => timeProcess(program, args, context.scratch) };
}

/** The command as a user types it: the launcher's look at the build is part of it. */
function commandLine(): readonly [program: string, args: readonly string[]] {
  const launcher = fileURLToPath(new URL('hca_test', projectRoot()));
  return [launcher, [`+UVM_TESTNAME=${TEST}`, ...PLUSARGS, '--seed', '1', '--quiet']];
}

async function playSeeds(count: number): Promise<Readonly<Record<string, number>>> {
  const job: SeedsJob = { testName: TEST, plusargs: PLUSARGS, count };
  return ((await callChild('seeds', job)) as SeedsResult).verdicts;
}

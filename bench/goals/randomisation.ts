/** Goal 10: what a random request costs, against a general generator and against the rest of the request. */

import { NIC_CATALOG } from '../../dut-model/nicCatalog.ts';
import { limitsAmong } from '../../bin/nicEntry.ts';
import { resolveParameters } from '../../config/parameters.ts';
import { RandomSource } from '../../config/scenario/drawn/randomSource.ts';
import { WorkPlan } from '../../config/scenario/workPlan.ts';
import { Plusargs } from '../../uvm/cmdline/plusargs.ts';
import { loadSampler } from '../reference/sampler.ts';
import { digits, metric } from '../format.ts';
import { type BenchContext, type Goal, type GoalRow, measuredRow, type Target, unmeasuredRow } from '../goal.ts';
import { type Contender, inTurn } from '../inTurn.ts';
import { median, ratios } from '../statistics.ts';
import { withSteady } from '../steady/steadyContender.ts';
import { scaled, smallSpec } from '../workloads.ts';

const RATE_TITLE = 'random requests / fast-check sample()';
const RATE: Target = { direction: 'at least', target: 10 };
const SHARE_TITLE = "random request and its receive / goal 2's time";
const SHARE: Target = { direction: 'at most', target: 0.2, stretch: 0.1 };
const DRAWS = 300_000;
const SAMPLES = 20_000;

/** Opcodes of three kinds, 1 .. 6 pieces of unequal length, at most 4 KiB in all, on 8192 queue pairs. */
const ARGUMENTS = [
  '+RC_QP_NUM=8192',
  '+DB_NUM=1',
  '+SEND_WQE_NUM=5',
  '+WRITE_WQE_NUM=3',
  '+READ_WQE_NUM=2',
  '+SG_NUM=6',
  '+DATA_CNT=680',
  '+MR_GRANULARITY=qp',
  '+IMM=10',
];

export const RANDOMISATION: Goal = {
  number: 10,
  title: 'randomisation',
  async measure(context) {
    return [await rate(context), await share(context)];
  },
};

async function rate(context: BenchContext): Promise<GoalRow> {
  const sample = await loadSampler();
  if (sample === undefined) return unmeasuredRow('10a', RATE_TITLE, RATE, 'not measured: fast-check is not installed');
  const reference = timed(scaled(context, SAMPLES), sample);
  const contenders = [reference, timed(scaled(context, DRAWS), requestDrawer(false))];
  await inTurn(1, contenders);
  const [theirs = [], ours = []] = await inTurn(context.rounds, contenders);
  return measuredRow({
    id: '10a',
    title: RATE_TITLE,
    ours: metric(1e9 / median(ours), 'requests/s'),
    reference: `${metric(1e9 / median(theirs), 'requests/s')} (fast-check)`,
    target: RATE,
    rounds: ratios(theirs, ours),
  });
}

async function share(context: BenchContext): Promise<GoalRow> {
  const drawer = timed(scaled(context, DRAWS), requestDrawer(true));
  await drawer.round();
  return withSteady([smallSpec(context)], async (runs) => {
    const [run = [], draw = []] = await inTurn(context.rounds, [...runs, drawer]);
    return measuredRow({
      id: '10b',
      title: SHARE_TITLE,
      ours: `${digits(median(draw))} ns`,
      reference: `${digits(median(run))} ns`,
      target: SHARE,
      rounds: ratios(draw, run),
    });
  });
}

/** Makes at least `count` things and returns how many it made. */
type Maker = (count: number) => number;

/** Processor time of one thing, ns. */
function timed(count: number, make: Maker): Contender {
  return {
    round() {
      const start = process.cpuUsage();
      const made = make(count);
      const { user, system } = process.cpuUsage(start);
      return Promise.resolve(((user + system) * 1000) / made);
    },
  };
}

/** Expands random requests queue pair by queue pair, as a run does; with `receives`, the peer's side of each too. */
function requestDrawer(receives: boolean): Maker {
  // Not as test_random: that would draw what is not given here.
  const { config, problems } = resolveParameters(
    new Plusargs(ARGUMENTS),
    'test_direct_param',
    1,
    limitsAmong(NIC_CATALOG),
  );
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const source = new RandomSource(config, 1);
  const plan = new WorkPlan(source.maxRequests, source.maxSge);
  const pairs = source.qpCount(0);
  let next = 0;
  return (count) => {
    let made = 0;
    while (made < count) {
      const qp = next++ % pairs;
      source.sends(0, qp, 0, plan);
      made += plan.count;
      // Every queue pair receives what one other sends: as many receives as sends in the long run.
      if (receives) source.recvs(0, qp, 0, plan);
    }
    return made;
  };
}

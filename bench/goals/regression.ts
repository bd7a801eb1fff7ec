/** Goal 7: what the second worker of a regression is worth, against a loop of pure arithmetic at the same moment. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeJob } from '../../bin/many/jobs/jobSource.ts';
import { projectRoot } from '../../bin/versions.ts';
import { isPass, type Job } from '../../regress/job.ts';
import { LocalLauncher } from '../../regress/pool/localLauncher.ts';
import { digits } from '../format.ts';
import { type BenchContext, type Goal, measuredRow, type Target } from '../goal.ts';
import { type Contender, inTurn } from '../inTurn.ts';
import { callChild } from '../runProcess.ts';
import { median, ratios } from '../statistics.ts';
import { scaled } from '../workloads.ts';

const TITLE = 'speed-up of 2 regression workers / of arithmetic';
const TARGET: Target = { direction: 'at least', target: 0.95, stretch: 0.98 };
/** Enough that the start of a worker, and five seconds that its compiler learns, count as little as for a user's list. */
const JOBS = 600;
const STEPS = 2_000_000_000;
const HEAP_MB = 2048;
const JOB_SECONDS = 120;

export const REGRESSION: Goal = {
  number: 7,
  title: TITLE,
  async measure(context) {
    const jobs = jobList(scaled(context, JOBS));
    const steps = scaled(context, STEPS);
    const contenders = [arithmetic(1, steps), arithmetic(2, steps), pool(1, jobs, context), pool(2, jobs, context)];
    const [loop1 = [], loop2 = [], one = [], two = []] = await inTurn(context.rounds, contenders);
    const loop = ratios(loop1, loop2);
    const ours = ratios(one, two);
    return [
      measuredRow({
        id: '7',
        title: TITLE,
        ours: `${digits(median(ours))}x`,
        reference: `${digits(median(loop))}x (loop)`,
        target: TARGET,
        rounds: ratios(ours, loop),
        note: `${jobs.length} runs of test_random`,
      }),
    ];
  },
};

/** The same steps in one process, or half of them in each of two. */
function arithmetic(processes: number, steps: number): Contender {
  return {
    async round() {
      const start = process.hrtime.bigint();
      const share = Math.ceil(steps / processes);
      await Promise.all(Array.from({ length: processes }, () => callChild('loop', share)));
      return Number(process.hrtime.bigint() - start);
    },
  };
}

/** The worker pool of `hca_regress`, its start included. */
function pool(workers: number, jobs: readonly Job[], context: BenchContext): Contender {
  return {
    async round() {
      const start = process.hrtime.bigint();
      await launcher(workers, join(context.scratch, 'regress')).run(jobs, (result) => {
        if (!isPass(result)) throw new Error(`${result.replay}: ${result.status}: ${result.message}`);
      });
      return Number(process.hrtime.bigint() - start);
    },
  };
}

function launcher(workers: number, out: string): LocalLauncher {
  return new LocalLauncher({
    workers,
    workerFile: fileURLToPath(new URL('dist/regress/worker.js', projectRoot())),
    nodeArguments: [],
    heapMb: HEAP_MB,
    playerUrl: new URL('scripts/start/bundledPlayer.cjs', projectRoot()).href,
    settings: { out, keep: 'none' },
    timeoutSeconds: JOB_SECONDS,
    attempts: 1,
    describe: describeJob,
  });
}

/** Random tests of moderate size, one seed each. */
function jobList(count: number): Job[] {
  const shape = ['+UVM_TESTNAME=test_random', '+HOST_NUM=2', '+RC_QP_NUM=8', '+UC_QP_NUM=2', '+UD_QP_NUM=2'];
  const work = [
    '+DB_NUM=6',
    '+SEND_WQE_NUM=8',
    '+WRITE_WQE_NUM=8',
    '+READ_WQE_NUM=4',
    '+DATA_CNT=512',
    '+SG_NUM=4',
    '+DRAW_FAULTS=0',
    '+DRAW_WIDE=0',
  ];
  return Array.from({ length: count }, (_, i) => ({
    id: `bench/${i}`,
    family: 'bench',
    title: '',
    argv: [...shape, ...work, '--seed', String(i + 1)],
    cwd: fileURLToPath(projectRoot()),
    where: 'bench/goals/regression.ts',
    timeoutSeconds: 0,
  }));
}

/** What every launcher must do, wherever it plays. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Job, JobResult } from '../../../../regress/job.ts';
import { aJob } from '../jobs.ts';
import { type LauncherUnderTest, RUNS_OF_CHUNK, StandIns } from './launchers.ts';

const LOOK_MS = 20;

/** What a launcher has reported, by run, each once. */
export class Reported {
  readonly results = new Map<string, JobResult>();

  take = (result: JobResult): void => {
    expect(this.results.has(result.id), `two results of ${result.id}`).to.equal(false);
    this.results.set(result.id, result);
  };

  /** In words, in the order of ids. */
  get table(): readonly string[] {
    const rows = [...this.results.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    return rows.map(({ id, status, attempts, message, transcript, seed }) =>
      [id, status, attempts, seed, transcript, message].join(' '),
    );
  }

  get statuses(): readonly string[] {
    return [...new Set([...this.results.values()].map(({ status }) => status))];
  }
}

export function jobsOf(scripts: readonly string[]): Job[] {
  return scripts.map((script, i) => aJob({ id: `j${String(i).padStart(2, '0')}`, argv: script.split(' ') }));
}

const MIXED = ['pass', 'fail', 'busy', 'exit 7', 'pass', 'throw', 'pass', 'pass', 'fail', 'pass'];
const MIXED_TABLE = [
  'j00 passed 1 1 x ',
  'j01 failed 1 1 x wrong',
  'j02 passed 1 1 x ',
  'j03 crashed 2 1  the process ended with exit code 7',
  'j04 passed 1 1 x ',
  /^j05 crashed 1 1 {2}Error: thrown in the player/,
  'j06 passed 1 1 x ',
  'j07 passed 1 1 x ',
  'j08 failed 1 1 x wrong',
  'j09 passed 1 1 x ',
];

/** @param isWhole all of it, not only that a list gives the same report */
export function describeContract({ name, open, pids, standsIn }: LauncherUnderTest, isWhole: boolean): void {
  describe(`launcher ${name}`, () => {
    let out: string;
    let standIns: StandIns | undefined;

    beforeEach(() => {
      standIns = standsIn ? new StandIns('sbatch', 'squeue', 'scancel', 'bsub', 'bjobs', 'bkill') : undefined;
      out = mkdtempSync(join(tmpdir(), 'launcher-'));
    });

    afterEach(() => {
      standIns?.close();
      rmSync(out, { recursive: true, force: true });
    });

    it('reports each run of a list once, as all launchers do', async () => {
      const reported = new Reported();
      await open(out).run(jobsOf(MIXED), reported.take);
      expect(reported.table).to.have.length(MIXED_TABLE.length);
      for (const [i, row] of reported.table.entries()) {
        const expected = MIXED_TABLE[i] as string | RegExp;
        if (typeof expected === 'string') expect(row).to.equal(expected);
        else expect(row).to.match(expected);
      }
    });

    if (!isWhole) return;

    it('loses nothing but time when what plays is killed', async () => {
      const reported = new Reported();
      const file = join(out, 'begun');
      const jobs = jobsOf(['pass', `once ${file} hang`, 'pass', 'pass', 'pass', 'pass']);
      const run = open(out).run(jobs, reported.take);
      await until(() => existsSync(file));
      for (const pid of pids(out)) tryKill(pid, 'SIGKILL');
      await run;
      expect(reported.results.size).to.equal(jobs.length);
      expect(reported.statuses).to.deep.equal(['passed']);
      // Others may have gone to be tried again with it: which one was played is known to the process alone.
      expect(reported.results.get('j01')?.attempts).to.equal(2);
    });

    it('ends at once when it is stopped, with all that plays, and the rest can be played later', async () => {
      const first = new Reported();
      const file = join(out, 'begun');
      const jobs = jobsOf([...Array.from({ length: RUNS_OF_CHUNK }, () => 'pass'), `once ${file} hang`, 'pass']);
      const stopped = open(out);
      const run = stopped.run(jobs, first.take);
      await until(() => existsSync(file) && first.results.size >= RUNS_OF_CHUNK);
      const processes = pids(out);
      stopped.stop();
      await run;
      await until(() => !processes.some(isAlive));
      expect([...first.results.keys()]).not.to.include('j04');
      const second = new Reported();
      await open(out).run(
        jobs.filter(({ id }) => !first.results.has(id)),
        second.take,
      );
      expect([...first.results.keys(), ...second.results.keys()].sort()).to.deep.equal(jobs.map(({ id }) => id));
      expect(second.statuses).to.deep.equal(['passed']);
    });

    it('begins no further runs when it is to finish', async () => {
      const reported = new Reported();
      const launcher = open(out);
      // A scheduler may start all chunks at once: the last run of each is far behind the first result.
      const jobs = jobsOf(Array.from({ length: 40 }, () => 'busy 500'));
      await launcher.run(jobs, (result) => {
        reported.take(result);
        launcher.finish();
      });
      expect(reported.results.size).to.be.within(1, jobs.length - 1);
    });

    it('has nothing to do where there are no runs', async () => {
      await open(out).run([], () => expect.fail('a result of no run'));
    });
  });
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => void setTimeout(resolve, LOOK_MS));
}

function tryKill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  return tryKill(pid, 0);
}

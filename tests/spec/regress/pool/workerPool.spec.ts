import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Job, JobResult } from '../../../../regress/job.ts';
import { PoolError, type PoolOptions, WorkerPool } from '../../../../regress/pool/workerPool.ts';
import { bundledFile, bundledUrl } from '../../support/bundled.ts';
import { aJob } from '../../support/jobs.ts';

const base: Omit<PoolOptions, 'onResult'> = {
  workers: 2,
  workerFile: bundledFile('regress/worker.ts'),
  nodeArguments: [],
  heapMb: 100,
  playerUrl: bundledUrl('tests/spec/support/scriptedPlayer.ts'),
  settings: { out: 'x', keep: 'failures', timeoutSeconds: 30 },
  graceSeconds: 0,
  timeoutSeconds: 30,
  attempts: 1,
  describe: (job) => ({ test: 't', seed: 1, replay: `replay ${job.id}` }),
};

async function play(scripts: readonly string[], changes: Partial<PoolOptions> = {}): Promise<Map<string, JobResult>> {
  const jobs: Job[] = scripts.map((script, i) => aJob({ id: `j${i}`, argv: script.split(' ') }));
  const results = new Map<string, JobResult>();
  const onResult = (result: JobResult): void => {
    expect(results.has(result.id), `two results of ${result.id}`).to.equal(false);
    results.set(result.id, result);
  };
  await new WorkerPool({ ...base, ...changes, onResult }, jobs).run();
  expect(results.size).to.equal(scripts.length);
  return results;
}

function statuses(results: Map<string, JobResult>, count: number): string[] {
  return Array.from({ length: count }, (_, i) => results.get(`j${i}`)?.status ?? 'none');
}

describe('WorkerPool', () => {
  it('plays every job once, on several processes', async () => {
    const results = await play([...Array.from({ length: 40 }, () => 'busy'), 'fail']);
    expect(statuses(results, 41)).to.deep.equal([...Array.from({ length: 40 }, () => 'passed'), 'failed']);
    expect(new Set([...results.values()].map((r) => r.worker)).size).to.equal(2);
  });

  it('loses only the run whose process dies, however it dies', async () => {
    const deaths = ['exit 0', 'exit 7', 'abort', 'throw', 'memory'];
    const scripts = deaths.flatMap((death) => ['pass', death, 'pass', 'pass', 'pass']);
    const results = await play(scripts);
    expect(statuses(results, scripts.length)).to.deep.equal(scripts.map((s) => (s === 'pass' ? 'passed' : 'crashed')));
    expect(results.get('j6')?.message).to.match(/exit code 7/);
    expect(results.get('j11')?.message).to.match(/SIGABRT/);
    expect(results.get('j16')?.message).to.match(/thrown in the player/);
    expect(results.get('j21')?.message).to.match(/out of memory/);
    expect(results.get('j6')?.replay).to.equal('replay j6');
  });

  it('asks players to end what they play with what they have, and begins nothing else', async () => {
    const ended: JobResult[] = [];
    const scripts = ['untilAsked', 'pass', 'pass'];
    const jobs = scripts.map((script, i) => aJob({ id: `j${i}`, argv: [script] }));
    const pool = new WorkerPool({ ...base, workers: 1, onResult: (result) => ended.push(result) }, jobs);
    const asking = setInterval(() => {
      if (pool.playing().length > 0) pool.interrupt();
    }, 100);
    await pool.run();
    clearInterval(asking);
    expect(ended.map(({ id, status }) => [id, status])).to.deep.equal([['j0', 'passed']]);
  });

  it('says of a process that died of an error what the error was, not what it said last', async () => {
    const results = await play(['die']);
    expect(results.get('j0')?.message).to.match(/exit code \d+: TypeError: nobody waits for this$/);
  });

  it('kills a run that does not end and plays the rest of its batch elsewhere', async () => {
    const scripts = ['pass', 'hang', 'pass', 'pass', 'hang', 'pass', 'pass', 'pass'];
    const results = await play(scripts, { timeoutSeconds: 1, workers: 1 });
    expect(statuses(results, 8)).to.deep.equal(scripts.map((s) => (s === 'pass' ? 'passed' : 'timeout')));
    expect(results.get('j1')?.message).to.match(/1 s of wall-clock/);
  });

  it('repeats a run whose process died, once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pool-'));
    const retried: string[] = [];
    const onRetry = ({ id }: Job, why: string): void => void retried.push(`${id} ${why.split('\n')[0]}`);
    const results = await play(['pass', `once ${folder}/a exit`, 'exit 3', 'pass'], { attempts: 2, onRetry });
    expect(retried.sort()).to.satisfy(
      ([a, b, c]: string[]) => /^j1 .*exit/.test(`${a}`) && /^j2 .*exit code 3/.test(`${b}`) && c === undefined,
    );
    expect(statuses(results, 4)).to.deep.equal(['passed', 'passed', 'crashed', 'passed']);
    expect(results.get('j1')?.attempts).to.equal(2);
    expect(results.get('j2')?.attempts).to.equal(2);
    expect(existsSync(`${folder}/a`)).to.equal(true);
    rmSync(folder, { recursive: true });
  });

  it('gives up when workers cannot start', async () => {
    for (const out of ['unusable', 'dies']) {
      const settings = { out, keep: 'failures' as const, timeoutSeconds: 30 };
      const error = await play(['pass'], { settings }).catch((e: unknown) => e);
      expect(error, out).to.be.instanceOf(PoolError);
    }
  });

  it('says what is being played, and for how long', async () => {
    const pool = new WorkerPool({ ...base, onResult: () => {} }, [aJob({ id: 'long', argv: ['hang'] })]);
    const running = pool.run();
    while (pool.playing().length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 60));
    const [{ id, wallMs } = { id: '', wallMs: 0 }] = pool.playing();
    pool.stop();
    await running;
    expect(id).to.equal('long');
    expect(wallMs).to.be.greaterThan(40);
  });

  it('ends at once when stopped', async () => {
    const results: JobResult[] = [];
    const pool = new WorkerPool({ ...base, onResult: (r) => results.push(r) }, [aJob({ argv: ['hang'] })]);
    const running = pool.run();
    setTimeout(() => pool.stop(), 300);
    await running;
    expect(results).to.deep.equal([]);
  });
});

describe('a WorkerPool that is to finish', () => {
  it('plays what has begun to its end and begins nothing else', async () => {
    const jobs: Job[] = Array.from({ length: 100 }, (_, i) => aJob({ id: `j${i}`, argv: ['busy'] }));
    const results: JobResult[] = [];
    const pool = new WorkerPool(
      {
        ...base,
        onResult: (result) => {
          results.push(result);
          if (results.length === 3) pool.finish();
        },
      },
      jobs,
    );
    await pool.run();
    // Each worker was at one run.
    expect(results.length).to.be.within(3, 5);
    expect(results.every(({ status }) => status === 'passed')).to.equal(true);
  });

  it('does not try a run again whose process dies meanwhile', async () => {
    const jobs: Job[] = ['busy', 'exit 3', 'busy'].map((script, i) => aJob({ id: `j${i}`, argv: script.split(' ') }));
    const results: JobResult[] = [];
    const pool = new WorkerPool(
      { ...base, workers: 1, attempts: 2, onRetry: () => pool.finish(), onResult: (result) => results.push(result) },
      jobs,
    );
    await pool.run();
    expect(results.map(({ id }) => id))
      .to.include('j0')
      .and.not.include('j2');
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { expect } from 'chai';
import { FarmFolder } from '../../../../regress/farm/farmFolder.ts';
import { holderOf, type Holder } from '../../../../regress/farm/lease.ts';
import { queueAddress } from '../../../../bin/farm/queueAddress.ts';
import { connectionTo, type QueueAddress, QueueScheduler } from '../../../../regress/farm/schedulers/bullmq.ts';
import { SlurmScheduler } from '../../../../regress/farm/schedulers/slurm.ts';
import { describeContract, jobsOf, Reported, until } from '../../support/farm/contract.ts';
import { bundledFile } from '../../support/bundled.ts';
import { childrenOf, chunkProgram, onFarm } from '../../support/farm/launchers.ts';
import { RedisServer, redisIsMissing } from '../../support/farm/redisServer.ts';
import { type LabNode, SlurmLab, slurmIsMissing } from '../../support/farm/slurmLab.ts';

/** Servers are started, and nodes are lost: `SPECS_FARM=1`, as a stage of its own in CI. */
const IS_PLAYED = process.env['SPECS_FARM'] === '1';

describe('Slurm on two nodes', () => {
  const lab = new SlurmLab();
  const missing = slurmIsMissing();
  const slurm = onFarm('slurm', (command) => new SlurmScheduler({ ...command, slots: undefined, words: [] }));
  let out = '';

  before(async function () {
    if (!IS_PLAYED) this.skip();
    if (missing !== undefined) {
      process.stdout.write(`Slurm is not played: ${missing}\n`);
      this.skip();
    }
    await lab.start();
  });
  after(() => lab.stop());
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'farm-'));
  });
  afterEach(() => rmSync(out, { recursive: true, force: true }));

  describeContract(slurm, true);

  it('plays what a lost node was playing on the other one', async () => {
    const reported = new Reported();
    const notes: string[] = [];
    const jobs = jobsOf(['pass', `once ${out}/a hang`, 'pass', 'pass', 'pass', `once ${out}/b hang`, 'pass', 'pass']);
    const patience = { lostMs: 4000, settleMs: 1000 };
    const onNote = (text: string): void => void notes.push(text);
    const run = slurm.open(out, { patience, onNote }).run(jobs, reported.take);
    let holder: Holder | undefined;
    await until(() => {
      holder = FarmFolder.sessions(out)
        .flatMap((session) => session.chunkNumbers().flatMap((chunk) => holderOf(session, chunk) ?? []))
        .find(({ playing }) => playing.some(({ id }) => id === 'j01'));
      return holder !== undefined;
    });
    const { host, pid } = holder as Holder;
    lab.loseNode(host as LabNode, pid);
    await until(() => holderOfOther(host)?.pid !== undefined);
    process.kill(holderOfOther(host)?.pid as number, 'SIGKILL');
    await run;
    expect(reported.statuses).to.deep.equal(['passed']);
    expect(reported.results.size).to.equal(jobs.length);
    expect(notes.join('\n')).to.contain(`on ${host}): no sign of life for 4 s; 3 runs of it not played`);
    await until(() => lab.stateOf(host as LabNode).startsWith('down'));
    lab.startNode(host as LabNode);
    await until(() => lab.stateOf(host as LabNode) === 'idle');
  });

  /** Who plays the other run that hangs. */
  function holderOfOther(host: string): Holder | undefined {
    return FarmFolder.sessions(out)
      .flatMap((session) => session.chunkNumbers().flatMap((chunk) => holderOf(session, chunk) ?? []))
      .find(({ playing, host: other }) => other !== host && playing.some(({ id }) => id === 'j05'));
  }
});

describe('a queue in Redis with two workers', () => {
  const redis = new RedisServer();
  const missing = redisIsMissing();
  const address = (): QueueAddress => ({ url: redis.url, queue: 'spec' });
  const bullmq = onFarm('bullmq', ({ farm }) => new QueueScheduler(farm, address()));
  const workers: ChildProcess[] = [];
  let said = '';
  let out = '';

  function startWorker(): void {
    const words = ['worker', '--farms', tmpdir(), '--queue', 'spec', '-j', '1'];
    const runner = bundledFile('tests/spec/support/workerRunner.ts');
    const env = { ...process.env, RNIC_VERIFY_REDIS: redis.url };
    const worker = spawn(process.execPath, [runner, JSON.stringify(chunkProgram()), ...words], { env });
    for (const stream of [worker.stdout, worker.stderr])
      stream.on('data', (text: Buffer) => {
        said += text.toString();
      });
    workers.push(worker);
  }

  before(async function () {
    if (!IS_PLAYED) this.skip();
    if (missing !== undefined) {
      process.stdout.write(`Redis is not played: ${missing}\n`);
      this.skip();
    }
    await redis.start();
    startWorker();
    startWorker();
  });
  after(async () => {
    for (const worker of workers) {
      if (worker.exitCode !== null || worker.signalCode !== null) continue;
      worker.kill('SIGTERM');
      await once(worker, 'exit');
    }
    await redis.stop();
  });
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'farm-'));
  });
  afterEach(() => rmSync(out, { recursive: true, force: true }));

  describeContract(bullmq, true);

  it('plays on the other one what a killed worker was playing', async () => {
    const reported = new Reported();
    const jobs = jobsOf(['pass', `once ${out}/a hang`, 'pass', 'pass', 'pass', 'pass', 'pass', 'pass']);
    const run = bullmq.open(out, { patience: { lostMs: 3000, settleMs: 500 } }).run(jobs, reported.take);
    await until(() => existsSync(join(out, 'a')) && holderOfHanging() !== undefined);
    const chunk = holderOfHanging()?.pid as number;
    const [worker] = workers.filter(({ pid }) => childrenOf(pid as number).includes(chunk));
    worker?.kill('SIGKILL');
    process.kill(chunk, 'SIGKILL');
    await run;
    expect(worker).not.to.equal(undefined);
    expect(reported.statuses).to.deep.equal(['passed']);
    expect(reported.results.size).to.equal(jobs.length);
  });

  it('plays nothing that is not below the folders of its workers, and goes on', async () => {
    const queue = new Queue('spec', { connection: connectionTo(address()) });
    const hostile = [
      { session: '/etc/farm/1', chunk: 1 },
      { session: `${tmpdir()}/../etc/farm/1`, chunk: 1 },
      'x',
      { chunk: 1 },
    ];
    for (const data of hostile) await queue.add('chunk', data);
    await until(() => said.split('is no chunk: ').length > hostile.length);
    await queue.close();
    const reported = new Reported();
    await bullmq.open(out).run(jobsOf(['pass']), reported.take);
    expect(reported.statuses).to.deep.equal(['passed']);
    expect(said).to.match(/is no chunk: session: is none below .*tmp/);
  });

  function holderOfHanging(): Holder | undefined {
    return FarmFolder.sessions(out)
      .flatMap((session) => session.chunkNumbers().flatMap((chunk) => holderOf(session, chunk) ?? []))
      .find(({ playing }) => playing.some(({ id }) => id === 'j01'));
  }
});

describe('the address of a queue', () => {
  it('has a password, and is not shown where it is wrong', () => {
    const of = (url?: string): unknown => queueAddress('q', { RNIC_VERIFY_REDIS: url });
    expect(of('redis://:secret@host:6379')).to.deep.equal({ url: 'redis://:secret@host:6379', queue: 'q' });
    expect(of()).to.match(/^RNIC_VERIFY_REDIS: is not set/);
    expect(of('redis://host:6379')).to.match(/has no password/);
    expect(of('http://:secret@host'))
      .to.match(/is no address of Redis/)
      .and.not.contain('secret');
    expect(queueAddress('a b', {})).to.match(/^--queue a b: allowed/);
  });
});

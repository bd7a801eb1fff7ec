import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type ChunkNumber, FarmFolder } from '../../../../regress/farm/farmFolder.ts';
import type { FarmOptions } from '../../../../regress/farm/farmLauncher.ts';
import { type ScheduledJob, SchedulerError } from '../../../../regress/farm/scheduler.ts';
import { arraysOf, inArrays } from '../../../../regress/farm/schedulers/arrays.ts';
import { LsfScheduler } from '../../../../regress/farm/schedulers/lsf.ts';
import { SlurmScheduler } from '../../../../regress/farm/schedulers/slurm.ts';
import { newTemplateScheduler, templateMistake } from '../../../../regress/farm/schedulers/template.ts';
import type { JobResult } from '../../../../regress/job.ts';
import { PoolError } from '../../../../regress/pool/workerPool.ts';
import { farmSettings, LAUNCHERS, type LauncherUnderTest, StandIns } from '../../support/farm/launchers.ts';
import { aJob } from '../../support/jobs.ts';

const RANGE = { first: 5 as ChunkNumber, count: 3 };

describe('schedulers of a farm', () => {
  let out: string;
  let farm: FarmFolder;
  let standIns: StandIns;

  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'scheduler-'));
    farm = FarmFolder.begin(out);
    standIns = new StandIns('sbatch', 'squeue', 'scancel', 'bsub', 'bjobs', 'bkill');
  });

  afterEach(() => {
    standIns.close();
    rmSync(out, { recursive: true, force: true });
  });

  const command = ['echo', 'a b'];

  it('hand chunks to Slurm as tasks of one array, which Slurm does not start again', async () => {
    const slurm = new SlurmScheduler({ farm, command, slots: 2, words: ['--partition=regress'] });
    expect(await slurm.submit(RANGE, ['bad1', 'bad2'])).to.deep.equal(['101_0', '101_1', '101_2']);
    await slurm.ended(['101_0', '101_1', '7_0'] as ScheduledJob[]);
    await slurm.cancel(['101_1'] as ScheduledJob[]);
    expect(standIns.calls).to.deep.equal([
      'sbatch [--parsable] [--no-requeue] [--job-name=rnic-verify] [--array=0-2%2]' +
        ` [--output=${farm.logs}/%A_%a.log] [--exclude=bad1,bad2] [--partition=regress]` +
        " [--wrap=exec echo 'a b' $((5 + SLURM_ARRAY_TASK_ID))]",
      'squeue [--noheader] [--array] [--format=%F_%K] [--jobs=101,7]',
      'scancel [--quiet] [101_1]',
    ]);
  });

  it('hand chunks to LSF as elements of one array, which LSF does not start again', async () => {
    const lsf = new LsfScheduler({ farm, command, slots: 2, words: ['-q', 'regress'] });
    expect(await lsf.submit(RANGE, ['bad1', 'bad2'])).to.deep.equal(['101[1]', '101[2]', '101[3]']);
    await lsf.ended(['101[1]', '101[2]'] as ScheduledJob[]);
    await lsf.cancel(['101[2]'] as ScheduledJob[]);
    expect(standIns.calls).to.deep.equal([
      `bsub [-rn] [-J] [rnic-verify[1-3]%2] [-oo] [${farm.logs}/%J_%I.log] [-R]` +
        " [select[hname!='bad1' && hname!='bad2']] [-q] [regress] [exec echo 'a b' $((4 + LSB_JOBINDEX))]",
      'bjobs [-a] [-noheader] [-o] [jobid jobindex stat] [101]',
      'bkill [101[2]]',
    ]);
  });

  it('hand more chunks over in several arrays than one may have', async () => {
    const sizes: number[][] = [];
    const jobs = await inArrays({ first: 5 as ChunkNumber, count: 2500 }, 1000, async (first, size) => {
      sizes.push([first, size]);
      return (index) => `${sizes.length}_${index}` as ScheduledJob;
    });
    expect(sizes).to.deep.equal([
      [5, 1000],
      [1005, 1000],
      [2005, 500],
    ]);
    expect(jobs).to.have.length(2500);
    expect(arraysOf(jobs)).to.deep.equal(['1', '2', '3']);
  });

  it('say which command failed, and that there is none', async () => {
    standIns.close();
    const slurm = new SlurmScheduler({ farm, command, slots: undefined, words: [] });
    const path = process.env['PATH'];
    process.env['PATH'] = '/nonexistent';
    try {
      const error = await slurm.submit(RANGE, []).catch((e: unknown) => e);
      expect(error).to.be.instanceOf(SchedulerError);
      expect(String(error)).to.contain('there is no program sbatch on the PATH');
    } finally {
      process.env['PATH'] = path;
    }
    const options = { farm, command, submit: 'echo no {command} >&2; exit 3', status: 'true {id}', cancel: undefined };
    const failed = await newTemplateScheduler({ ...options, slots: 1 })
      .submit(RANGE, [])
      .catch(String);
    expect(failed).to.match(/exit code 3: no echo a b 5/);
  });

  it('take templates that name what they can be given, and no others', () => {
    expect(templateMistake('submit', 'srun -Q {command}')).to.equal(undefined);
    expect(templateMistake('submit', 'ssh node{slot} {quoted}')).to.equal(undefined);
    expect(templateMistake('submit', 'srun')).to.match(/needs \{command\}/);
    expect(templateMistake('submit', 'srun {comand}')).to.match(/\{comand\} stands for nothing/);
    expect(templateMistake('status', 'qstat')).to.match(/needs \{id\}/);
    expect(templateMistake('cancel', 'qdel {id}')).to.equal(undefined);
  });
});

describe('a farm with nodes that play otherwise', () => {
  const { open } = LAUNCHERS.find(({ name }) => name === 'template') as LauncherUnderTest;
  let out: string;

  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'farm-'));
  });
  afterEach(() => rmSync(out, { recursive: true, force: true }));

  const play = async (settings: Parameters<typeof farmSettings>[0]): Promise<string> => {
    const notes: string[] = [];
    const results: JobResult[] = [];
    const changes: Partial<FarmOptions> = {
      settings: async () => farmSettings(settings),
      onNote: (text) => void notes.push(text),
      patience: { lostMs: 20_000, settleMs: 50 },
    };
    const run = open(out, changes).run([aJob({ id: 'a', argv: ['pass'] })], (result) => void results.push(result));
    const error = await run.then(
      () => undefined,
      (e: unknown) => e,
    );
    if (error === undefined) return results.map(({ status }) => status).join();
    expect(error).to.be.instanceOf(PoolError);
    expect(results).to.deep.equal([]);
    expect(notes[0]).to.match(/^chunk 1.*refused by .*1 run of it not played$/);
    return String(error);
  };

  it('lets a node with another version of Node play if the probe goes there as here', async () => {
    expect(await play({ node: '18.0.0' })).to.equal('passed');
  });

  it('ends with the reason when every node refuses: another transcript, or other sources', async () => {
    const probe = { job: aJob({ id: 'probe', title: 'a probe', argv: ['pass'] }), transcript: 'y' };
    expect(await play({ node: '18.0.0', probe })).to.match(
      /plays other runs than Node 18\.0\.0.*a probe passed, transcript x, there y/,
    );
  });

  it('ends with the reason when every node has other sources', async () => {
    expect(await play({ sources: 'changed' })).to.match(/farm plays nothing.*the build here is of other sources/s);
  });
});

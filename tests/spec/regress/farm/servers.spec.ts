import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FarmFolder } from '../../../../regress/farm/farmFolder.ts';
import { holderOf, type Holder } from '../../../../regress/farm/lease.ts';
import { SlurmScheduler } from '../../../../regress/farm/schedulers/slurm.ts';
import { describeContract, jobsOf, Reported, until } from '../../support/farm/contract.ts';
import { onFarm } from '../../support/farm/launchers.ts';
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

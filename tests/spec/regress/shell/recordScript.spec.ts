import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Job } from '../../../../regress/job.ts';
import { type RecordedScript, type RecordOptions, recordScript } from '../../../../regress/shell/recordScript.ts';
import { parseCalls } from '../../../../regress/shell/recorders.ts';

const LAUNCHER = fileURLToPath(new URL('../../../../hca_test', import.meta.url));

describe('recordScript', () => {
  let folder = '';
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'record-')));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function record(text: string, options: Partial<RecordOptions> = {}): Promise<RecordedScript> {
    const path = join(folder, 'x.sh');
    writeFileSync(path, text);
    return recordScript(path, { cwd: folder, env: { PATH: process.env['PATH'], SHELL: '/bin/sh' }, ...options });
  }

  async function recorded(text: string, options: Partial<RecordOptions> = {}): Promise<readonly Job[]> {
    const { jobs, problems } = await record(text, options);
    expect(problems).to.deep.equal([]);
    return jobs;
  }

  it('unrolls loops, variables, conditions and functions', async () => {
    const jobs = await recorded(`
      run() { hca_test "+A=$1" -l "log $1/a.log"; }
      for n in 1 2 3; do if [ "$n" != 2 ]; then run "$n"; fi; done
      printf '7\\n8\\n' | while read -r n; do hca_test +B=$n; done
      hca_test "+C=a b'\\"\\$" ''
    `);
    expect(jobs.map((j) => j.argv)).to.deep.equal([
      ['+A=1', '-l', 'log 1/a.log'],
      ['+A=3', '-l', 'log 3/a.log'],
      ['+B=7'],
      ['+B=8'],
      ['+C=a b\'"$', ''],
    ]);
    expect(jobs.map((j) => j.id)).to.deep.equal(['x/a', 'x/a.2', 'x/call3', 'x/call4', 'x/call5']);
    expect(jobs[3]?.where).to.equal(`${folder}/x.sh, call 4`);
  });

  it('takes what bsub submits, and lets the script read an answer', async () => {
    const jobs = await recorded(`
      for n in 1 2; do id=$(bsub -J "j$n" -o "l$n.log" hca_test +A=$n | sed 's/.*<\\([0-9]*\\)>.*<.*/\\1/'); done
      bsub "./hca_test +A=$id -l own.log"
    `);
    expect(jobs.map((j) => [j.id, ...j.argv])).to.deep.equal([
      ['x/j1', '+A=1', '-l', 'l1.log'],
      ['x/j2', '+A=2', '-l', 'l2.log'],
      ['x/own', '+A=1', '-l', 'own.log'],
    ]);
  });

  it('keeps the folder and the seed of each call', async () => {
    mkdirSync(join(folder, 'sub'));
    const jobs = await recorded('(cd sub; COCOTB_RANDOM_SEED=9 hca_test)\nmkdir -p a/b && cd a/b\nhca_test\n');
    expect(jobs.map((j) => j.cwd)).to.deep.equal([join(folder, 'sub'), join(folder, 'a/b')]);
    expect(jobs.map((j) => j.argv)).to.deep.equal([['--seed', '9'], []]);
  });

  it('records the launcher that is called by its path or through a link, which then plays nothing', async () => {
    symlinkSync(LAUNCHER, join(folder, 'hca_test'));
    const jobs = await recorded(`./hca_test +A=1\n${LAUNCHER} +A=2\nmkdir c && cd c\n../hca_test +A=3\n`);
    expect(jobs.map((j) => j.argv)).to.deep.equal([['+A=1'], ['+A=2'], ['+A=3']]);
    expect(existsSync(join(folder, 'out'))).to.equal(false);
  });

  it('waits for what the script leaves in the background', async () => {
    const jobs = await recorded('(sleep 0.3; hca_test +A=2) >/dev/null 2>&1 &\nhca_test +A=1\n');
    expect(jobs.map((j) => j.argv)).to.deep.equal([['+A=1'], ['+A=2']]);
  });

  it('takes the shell of the first line, with its argument', async () => {
    const seen = join(folder, 'seen');
    const shell = join(folder, 'shell');
    writeFileSync(shell, `#!/bin/sh\nprintf '%s ' "$#" "$@" >${seen}\nexec /bin/sh "$2"\n`);
    chmodSync(shell, 0o755);
    const jobs = await recorded(`#!${shell} -f\nhca_test\n`);
    expect(jobs).to.have.length(1);
    expect(existsSync(seen)).to.equal(true);
  });

  it('takes nothing of a script that does not come to its end', async () => {
    const { jobs, problems } = await record('hca_test\nfalse\nexit 4\n');
    expect(jobs).to.deep.equal([]);
    expect(problems).to.deep.equal([
      `${folder}/x.sh: /bin/sh has ended with exit code 4, so runs may be missing; end the script with exit 0 if that is as it should be`,
    ]);
    expect((await record('#!/no/such/shell\n')).problems[0]).to.match(/its shell \/no\/such\/shell cannot be started/);
  });

  it('leaves out no run because the program is not where the script looks for it', async () => {
    const { jobs, problems } = await record('hca_test +A=1\n./hca_test +A=2\nhca_test +A=3\n');
    expect(jobs).to.deep.equal([]);
    expect(problems[0]).to.match(
      /runs are missing, for the shell says: .*hca_test: .*not found; call it without a folder/,
    );
  });

  it('names submissions that run something else, and job arrays', async () => {
    const { problems } = await record('bsub -o a.log ./tidy\nbsub -J "n[1-4]" hca_test\nhca_test\n');
    expect(problems).to.have.length(2);
    expect(problems[0]).to.match(/x\.sh, call 1: bsub without a command hca_test/);
    expect(problems[1]).to.match(/x\.sh, call 2: -J n\[1-4\]: job arrays are not unrolled/);
  });

  it('hands on what the shell complains of', async () => {
    const { jobs, notes } = await record('echo careful >&2\nhca_test\n');
    expect([jobs.length, notes]).to.deep.equal([1, [`${folder}/x.sh: the shell says: careful`]]);
  });

  it('ends a script that calls without end, or waits without end, with all its processes', async () => {
    const endless = await record('while :; do hca_test +A=1; done\n', { mostBytes: 5000 });
    expect(endless.jobs).to.deep.equal([]);
    expect(endless.problems[0]).to.match(/calls hca_test without end \(more than 5000 bytes of calls\)/);
    const mark = join(folder, 'mark');
    const waiting = await record(`(sleep 3; touch ${mark}) &\nsleep 1000\n`, { silentSeconds: 0.5 });
    expect(waiting.problems[0]).to.match(/has called nothing for 0\.5 s and was ended/);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(existsSync(mark)).to.equal(false);
  });

  it('is not started within a script that is being recorded, nor for what is no file', async () => {
    const nested = await record('hca_test\n', { env: { ...process.env, HCA_REGRESS_RECORDER: 'x' } });
    expect(nested.problems[0]).to.match(/is itself called by a script that --shell runs/);
    const device = await recordScript('/dev/null', { cwd: folder, env: {} });
    expect(device.problems[0]).to.match(/--shell needs a file/);
  });
});

describe('parseCalls', () => {
  it('refuses records that were mixed', () => {
    const call = (word: string): string => ['hca_test', '1', '/w', '', word, 'end of call', ''].join('\0');
    expect(parseCalls(call('a') + call('b'))).to.have.length(2);
    expect(() => parseCalls(call('a').slice(0, 12) + call('b') + call('a').slice(12))).to.throw(/at the same time/);
    expect(() => parseCalls(call('a').slice(0, -5))).to.throw(/at the same time/);
  });
});

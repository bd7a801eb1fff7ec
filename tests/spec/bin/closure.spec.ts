import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaRegress.ts';
import type { WorkerPrograms } from '../../../bin/many/localPool.ts';
import { readJournal } from '../../../regress/readJournal.ts';
import { readStore } from '../../../regress/coverage/readStore.ts';
import { builtWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const LIST = `
tests:
  - name: requests
    test: test_random
    reseed: 20
    plusargs: { DRAW_FAULTS: 0, RC_QP_NUM: 1 }
`;

describe('hca_regress run --until-coverage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'closure-'));
  const list = join(folder, 'list.yaml');
  let workers: WorkerPrograms;
  before(() => {
    workers = builtWorkers();
    writeFileSync(list, LIST);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function regress(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(['run', list, ...argv], { ...workers, out, err });
    return { code, out: out.text, err: err.text };
  }

  /** Arguments of all runs, generation by generation. */
  function runsIn(out: string): readonly (readonly string[])[] {
    const generations = readdirSync(out).filter((name) => name.startsWith('generation-'));
    return generations.sort().flatMap((name) => readJournal(join(out, name)).plan.jobs.map(({ argv }) => argv));
  }

  /** Of all runs, in the order of their ids, generation by generation. */
  function transcriptsIn(out: string): readonly string[] {
    const generations = readdirSync(out).filter((name) => name.startsWith('generation-'));
    return generations.sort().flatMap((name) => {
      const { results } = readJournal(join(out, name));
      return [...results.values()].map(({ id, transcript }) => `${name} ${id} ${transcript}`).sort();
    });
  }

  /** The store as it is kept, but for processor time, which is that of this machine, now. */
  function storeIn(out: string): string {
    return readFileSync(join(out, 'coverage.jsonl'), 'utf8').replace(/"cpuMs":[\d.]+/g, '"cpuMs":0');
  }

  it('plays the same runs and leaves the same transcripts and coverage with one worker and with two', async () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    const asked = ['--until-coverage', '36', '--generation', '2', '--seed', '3'];
    const first = await regress(...asked, '-j', '1', '--out', one);
    const second = await regress(...asked, '-j', '2', '--out', two);
    expect(first.code, first.out).to.equal(second.code);
    expect(runsIn(one)).to.deep.equal(runsIn(two));
    expect(runsIn(one).length).to.be.above(2);
    expect(transcriptsIn(one)).to.deep.equal(transcriptsIn(two));
    const steered = runsIn(one).slice(2);
    expect(steered.some((argv) => argv.some((word) => /^\+(?!UVM_TESTNAME)/.test(word)))).to.equal(true);
    expect(storeIn(one) === storeIn(two), 'stores of 1 and of 2 workers').to.equal(true);
    expect(first.out).to.match(/^CLOSURE PASSED 36 % reached after \d+ generations, \d+ runs, /m);
    const log = JSON.parse(readFileSync(join(one, 'closure.json'), 'utf8')) as { end: string; generations: unknown[] };
    expect(log.end).to.equal('reached');
  });

  it('goes on where it was cut off, to the same runs and the same coverage', async () => {
    const [whole, cut] = [join(folder, 'one'), join(folder, 'cut')];
    cpSync(whole, cut, { recursive: true });
    const path = join(cut, 'closure.json');
    const log = JSON.parse(readFileSync(path, 'utf8')) as { generations: object[] };
    expect(log.generations.length).to.be.above(1);
    // In the middle of the second generation, of which one result is written, and a part of another.
    writeFileSync(path, JSON.stringify({ ...log, end: '', generations: log.generations.slice(0, 1) }));
    for (const name of readdirSync(cut)
      .filter((each) => /^generation-0/.test(each))
      .sort()
      .slice(2))
      rmSync(join(cut, name), { recursive: true });
    const journal = join(cut, 'generation-002', 'runs.jsonl');
    const [plan = '', first = '', second = ''] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${plan}\n${first}\n${second.slice(0, 40)}`);
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(['run', '--resume', cut, '-j', '1'], { ...workers, out, err });
    expect(code, err.text).to.equal(0);
    expect(out.text).to.match(/^generation 1: 2 runs, .*, played before$/m);
    expect(runsIn(cut)).to.deep.equal(runsIn(whole));
    const covered = (at: string): unknown =>
      (
        JSON.parse(readFileSync(join(at, 'closure.json'), 'utf8')) as { generations: { covered: number }[] }
      ).generations.map((generation) => generation.covered);
    expect(covered(cut)).to.deep.equal(covered(whole));
    const hits = (at: string): unknown => readStore(at).runs.map(({ id, name, hits: of }) => ({ id, name, of }));
    expect(hits(cut)).to.deep.equal(hits(whole));
  });

  it('begins no generation when its time is over, and says what is missing', async () => {
    const out = join(folder, 'short');
    const { code, out: text } = await regress(
      ...['--until-coverage', '100', '--generation', '1', '--max-time', '0.001', '-j', '1', '--out', out],
    );
    expect(code).to.equal(4);
    expect(text).to.match(/^CLOSURE STOPPED 100 % not reached: --max-time 0\.001 after 1 generation, 1 run/m);
    expect(runsIn(out)).to.have.length(1);
  });

  it('is failed by no known issue, and ends where no run has passed', async () => {
    const [own, known] = [join(folder, 'own.yaml'), join(folder, 'known.yaml')];
    const plusargs =
      'HOST_NUM: 2, RC_QP_NUM: 1, UC_QP_NUM: 0, UD_QP_NUM: 0, SEND_WQE_NUM: 3, RECV_WQE_NUM: 3, DATA_CNT: 64';
    const entry = (name: string, more: string): string =>
      `  - { name: ${name}, test: test_direct_param, reseed: 2, plusargs: { ${plusargs}${more} } }\n`;
    writeFileSync(own, `tests:\n${entry('early', ', DUT_FAULT: completed_unacknowledged')}${entry('healthy', '')}`);
    const issue = 'id: SCB_EARLY, broad: true, owner: eve, link: "https://tracker.example/1", until: 2999-01-01';
    writeFileSync(known, `known_issues:\n  - { ${issue} }\n`);
    const asked = ['--until-coverage', '3', '--known', known, '-j', '1'];
    const play = async (...words: string[]): Promise<{ code: number; out: string }> => {
      const [out, err] = [new CapturedOutput(), new CapturedOutput()];
      const code = await main(['run', own, ...asked, ...words], { ...workers, out, err });
      return { code, out: out.text };
    };
    const both = await play('--generation', '4', '--out', join(folder, 'known-both'));
    expect([both.code, both.out.match(/CLOSURE PASSED .*, 2 known$/m)?.length], both.out).to.deep.equal([0, 1]);
    const none = await play('--generation', '2', '--filter', 'early', '--out', join(folder, 'known-none'));
    expect(none.code).to.equal(4);
    expect(none.out).to.match(/CLOSURE STOPPED .* no run has passed, so that nothing is covered .*, 2 known$/m);
  });

  it('refuses what it cannot steer', async () => {
    const both = await regress('--until-coverage', '90', '--fixed-seed', '1');
    expect([both.code, both.err]).to.satisfy(
      ([code, err]: [number, string]) => code === 2 && err.includes('--fixed-seed'),
    );
    const alone = await regress('--generation', '5');
    expect([alone.code, alone.err]).to.satisfy(
      ([code, err]: [number, string]) => code === 2 && err.includes('--until-coverage'),
    );
    const share = await regress('--until-coverage', '101');
    expect(share.err).to.contain('--until-coverage 101 (command line): allowed: a number above 0, to 100');
  });
});

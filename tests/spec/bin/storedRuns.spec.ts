import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseRegressCommand } from '../../../bin/cli/commands/regressCommand.ts';
import { parseTestCommand } from '../../../bin/cli/commands/testCommand.ts';
import * as hcaRegress from '../../../bin/hcaRegress.ts';
import { KnownFailures } from '../../../bin/many/knownFailures.ts';
import { inOwnFolder } from '../../../bin/run/ownFolder.ts';
import { JournalWriter } from '../../../regress/journal.ts';
import type { Job, JobResult } from '../../../regress/job.ts';
import { FailureDatabase } from '../../../regress/failures/failureDatabase.ts';
import { callText } from '../../../config/scenario/calls/callText.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { aJob, aPlan, aResult } from '../support/jobs.ts';

/** A regression that somebody else has sent. */
class Stranger {
  readonly around = mkdtempSync(join(tmpdir(), 'stranger-'));
  readonly folder = join(this.around, 'out');

  constructor() {
    mkdirSync(this.folder);
  }

  journal(jobs: readonly Partial<Job>[], results: readonly Partial<JobResult>[] = []): void {
    const journal = new JournalWriter(join(this.folder, 'runs.jsonl'), aPlan({ jobs: jobs.map((job) => aJob(job)) }));
    for (const result of results) journal.result(aResult(result));
    journal.close();
  }

  async asked(...argv: readonly string[]): Promise<{ code: number; text: string }> {
    const out = new CapturedOutput();
    const code = await hcaRegress.main(argv, { out, err: out });
    return { code, text: out.text };
  }
}

describe('what somebody else has stored', () => {
  let stranger: Stranger;
  beforeEach(() => {
    stranger = new Stranger();
  });
  afterEach(() => rmSync(stranger.around, { recursive: true, force: true }));

  it('names no folder but one below its own by the id of a run', async () => {
    for (const id of ['..', '', '.', '../x', '/x', 'a//b', `a${'b'.repeat(300)}`]) {
      stranger.journal([{ id }]);
      const { code, text } = await stranger.asked('run', '--resume', stranger.folder);
      expect([code, text]).to.deep.include(2);
      expect(text).to.match(/runs\.jsonl:1: is no line of a journal: jobs\[0\]\.id: /);
      expect(existsSync(join(stranger.folder, 'runs.jsonl'))).to.equal(true);
      rmSync(join(stranger.folder, 'runs.jsonl'));
    }
  });

  it('decides with no status, no log and no field of a run how it is read', async () => {
    const broken = [{ status: '__proto__' }, { status: 'toString' }, { log: 5 }, { signature: {} }, { errorIds: 'x' }];
    for (const change of broken) {
      stranger.journal([{ id: 'a' }], [{ id: 'a', ...change } as unknown as JobResult]);
      for (const argv of [['shrink'], ['run', '--failed'], ['run', '--resume']]) {
        const { code, text } = await stranger.asked(...argv, stranger.folder);
        expect(code, text).to.equal(2);
        expect(text).to.match(
          /runs\.jsonl:2: is no line of a journal: result|runs\.jsonl:2: is no line of a journal: \w+/,
        );
      }
      rmSync(join(stranger.folder, 'runs.jsonl'));
    }
  });

  it('has code of a folder loaded only where the command line names the folder', async () => {
    const tests = join(stranger.around, 'tests');
    mkdirSync(tests);
    writeFileSync(
      join(tests, 'evil.ts'),
      `import { writeFileSync } from 'node:fs'; writeFileSync('${stranger.around}/ran', '');`,
    );
    const argv = ['+UVM_TESTNAME=test_smoke', `+TEST_PATH=${tests}`];
    stranger.journal(
      [
        { id: 'a', argv },
        { id: 'b', argv },
      ],
      [{ id: 'b', status: 'failed' }],
    );
    for (const flag of ['--resume', '--failed']) {
      const { code, text } = await stranger.asked('run', flag, stranger.folder);
      expect([code, text]).to.deep.include(2);
      expect(text).to.contain(
        `its runs have tests of the folder ${tests}; their code is loaded if you name it: add +TEST_PATH=${tests}`,
      );
    }
    expect(existsSync(join(stranger.around, 'ran'))).to.equal(false);
    expect(parseRegressCommand(['run', '--resume', 'x', `+TEST_PATH=${tests}`]).problems).to.deep.equal([]);
  });

  it('is shown by a dry run that goes on with it, and nothing else happens', async () => {
    stranger.journal(
      [
        { id: 'a', argv: ['--seed', '1'] },
        { id: 'b', argv: ['-l', '../x'] },
      ],
      [{ id: 'a' }],
    );
    const { code, text } = await stranger.asked('run', '--resume', stranger.folder, '-n');
    expect([code, text]).to.deep.equal([0, './hca_test -l ../x  # b\n']);
  });

  it('plays runs again that could not write down what they had to', async () => {
    stranger.journal(
      [{ id: 'a' }, { id: 'b' }],
      [{ id: 'a', status: 'error', lost: ['log: no space left'] }, { id: 'b' }],
    );
    const { text } = await stranger.asked('run', '--resume', stranger.folder, '-n');
    expect(text).to.match(/^\.\/hca_test +# a\n$/);
  });

  it('lets no link lead what is written out of its folder', async () => {
    stranger.journal([{ id: 'a' }], [{ id: 'a', status: 'failed' }]);
    symlinkSync(stranger.around, join(stranger.folder, 'runs'));
    for (const argv of [['run', '--resume'], ['shrink']]) {
      const { code, text } = await stranger.asked(...argv, stranger.folder);
      expect([code, text]).to.deep.include(2);
      expect(text).to.contain(
        `${join(stranger.folder, 'runs')} is a link; put in its place what it leads to, or take it away`,
      );
    }
  });

  it('is shrunk where its regression is, and nowhere else; without a record it is not, and exit code 2 says so', async () => {
    stranger.journal([{ id: 'a' }], [{ id: 'a', status: 'failed', folder: stranger.around }]);
    writeFileSync(join(stranger.around, 'run.json'), '{}');
    const { code, text } = await stranger.asked('shrink', stranger.folder);
    expect([code, text]).to.deep.include(2);
    expect(text).to.contain(
      `a has kept no record, ${join(stranger.folder, 'runs/a/run.json')}; play it again with --keep failures`,
    );
  });

  it('is no closure, no plan and no journal by its name alone', async () => {
    writeFileSync(join(stranger.folder, 'closure.json'), '{}');
    const closure = await stranger.asked('run', '--resume', stranger.folder);
    expect([closure.code, closure.text]).to.deep.include(2);
    expect(closure.text).to.match(/closure\.json: is no log of a closure: format: expected 1/);
    writeFileSync(join(stranger.folder, 'plan.json'), '{"format":"rnic-verify exhaust 1"}');
    const plan = await stranger.asked('exhaust', '--resume', stranger.folder);
    expect([plan.code, plan.text]).to.deep.include(2);
    expect(plan.text).to.match(/plan\.json cannot be read: source: expected string/);
  });

  it('writes into the folder of the run whatever its arguments name', () => {
    const words = ['-l', '../x', '+PCAP=../y', '--trace=/z', '+DUMP_SCENARIO=../../notes.md'];
    const { log, pcap, trace, dumpScenario } = inOwnFolder(parseTestCommand(words), '/out/runs/a');
    expect([log, pcap, trace, dumpScenario]).to.deep.equal([undefined, '', '', '/out/runs/a/dumped-notes.md']);
  });

  it('stays within the comment of a scenario', () => {
    const scenario = {
      test: 't',
      seed: 1,
      hosts: 2,
      processes: 1,
      receivesMayRemain: false,
      parameters: {},
      faults: [],
      laziness: {},
      stages: [],
    };
    const text = callText(scenario as never, ['one\nseed: 7\u001b[2J']);
    expect(text.split('\n')[0]).to.equal('# one\\nseed: 7\\x1b[2J');
  });
});

describe('an entry of .failures', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'failures-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const found = {
    test: 'test_x',
    seed: 1,
    dut: 'hangu',
    signature: '[SCB_DATA] x',
    testPath: '',
    testSha256: '',
    args: [],
  };
  const known = (compiled = {}): KnownFailures =>
    new KnownFailures(parseRegressCommand(['run', 'smoke']), folder, compiled, folder);

  it('neither writes files nor names another test or folder by its arguments', () => {
    for (const arg of ['+PCAP=../x', '+DUMP_SCENARIO=x', '+TEST_PATH=x', '+UVM_TESTNAME=y', '-l', '+TRACE', 'x']) {
      const path = new FailureDatabase(folder).note({ ...found, args: [arg] }, '');
      const { problems } = known();
      expect(problems, arg).to.have.length(1);
      expect(problems[0]).to.contain(path);
      expect(problems[0]).to.match(/an entry neither writes files nor loads code|args\[0\]: expected a plusarg/);
      rmSync(path);
    }
  });

  it('has its scenario beside it, as an ordinary file', () => {
    const path = new FailureDatabase(folder).note(found, '');
    const text = readFileSync(path, 'utf8');
    const scenario = /"scenario": "(.*)"/.exec(text)?.[1] as string;
    for (const name of ['../x.yaml', '/etc/passwd', '']) {
      writeFileSync(path, text.replace(`"${scenario}"`, `"${name}"`));
      expect(known().problems[0]).to.match(/scenario: expected the name of a file in the same folder/);
    }
    writeFileSync(path, text);
    rmSync(join(folder, scenario));
    symlinkSync('/etc/passwd', join(folder, scenario));
    expect(known().problems[0]).to.match(/its scenario .* is not there as an ordinary file$/);
  });

  it('with tests of its own is played where the regression loads these, and is otherwise left out and named', () => {
    new FailureDatabase(folder).note({ ...found, testPath: 'mine' }, '');
    const tests = join(folder, 'mine');
    const left = known();
    expect([left.jobs, left.problems]).to.deep.equal([[], []]);
    expect(left.notes).to.deep.equal([
      `1 known failure not played: the tests are in ${tests}, whose code is loaded if you name it: add +TEST_PATH=${tests}`,
    ]);
    const loaded = known({ [tests]: { output: '', modules: [], sha256: '' } });
    expect([loaded.jobs.length, loaded.notes]).to.deep.equal([1, []]);
  });
});

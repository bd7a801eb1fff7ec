import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { parseRegressCommand } from '../../../bin/cli/commands/regressCommand.ts';
import * as hcaRegress from '../../../bin/hcaRegress.ts';
import * as hcaTest from '../../../bin/hcaTest.ts';
import { KnownFailures } from '../../../bin/many/knownFailures.ts';
import { FailureDatabase } from '../../../regress/failures/failureDatabase.ts';
import { JournalWriter } from '../../../regress/journal.ts';
import { lockFolder } from '../../../regress/folderLock.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry } from '../support/fakeRun.ts';
import { aJob, aPlan, aResult } from '../support/jobs.ts';

/** What may lie under the name of a stored file and would be read for ever, with what is said of it. */
const ENDLESS = {
  'a pipe': (path: string): void => void execFileSync('mkfifo', [path]),
  'a device': (path: string): void => symlinkSync('/dev/zero', path),
};

interface Stored {
  /** Of the regression's folder. */
  readonly file: string;
  readonly argv: readonly string[];
  /** The file is one that the user names, so that a pipe is waited for. */
  readonly named?: boolean;
}

const STORED: readonly Stored[] = [
  { file: 'runs.jsonl', argv: ['run', '--resume', '.'] },
  { file: 'runs.jsonl', argv: ['run', '--failed', '.'] },
  { file: 'runs.jsonl', argv: ['shrink', '.'] },
  { file: 'closure.json', argv: ['run', '--resume', '.'] },
  { file: 'plan.json', argv: ['exhaust', '--resume', '.'] },
  { file: 'coverage.jsonl', argv: ['coverage', '.'], named: true },
  { file: 'runs/a/run.json', argv: ['shrink', '.'] },
];

describe('a pipe or a device in place of a stored file', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stored-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const asked = async (argv: readonly string[]): Promise<{ code: number; text: string }> => {
    const out = new CapturedOutput();
    const words = argv.map((word) => (word === '.' ? folder : word));
    const code = await hcaRegress.main(words, { registry: fakeRegistry(), out, err: out });
    return { code, text: out.text };
  };

  for (const [kind, make] of Object.entries(ENDLESS)) {
    for (const { file, argv, named = false } of STORED) {
      // A pipe that a user names may speak within 10 s: files/inputFile.spec.ts.
      if (named && kind === 'a pipe') continue;
      it(`is named by ${argv.join(' ')}: ${file} is ${kind}, and nothing is written`, async () => {
        if (file.startsWith('runs/')) {
          const journal = new JournalWriter(join(folder, 'runs.jsonl'), aPlan({ jobs: [aJob({ id: 'a' })] }));
          journal.result(aResult({ id: 'a', status: 'failed' }));
          journal.close();
        }
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        make(join(folder, file));
        const before = readdirSync(folder, { recursive: true });
        const { code, text } = await asked(argv);
        expect(code, text).to.equal(2);
        expect(text)
          .to.contain(join(folder, file).split('/').at(-1))
          .and.not.to.match(/^ +at /m);
        expect(text).to.match(/it is a (pipe|device)|has kept no record/);
        expect(readdirSync(folder, { recursive: true })).to.deep.equal(before);
      });
    }

    it(`is named where .failures holds ${kind}`, () => {
      mkdirSync(join(folder, '.failures'));
      make(join(folder, '.failures/x.json'));
      const { problems } = new KnownFailures(
        parseRegressCommand(['run', 'smoke']),
        folder,
        {},
        join(folder, '.failures'),
      );
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(/\.failures\/x\.json.*it is a (pipe|device)/);
    });

    it(`is named where the scenario of a known failure is ${kind}`, () => {
      const found = { test: 't', seed: 1, dut: 'hangu', signature: '[A] x', testPath: '', testSha256: '', args: [] };
      new FailureDatabase(folder).note(found, 'x');
      const scenario = readdirSync(folder).find((name) => !name.endsWith('.json')) as string;
      rmSync(join(folder, scenario));
      make(join(folder, scenario));
      const { problems } = new KnownFailures(parseRegressCommand(['run', 'smoke']), folder, {}, folder);
      expect(problems[0]).to.match(/its scenario .* is not there as an ordinary file$/);
    });

    it(`keeps nobody waiting as the lock of a folder: ${kind}`, () => {
      const lock = lockFolder(folder, '--out');
      const name = readdirSync(folder)[0] as string;
      if (typeof lock === 'object') lock.release();
      make(join(folder, name));
      const again = lockFolder(folder, '--out');
      if (typeof again === 'object') again.release();
      expect(typeof again === 'object' || again.length > 0).to.equal(true);
    });
  }

  it('is named by a replay of a device', async () => {
    symlinkSync('/dev/zero', join(folder, 'run.json'));
    const out = new CapturedOutput();
    const argv = ['--replay', join(folder, 'run.json')];
    expect(await hcaTest.main(argv, { registry: fakeRegistry(), out, err: out }), out.text).to.equal(2);
    expect(out.text).to.contain('run.json').and.to.contain('it is a device; give a file');
  });

  it('is no reason to overwrite a regular file beside it', async () => {
    writeFileSync(join(folder, 'report.json'), 'mine');
    ENDLESS['a pipe'](join(folder, 'runs.jsonl'));
    const { code } = await asked(['run', '--resume', '.']);
    expect([code, readdirSync(folder)]).to.deep.equal([2, ['report.json', 'runs.jsonl']]);
  });
});

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parseCoverageCommand } from '../../../bin/cli/commands/coverageCommand.ts';
import { parseExhaustCommand } from '../../../bin/cli/commands/exhaustCommand.ts';
import { parseRegressCommand } from '../../../bin/cli/commands/regressCommand.ts';
import { similarFile } from '../../../bin/cli/similarFile.ts';
import { parseTestCommand } from '../../../bin/cli/commands/testCommand.ts';
import * as hcaRegress from '../../../bin/hcaRegress.ts';
import * as hcaTest from '../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { nearest } from '../../../uvm/cmdline/nearest.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('a mistake at the command line', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'answers-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function asked(
    program: typeof hcaTest | typeof hcaRegress,
    ...argv: readonly string[]
  ): Promise<[number, string]> {
    const out = new CapturedOutput();
    const code = await program.main(argv, { registry: await loadRegistry(), out, err: out });
    return [code, out.text];
  }

  it('is told for a page that speaks of runs, and nobody is advised to execute it', async () => {
    const [code, text] = await asked(hcaRegress, 'run', join(root, 'README.md'), '-n');
    expect(code).to.equal(2);
    expect(text)
      .to.match(/README\.md: is no list and no script; name a list/)
      .and.not.to.contain('--shell');
  });

  it('names the command that is meant, or all of them', () => {
    const first = (...argv: readonly string[]): string | undefined => parseRegressCommand(argv).problems[0];
    expect(first('rum', 'smoke')).to.equal('rum: unknown command; did you mean run?');
    expect(first('zebra')).to.match(/^zebra: unknown command; there are run, /);
    expect(first('smoke')).to.equal('smoke: unknown command; write: hca_regress run smoke');
    expect(first('mine.yaml')).to.equal('mine.yaml: unknown command; write: hca_regress run mine.yaml');
  });

  it('is one mistake where a list is given as a file of options', () => {
    expect(parseTestCommand(['-f', 'list.yaml']).problems).to.deep.equal([
      '-f list.yaml (command line): this is a list; write hca_regress run list.yaml',
    ]);
  });

  it('takes no folder for another one because both have short names', () => {
    expect(similarFile('/nope')).to.equal('');
    writeFileSync(join(folder, 'list.yaml'), '');
    expect(similarFile(join(folder, 'lst.yaml'))).to.equal(`; did you mean ${join(folder, 'list.yaml')}?`);
  });

  it('finds names of which a word is the beginning', () => {
    expect(nearest('gather_al', ['gather_alignments_of_pages', 'scatter_all'])).to.deep.equal([
      'gather_alignments_of_pages',
    ]);
  });

  it('speaks of the scenario that is not there, and not of the test', async () => {
    const [code, text] = await asked(hcaTest, '--scenario', join(folder, 'gone.yaml'));
    expect([code, text]).to.deep.include(2);
    expect(text).to.contain('gone.yaml cannot be read: there is no such file').and.not.to.contain('no test is named');
  });

  it('takes -seed as other simulators do, and a plan behind a blank', () => {
    expect(parseTestCommand(['-seed', '7'])).to.deep.include({ seed: 7, problems: [] });
    expect(parseCoverageCommand(['out', '--plan', 'p.yaml'])).to.deep.include({ plan: 'p.yaml', sources: ['out'] });
    expect(parseCoverageCommand(['--plan', 'out'])).to.deep.include({ plan: '', sources: ['out'] });
  });

  it('answers kinds, faults and names of any length without a stack trace', async () => {
    expect(parseExhaustCommand(['x', '--kinds=__proto__']).problems[0]).to.contain(
      '--kinds __proto__ (command line): ',
    );
    const [code, text] = await asked(hcaTest, '+UVM_TESTNAME=test_smoke', '--faults', '.');
    expect([code, text]).to.deep.include(2);
    expect(text).to.contain('the fault rules . cannot be read: it is a folder');
  });

  it('is short for a word of three million signs in a file of options', async () => {
    const word = 'x'.repeat(3_000_000);
    const run = '+UVM_TESTNAME=test_smoke';
    for (const text of [
      word,
      `--${word}`,
      `${run} -l ${word}`,
      `${run} +RC_QP_NUM=${word}`,
      `${run} +NET_FAULT=${word}`,
    ]) {
      writeFileSync(join(folder, 'long.f'), text);
      const [code, answer] = await asked(hcaTest, '-f', join(folder, 'long.f'));
      expect(code).to.equal(2);
      expect(answer.length).to.be.within(100, 10_000);
      expect(answer).to.match(/nothing was run/i);
    }
    expect(readdirSync(folder)).to.deep.equal(['long.f']);
  });

  it('names what is too long for a file, an id or a folder, and nothing is made', async () => {
    const long = 'a'.repeat(400);
    const run = '+UVM_TESTNAME=test_smoke';
    const list = join(folder, 'l.yaml');
    writeFileSync(list, `tests: [{ name: ${long}, test: test_smoke }]`);
    const cases: readonly (readonly [typeof hcaTest | typeof hcaRegress, readonly string[], RegExp])[] = [
      [hcaTest, [run, '--out', long], /--out a+\.\.\.: the name is longer than the file system takes; name another/],
      [hcaTest, [run, '-l', long], /-l a+\.\.\.: the name is longer than the file system takes; name another/],
      [hcaTest, ['--replay', long], /a{400}/],
      [hcaTest, ['--scenario', long], /the scenario a{400} cannot be read/],
      [hcaTest, [run, `+TEST_PATH=${long}`], /\+TEST_PATH=a{400}: /],
      [hcaRegress, ['run', long], /a{400}: cannot be read/],
      [hcaRegress, ['run', '--resume', long], /--resume a{400}: .*name too long/],
      [hcaRegress, ['shrink', long], /shrink a{400}: .*name too long/],
      [hcaRegress, ['coverage', long], /a{400}: cannot be read, name too long/],
      [hcaRegress, ['exhaust', '--resume', long], /--resume a{400}: /],
      [hcaRegress, ['run', 'smoke', '--out', long], /--out a+\.\.\.: the name is longer than the file system takes/],
      [hcaRegress, ['run', list], /l\.yaml:1:17: name: "a+\.\.\. is not a name of letters, .* at most 100 of them/],
    ];
    const here = process.cwd();
    process.chdir(folder);
    try {
      for (const [program, argv, text] of cases) {
        const [code, answer] = await asked(program, ...argv);
        expect(code, answer).to.equal(2);
        expect(answer)
          .to.match(text)
          .and.not.to.match(/^ +at /m);
      }
    } finally {
      process.chdir(here);
    }
    expect(readdirSync(folder)).to.deep.equal(['l.yaml']);
  });

  it('refuses a rule about a host that the run does not have', async () => {
    for (const rule of ['drop host=9', 'drop host=9 optional', 'nic_reset host=2 from=1us']) {
      const [code, text] = await asked(hcaTest, '+UVM_TESTNAME=test_smoke', `+NET_FAULT=${rule}`, '--out', folder);
      expect([code, text]).to.deep.include(2);
      expect(text).to.match(
        /\(\+NET_FAULT\): host=[29]: the hosts of this run are 0 to 1; try host=1, or give \+HOST_NUM=/,
      );
    }
    expect(readdirSync(folder)).to.deep.equal([]);
  });
});

describe('a scenario of calls whose NIC is reset', () => {
  it('leaves out the calls of that host, also where its device is being closed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reset-'));
    try {
      const page = readFileSync(join(root, 'docs/scenario-file.md'), 'utf8');
      const [, text = ''] = /```yaml\n(format: rnic-verify scenario 2[\s\S]*?)```/.exec(page) ?? [];
      writeFileSync(join(folder, 's.yaml'), text);
      for (const rule of ['nic_reset host=0 from=46us', 'nic_reset host=1 from=46us', 'nic_reset host=0 from=20us']) {
        const out = new CapturedOutput();
        const words = ['--scenario', join(folder, 's.yaml'), `+NET_FAULT=${rule}`, '--out', folder];
        const code = await hcaTest.main(words, { registry: await loadRegistry(), out, err: out });
        expect(code, out.text).not.to.equal(3);
        expect(out.text).not.to.contain('EXCEPTION');
      }
      expect(existsSync(join(folder, 's.yaml'))).to.equal(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

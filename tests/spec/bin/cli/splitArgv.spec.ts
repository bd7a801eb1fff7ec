import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { splitArgv } from '../../../../bin/cli/splitArgv.ts';
import { commandLineTokens } from '../../../../bin/cli/token.ts';

const VALUED = new Set(['-l', '--log']);

function split(argv: readonly string[], cwd?: string) {
  const { plusargs, flags, problems } = splitArgv(commandLineTokens(argv), VALUED, cwd);
  return { plusargs: plusargs.map((t) => t.text), flags: flags.map((t) => t.text), problems };
}

describe('splitArgv', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'split-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('puts plusargs on one side and flags on the other, in order', () => {
    const out = split(['-uvmDebug', '+A=1', '-l', 'x.log', '+B', '+vpdfile+./w.vpd']);
    expect(out).to.deep.equal({
      plusargs: ['+A=1', '+B', '+vpdfile+./w.vpd'],
      flags: ['-uvmDebug', '-l', 'x.log'],
      problems: [],
    });
  });

  it('keeps a value that looks like a plusarg with its flag', () => {
    expect(split(['-l', '+x']).flags).to.deep.equal(['-l', '+x']);
  });

  it('loses and invents no word', () => {
    const word = fc.oneof(
      fc.stringMatching(/^\+[A-Z]{1,5}(=[a-z0-9=]{0,4})?$/),
      fc.stringMatching(/^-{1,2}[a-z]{2,5}$/),
      fc.stringMatching(/^[a-z]{1,5}$/),
    );
    fc.assert(
      fc.property(fc.array(word), (argv) => {
        const { plusargs, flags, problems } = split(argv);
        expect([...plusargs, ...flags].sort()).to.deep.equal([...argv].sort());
        expect(problems).to.deep.equal([]);
      }),
    );
  });

  it('reads nested option files with comments, quotes and positions', () => {
    mkdirSync(join(folder, 'inner'));
    writeFileSync(
      join(folder, 'outer.f'),
      '# first\n+A=1 // tail\n-f inner/more.f\n+URL=http://x "+S=two words" +T="3 4"\n',
    );
    writeFileSync(join(folder, 'inner/more.f'), '-f last.f\n+B=2\n');
    writeFileSync(join(folder, 'inner/last.f'), "+C='3'\n-l x.log\n");
    const out = splitArgv(commandLineTokens(['-f', 'outer.f', '+Z']), VALUED, folder);
    expect(out.problems).to.deep.equal([]);
    expect(out.plusargs.map((t) => t.text)).to.deep.equal([
      '+A=1',
      '+C=3',
      '+B=2',
      '+URL=http://x',
      '+S=two words',
      '+T=3 4',
      '+Z',
    ]);
    expect(out.plusargs[0]?.where).to.equal(`${join(folder, 'outer.f')}:2`);
    expect(out.flags.map((t) => t.text)).to.deep.equal(['-l', 'x.log']);
  });

  it('reports option files that include themselves, and those that are missing', () => {
    writeFileSync(join(folder, 'loop.f'), '-f loop.f\n');
    const { problems } = split(['-f', 'loop.f', '-f', 'none.f', '-f'], folder);
    expect(problems).to.have.length(3);
    expect(problems[0]).to.match(/nested more than 8 deep/);
    expect(problems[1]).to.match(/none\.f.*cannot read/);
    expect(problems[2]).to.match(/needs the name/);
  });

  it('skips block comments, takes a backslash at the end of a line for nothing and puts in variables', () => {
    process.env['SPLIT_SPEC'] = '/logs';
    writeFileSync(
      join(folder, 'a.f'),
      [
        '/* head',
        ' +NO=1 */ +A=1\\',
        '+B=2 /* in between */ +C=3 \\',
        `-l $SPLIT_SPEC/x.log +D=$\{SPLIT_SPEC}y +E='$SPLIT_SPEC' +F=a$ +G=*/x`,
      ].join('\n'),
    );
    const out = split(['-f', 'a.f'], folder);
    delete process.env['SPLIT_SPEC'];
    expect(out).to.deep.equal({
      plusargs: ['+A=1', '+B=2', '+C=3', '+D=/logsy', '+E=$SPLIT_SPEC', '+F=a$', '+G=*/x'],
      flags: ['-l', '/logs/x.log'],
      problems: [],
    });
  });

  it('names quotes and comments that are not closed and variables that are not set, with file and line', () => {
    writeFileSync(join(folder, 'b.f'), '+A=1 "unclosed +B=2\n-l $NO_SUCH_THING/x\n/* to the end\n');
    const { problems } = split(['-f', 'b.f'], folder);
    expect(problems).to.have.length(3);
    expect(problems[0]).to.match(/b\.f:1: the quote " is not closed on this line; close it: \+A=1 "unclosed/);
    expect(problems[1]).to.match(/b\.f:2: \$NO_SUCH_THING: the environment has no variable NO_SUCH_THING; set it, or/);
    expect(problems[2]).to.match(/b\.f:3: the comment \/\* is not closed/);
  });

  it('takes -F, -file and -f=file for -f', () => {
    writeFileSync(join(folder, 'c.f'), '+A=1\n');
    for (const argv of [['-F', 'c.f'], ['-file', 'c.f'], ['-f=c.f']])
      expect(split(argv, folder).plusargs, argv.join(' ')).to.deep.equal(['+A=1']);
  });

  it('names a file with a similar name when there is no such option file', () => {
    writeFileSync(join(folder, 'options.f'), '');
    expect(split(['-f', 'optoins.f'], folder).problems[0]).to.match(
      /there is no such file; did you mean .*options\.f\?$/,
    );
  });

  it('reports malformed plusargs one by one', () => {
    expect(split(['+=4', '+', '+1X=2', '+GOOD=1']).problems).to.have.length(3);
  });
});

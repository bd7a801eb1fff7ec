import { expect } from 'chai';
import fc from 'fast-check';
import { parseBugsCommand } from '../../../../bin/cli/commands/bugsCommand.ts';
import { parseCoverageCommand } from '../../../../bin/cli/commands/coverageCommand.ts';
import { parseExhaustCommand } from '../../../../bin/cli/commands/exhaustCommand.ts';
import { CoverageError } from '../../../../regress/coverage/coverageError.ts';
import { parseExclusions } from '../../../../regress/coverage/exclusions.ts';
import { chosenJobs } from '../../../../regress/jobFilter.ts';
import { withSequences } from '../../../../regress/lists/sequencePatterns.ts';
import { Glob, PatternError, patternMistake } from '../../../../uvm/base/glob.ts';
import { Wildcard } from '../../../../uvm/base/wildcard.ts';
import { malformedArguments } from '../../../../uvm/cmdline/malformedArguments.ts';
import { aJob } from '../../support/jobs.ts';

describe('Glob (1800.2 C.4.6)', () => {
  it('matches a literal only when it is equal', () => {
    expect(new Glob('top.env').matches('top.env')).to.equal(true);
    expect(new Glob('top.env').matches('topxenv')).to.equal(false);
    expect(new Glob('top.env').matches('top.env.a')).to.equal(false);
  });

  it('lets * stand for any characters across dots, + for one or more, ? for one', () => {
    expect(new Glob('*.env*').matches('top.env.host.pcie')).to.equal(true);
    expect(new Glob('top+').matches('top')).to.equal(false);
    expect(new Glob('top.h?').matches('top.h1')).to.equal(true);
    expect(new Glob('top.h?').matches('top.h12')).to.equal(false);
  });

  it('does not read dots and brackets as regular expression', () => {
    expect(new Glob('a[0].*').matches('a[0].b')).to.equal(true);
    expect(new Glob('a[0].*').matches('a0.b')).to.equal(false);
  });

  it('takes a pattern between slashes as a regular expression', () => {
    expect(new Glob('/host[01]$/').matches('top.host1')).to.equal(true);
    expect(new Glob('/host[01]$/').matches('top.host2')).to.equal(false);
  });
});

describe('a pattern that nobody means', () => {
  const stars = '*'.repeat(40);
  const text = 'a'.repeat(60);

  it('takes no longer than its length times that of the text', () => {
    for (const pattern of [`${'a*'.repeat(40)}x`, `${stars}x`, `${'*a'.repeat(40)}?x`, `${'+'.repeat(40)}x`])
      expect(new Glob(pattern).matches(text), pattern).to.equal(false);
    expect(new Glob('*a'.repeat(40)).matches(text)).to.equal(true);
    expect(new Glob('/(a*)*x/').matches(text)).to.equal(false);
  });

  it('is refused where it is no regular expression that can be matched in linear time', () => {
    expect(patternMistake('/[/')).to.equal('no regular expression: missing closing ]: `[`');
    expect(patternMistake('/(?=a)/')).to.match(/^no regular expression: invalid or unsupported Perl syntax/);
    expect(patternMistake(`/${'a'.repeat(201)}/`)).to.equal(
      'a regular expression has at most 200 characters, here 201',
    );
    expect(patternMistake('/host[01]$/')).to.equal(undefined);
    expect(() => new Glob('/[/')).to.throw(PatternError);
  });

  it('matches as a backtracking expression of the language does', () => {
    const sign = fc.constantFrom('a', 'b', '*', '?', '.');
    const name = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 8 }).map((signs) => signs.join(''));
    const pattern = fc.array(sign, { maxLength: 7 }).map((signs) => signs.join(''));
    fc.assert(
      fc.property(pattern, name, (wild, full) => {
        const source = wild.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
        expect(new Wildcard(wild).matches(full)).to.equal(new RegExp(`^${source}$`).test(full));
      }),
    );
  });
});

describe('patterns of the command lines', () => {
  it('are refused where they are no regular expressions, each with its flag', () => {
    const why = 'no regular expression: missing closing ]: `[`';
    for (const flag of ['only', 'tests', 'without', 'hits'])
      expect(parseCoverageCommand(['out', `--${flag}`, '/[/']).problems).to.deep.equal([
        `--${flag} /[/ (command line): ${why}`,
      ]);
    expect(parseBugsCommand(['--only', '/[/']).problems).to.deep.equal([`--only /[/ (command line): ${why}`]);
    expect(parseExhaustCommand(['exhaustive', '--bugs', '/[/']).problems).to.deep.equal([
      `--bugs /[/ (command line): ${why}`,
    ]);
    for (const argument of ['uvm_set_verbosity=/[/,_ALL_,UVM_LOW,run', 'uvm_set_inst_override=a,b,/[/'])
      expect(malformedArguments([`+${argument}`])).to.deep.equal([`+${argument}: ${why}`]);
    expect(() => parseExclusions('x.yaml', '- { bins: "/[/", reason: r, reviewed: now }')).to.throw(CoverageError, why);
  });

  it('choose runs and sequences in no time, whatever they are', () => {
    const jobs = [aJob({ id: `f/${'a'.repeat(60)}`, title: 'a'.repeat(60) })];
    const stars = `${'a*'.repeat(40)}x`;
    expect(chosenJobs(jobs, { filters: [stars], exclusions: [stars] })).to.deep.equal([]);
    const { mistakes } = withSequences({ name: 't', sweep: { UVM_TEST_SEQ: [stars] } }, ['a'.repeat(60)]);
    expect(mistakes).to.deep.equal([{ step: 0, message: `${stars} matches no sequence` }]);
  });
});

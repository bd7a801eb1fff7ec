import { expect } from 'chai';
import type { FlagTable } from '../../../../bin/cli/flagTable.ts';
import { readFlags } from '../../../../bin/cli/readFlags.ts';
import { commandLineTokens } from '../../../../bin/cli/token.ts';

const TABLE = {
  log: { group: 'Out', type: 'string', alias: 'l', describe: 'log file' },
  jobs: { group: 'Out', type: 'string', alias: 'j', describe: 'workers' },
  quiet: { group: 'Out', type: 'boolean', alias: 'q', describe: 'say less' },
  filter: { group: 'Out', type: 'string', repeatable: true, describe: 'entries' },
  pcap: { group: 'Out', type: 'string', optionalValue: true, describe: 'capture' },
  seed: { group: 'Out', type: 'string', synonym: 'sv_seed', describe: 'seed' },
} as const satisfies FlagTable;

const read = (...words: string[]) => readFlags(commandLineTokens(words), TABLE);

describe('Flags of a command line', () => {
  it('may have their value in the same word or in the next one, also where that begins with a dash', () => {
    const { flags, positionals, problems } = read('-l', '-x.log', '-j2', '--seed=7', 'smoke', '-q');
    expect(problems).to.deep.equal([]);
    expect(flags).to.include({ log: '-x.log', jobs: '2', seed: '7', quiet: true, pcap: undefined });
    expect(positionals.map(({ text }) => text)).to.deep.equal(['smoke']);
    expect(read('-j=4', '--sv_seed', '9').flags).to.include({ jobs: '4', seed: '9' });
  });

  it('keep all values of a repeated flag in order, and refuse a second value of any other', () => {
    expect(read('--filter', 'a', '--filter=b').all('filter')).to.deep.equal(['a', 'b']);
    expect(read('--log', 'a', '-l', 'a').problems).to.deep.equal([]);
    expect(read('--log', 'a', '-l', 'b').problems).to.deep.equal([
      '-l b (command line): --log was already given as a; keep one of them',
    ]);
  });

  it('take an optional value from the next word only if that is no flag and no plusarg', () => {
    expect(read('--pcap', 'a.pcap').flags['pcap']).to.equal('a.pcap');
    expect(read('--pcap=b.pcap').flags['pcap']).to.equal('b.pcap');
    const { flags, positionals } = read('--pcap', '+DB_NUM=1');
    expect(flags['pcap']).to.equal('');
    expect(positionals.map(({ text }) => text)).to.deep.equal(['+DB_NUM=1']);
  });

  it('report every mistake at once, each with the nearest flag', () => {
    const { problems, positionals } = read('-log', 'a', '--qiet', '--quiet=1', '--sed', '5', '-x', '--filter');
    expect(problems).to.deep.equal([
      '-log (command line): unknown flag; did you mean --log?',
      '--qiet (command line): unknown flag; did you mean --quiet?',
      '--quiet=1 (command line): --quiet is a switch and takes no value; write --quiet',
      '--sed (command line): unknown flag; did you mean --seed?',
      '-x (command line): unknown flag; --help lists the flags',
      '--filter (command line): needs a value; write --filter <value>',
    ]);
    expect(positionals, 'values of flags that were probably meant').to.deep.equal([]);
  });
});

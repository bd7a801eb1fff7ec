import { expect } from 'chai';
import fc from 'fast-check';
import { parseTestCommand } from '../../../../bin/cli/commands/testCommand.ts';

const PUBLISHED =
  '-uvmDebug +UVM_VERBOSITY=UVM_LOW +vpdfile+./case/multiqp_wave/wave4109.vpd +UVM_TESTNAME=test_direct_param ' +
  '+HOST_NUM=2 +PROC_NUM=2 +RC_QP_NUM=16 +UC_QP_NUM=0 +UD_QP_NUM=0 +DB_NUM=1 +WRITE_WQE_NUM=0 +READ_WQE_NUM=0 ' +
  '+SEND_WQE_NUM=1 +RECV_WQE_NUM=1 +SG_NUM=1 +DATA_CNT=10 +DATA_UNIT=B -l ./case/multiqp_log/case4109.log';

describe('the command line of hca_test', () => {
  it('takes the published line as it stands', () => {
    const command = parseTestCommand(PUBLISHED.split(' '));
    expect(command.problems).to.deep.equal([]);
    expect(command.testName).to.equal('test_direct_param');
    expect(command.log).to.equal('./case/multiqp_log/case4109.log');
    expect(command.seed).to.equal(1);
    expect(command.plusargs).to.have.length(16);
  });

  const spellings: readonly (readonly [string, string[]])[] = [
    ['our own flag', ['--seed', '7']],
    ['our own flag with an equals sign', ['--seed=7']],
    ['VCS', ['+ntb_random_seed=7']],
    ['Questa', ['-sv_seed', '7']],
    ['Xcelium', ['-svseed', '0x7']],
    ['Verilator', ['+verilator+seed+7']],
  ];
  for (const [name, argv] of spellings) {
    it(`takes the seed in the spelling of ${name}`, () => {
      const command = parseTestCommand(argv);
      expect([command.seed, command.seedGiven, command.problems.length]).to.deep.equal([7, true, 0]);
      expect(command.plusargs).to.deep.equal([]);
    });
  }

  it('takes the seed of the environment only when the command line has none', () => {
    const env = { COCOTB_RANDOM_SEED: '9' };
    expect(parseTestCommand([], env).seed).to.equal(9);
    expect(parseTestCommand(['--seed', '7'], env).seed).to.equal(7);
    expect(parseTestCommand([], { COCOTB_RANDOM_SEED: 'x' }).problems).to.have.length(1);
  });

  it('refuses a scenario without a name, to be played or to be written', () => {
    for (const text of ['+SCENARIO', '+SCENARIO=', '+DUMP_SCENARIO', '+DUMP_SCENARIO=']) {
      const { problems } = parseTestCommand([text]);
      const name = text.replace('=', '');
      expect(problems).to.deep.equal([
        `${text} (command line): names no file; write ${name}=<file.json> or leave it out`,
      ]);
    }
    expect(parseTestCommand(['+PCAP', '+SCENARIO=a.json']).problems).to.deep.equal([]);
  });

  it('draws 32-bit seeds for all spellings of random', () => {
    for (const argv of [
      ['--seed', 'random'],
      ['+ntb_random_seed_automatic'],
      ['+verilator+seed+0'],
      ['-sv_seed', 'random'],
    ]) {
      const { seed, problems } = parseTestCommand(argv);
      expect(problems).to.deep.equal([]);
      expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32).to.equal(true);
    }
  });

  it('takes an optional value behind a blank or = alike', () => {
    for (const words of [['--pcap', 'x.pcap'], ['--pcap=x.pcap']])
      expect(parseTestCommand(words)).to.deep.include({ pcap: 'x.pcap', problems: [] });
    expect(parseTestCommand(['--pcap', '-q'])).to.deep.include({ pcap: '', quiet: true, problems: [] });
    expect(parseTestCommand(['--pcap', '+HOST_NUM=2'])).to.deep.include({ pcap: '', problems: [] });
    expect(parseTestCommand(['-q', 'x.pcap']).problems[0]).to.contain('plusargs begin with + and flags with -');
  });

  it('refuses seed plusargs without a seed, which an empty variable leaves', () => {
    for (const bare of ['+seed', '+SEED', '+svseed', '+ntb_random_seed', '+ntb_random_seed=', '+verilator+seed'])
      expect(parseTestCommand([bare]).problems, bare).to.have.length(1);
    expect(parseTestCommand(['+ntb_random_seed']).problems[0]).to.contain(
      'needs a seed; write +ntb_random_seed=<seed>',
    );
  });

  it('accepts every 32-bit seed in decimal and hexadecimal, and refuses larger ones', () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffff_ffff }), (n) => {
        expect(parseTestCommand(['--seed', String(n)]).seed).to.equal(n);
        expect(parseTestCommand([`+ntb_random_seed=0x${n.toString(16)}`]).seed).to.equal(n);
      }),
    );
    for (const bad of ['4294967296', '0x100000000', '-1', '1.5', '1e3', '', '9'.repeat(77)]) {
      expect(parseTestCommand([`--seed=${bad}`]).problems, bad).to.have.length(1);
    }
  });

  it('reports every mistake at once, one message each', () => {
    const argv = [
      '--sed',
      '4',
      '--quite',
      '--quiet=3',
      '--seed',
      '99999999999',
      '+=4',
      'stray',
      '--timeout',
      '0',
      '-l',
    ];
    const { problems } = parseTestCommand(argv);
    expect(problems).to.have.length(8);
    expect(problems.join('\n')).to.match(/--sed .*did you mean --seed\?/);
    expect(problems.join('\n')).to.match(/--quite .*did you mean --quiet\?/);
  });

  it('suggests nothing for flags of one letter and for short flags of which little is left', () => {
    for (const flag of ['-o', '-t', '-j', '-v', '-R', '--foo', '-gui', '-lca']) {
      const { problems } = parseTestCommand([flag]);
      expect(problems, flag).to.deep.equal([`${flag} (command line): unknown flag; --help lists the flags`]);
    }
    expect(parseTestCommand(['--otu=x']).problems[0]).to.match(/did you mean --out\?/);
  });

  it('takes the seed under every name that command lines give it', () => {
    for (const words of ['-sv_seed=4', '-svseed=4', '+SEED=4', '+seed=4', '+svseed=0x4', '+sv_seed=4']) {
      const { seed, seedGiven, plusargs, problems } = parseTestCommand([words]);
      expect([seed, seedGiven, plusargs.length, problems.length], words).to.deep.equal([4, true, 0, 0]);
    }
    expect(parseTestCommand(['+SEED=x']).problems[0]).to.match(
      /^\+SEED=x \(command line\): "x" is not a seed; allowed/,
    );
  });

  it('says of an empty argument what it is', () => {
    expect(parseTestCommand(['']).problems).to.deep.equal([
      '"" (command line): an empty argument; leave it out, or see to the variable that it comes from',
    ]);
  });

  it('refuses different seeds under different names and takes equal ones', () => {
    expect(parseTestCommand(['--seed', '1', '-sv_seed', '2']).problems).to.have.length(1);
    expect(parseTestCommand(['--seed', '3', '-sv_seed', '3']).problems).to.deep.equal([]);
  });

  it('takes a capture as flag or plusarg, with and without file', () => {
    expect(parseTestCommand(['--pcap']).pcap).to.equal('');
    expect(parseTestCommand(['--pcap=x.pcap']).pcap).to.equal('x.pcap');
    expect(parseTestCommand(['+PCAP']).pcap).to.equal('');
    expect(parseTestCommand(['+PCAP=y.pcap']).pcap).to.equal('y.pcap');
    expect(parseTestCommand([]).pcap).to.equal(undefined);
  });

  it('refuses a flag given twice with different values', () => {
    expect(parseTestCommand(['-l', 'a', '--log', 'b']).problems).to.have.length(1);
    expect(parseTestCommand(['-l', 'a', '--log=a']).problems).to.deep.equal([]);
  });
});

import { DRAWS } from '../../../config/draws/parameterDraws.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { HANGU_DEVICE_LIMITS } from '../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import { resolveParameters } from '../../../config/parameters.ts';
import { PARAMETERS, type Parameter } from '../../../config/table/parameterTable.ts';
import { sgBytes } from '../../../config/runConfig.ts';
import { DirectSource } from '../../../config/scenario/drawn/directSource.ts';
import { explicitForm, scenarioText } from '../../../config/scenario/file/dumpScenario.ts';
import { Plusargs } from '../../../uvm/cmdline/plusargs.ts';
import { configOf, resolve } from './testConfig.ts';

describe('resolveParameters', () => {
  it('allows as many restarts as memory holds, and says how many these are', () => {
    const [refused] = resolve('+RESTARTS=10000 +RC_QP_NUM=4 +WRITE_WQE_NUM=1 +DATA_CNT=1 +DATA_UNIT=MB').problems;
    const most = Number(
      /^\+RESTARTS=10000: the 10001 turns need about \d+ MiB of memory, .*; use 0\.\.(\d+), or/.exec(`${refused}`)?.[1],
    );
    expect(most).to.be.within(200, 500);
    const line = `+RC_QP_NUM=4 +WRITE_WQE_NUM=1 +DATA_CNT=1 +DATA_UNIT=MB +RESTARTS=`;
    expect(resolve(`${line}${most}`).problems).to.deep.equal([]);
    expect(resolve(`${line}${most + 1}`).problems).to.have.length(1);
    const drawn = resolveParameters(new Plusargs(['+RESTARTS=10000']), 'test_random', 3).problems;
    expect(drawn.join()).to.match(/^\+RESTARTS=10000: .*; use 0\.\.\d{4}, or lower the data$/);
    expect(resolveParameters(new Plusargs(['+RESTARTS=100']), 'test_random', 3).problems).to.deep.equal([]);
  });

  it('resolves the published sample line without a problem', () => {
    const { config, problems, notes } = resolve(
      '+UVM_TESTNAME=test_direct_param +HOST_NUM=2 +PROC_NUM=2 +RC_QP_NUM=16 +UC_QP_NUM=0 +UD_QP_NUM=0 +DB_NUM=1 ' +
        '+WRITE_WQE_NUM=0 +READ_WQE_NUM=0 +SEND_WQE_NUM=1 +RECV_WQE_NUM=1 +SG_NUM=1 +DATA_CNT=10 +DATA_UNIT=B',
    );
    expect(problems).to.deep.equal([]);
    expect(notes.some((n) => n.startsWith('PARAM_DEFAULTED'))).to.equal(false);
    expect(config.values.RC_QP_NUM).to.equal(16);
    expect(sgBytes(config.values)).to.equal(10);
  });

  it('completes a partial line with defaults and lists the published ones in a note', () => {
    const { config, problems, notes } = resolve('+SG_NUM=3');
    expect(problems).to.deep.equal([]);
    expect(config.values).to.include({
      HOST_NUM: 2,
      RC_QP_NUM: 2,
      SEND_WQE_NUM: 1,
      RECV_WQE_NUM: 1,
      DB_NUM: 1,
      SG_NUM: 3,
    });
    expect(notes[0])
      .to.match(/^PARAM_DEFAULTED: .*HOST_NUM=2 .*RC_QP_NUM=2 .*SEND_WQE_NUM=1/)
      .and.not.contain('SG_NUM');
  });

  it('takes HOST_NAME and PROC_NAME as HOST_NUM and PROC_NUM', () => {
    expect(configOf('+HOST_NAME=3 +PROC_NAME=5').values).to.include({ HOST_NUM: 3, PROC_NUM: 5 });
  });

  it('refuses two spellings with different values and accepts equal ones', () => {
    expect(resolve('+HOST_NUM=2 +HOST_NAME=3').problems[0]).to.contain('+HOST_NUM=2').and.contain('+HOST_NAME=3');
    expect(resolve('+HOST_NUM=2 +HOST_NAME=2').problems).to.deep.equal([]);
  });

  it('reports every problem at once with place, range and a value to try', () => {
    const { problems } = resolve('+SG_NUM=19 +HOST_NUM=1 +DATA_UNIT=TB +MTU=1500 +IMM=101 +DB_NUM=x +DATA_CNT=-4');
    expect(problems).to.deep.equal([
      '+HOST_NUM=1 is out of range: HOST_NUM allows 2..8; try +HOST_NUM=2',
      '+DB_NUM=x is not a number: DB_NUM allows 0..10; try +DB_NUM=1',
      '+SG_NUM=19 is out of range: SG_NUM allows 1..16; try +SG_NUM=16',
      '+DATA_CNT=-4 is out of range: DATA_CNT allows 0 or more; try +DATA_CNT=0',
      '+DATA_UNIT=TB is not one of the choices: DATA_UNIT allows B|KB|MB|GB; try +DATA_UNIT=B',
      '+IMM=101 is out of range: IMM allows 0..100; try +IMM=100',
      '+MTU=1500 is not an MTU: MTU allows 256|512|1024|2048|4096; try +MTU=1024',
    ]);
  });

  it('invents no second mistake where a number cannot be read, and hints at one that works', () => {
    expect(resolve('+RC_QP_NUM=abc').problems).to.deep.equal([
      '+RC_QP_NUM=abc is not a number: RC_QP_NUM allows 0..8192; try +RC_QP_NUM=1',
    ]);
    const sums = resolve('+RC_QP_NUM=3 +UC_QP_NUM=8192 +DATA_CNT=x +SEND_WQE_NUM=3 +RECV_WQE_NUM=4 +WRITE_WQE_NUM=29');
    expect(sums.problems).to.have.length(4);
    expect(resolve('+RC_QP_NUM=x +UC_QP_NUM=8192').problems, 'what depends on the others').to.have.length(1);
    expect(resolve('+SEND_WQE_NUM=3 +RECV_WQE_NUM=x').problems).to.have.length(1);
    expect(resolve('+HOP_LIMIT=999 +RC_QP_NUM=0').problems).to.have.length(2);
  });

  it('hints at the way to write units, times and numbers that are refused', () => {
    expect(resolve(['+MTU= 256', '+RC_QP_NUM=x ']).problems).to.deep.equal([
      '+RC_QP_NUM=x  is not a number: RC_QP_NUM allows 0..8192; try +RC_QP_NUM=1',
      '"+MTU= 256" has blanks in its value: write +MTU=256',
    ]);
    expect(resolve('+DATA_CNT=4KB').problems).to.deep.equal([
      '+DATA_CNT=4KB has a unit, which is a parameter of its own: write +DATA_CNT=4 +DATA_UNIT=KB',
    ]);
    expect(resolve('+STALL_TIME=1ns').problems).to.deep.equal([
      '+STALL_TIME=1ns is out of range: STALL_TIME allows a time of 1us or more; try +STALL_TIME=1us',
    ]);
    expect(resolve('+RC_QP_NUM=4.5').problems[0]).to.contain('+RC_QP_NUM=4.5 is not a whole number');
  });

  it('refuses names that are empty, and switches with nothing behind the =', () => {
    for (const word of ['+DUT_FAULT=', '+DUT_FAULT'])
      expect(resolve(word).problems).to.deep.equal([
        `${word} names no fault: write +DUT_FAULT=<fault>, or leave it out`,
      ]);
    expect(resolve('+UVM_TEST_SEQ=', 'test_sequence').problems).to.have.length(1);
    expect(resolve('+CQ_EVENT=').problems).to.deep.equal([
      '+CQ_EVENT= has no value: write +CQ_EVENT, +CQ_EVENT=1 or +CQ_EVENT=0, or leave it out',
    ]);
    expect(resolve('+CQ_EVENT +CASEID=').problems).to.deep.equal([]);
  });

  it('keeps the limits of the published table: 8192 queue pairs, 30 requests, 6 entries', () => {
    const most =
      '+RC_QP_NUM=4095 +UC_QP_NUM=4000 +UD_QP_NUM=97 +DB_NUM=10 +WRITE_WQE_NUM=11 +READ_WQE_NUM=9 +SEND_WQE_NUM=10 +SG_NUM=6 +DATA_CNT=10';
    expect(resolve(most).problems).to.deep.equal([]);
    expect(resolve('+RC_QP_NUM=8192 +UD_QP_NUM=1').problems[0]).to.contain('lower them by 1');
    expect(resolve('+RC_QP_NUM=0 +UC_QP_NUM=0 +UD_QP_NUM=0').problems[0]).to.contain('1..8192');
    expect(resolve('+WRITE_WQE_NUM=20 +READ_WQE_NUM=11').problems[0])
      .to.contain('0..30')
      .and.contain('lower them by 1');
  });

  it('accepts odd totals, no doorbells and no work', () => {
    expect(resolve('+RC_QP_NUM=1').problems).to.deep.equal([]);
    expect(resolve('+DB_NUM=0').problems).to.deep.equal([]);
    expect(resolve('+WRITE_WQE_NUM=0 +READ_WQE_NUM=0 +SEND_WQE_NUM=0').notes.join()).to.contain('NO_WORK');
  });

  it('wants as many RECVs as SENDs', () => {
    expect(resolve('+SEND_WQE_NUM=2 +RECV_WQE_NUM=3').problems[0]).to.contain('+RECV_WQE_NUM=2');
  });

  it('checks that the data of a queue pair fits its area, and says what would', () => {
    expect(resolve('+WRITE_WQE_NUM=1 +DATA_CNT=500 +DATA_UNIT=MB').problems).to.deep.equal([]);
    expect(resolve('+WRITE_WQE_NUM=3 +DATA_CNT=2 +DATA_UNIT=GB').problems[0])
      .to.contain('4294967296')
      .and.contain('try +DATA_CNT=298 +DATA_UNIT=MB');
    expect(resolve('+SG_NUM=2 +WRITE_WQE_NUM=1 +DATA_CNT=2 +DATA_UNIT=GB').problems[0]).to.contain('message');
  });

  it('hints at data sizes that are legal, in a smaller unit where the given one is too large', () => {
    for (const line of [
      '+SG_NUM=3 +WRITE_WQE_NUM=1 +DATA_CNT=1 +DATA_UNIT=GB',
      '+SG_NUM=6 +WRITE_WQE_NUM=30 +DATA_CNT=1 +DATA_UNIT=GB',
      '+RC_QP_NUM=16 +DATA_CNT=900 +DATA_UNIT=MB',
    ]) {
      const hint = /try (\+DATA_CNT=[1-9]\d*( \+DATA_UNIT=\w+)?)/.exec(
        resolve(line).problems[0] as string,
      )?.[1] as string;
      const rest = line.split(' ').filter((arg) => !hint.includes(arg.split('=')[0] as string));
      expect(resolve([...rest, hint].join(' ')).problems, hint).to.deep.equal([]);
    }
  });

  it('checks the completion queues that sharing and splitting need', () => {
    expect(resolve('+RC_QP_NUM=8192 +SPLIT_CQ=1').problems[0]).to.contain('16384').and.contain('+SHARED_CQ=2');
    expect(resolve('+RC_QP_NUM=4096 +PROC_NUM=1 +SEND_WQE_NUM=30 +SHARED_CQ=0').problems[0]).to.contain(
      '+SHARED_CQ=546',
    );
  });

  it('checks that queues of a given size hold the work of a doorbell', () => {
    const line = '+SEND_WQE_NUM=3 +WRITE_WQE_NUM=4';
    expect(resolve(`${line} +MAX_SEND_WR=7 +MAX_RECV_WR=3`).problems).to.deep.equal([]);
    expect(resolve(`${line} +MAX_SEND_WR=6 +MAX_RECV_WR=3 +IMM=1`).problems).to.deep.equal([
      '+MAX_SEND_WR=6 is less than the 7 requests of a doorbell: use 7..32768, or 0',
      '+MAX_RECV_WR=3 is less than the 7 receives of a doorbell: use 7..32767, or 0',
    ]);
    expect(resolve('+MAX_SEND_WR=32768 +MAX_RECV_WR=32767').problems[0]).to.contain(
      '65535 entries: allowed 1..32768; lower MAX_SEND_WR or MAX_RECV_WR',
    );
  });

  it('checks that UD receives have room for the GRH, and draws no UD queue pairs where they have not', () => {
    const [problem] = resolve('+UD_QP_NUM=1 +SG_NUM=16').problems;
    expect(problem).to.contain('17 entries').and.contain('try +SG_NUM=15 or +UD_QP_NUM=0');
    for (const fits of ['+UD_QP_NUM=1 +SG_NUM=15', '+UD_QP_NUM=0 +RC_QP_NUM=1 +SG_NUM=16'])
      expect(resolve(fits).problems).to.deep.equal([]);
    for (let seed = 1; seed <= 50; seed++) {
      const { problems, config } = resolveParameters(new Plusargs(['+SG_NUM=16']), 'test_random', seed, {
        limitsOf: () => HANGU_DEVICE_LIMITS,
      });
      expect([problems, config.values.UD_QP_NUM]).to.deep.equal([[], 0]);
    }
  });

  it('says what services cannot do', () => {
    const { notes } = resolve(
      '+UC_QP_NUM=2 +UD_QP_NUM=1 +READ_WQE_NUM=1 +WRITE_WQE_NUM=1 +SEND_WQE_NUM=1 +DATA_CNT=5 +DATA_UNIT=KB',
    );
    expect(notes.map((n) => n.split(':')[0])).to.include.members([
      'UC_SKIPPED',
      'UD_SKIPPED',
      'UD_CAPPED',
      'MR_GRANULARITY',
    ]);
  });

  it('names the queue pair that stays alone on an odd number of hosts', () => {
    expect(resolve('+HOST_NUM=3 +RC_QP_NUM=1').notes.join('\n')).to.match(/QP_UNPAIRED: 1 RC/);
    expect(resolve('+HOST_NUM=4 +RC_QP_NUM=1').notes.join('\n')).to.not.contain('QP_UNPAIRED');
  });

  it('chooses a region per entry while they are few, and refuses a choice that does not fit', () => {
    expect(resolve('+RC_QP_NUM=16 +SG_NUM=6 +SEND_WQE_NUM=4').notes.join()).to.contain(
      'one region per scatter/gather entry',
    );
    expect(resolve('+RC_QP_NUM=1024 +SEND_WQE_NUM=2 +SG_NUM=6').notes.join()).to.contain('one region per request');
    expect(resolve('+RC_QP_NUM=8192 +SEND_WQE_NUM=30').notes.join()).to.contain('one region per area');
    const refused = resolve('+RC_QP_NUM=8192 +SEND_WQE_NUM=30 +MR_GRANULARITY=sg').problems;
    expect(refused[0]).to.contain('+MR_GRANULARITY=sg').and.contain('try +MR_GRANULARITY=auto');
  });

  it('reads switches, names of MTUs, PSNs, times and knobs of the NIC', () => {
    const config = configOf('+ONE_SIDE_LAUNCH +PMTU=IBV_MTU_1024 +PSN=0xfffffe +SETTLE=2us +NIC_MPT_CACHE=64');
    expect(config.values).to.include({ ONE_SIDE_LAUNCH: true, MTU: 1024, PSN: '16777214', SETTLE: 2_000_000 });
    expect(config.nicKnobs).to.deep.equal({ mpt_cache: 64 });
    expect(resolve('+NIC_MPT_CACHE=much').problems[0]).to.contain('+NIC_MPT_CACHE=much');
  });

  it('refuses two spellings of a knob with different values', () => {
    expect(resolve('+NIC_QPC_CACHE=16 +NIC_qpccache=32').problems).to.deep.equal([
      '+NIC_QPC_CACHE=16 and +NIC_qpccache=32 are the same knob with different values: leave one of them out',
    ]);
    expect(resolve('+NIC_QPC_CACHE=16 +NIC_qpc_cache=16').problems).to.deep.equal([]);
  });

  it('has a default in range for every parameter and test', () => {
    for (const test of ['test_direct_param', 'test_random', 'test_smoke', 'test_sequence']) {
      expect(resolve('', test).problems, test).to.deep.equal([]);
    }
    const names = PARAMETERS.flatMap((p: Parameter) => [p.name, ...(p.aliases ?? [])]);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('lets parameters of a scenario file stand in for defaults but not for typed ones', () => {
    const { config } = resolveWithScenario('+MTU=512', { MTU: '256', LINK_GBPS: '25' });
    expect(config.values).to.include({ MTU: 512, LINK_GBPS: 25 });
    expect(resolveWithScenario('', { MTU: '99' }).problems[0]).to.contain('of the scenario');
  });
});

describe('a played scenario', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
  const file = join(folder, 'scenario.json');
  before(() => writeFileSync(file, scenarioText(explicitForm(new DirectSource(configOf(''), 1)))));
  after(() => rmSync(folder, { recursive: true }));

  it('allows as many restarts of an explicit scenario as memory holds', () => {
    const { config } = resolve('+RC_QP_NUM=4 +WRITE_WQE_NUM=1 +DATA_CNT=1 +DATA_UNIT=MB');
    const restarted = join(folder, 'restarted.json');
    writeFileSync(restarted, scenarioText(explicitForm(new DirectSource(config, 1))));
    const problemsOf = (restarts: number): string =>
      resolve(`+SCENARIO=${restarted} +RESTARTS=${restarts}`).problems.join('\n');
    const most = Number(/^\+RESTARTS=10000: .*; use 0\.\.(\d+), or/.exec(problemsOf(10_000))?.[1]);
    expect(most).to.be.within(200, 500);
    expect(problemsOf(most)).to.equal('');
    expect(problemsOf(most + 1)).to.contain('MiB of memory');
  });

  it('names what was typed although the scenario decides it', () => {
    const { config, problems } = resolve(`+SCENARIO=${file} +MTU=256 +HOST_NAME=5 +DATA_CNT=3 +PCIE_MPS=256 +CASEID=x`);
    expect(problems).to.deep.equal([]);
    expect(config.overridden).to.deep.equal(['+HOST_NUM=5', '+DATA_CNT=3', '+MTU=256']);
    expect(config.values.HOST_NUM).to.equal(2);
    expect(configOf('+MTU=256').overridden).to.deep.equal([]);
  });

  it('has no meaning in test_sequence unless it is one of calls, which can be written out there', () => {
    const { problems } = resolve(`+SCENARIO=${file} +DUMP_SCENARIO=x.json`, 'test_sequence');
    expect(problems).to.have.length(1);
    expect(problems[0]).to.contain(`+SCENARIO=${file} has no meaning in test_sequence`);
  });

  it('that cannot be read is the only mistake that is reported', () => {
    const { problems } = resolve(`+SCENARIO=${join(folder, 'none.json')} +RC_QP_NUM=0`);
    expect(problems).to.have.length(1);
  });
});

describe('the draws of test_random', () => {
  it('give a valid configuration with work in it for any seed', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (seed) => {
        const { problems, notes } = resolve('', 'test_random', seed);
        expect(problems).to.deep.equal([]);
        expect(notes.join()).to.not.contain('NO_WORK');
      }),
      { numRuns: 150 },
    );
  });

  it('respect every parameter that is given', () => {
    const line =
      '+HOST_NUM=3 +UD_QP_NUM=2 +RC_QP_NUM=0 +UC_QP_NUM=0 +SG_NUM=5 +MTU=256 +WRITE_WQE_NUM=4 +DATA_CNT=3 +DATA_UNIT=KB';
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), (seed) => {
        const { config, problems, notes } = resolve(line, 'test_random', seed);
        expect(problems).to.deep.equal([]);
        expect(config.values).to.include({ HOST_NUM: 3, UD_QP_NUM: 2, RC_QP_NUM: 0, SG_NUM: 5, MTU: 256, DATA_CNT: 3 });
        expect(config.values.SEND_WQE_NUM).to.be.at.least(1);
        expect(notes.join()).to.not.contain('NO_WORK');
      }),
      { numRuns: 50 },
    );
  });

  it('leave room for requests, receives and sizes that are given later in the solve order', () => {
    const lines = [
      '+READ_WQE_NUM=30',
      '+WRITE_WQE_NUM=15 +READ_WQE_NUM=15',
      '+SEND_WQE_NUM=0',
      '+SEND_WQE_NUM=0 +RC_QP_NUM=0',
      '+SEND_WQE_NUM=0 +WRITE_WQE_NUM=0 +READ_WQE_NUM=2',
      '+RECV_WQE_NUM=3',
      '+DATA_CNT=1 +DATA_UNIT=GB',
      '+UD_QP_NUM=8192',
      '+UD_QP_NUM=8192 +SPLIT_CQ',
      '+RC_QP_NUM=8191 +SHARED_CQ=0',
      '+MR_GRANULARITY=sg +RC_QP_NUM=8192',
    ];
    for (const line of lines) {
      for (let seed = 1; seed <= 30; seed++) {
        const { problems, notes } = resolve(line, 'test_random', seed);
        expect(problems, `${line} --seed ${seed}`).to.deep.equal([]);
        expect(notes.join(), `${line} --seed ${seed}`).to.not.contain('NO_WORK');
      }
    }
  });

  it('find a legal run with work in it whatever subset of another such run is given', () => {
    const names = DRAWS.map(([name]) => name);
    fc.assert(
      fc.property(legalLine, fc.nat(0xffff_ffff), fc.subarray(names), (line, seed, kept) => {
        const whole = resolve(line, 'test_random', seed);
        if (whole.problems.length > 0 || whole.notes.join().includes('NO_WORK')) return;
        const given = line.split(' ').filter((arg) => kept.some((name) => arg.startsWith(`+${name}=`)));
        const { problems, notes } = resolve(given.join(' '), 'test_random', seed);
        expect(problems, given.join(' ')).to.deep.equal([]);
        expect(notes.join(), given.join(' ')).to.not.contain('NO_WORK');
      }),
      { numRuns: 150 },
    );
  });

  it('are not blamed where the given values contradict each other', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { problems } = resolve('+WRITE_WQE_NUM=20 +READ_WQE_NUM=15', 'test_random', seed);
      expect(problems).to.have.length(1);
      expect(problems[0])
        .to.contain('+WRITE_WQE_NUM=20 +READ_WQE_NUM=15 (SEND_WQE_NUM=0) make 35')
        .and.not.contain('+SEND_WQE_NUM');
      const [size] = resolve('+DATA_CNT=3 +DATA_UNIT=GB', 'test_random', seed).problems;
      expect(size).to.contain('+DATA_CNT=3 +DATA_UNIT=GB').and.not.contain('+SG_NUM');
    }
  });

  it('are the same for the same seed, and giving one leaves independent ones as they were', () => {
    const first = configOf('', 'test_random', 77);
    expect(configOf('', 'test_random', 77)).to.deep.equal(first);
    const given = configOf(`+MTU=${first.values.MTU === 256 ? 512 : 256}`, 'test_random', 77);
    for (const name of ['HOST_NUM', 'RC_QP_NUM', 'PSN', 'PCIE_MPS', 'LINK_GBPS'] as const) {
      expect(given.values[name]).to.equal(first.values[name]);
    }
  });
});

/** A value for every parameter that something must hold between, legal or not. */
const legalLine = fc
  .record({
    HOST_NUM: fc.integer({ min: 2, max: 8 }),
    PROC_NUM: fc.constantFrom(1, 2, 7, 100, 2048),
    RC_QP_NUM: fc.constantFrom(0, 0, 1, 5, 300, 4000),
    UC_QP_NUM: fc.constantFrom(0, 0, 1, 5, 300, 4000),
    UD_QP_NUM: fc.constantFrom(0, 0, 1, 5, 300, 4000),
    SHARED_CQ: fc.constantFrom(0, 1, 2, 50),
    SPLIT_CQ: fc.constantFrom(0, 1),
    ONE_SIDE_LAUNCH: fc.constantFrom(0, 1),
    DB_NUM: fc.integer({ min: 1, max: 10 }),
    READ_WQE_NUM: fc.constantFrom(0, 0, 1, 9, 30),
    WRITE_WQE_NUM: fc.constantFrom(0, 0, 1, 9, 30),
    SEND_WQE_NUM: fc.constantFrom(0, 0, 1, 9, 30),
    SG_NUM: fc.integer({ min: 1, max: 6 }),
    MTU: fc.constantFrom(256, 1024, 4096),
    DATA_CNT: fc.constantFrom(0, 1, 1000, 100_000, 50_000_000, 1_200_000_000),
    MR_GRANULARITY: fc.constantFrom('sg', 'request', 'qp'),
    IMM: fc.constantFrom(0, 0, 50),
    MAX_SEND_WR: fc.constantFrom(0, 0, 1, 12, 500),
    MAX_RECV_WR: fc.constantFrom(0, 0, 1, 12, 500),
  })
  .map((values) =>
    Object.entries(values)
      .map(([name, value]) => `+${name}=${value}`)
      .join(' '),
  );

function resolveWithScenario(line: string, fromScenario: Record<string, string>): ReturnType<typeof resolve> {
  return resolveParameters(new Plusargs(line.split(' ').filter((w) => w !== '')), 'test_direct_param', 1, {
    preset: fromScenario,
    limitsOf: () => HANGU_DEVICE_LIMITS,
  });
}

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandUsage, REGRESS_COMMANDS } from '../../../bin/cli/commands/regressCommands.ts';
import { main } from '../../../bin/hcaRegress.ts';
import type { WorkerPrograms } from '../../../bin/many/localPool.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { fakeWorkers } from '../support/bundled.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakeRegistry } from '../support/fakeRun.ts';
import { journalLines } from '../support/journalLines.ts';

const workers = fakeWorkers();

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describe('hca_regress', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'regress-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function run(...argv: string[]): Promise<Ended> {
    return runWith(workers, ...argv);
  }

  async function runWith(workers: WorkerPrograms, ...argv: string[]): Promise<Ended> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await main(argv, { registry: fakeRegistry(), ...workers, out, err });
    return { code, out: out.text, err: err.text };
  }

  it('loads no code in a dry run, and says so, unless the command line names its folder', async () => {
    mkdirSync(join(folder, 'own'));
    const loaded = join(folder, 'loaded');
    file('own/test.ts', `import { writeFileSync } from 'node:fs';\nwriteFileSync('${loaded}', '');\n`);
    const list = file(
      'list.yaml',
      'tests: [{ name: t, test: test_direct_param, plusargs: { TEST_PATH: own, DUT: mine } }]',
    );
    const dry = await run('run', list, '-n');
    expect([dry.code, existsSync(loaded)], dry.err).to.deep.equal([0, false]);
    expect(dry.out).to.match(/hca_test .*\+TEST_PATH=/);
    expect(dry.err).to.match(
      /^note: \+TEST_PATH=\S*own: a dry run loads no code, .* name the folder on the command line/,
    );
    const named = await run('run', list, '-n', `+TEST_PATH=${join(folder, 'own')}`);
    expect([named.code, existsSync(loaded)], named.err).to.deep.equal([2, true]);
    expect(named.err).to.match(/DUT=mine: there is no such NIC model/);
  });

  function file(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  const MIXED = `
defaults: { test: test_direct_param, plusargs: { HOST_NUM: 2 } }
tests:
  - { name: good, sweep: { RC_QP_NUM: [1, 2, 3] }, reseed: 4 }
  - { name: bad, plusargs: { FAKE: fail }, seeds: [7] }
  - { name: dead, plusargs: { FAKE: kill }, seeds: [8] }
`;

  it('writes down the seed that it has drawn, in the command that repeats it', async () => {
    const list = file('list.yaml', 'tests: [{ name: t, test: test_direct_param, reseed: 1 }]');
    for (const words of [['--seed', 'random'], ['--seed=random']]) {
      const out = join(folder, `out${words.length}`);
      await run('run', list, ...words, '--out', out, '--keep', 'none');
      const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;
      expect(report.command)
        .to.match(new RegExp(`--seed[ =]${report.seed}\\b`))
        .and.not.to.contain('random');
    }
  });

  it('refuses outputs of a list whose names are too long', async () => {
    const list = file('list.yaml', 'tests: [{ name: t, test: test_direct_param, plusargs: { DUMP_SCENARIO: NAME } }]');
    writeFileSync(list, readFileSync(list, 'utf8').replace('NAME', 'x'.repeat(5000)));
    const { code, err } = await run('run', list, '-n');
    expect([code, /: the name is longer than the file system takes/.test(err)], err).to.deep.equal([2, true]);
    const record = await run('run', 'y'.repeat(300));
    expect([record.code, /cannot be read; .*too long/.test(record.err)], record.err).to.deep.equal([2, true]);
  });

  it('reads no list without end', async () => {
    const list = file('list.yaml', 'include: [/dev/zero, sub.yaml]\n');
    symlinkSync('/dev/zero', join(folder, 'sub.yaml'));
    for (const source of ['/dev/zero', list]) {
      const { code, err } = await run('run', source);
      expect([code, /it is a device; give a file/.test(err)], err).to.deep.equal([2, true]);
    }
  });

  it('takes a shipped list by its name, and proposes one for a misspelt name', async () => {
    expect((await run('run', 'smoke', '--dry-run')).code).to.equal(0);
    const misspelt = await run('run', 'smoek', '--dry-run');
    expect(misspelt.code).to.equal(2);
    expect(misspelt.err).to.contain(
      'smoek: cannot be read; there is no such file; did you mean the shipped list smoke?',
    );
  });

  it('says what to write when the command in front of a list is missing', async () => {
    expect((await run('smoke')).err).to.contain('smoke: unknown command; write: hca_regress run smoke\n');
    expect((await run('rnu')).err).to.contain('rnu: unknown command; did you mean run?');
  });

  it('leaves table and reports also when no worker can be started', async () => {
    const out = join(folder, 'o');
    const list = file('mixed.yaml', MIXED);
    const result = await runWith(
      { ...workers, playerUrl: 'file:///no/such/player.js' },
      'run',
      list,
      '-j',
      '2',
      '--out',
      out,
    );
    expect(result.code).to.equal(3);
    expect(result.err).to.match(/the regression was stopped: a worker could not start: [\s\S]*player\.js/);
    expect(result.out).to.contain('stopped: 14 runs have no result');
    expect(result.out.trimEnd()).to.match(/REGRESSION STOPPED 0 of 14 passed$/m);
    expect(readdirSync(out)).to.include.members(['junit.xml', 'report.json', 'runs.jsonl']);
  });

  it('plays a list and leaves table, journal, report and JUnit', async () => {
    const out = join(folder, 'o');
    const result = await run('run', file('mixed.yaml', MIXED), '-j', '2', '--out', out);
    expect(result.code).to.equal(1);
    expect(result.out).to.match(/good\s+12\s+12\s+0/);
    expect(result.out).to.match(
      /FAILED bad-s7[\s\S]*replay: \.\/hca_test \+UVM_TESTNAME=test_direct_param \+HOST_NUM=2 \+FAKE=fail --seed 7/,
    );
    expect(result.out).to.match(/CRASHED dead-s8[\s\S]*SIGKILL[\s\S]*--seed 8/);
    expect(result.out.trimEnd()).to.match(/REGRESSION FAILED 12 of 14 passed$/m);
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;
    expect(report.results.map((r) => r.family)).to.deep.equal([
      ...Array.from({ length: 12 }, () => 'good'),
      'bad',
      'dead',
    ]);
    expect(report.summary.total.counts.crashed).to.equal(1);
    expect(journalLines(join(out, 'runs.jsonl')).results).to.have.length(14);
    expect(readFileSync(join(out, 'junit.xml'), 'utf8')).to.match(/failures="1"[\s\S]*errors="1"/);
    expect(readdirSync(join(out, 'runs')).sort()).to.deep.equal(['bad-s7', 'dead-s8']);
    expect(readRunRecord(join(out, 'runs/dead-s8/run.json')).signature?.message).to.match(/SIGKILL/);
    const page = readFileSync(join(out, 'runs/dead-s8/failure.md'), 'utf8');
    expect(page).to.match(/^# CRASHED: test_direct_param, seed 8\n[\s\S]*the process was killed by SIGKILL/);
    expect(page).to.match(/--replay \S*run\.json/);
    expect(readdirSync(join(out, 'runs/bad-s7')).sort()).to.deep.equal([
      'events.txt',
      'failure.md',
      'run.json',
      'run.log',
      'timeline.json',
    ]);
  });

  it('leaves log and record of a run that ran out of time, whether it noticed or had to be killed', async () => {
    const list = file(
      't.yaml',
      'defaults: { test: test_random, timeout: 1, seeds: [1] }\ntests:\n' +
        '  - { name: long, plusargs: { FAKE: long } }\n  - { name: hang, plusargs: { FAKE: hang } }\n',
    );
    const out = join(folder, 'o');
    const result = await run('run', list, '--out', out, '-j', '2');
    expect(result.code).to.equal(3);
    expect(result.out).to.match(/TIMEOUT long-s1[\s\S]*no end after 1 s[\s\S]*log .*runs\/long-s1\/run\.log/);
    for (const name of ['long-s1', 'hang-s1']) {
      const record = readRunRecord(join(out, 'runs', name, 'run.json'));
      expect([record.id, record.verdict, record.test]).to.deep.equal([name, 'error', 'test_random']);
      expect(readFileSync(join(out, 'runs', name, 'run.log'), 'utf8')).to.match(/RNTST[\s\S]*\nreplay: \.\/hca_test/);
    }
    expect(readFileSync(join(out, 'runs/hang-s1/run.log'), 'utf8')).to.match(/^UVM_ERROR.*last words[\s\S]*was killed/);
    expect(readFileSync(join(out, 'runs/hang-s1/failure.md'), 'utf8')).to.match(
      /^# TIMEOUT: [\s\S]*was killed[\s\S]*The last lines of its log:\nUVM_ERROR.*last words/,
    );
  });

  for (const [signal, expected] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
    it(`writes its reports when ${signal} ends it`, async () => {
      const list = file(
        't.yaml',
        'tests:\n  - { name: t, test: test_random, seeds: [1, 2], plusargs: { FAKE: long } }\n',
      );
      const out = join(folder, 'o');
      const running = run('run', list, '--out', out, '-j', '1');
      setTimeout(() => process.kill(process.pid, signal), 1000);
      const result = await running;
      expect([result.code, existsSync(join(out, 'junit.xml'))]).to.deep.equal([expected, true]);
      expect(result.out).to.match(/REGRESSION STOPPED 0 of 2 passed$/m);
      const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;
      expect([report.interrupted, report.exitCode, report.summary.notRun]).to.deep.equal([true, expected, 2]);
    });
  }

  it('plays a script as it is and writes the logs that it names', async () => {
    const log = join(folder, 'case/c0.log');
    const script = file('s.sh', `./hca_test +UVM_TESTNAME=test_random \\\n  -l ${log}\nsed -i d ${log}\n`);
    const { code, out } = await run('run', script, '--out', join(folder, 'o'));
    expect([code, existsSync(log)]).to.deep.equal([0, true]);
    expect(out.trimEnd()).to.match(/REGRESSION PASSED 1 of 1 passed$/m);
  });

  it('gives equal results on one and on two workers', async () => {
    const list = file('mixed.yaml', MIXED);
    const transcripts = async (workers: string): Promise<string[]> => {
      const out = join(folder, workers);
      await run('run', list, '-j', workers, '--out', out, '--filter', 'good');
      const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;
      return report.results.map((r) => `${r.id} ${r.transcript}`);
    };
    expect(await transcripts('2')).to.deep.equal(await transcripts('1'));
  });

  it('finds mistakes in the runs of a list before anything is played', async () => {
    const list = file('x.yaml', 'tests:\n  - name: t\n    test: test_rndom\n    sweep: { HOST_NUM: [2, 99] }\n');
    const { code, err } = await run('run', list);
    expect(code).to.equal(2);
    expect(err).to.match(/x\.yaml:3:11: \+UVM_TESTNAME=test_rndom: there is no such test; did you mean test_random/);
    expect(err).to.match(/x\.yaml:4:28: .*HOST_NUM/);
    expect(err).to.match(/2 mistakes/);
  });

  it('says all mistakes of a list and of its own command line in one round, as they stand in the file', async () => {
    const list = file(
      'all.yaml',
      [
        'defaults: { plusargs: { HOST_NUM: 2 } }',
        'tests:',
        '  - { name: form, test: test_random, timeot: 5, plusargs: { RC_QP_NUM: 99999 } }',
        '  - { name: unknown, test: test_rndom, owner: joe }',
        '  - { name: budget, test: test_direct_param, seeds: [1], reseed: 2, plusargs: { DATA_CNT: 4, DATA_UNIT: GB } }',
        '  - { name: rule, test: test_random, skip: ["A +"], plusargs: { MTU: 7 }, flags: [--pcpa] }',
        '  - { name: rule, test: test_random }',
      ].join('\n'),
    );
    const { code, err } = await run('run', list, '-j', '0', '+STALL_TIME=x');
    expect(code).to.equal(2);
    const expected = [
      /^ +1\. --jobs 0 /,
      /:3:38: unknown key "timeot"; did you mean timeout\?$/,
      /:3:72: \+RC_QP_NUM=99999 is out of range/,
      /:4:28: \+UVM_TESTNAME=test_rndom: there is no such test.* \(in unknown\)$/,
      /:4:40: unknown key "owner"; allowed: /,
      /:5:66: seeds and reseed exclude each other/,
      /:5:9\d: .*DATA_CNT=4 \+DATA_UNIT=GB .* make a message of/,
      /:5:9\d: .*its source area holds/,
      /:6:45: in rule: cannot read "A \+"/,
      /:6:70: \+MTU=7 .* \(in rule\)$/,
      /:6:83: --pcpa: unknown flag/,
      /:7:5: the name rule is taken/,
      / command line: \+STALL_TIME=x /,
    ];
    const lines = err.trimEnd().split('\n').slice(1);
    expect(lines, err).to.have.length(expected.length);
    for (const [i, pattern] of expected.entries()) expect(lines[i]).to.match(pattern);
  });

  it('points at the value or flag of a list that is wrong, and at the command line for what stands there', async () => {
    const list = file(
      'p.yaml',
      [
        'defaults: { test: test_random, flags: [--pcap, --pcpa] }',
        'tests:',
        '  - name: t',
        '    plusargs: { MTU: 7 }',
        '    sweep: { G: [{ HOST_NUM: 2, RC_QP_NUM: 1 }, { HOST_NUM: 99, RC_QP_NUM: 1 }] }',
      ].join('\n'),
    );
    const { code, err } = await run('run', list, '+SEND_WQE_NUM=x');
    expect(code).to.equal(2);
    expect(err).to.match(/p\.yaml:1:48: --pcpa: unknown flag; did you mean --pcap/);
    expect(err).to.match(/p\.yaml:4:22: .*MTU=7/);
    expect(err).to.match(/p\.yaml:5:61: .*HOST_NUM=99/);
    expect(err).to.match(/ command line: .*SEND_WQE_NUM=x/);
  });

  it('reports mistakes of its own command line at once', async () => {
    const { code, err } = await run('rnu', 'x', '-j', '0', '--keep', 'some', '--sede', '3');
    expect(code).to.equal(2);
    expect(err).to.match(/4 mistakes/);
  });

  it('takes the number of workers as make does, and no flag for the value of an unknown one', async () => {
    const out = join(folder, 'o');
    const list = file('good.yaml', 'tests: [{ name: good, test: test_direct_param, reseed: 3 }]');
    expect((await run('run', list, '-j2', '--out', out)).code).to.equal(0);
    const { code, err } = await run('run', list, '--jbs', '--out', out);
    expect(code).to.equal(2);
    expect(err).to.contain('unknown flag; did you mean --jobs?').and.not.to.contain('stands alone');
  });

  it('lists its commands, each of which has help of its own', async () => {
    const page = await run('--help');
    expect(page.code).to.equal(0);
    for (const { name } of REGRESS_COMMANDS) {
      expect(page.out).to.match(new RegExp(`^  ${name} +[A-Z]`, 'm'));
      if (name === 'chunk') continue;
      const { code, out } = await run(name, '--help');
      expect([name, code, out.split('\n')[0]]).to.deep.equal([name, 0, commandUsage(name).split('\n')[0]]);
    }
  });

  it('lists what a pattern matches, and planted bugs by the checks that find them too', async () => {
    const found = await run('list', '--only', 'lost*');
    expect(found.out).to.match(/^faults:\n\+DUT=\w+: .*\n.*:\n +lost_ack +forgets/);
    expect(found.out).not.to.match(/tests:|sequences:/);
    const json = JSON.parse((await run('list', 'tests', '--only', 'test_r*', '--json')).out);
    expect(json.tests.map(({ name }: { name: string }) => name)).to.deep.equal(['test_random']);
    expect((await run('list', 'tests', '--only', 'none_such')).out.trim()).to.equal('none');
  });

  it('says its version', async () => {
    const { code, out } = await run('--version');
    expect([code, /^rnic-verify \d/.test(out)]).to.deep.equal([0, true]);
  });

  it('names a file with a similar name when there is no such list', async () => {
    const list = file('nightly.yaml', MIXED);
    const { code, err } = await run('run', list.replace('nightly', 'nigthly'));
    expect(code).to.equal(2);
    expect(err).to.match(/there is no such file; did you mean .*nightly\.yaml\?/);
  });

  it('prints the command lines without running them', async () => {
    const { code, out } = await run('run', file('m.yaml', MIXED), '--dry-run', '--sim-timeout', '10ms');
    expect(code).to.equal(0);
    expect(out.trimEnd().split('\n')).to.have.length(14);
    expect(out).to.match(/^\.\/hca_test \+SIM_TIMEOUT=10ms \+UVM_TESTNAME=test_direct_param \+HOST_NUM=2/);
  });

  it('gives plusargs of the command line to every run in place of its own, and checks them', async () => {
    const list = file('m.yaml', MIXED);
    const { code, out } = await run('run', list, '--dry-run', '+RC_QP_NUM=9', '+UD_QP_NUM=2', '--filter', 'good');
    expect(code).to.equal(0);
    const lines = out.trimEnd().split('\n');
    expect(lines).to.have.length(12);
    for (const line of lines) {
      expect(line).to.match(
        /^\.\/hca_test \+RC_QP_NUM=9 \+UD_QP_NUM=2 \+UVM_TESTNAME=test_direct_param \+HOST_NUM=2 --seed/,
      );
    }
    const wrong = await run('run', list, '+RC_QP_NUM=99999');
    expect(wrong.code).to.equal(2);
    expect(wrong.err).to.match(/command line: \+RC_QP_NUM=99999 is out of range/);
    expect(wrong.err).not.to.match(/mistakes/);
  });

  it('draws a seed that a script leaves to chance once, so that the run can be repeated', async () => {
    const script = file('s.sh', './hca_test +UVM_TESTNAME=test_random -sv_seed random\n');
    const { out } = await run('run', script, '--dry-run');
    expect(out).to.match(/-sv_seed \d+ {2}# \S+\n$/);
  });

  it('names arguments that took no effect, at once and in the summary', async () => {
    const list = file('m.yaml', MIXED);
    const { code, out, err } = await run('run', list, '--filter', 'good', '+SEQ_COUNT=3', '--out', join(folder, 'o'));
    expect(code).to.equal(0);
    expect(err.match(/warning: \+SEQ_COUNT=3 never took effect \(in good/g)).to.have.length(1);
    expect(out).to.match(/warning: \+SEQ_COUNT=3 never took effect \(12 of 12 runs\)[\s\S]*REGRESSION PASSED/);
  });

  it('refuses plusargs that nothing knows, once a name, with place, near names and what to do', async () => {
    const list = file(
      'u.yaml',
      'tests:\n  - { name: good, test: test_direct_param, plusargs: { DAAT_CNT: 8 }, reseed: 3 }\n',
    );
    const typed = ['+RC_QP_NUN=3', '+UVM_VERBOSITY=UVM_LOW', '+vpdfile+waves.vpd', '+NIC_SIZE=64'];
    const { code, err } = await run('run', list, ...typed, '--out', join(folder, 'o'));
    expect(code).to.equal(2);
    expect(err).to.match(
      /u\.yaml:2:\d+: \+DAAT_CNT=8: no such argument is known; did you mean DATA_CNT\? \(in good\S* and 2 more\); leave it out, or declare it in the class that reads it: static readonly plusargs = \{ DAAT_CNT: '...' \}/,
    );
    expect(err).to.match(
      /command line: \+RC_QP_NUN=3: no such argument is known; did you mean RC_QP_NUM or UC_QP_NUM\?/,
    );
    expect(err).to.contain('2 mistakes, nothing was run');
    expect(existsSync(join(folder, 'o'))).to.equal(false);
    const script = file('s.sh', './hca_test +UVM_TESTNAME=test_random +rc_qp_num=5\n');
    const scripted = await run('run', script);
    expect(scripted.code).to.equal(2);
    expect(scripted.err).to.contain('s.sh:1: +rc_qp_num=5: no such argument is known');
  });

  it('does not pass over errors that were switched off in runs that passed, and keeps what these runs left', async () => {
    const list = file(
      'off.yaml',
      'tests:\n  - { name: t, test: test_random, seeds: [1, 2, 3], plusargs: { FAKE: off } }\n',
    );
    const out = join(folder, 'o');
    const result = await run('run', list, '--out', out);
    expect(result.code).to.equal(0);
    expect(result.out).to.match(
      /\nwarning: 3 of 3 runs passed with switched-off errors \(6 in all; first t-s1, log .*run\.log\)\n/,
    );
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;
    expect(report.results.map((r) => r.switchedOff)).to.deep.equal([2, 2, 2]);
    expect(readFileSync(join(out, 'junit.xml'), 'utf8')).to.match(
      /errors_switched_off" value="2"[\s\S]*ATTACHMENT\|.*t-s1/,
    );
    expect(existsSync(join(out, 'runs/t-s1/run.log'))).to.equal(true);
    const none = await run('run', list, '--out', join(folder, 'n'), '--keep', 'none');
    expect([none.code, existsSync(join(folder, 'n/runs'))]).to.deep.equal([0, false]);
  });

  it('says at once and in the summary that a run passed only when it was tried again', async () => {
    const once = join(folder, 'once');
    const list = file(
      'r.yaml',
      `tests:\n  - { name: t, test: test_random, seeds: [1], plusargs: { FAKE_ONCE: ${once} } }\n`,
    );
    const { code, out } = await run('run', list, '--out', join(folder, 'o'));
    expect(code).to.equal(0);
    expect(out).to.match(/^CRASHED, tried again: t-s1: .*SIGKILL/m);
    expect(out).to.match(
      /\nwarning: 1 run passed only when tried again, after the process had died: t-s1\n[\s\S]*PASSED/,
    );
  });

  it('refuses flags in a list that run nothing or something else', async () => {
    for (const flags of ['[--replay, a.json]', '[--list-tests]', '[--help]', '[--version]']) {
      const list = file('f.yaml', `tests:\n  - { name: t, test: test_random, flags: ${flags} }\n`);
      const { code, err } = await run('run', list);
      expect(code, flags).to.equal(2);
      expect(err).to.match(/f\.yaml:2:43: --[\w-]+.* in a regression/);
    }
  });

  it('refuses outputs that cannot be written before anything is run', async () => {
    const list = file('o.yaml', `tests:\n  - { name: t, test: test_random, flags: [-l, ${folder}] }\n`);
    const asLog = await run('run', list);
    expect([asLog.code, asLog.err]).to.satisfy(([c, e]: [number, string]) => c === 2 && /-l .*: is a folder/.test(e));
    const asOut = await run('run', file('m.yaml', MIXED), '--out', file('taken', ''));
    expect([asOut.code, /--out .*taken: is a file; name a folder/.test(asOut.err)]).to.deep.equal([2, true]);
    const unmade = await run('run', file('m.yaml', MIXED), '--out', '/proc/none/such');
    expect([unmade.code, /--out \/proc\/none\/such: /.test(unmade.err)]).to.deep.equal([2, true]);
  });

  it('counts a line of a script with an output that cannot be written as misused, not as crashed', async () => {
    const script = file('s.sh', `./hca_test +UVM_TESTNAME=test_random -l ${folder}\n`);
    const { code, out } = await run('run', script, '--out', join(folder, 'o'));
    expect(code).to.equal(2);
    expect(out).to.match(/USAGE s\/.*: .*s\.sh:1: -l .*: is a folder/);
  });

  it('tells a script with some wrong lines from one of which nothing was run, and names the lines', async () => {
    const good = './hca_test +UVM_TESTNAME=test_random\n';
    const script = file('s.sh', `${good}./hca_test +UVM_TESTNAME=test_rndom --foo\n`);
    const { code, out } = await run('run', script, '--out', join(folder, 'o'));
    expect(code).to.equal(3);
    expect(out)
      .to.match(/\n {4}\S*s\.sh:2: .*there is no such test/)
      .and.not.to.match(/replay: *\n/);
    const dry = await run('run', script, '--dry-run');
    expect([dry.code, dry.out.trimEnd().split('\n').length]).to.deep.equal([2, 2]);
    expect(dry.err).to.match(/s\.sh:2: --foo.*\n.*s\.sh:2: \+UVM_TESTNAME=test_rndom: there is no such test/);
    expect((await run('run', file('g.sh', good), '--dry-run')).code).to.equal(0);
  });

  it('keeps the results of an earlier regression apart from its own', async () => {
    const out = join(folder, 'o');
    await run('run', file('m.yaml', MIXED), '--filter', 'bad', '--out', out);
    const { code, err } = await run('run', file('m.yaml', MIXED), '--filter', 'good', '--out', out);
    expect(code).to.equal(0);
    expect(err).to.match(/note: .* held an earlier regression, which is now in .*earlier-/);
    expect(journalLines(join(out, 'runs.jsonl')).results).to.have.length(12);
    expect(existsSync(join(out, 'runs'))).to.equal(false);
    const [earlier = ''] = readdirSync(out).filter((name) => name.startsWith('earlier-'));
    expect(existsSync(join(out, earlier, 'runs/bad-s7/run.log'))).to.equal(true);
    expect(journalLines(join(out, earlier, 'runs.jsonl')).results).to.have.length(1);
  });

  it('does not disturb a regression that is writing in the same folder', async () => {
    const out = join(folder, 'o');
    const list = file('m.yaml', MIXED);
    const first = run('run', list, '--filter', 'good', '--out', out);
    const second = await run('run', list, '--filter', 'bad', '--out', out);
    expect(second.code).to.equal(2);
    expect(second.err).to.match(/--out .*: a regression \(process \d+\) is writing there; name another folder/);
    expect((await first).code).to.equal(0);
    const left = ['junit.xml', 'report.html', 'report.json', 'runs.jsonl', 'summary.json'];
    expect(readdirSync(out).sort()).to.deep.equal(left);
    expect((await run('run', list, '--filter', 'bad', '--out', out)).code).to.equal(1);
  });

  it('refuses a list whose runs would write over each other', async () => {
    const list = file('l.yaml', 'tests:\n  - { name: t, test: test_random, seeds: [1, 2, 3], flags: [-l, a.log] }\n');
    const { code, err } = await run('run', list);
    expect(code).to.equal(2);
    expect(err).to.match(/l\.yaml:2:5: -l a\.log: t-s1 and t-s\d would write over each other/);
    const own = file('w.yaml', 'tests:\n  - { name: t, test: test_random, flags: [-l, a.log, --pcap=a.log] }\n');
    const { err: once } = await run('run', own, '--dry-run');
    expect(once)
      .to.match(/--pcap a\.log: the file is also written by -l/)
      .and.not.to.match(/each other/);
    const shared = file(
      'n.yaml',
      'tests:\n  - { name: t, test: test_random, seeds: [1, 2], flags: [-l, /dev/null] }\n',
    );
    expect((await run('run', shared, '--dry-run')).code).to.equal(0);
  });

  it('gives the runs of a script logs of their own where two name one', async () => {
    const line = './hca_test +UVM_TESTNAME=test_random -l a.log\n';
    const { code, out, err } = await run('run', file('s.sh', line + line + line), '--dry-run');
    expect(code).to.equal(0);
    expect(out.match(/-l \S+/g)).to.deep.equal(['-l a.log', '-l a.2.log', '-l a.3.log']);
    expect(err).to.match(/s\.sh:3: -l a\.log is also written by .*s\.sh:1; this run writes a\.3\.log/);
  });

  it('gives the lines of a script that name no seed those that --seed and --reseed ask for', async () => {
    const named = './hca_test +UVM_TESTNAME=test_random --seed 9 -l b.log\n';
    const script = file('p.sh', `./hca_test +UVM_TESTNAME=test_random -l logs/a.log\n${named}`);
    const lines = async (...flags: string[]): Promise<string[]> =>
      (await run('run', script, '--dry-run', ...flags)).out
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/ {2}# \S+$/, ''));
    expect(await lines()).to.deep.equal([
      './hca_test +UVM_TESTNAME=test_random -l logs/a.log',
      './hca_test +UVM_TESTNAME=test_random --seed 9 -l b.log',
    ]);
    const [first, second, third, ...rest] = await lines('--reseed', '2');
    expect(first).to.match(/-l logs\/a-s(\d+)\.log --seed \1$/);
    expect(second)
      .to.match(/-l logs\/a-s(\d+)\.log --seed \1$/)
      .and.not.to.equal(first);
    expect([third, ...rest]).to.deep.equal([named.trimEnd()]);
    const [derived] = await lines('--seed', '7');
    expect(derived).to.match(/-l logs\/a\.log --seed \d+$/);
    expect(await lines('--seed', '7')).to.contain(derived);
    expect(await lines('--seed', '8')).not.to.contain(derived);
    const { err } = await run('run', script, '--dry-run', '--reseed', '2');
    expect(err).to.match(/note: .*p\.sh:2: a line names a seed and keeps it; --reseed 2 is for lines that name none/);
  });

  it('makes the folders that a script makes and runs it in them', async () => {
    const inner = join(folder, 'logs/a');
    const script = file('s.sh', `mkdir -p ${inner}\ncd ${inner}\n./hca_test +UVM_TESTNAME=test_random -l x.log\n`);
    const { code } = await run('run', script, '--out', join(folder, 'o'));
    expect([code, existsSync(join(inner, 'x.log'))]).to.deep.equal([0, true]);
  });

  it('runs nothing of a script with a line that it cannot run', async () => {
    const script = file('s.sh', './hca_test +UVM_TESTNAME=test_random\nfor i in 1 2; do\n./hca_test\ndone\n');
    const { code, err } = await run('run', script, '--out', join(folder, 'o'));
    expect([code, existsSync(join(folder, 'o'))]).to.deep.equal([2, false]);
    expect(err).to.match(/s\.sh:2: only a shell can say what ; stands for here; with --shell your own shell runs the/);
    expect(err).to.match(/s\.sh:4: "done" is none of hca_test, bsub/);
  });

  it('executes no line of a script without --shell, and the loops of one with it', async () => {
    const mark = join(folder, 'mark');
    const text = `touch ${mark}\nfor n in 1 2 3; do hca_test +UVM_TESTNAME=test_random --seed $n; done\n`;
    const script = file('s.sh', text);
    const plain = await run('run', script, '--out', join(folder, 'o'));
    expect([plain.code, existsSync(mark)]).to.deep.equal([2, false]);
    const { code, out } = await run('run', script, '--shell', '--out', join(folder, 'o'));
    expect([code, existsSync(mark)]).to.deep.equal([0, true]);
    expect(out).to.contain('REGRESSION PASSED 3 of 3');
  });

  it('has no shell run a script in a dry run, when there are other mistakes, or in place of a list', async () => {
    const mark = join(folder, 'mark');
    const script = file('s.sh', `touch ${mark}\nhca_test +UVM_TESTNAME=test_random\n`);
    for (const more of [['-n'], ['--jobs', '0'], ['--out', script]]) {
      const { code, err } = await run('run', script, '--shell', ...more);
      expect([code, existsSync(mark)], err).to.deep.equal([2, false]);
      if (more[0] === '-n') expect(err).to.contain('--shell has the script run, a dry run runs nothing; leave one out');
    }
    const list = await run('run', file('l.yaml', MIXED), '--shell');
    expect([list.code, list.err]).to.satisfy(
      ([code, err]: [number, string]) => code === 2 && /is a list, which no/.test(err),
    );
  });

  it('charges what a run throws when it is over to that run, and plays the others', async () => {
    const late = ['promise', 'microtask', 'timer'].map(
      (what) => `  - { name: ${what}, plusargs: { FAKE_LATE: ${what} }, seeds: [1, 2] }\n`,
    );
    const list = file(
      'late.yaml',
      `defaults: { test: test_direct_param }\ntests:\n  - { name: good, reseed: 6 }\n${late.join('')}`,
    );
    const out = join(folder, 'o');
    const result = await run('run', list, '--out', out, '-j', '1');
    expect(result.code).to.equal(3);
    expect(result.out).to.match(/REGRESSION FAILED 6 of 12 passed$/m);
    expect(result.out).not.to.match(/CRASHED/);
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;
    for (const { family, status, signature, attempts } of report.results.slice(6)) {
      const found = [status, attempts, signature?.message];
      expect(found).to.deep.equal(['error', 1, `Error: late ${family}`]);
    }
    expect(readRunRecord(join(out, 'runs/timer-s1/run.json')).signature?.id).to.equal('EXCEPTION');
  });

  it('takes back that a run has passed when it throws much later, while others are played', async () => {
    const list = file(
      'late.yaml',
      'defaults: { test: test_direct_param, seeds: [1] }\ntests:\n' +
        '  - { name: culprit, plusargs: { FAKE_LATE: 200 } }\n' +
        '  - { name: other, plusargs: { FAKE: long }, timeout: 1 }\n  - { name: good, seeds: [1, 2, 3] }\n',
    );
    const out = join(folder, 'o');
    const result = await run('run', list, '--out', out, '-j', '1');
    expect(result.out).to.match(
      /ERROR culprit-s1: \[EXCEPTION\] in a promise or callback that nobody waited for, after the verdict: Error: late 200/,
    );
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as RegressionReport;
    const statuses = report.results.map(({ status, attempts }) => `${status} ${attempts}`);
    expect(statuses).to.deep.equal(['error 1', 'timeout 1', 'passed 1', 'passed 1', 'passed 1']);
    expect(report.summary.total.counts.passed).to.equal(3);
  });

  it('gives a run that ends its process a verdict, once, and plays the rest of its batch elsewhere', async () => {
    const list = file(
      'exit.yaml',
      'defaults: { test: test_direct_param }\ntests:\n' +
        '  - { name: exits, plusargs: { FAKE: exit }, seeds: [1] }\n  - { name: good, reseed: 8 }\n',
    );
    const out = join(folder, 'o');
    const result = await run('run', list, '--out', out, '-j', '1');
    expect(result.code).to.equal(3);
    expect(result.out).to.match(/ERROR exits-s1: \[RUN_EXIT\] process\.exit\(5\) was called in the middle of the run/);
    expect(result.out).not.to.match(/CRASHED/);
    expect(result.out).to.match(/REGRESSION FAILED 8 of 9 passed$/m);
    expect(readRunRecord(join(out, 'runs/exits-s1/run.json')).signature?.id).to.equal('RUN_EXIT');
    expect(readFileSync(join(out, 'runs/exits-s1/run.log'), 'utf8')).to.match(/TEST FAILED ERROR/);
    expect(readFileSync(join(out, 'runs/exits-s1/failure.md'), 'utf8')).to.match(
      /^# RUN_EXIT: [\s\S]*process\.exit\(5\)/,
    );
  });

  it('takes a part of a second as time limit', async () => {
    const list = file('t.yaml', 'tests:\n  - { name: t, test: test_random, plusargs: { FAKE: long } }\n');
    const { out } = await run('run', list, '--timeout', '0.5', '--out', join(folder, 'o'));
    expect(out).to.match(/TIMEOUT t-.*no end after 0\.5 s/);
    expect((await run('run', list, '--timeout', '0')).err).to.match(/--timeout 0 .*not a time/);
  });

  it('takes the time limit of its command line in place of those of the list, and shows limits that are not the default', async () => {
    const list = file(
      't.yaml',
      'defaults: { test: test_random, seeds: [1], timeout: 7 }\ntests:\n  - { name: t, plusargs: { FAKE: long } }\n',
    );
    const flagged = file('f.yaml', 'tests:\n  - { name: t, test: test_random, seeds: [1], flags: [--timeout, "9"] }\n');
    expect((await run('run', list, '--dry-run')).out).to.match(/--seed 1 --timeout 7 {2}# \S+\n$/);
    expect((await run('run', list, '--dry-run', '--timeout', '0.5')).out).to.match(
      /--seed 1 --timeout 0\.5 {2}# \S+\n$/,
    );
    expect((await run('run', flagged, '--dry-run', '--timeout=4')).out).to.match(
      /test_random --seed 1 --timeout 4 {2}# \S+\n$/,
    );
    const { out } = await run('run', list, '--timeout', '0.5', '--out', join(folder, 'o'));
    expect(out).to.match(/TIMEOUT t-.*no end after 0\.5 s/);
  });

  it('refuses what a list says twice and differently, and flags that have no meaning there', async () => {
    const list = file(
      'l.yaml',
      [
        'defaults: { timeout: 100 }',
        'tests:',
        '  - { name: a, test: test_random, flags: [--timeout, "0.3"] }',
        '  - { name: b, test: test_direct_param, plusargs: { UVM_TESTNAME: test_random } }',
        '  - { name: c, test: test_direct_param, sweep: { UVM_TESTNAME: [test_random] } }',
      ].join('\n'),
    );
    const { code, err } = await run('run', list);
    expect(code).to.equal(2);
    expect(err).to.match(/l\.yaml:3:43: --timeout 0\.3: timeout: says 100; keep one of them/);
    expect(err).to.match(/l\.yaml:4:67: UVM_TESTNAME is test_random, and test: says test_direct_param; keep one/);
    expect(err).to.match(/l\.yaml:5:\d+: UVM_TESTNAME is swept, and test: says test_direct_param/);
    const flags = file('f.yaml', 'tests:\n  - { name: t, test: test_random, flags: [--out, zz, -q] }\n');
    const refused = await run('run', flags, '-n');
    expect(refused.code).to.equal(2);
    expect(refused.err).to.match(/f\.yaml:2:43: --out: has no meaning in a list; .*folder of the regression/);
    expect(refused.err).to.match(/f\.yaml:2:54: -q: has no meaning in a list/);
    expect((await run('run', file('s.sh', './hca_test +UVM_TESTNAME=test_random -q\n'), '-n')).code).to.equal(0);
  });

  it('takes --workers for --jobs', async () => {
    const list = file('m.yaml', MIXED);
    expect((await run('run', list, '-n', '--workers', '2')).code).to.equal(0);
    expect((await run('run', list, '-n', '--workers', '2', '-j', '3')).err).to.match(/--jobs was already given as 2/);
  });

  it('names the log of a failure where it is', async () => {
    const log = join(folder, 'own.log');
    const script = file('s.sh', `./hca_test +UVM_TESTNAME=test_random +FAKE=fail -l ${log}\n`);
    const { out } = await run('run', script, '--out', join(folder, 'o'));
    expect(out).to.contain(`    log ${log}\n`);
    expect(existsSync(log)).to.equal(true);
  });
});

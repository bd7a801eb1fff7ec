import { createHash } from 'node:crypto';
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
import { main } from '../../../bin/hcaTest.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';
import { fakePlay, fakeRegistry, fakeResult, opened } from '../support/fakeRun.ts';

const TEST = '+UVM_TESTNAME=test_direct_param';

describe('hca_test', () => {
  let folder = '';
  let home = '';
  beforeEach(() => {
    home = process.cwd();
    folder = mkdtempSync(join(tmpdir(), 'hca-'));
    process.chdir(folder);
  });
  afterEach(() => {
    process.chdir(home);
    rmSync(folder, { recursive: true });
  });

  async function run(line: string, play = fakePlay): Promise<{ code: number; out: string[]; err: string }> {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const options = { registry: fakeRegistry(), play, out, err, env: {} };
    const code = await main(
      line.split(' ').filter((w) => w !== ''),
      options,
    );
    return { code, out: out.text.trimEnd().split('\n'), err: err.text };
  }

  function onlyRecord(): string {
    const [id, ...more] = readdirSync('out');
    expect(more).to.deep.equal([]);
    return join('out', id as string, 'run.json');
  }

  it('runs the published line unmodified and creates the folder of its log', async () => {
    const { code, out, err } = await run(
      '-uvmDebug +UVM_VERBOSITY=UVM_LOW +vpdfile+./case/multiqp_wave/wave4109.vpd +UVM_TESTNAME=test_direct_param ' +
        '+HOST_NUM=2 +PROC_NUM=2 +RC_QP_NUM=16 +UC_QP_NUM=0 +UD_QP_NUM=0 +DB_NUM=1 +WRITE_WQE_NUM=0 +READ_WQE_NUM=0 ' +
        '+SEND_WQE_NUM=1 +RECV_WQE_NUM=1 +SG_NUM=1 +DATA_CNT=10 +DATA_UNIT=B -l ./case/multiqp_log/case4109.log',
    );
    expect(err).to.equal('');
    expect(code).to.equal(0);
    expect(out.at(-1)).to.match(/TEST PASSED test_direct_param seed 1 \(12 checks, 1.5us simulated/);
    expect(readFileSync('case/multiqp_log/case4109.log', 'utf8')).to.match(/^UVM_INFO @ 0ns[\s\S]*\nTEST PASSED /);
  });

  it('leaves a record that says how to repeat the run', async () => {
    const { code, out } = await run(`${TEST} +FAKE=fail --seed 0x10 -l a.log --quiet`);
    expect(code).to.equal(1);
    expect(out.at(-1)).to.equal(`replay: ./hca_test ${TEST} +FAKE=fail --seed 16`);
    expect(out.at(-2)).to.match(/TEST FAILED test_direct_param seed 16 .*: \[SCB_DATA\] byte 3 differs/);
    expect(out.join('\n')).not.to.match(/UVM_INFO/);
    const record = readRunRecord(onlyRecord());
    expect(record.verdict).to.equal('failed');
    expect(record.seed).to.equal(16);
    expect(record.files['log']).to.equal('a.log');
    expect(record.signature?.id).to.equal('SCB_DATA');
    expect(record.replay).to.equal(`./hca_test ${TEST} +FAKE=fail --seed 16`);
  });

  it('does not count a run without checks as passed, nor one that the harness ended', async () => {
    const vacuous = await run(`${TEST} +FAKE=vacuous`);
    expect([vacuous.code, vacuous.out.at(-2)?.startsWith('TEST FAILED VACUOUS')]).to.deep.equal([1, true]);
    const broken = await run(`${TEST} +FAKE=error`);
    expect([broken.code, broken.out.at(-2)?.startsWith('TEST FAILED ERROR')]).to.deep.equal([3, true]);
  });

  it('replays a record, also with more verbosity, and compares the transcript', async () => {
    await run(`${TEST} +FAKE=fail --seed 7`);
    const record = onlyRecord();
    const { code, out } = await run(`--replay ${record} +UVM_VERBOSITY=UVM_HIGH --out again`);
    expect(code).to.equal(1);
    expect(out.join('\n')).to.match(/REPLAY EQUAL: transcript [0-9a-f]{32}/);
  });

  it('says which versions differ when a replay differs', async () => {
    await run(`${TEST} +FAKE=drift`);
    const record = onlyRecord();
    const same = await run(`--replay ${record} --out again`);
    expect(same.code).to.equal(3);
    expect(same.out.join('\n')).to.match(/REPLAY DIFFERS[\s\S]*all versions are equal/);
    writeFileSync(record, readFileSync(record, 'utf8').replace(/"node": "[^"]*"/, '"node": "18.0.0"'));
    const other = await run(`--replay ${record} --out again`);
    expect(other.out.join('\n')).to.match(/versions differ: node 18\.0\.0 then/);
  });

  it('says that the sources have changed when a replay differs, and replays records that do not name theirs', async () => {
    await run(`${TEST} +FAKE=drift`);
    const record = onlyRecord();
    const text = readFileSync(record, 'utf8');
    writeFileSync(record, text.replace(/"sources": "[^"]*"/, '"sources": "0123abc"'));
    const changed = await run(`--replay ${record} --out again`);
    expect(changed.out.join('\n')).to.match(/REPLAY DIFFERS.*\nthe sources have changed since/);
    writeFileSync(record, text.replace(/,\s*"sources": "[^"]*"/, ''));
    const old = await run(`--replay ${record} --out again`);
    expect([old.code, old.err]).to.deep.equal([3, '']);
  });

  it('has log and record on disk while a run goes on, so that a killed one can be repeated', async () => {
    let seen: string[] = [];
    const { out } = await run(
      `${TEST} --seed 3 --timeout 3`,
      opened((spec, hooks) => {
        const { signature, verdict } = readRunRecord(onlyRecord());
        seen = [verdict, signature?.id ?? ''];
        const result = fakeResult({ ...spec, plusargs: [...spec.plusargs, '+FAKE=long'] }, hooks);
        seen.push(readFileSync(onlyRecord().replace('run.json', 'run.log'), 'utf8'));
        return result;
      }),
    );
    expect(seen).to.deep.equal(['error', 'UNFINISHED', 'UVM_INFO @ 0ns: reporter [RNTST] Running\n']);
    expect(out.filter((line) => line.startsWith('running: record'))).to.have.length(1);
    expect(out.join('\n')).to.match(/run\.json; replay: \.\/hca_test .* --seed 3\n[\s\S]*TEST FAILED ERROR/);
    expect(readRunRecord(onlyRecord()).signature?.id).to.equal('RUN_LIMIT');
  });

  it('refuses names of outputs that are too long, before time 0', async () => {
    const long = 'a'.repeat(300);
    for (const line of [
      `--pcap=${long}`,
      `--dump-scenario sub/${long}`,
      `-l ${long}/x`,
      `--out ${'d/'.repeat(3000)}`,
    ]) {
      const { code, err } = await run(`${TEST} ${line}`);
      expect(code, line.slice(0, 30)).to.equal(2);
      expect(err).to.match(/\.\.\.: the name is longer than the file system takes; name another\n/);
      expect(err.length).to.be.below(400);
    }
    for (const line of [`--replay ${long}`, `-f ${long}`, `${TEST} --scenario ${long}`]) {
      const { code, err } = await run(line);
      expect([code, /too long/.test(err)], err.slice(0, 200)).to.deep.equal([2, true]);
    }
    expect(readdirSync('.')).to.deep.equal([]);
  });

  it('says that the folder of a run was removed midway, and names no file that is not there', async () => {
    const { code, out, err } = await run(
      `${TEST} --seed 3`,
      opened((spec, hooks) => {
        rmSync('out', { recursive: true });
        return fakeResult(spec, hooks);
      }),
    );
    expect(code).to.equal(3);
    expect(err).to.match(/log out\/\S*run\.log: somebody has removed it while the run went on/);
    expect(out.find((line) => line.startsWith('record'))).to.match(/^record out\/\S*run\.json, log none$/);
  });

  it('keeps what was said before a run threw', async () => {
    const thrown = await run(`${TEST} +FAKE=throw`).catch((error: unknown) => error);
    expect(String(thrown)).to.match(/thrown in the run/);
    expect(readFileSync(onlyRecord().replace('run.json', 'run.log'), 'utf8')).to.match(/RNTST/);
  });

  it('replays a run that did not end, and says that there is nothing to compare', async () => {
    await run(`${TEST} --seed 3`);
    const record = onlyRecord();
    writeFileSync(record, readFileSync(record, 'utf8').replace(/"hash": "[^"]*"/, '"hash": ""'));
    const { code, out } = await run(`--replay ${record} --out again`);
    expect(code).to.equal(0);
    expect(out.join('\n')).to.match(/REPLAY OF A RUN THAT DID NOT END/);
  });

  it('has one value of each parameter in a replay: the one that is given now', async () => {
    const old = '+FAKE=fail +RC_QP_NUM=2 +UVM_VERBOSITY=UVM_LOW';
    await run(`${TEST} ${old} +uvm_set_verbosity=*,A,UVM_HIGH,run --seed 3`);
    const more = '+RC_QP_NUM=3 +UVM_VERBOSITY=UVM_HIGH +uvm_set_verbosity=*,B,UVM_HIGH,run';
    const { out } = await run(`--replay ${onlyRecord()} ${more} --out again`);
    const line = out.find((text) => text.startsWith('replay: ')) as string;
    for (const word of more.split(' ')) expect(line).to.contain(word);
    expect(line)
      .to.contain('+uvm_set_verbosity=*,A,UVM_HIGH,run')
      .and.not.to.match(/NUM=2|UVM_LOW/);
  });

  it('does not call a replay with other plusargs a defect, and names what may have changed it', async () => {
    await run(TEST);
    const { code, out } = await run(`--replay ${onlyRecord()} +MTU=256 +UVM_VERBOSITY=UVM_HIGH --out again`);
    expect(code).to.equal(0);
    expect(out.join('\n')).to.match(/REPLAY CHANGED: .*\n.*does not have may change the run: \+MTU=256\n/);
  });

  it('refuses what is no record', async () => {
    writeFileSync('x.json', '{"format": 1}');
    const { code, err } = await run('--replay x.json');
    expect(code).to.equal(2);
    expect(err).to.match(/x\.json: not a run record/);
  });

  it('shows control characters of inputs and messages instead of obeying them', async () => {
    writeFileSync('\x1b[2Ja.f', `${TEST}\n--\x1b[31m\n+UVM_VERBOSITY=\u202eHGIH_MVU\n`);
    const wrong = await run('-f \x1b[2Ja.f');
    expect(wrong.code).to.equal(2);
    expect(wrong.err).to.contain('--\\x1b[31m').and.to.contain('\\x1b[2Ja.f:2').and.to.contain('\\u202eHGIH');
    expect(wrong.err).not.to.match(/[^\P{Cc}\n]|\u202e/u);
    const said = await run(
      `${TEST} +NOTE=\x1b[31m`,
      opened((spec, hooks) => {
        hooks.sink('UVM_INFO @ 0ns: reporter [X] \x1b]0;mine\x07');
        return fakeResult(spec, hooks);
      }),
    );
    const log = readFileSync(onlyRecord().replace('run.json', 'run.log'), 'utf8');
    for (const text of [said.out.join('\n'), log]) {
      expect(text).to.contain('[X] \\x1b]0;mine\\x07');
      expect(text).not.to.match(/[^\P{Cc}\n]/u);
    }
  });

  it('reads no input without end', async () => {
    for (const line of ['-f /dev/zero', `${TEST} --scenario /dev/zero`, '--replay /dev/zero']) {
      const { code, err } = await run(line);
      expect(code, line).to.equal(2);
      expect(err).to.contain('it is a device; give a file, or a pipe such as <(command)');
    }
  });

  it('says of an option file that is missing only this, not what it may hold', async () => {
    const { code, err } = await run('-f none.f');
    expect(code).to.equal(2);
    expect(err).to.match(/-f none\.f .*: cannot read the option file; there is no such file/);
    expect(err).not.to.match(/mistakes|no test is named/);
  });

  it('reports mistakes in flags, names and values together and runs nothing', async () => {
    const { code, err } = await run(
      '+UVM_TESTNAME=test_direct_parm +HOST_NUM=99 +DUT_FAULT=lost_akc --sed 4 +DATA_UNIT=TB',
    );
    expect(code).to.equal(2);
    expect(err).to.match(/did you mean test_direct_param/);
    expect(err).to.match(/HOST_NUM.*2\.\.8/);
    expect(err).to.match(/did you mean lost_ack/);
    expect(err).to.match(/did you mean --seed/);
    expect(err).to.match(/DATA_UNIT/);
    expect(err).to.match(/5 mistakes, nothing was run/);
    expect(existsSync('out')).to.equal(false);
  });

  it('asks for a test when none is named', async () => {
    const { code, err } = await run('');
    expect(code).to.equal(2);
    expect(err).to.match(/no test is named.*--list-tests/);
  });

  it('lists and helps', async () => {
    expect((await run('--list-tests')).out.join('\n')).to.match(/test_random\s+about test_random/);
    expect((await run('--list-faults')).out.join('\n')).to.match(/lost_ack\s+forgets/);
    expect((await run('--list-knobs')).out.join('\n')).to.match(/\+NIC_SIZE\s+how large \[1 \.\. 99, default 5\]/);
    expect((await run('--list-sequences')).out.join('\n')).to.match(/ping_pong/);
    const help = (await run('--help all')).out;
    expect(help.join('\n')).to.match(/\+HOST_NUM, \+HOST_NAME[\s\S]*2\.\.8/);
    expect(Math.max(...help.map((line) => line.length))).to.be.at.most(120);
    expect((await run('--version')).out[0]).to.match(/^rnic-verify \d/);
  });

  it('has a first page of help that fits on a screen, and topics with everything else', async () => {
    const page = (await run('--help')).out.join('\n');
    expect(page.split('\n').length).to.be.at.most(60);
    expect(page)
      .to.match(/--seed <seed> /)
      .and.to.match(/--help topology +topology, \d+ plusargs: \+HOST_NUM/);
    expect((await run('--help=flags')).out.join('\n')).to.match(/--shrink-runs <n>/);
    expect((await run('--help Topology')).out.join('\n')).to.match(/\+HOST_NUM, \+HOST_NAME/);
  });

  it('finds in its help what mentions a word, names first, and names topics where nothing does', async () => {
    const found = (await run('--help mtu')).out.join('\n');
    expect(found).to.match(/^ {2}\+MTU, \+PMTU /);
    expect((await run('--help size')).out.join('\n')).to.match(/\+NIC_SIZE +how large/);
    expect(await run('--help topologi')).to.deep.include({ code: 2 });
    expect((await run('--help topologi')).err).to.match(/nothing mentions it; did you mean topology\?/);
  });

  it('marks names in a list that several classes have', async () => {
    const registry = fakeRegistry();
    registry.factory.register('ping_pong', class One {}, 'sequences/library/one.ts');
    registry.factory.register('ping_pong', class Two {}, 'sequences/library/two.ts');
    const out = new CapturedOutput();
    expect(await main(['--list-sequences'], { registry, out, env: {} })).to.equal(0);
    expect(out.text.replaceAll(/\s+/g, ' ')).to.match(
      /ping_pong CANNOT BE RUN: .*shared by the classes One of sequences\/library\/one\.ts and Two of \S*two\.ts/,
    );
  });

  it('gives two runs of one second different folders', async () => {
    await run(TEST);
    await run(TEST);
    expect(readdirSync('out')).to.have.length(2);
  });

  it('refuses to replay a record with another seed or another test', async () => {
    await run(`${TEST} --seed 7`);
    const record = onlyRecord();
    const seed = await run(`--replay ${record} --seed 5 --out again`);
    expect([seed.code, /--seed 5: the seed of .*run\.json is 7; leave it out/.test(seed.err)]).to.deep.equal([2, true]);
    const test = await run(`--replay ${record} +UVM_TESTNAME=test_random --out again`);
    expect([test.code, /\+UVM_TESTNAME=test_random: the test of .* is test_direct_param/.test(test.err)]).to.deep.equal(
      [2, true],
    );
    expect((await run(`--replay ${record} --seed 0x7 --out again`)).code).to.equal(0);
  });

  it('checks the plusargs of a record as those of a command line', async () => {
    await run(TEST);
    const record = onlyRecord();
    const text = readFileSync(record, 'utf8');
    for (const [from, to, expected] of [
      [`"${TEST}"`, `"${TEST}", "--foo"`, /"--foo" among its plusargs is none/],
      [
        `"${TEST}"`,
        '"+UVM_TESTNAME=test_rndom"',
        /its test is test_direct_param, its plusargs say \+UVM_TESTNAME=test_r/,
      ],
      [
        `"${TEST}"`,
        `"${TEST}", "+HOST_NUM=3"`,
        /its plusargs and its seed 1 are not those of the line that repeats it/,
      ],
      ['"seed": 1,', '"seed": 2,', /its plusargs and its seed 2 are not those .* undo what was changed/],
    ] as const) {
      const at = from.startsWith('"seed"') ? 0 : text.indexOf('"plusargs"');
      writeFileSync(record, text.slice(0, at) + text.slice(at).replace(from, to));
      const { code, err } = await run(`--replay ${record} --out again`);
      expect(code, to).to.equal(2);
      expect(err).to.match(expected);
    }
  });

  it('writes no file that only a record names', async () => {
    await run(TEST);
    const record = onlyRecord();
    const { plusargs, replay, ...rest } = readRunRecord(record);
    for (const own of ['+DUMP_SCENARIO=x.json', '+PCAP=x.pcap', '+PCAP', '+SCENARIO=x.json', '+TEST_PATH=x']) {
      const line = replay.replace(TEST, `${TEST} ${own}`);
      writeFileSync(record, JSON.stringify({ ...rest, plusargs: [...plusargs, own], replay: line }));
      const { code, err } = await run(`--replay ${record} --out again`);
      expect(code, own).to.equal(2);
      expect(err).to.contain(`${own} among its plusargs: no record has it there; take it out`);
      expect(readdirSync('.')).to.deep.equal(['out']);
    }
  });

  it('loads no code that only a record names', async () => {
    await run(TEST);
    const record = onlyRecord();
    mkdirSync('own');
    writeFileSync('own/test.ts', `import { writeFileSync } from 'node:fs';\nwriteFileSync('${folder}/loaded', '');\n`);
    const testPath = { path: 'own', sha256: 'a'.repeat(64) };
    writeFileSync(record, JSON.stringify({ ...readRunRecord(record), testPath }));
    const { code, err } = await run(`--replay ${record} --out again`);
    expect([code, existsSync('loaded')]).to.deep.equal([2, false]);
    expect(err).to.match(/tests of the folder \S*own; their code is loaded if you name it: add \+TEST_PATH=own\n/);
  });

  it('replays a record whose line goes to another folder first, and refuses a seed that only begins like its own', async () => {
    await run(`${TEST} --seed 12`);
    const record = onlyRecord();
    const { replay, ...rest } = readRunRecord(record);
    const line = `(cd ${folder} && ${replay})`;
    writeFileSync(record, JSON.stringify({ ...rest, replay: line }));
    expect((await run(`--replay ${record} --out again`)).code).to.equal(0);
    writeFileSync(record, JSON.stringify({ ...rest, seed: 1, replay: line }));
    expect((await run(`--replay ${record} --out again`)).code).to.equal(2);
  });

  it('checks a record whose changes agree as a command line', async () => {
    await run(TEST);
    const record = onlyRecord();
    const { plusargs, replay, ...rest } = readRunRecord(record);
    const line = replay.replace(TEST, `${TEST} +HOST_NUM=99`);
    writeFileSync(record, JSON.stringify({ ...rest, plusargs: [...plusargs, '+HOST_NUM=99'], replay: line }));
    expect((await run(`--replay ${record} --out again`)).err).to.match(/HOST_NUM=99 is out of range/);
  });

  it('finds the scenario of a record where the run was typed', async () => {
    const record = join(folder, 'r.json');
    await run(TEST);
    const scenario = { kind: 'file', path: 'sc.json', sha256: createHash('sha256').update('{}').digest('hex') };
    writeFileSync(join(folder, 'sc.json'), '{}');
    writeFileSync(record, JSON.stringify({ ...readRunRecord(onlyRecord()), scenario, cwd: folder }));
    process.chdir('out');
    const { err } = await run(`--replay ${record}`);
    expect(err)
      .to.match(/sc\.json/)
      .and.not.to.match(/cannot be read now/);
  });

  it('says before time 0 which outputs cannot be written, and makes folders for those that can', async () => {
    writeFileSync('file', '');
    symlinkSync('nowhere', 'dangling');
    mkdirSync('dir');
    for (const [line, expected] of [
      ['-l dir', /-l dir: is a folder; name a file in it/],
      ['-l dangling/x', /-l dangling\/x: .*dangling is a link to nothing/],
      ['-l file/x', /-l file\/x: .*file is a file, no folder/],
      ['--out file', /--out file: is a file; name a folder/],
      ['--pcap=dir', /--pcap dir: is a folder/],
      ['--dump-scenario dir', /--dump-scenario dir: is a folder/],
      ['-l /proc/none/x.log', /-l \/proc\/none\/x\.log: /],
      ['--out /proc/none', /--out \/proc\/none: /],
    ] as const) {
      const { code, err } = await run(`${TEST} ${line}`);
      expect([code, err]).to.satisfy(([c, e]: [number, string]) => c === 2 && expected.test(e));
      expect(err).not.to.match(/ at .*\.ts:/);
    }
    expect((await run(`${TEST} --pcap=x/y.pcap --dump-scenario nodir/x.json -l a/b/c.log`)).code).to.equal(0);
    expect([existsSync('x'), existsSync('nodir'), existsSync('a/b/c.log')]).to.deep.equal([true, true, true]);
  });

  it('refuses outputs of one run that are one file, or one that it reads, and leaves that as it is', async () => {
    await run(TEST);
    const record = onlyRecord();
    const before = readFileSync(record, 'utf8');
    writeFileSync('o.f', TEST);
    symlinkSync('o.f', 'link.f');
    for (const [line, expected] of [
      [`${TEST} -l x.log --pcap=./x.log`, /--pcap \.\/x\.log: the file is also written by -l; name another/],
      [`${TEST} --pcap=x --dump-scenario x`, /--dump-scenario x: the file is also written by --pcap/],
      [`--replay ${record} -l ${record}`, /-l .*run\.json: the file is read by the same run \(--replay\)/],
      ['-f o.f -l link.f', /-l link\.f: the file is read by the same run \(-f\)/],
    ] as const) {
      const { code, err } = await run(line);
      expect([code, err]).to.satisfy(([c, e]: [number, string]) => c === 2 && expected.test(e));
    }
    expect(readFileSync(record, 'utf8')).to.equal(before);
    expect((await run(`${TEST} -l /dev/null --pcap=/dev/null`)).code).to.equal(0);
  });

  it('has a verdict when log or record cannot be written, and says which file it was', async () => {
    const passed = await run(`${TEST} -l /dev/full`);
    expect(passed.code).to.equal(3);
    expect(passed.out.at(-1)).to.match(/^TEST PASSED/);
    expect(passed.err).to.equal('./hca_test: log /dev/full: no space left on device\n');
    const failed = await run(`${TEST} +FAKE=fail -l /dev/full`);
    expect([failed.code, failed.err]).to.deep.equal([1, passed.err]);
    const unrecorded = await run(`${TEST} --out other`, (spec, registry, hooks, bytes) => {
      rmSync('other', { recursive: true });
      writeFileSync('other', '');
      return fakePlay(spec, registry, hooks, bytes);
    });
    expect([unrecorded.code, unrecorded.out.at(-1)?.startsWith('TEST PASSED')]).to.deep.equal([3, true]);
    expect(unrecorded.err).to.match(
      /^(.*log other\/.*removed.*\n)?\.\/hca_test: record other\/.*\/run\.json: not a directory\n$/,
    );
  });

  it('refuses two tables at once, and two names for one file', async () => {
    const tables = await run('--list-tests --list-faults');
    expect([tables.code, /--list-tests and --list-faults: one table/.test(tables.err)]).to.deep.equal([2, true]);
    const captures = await run(`${TEST} --pcap=a +PCAP=b`);
    expect([captures.code, /--pcap=a and \+PCAP=b: two names/.test(captures.err)]).to.deep.equal([2, true]);
  });

  it('refuses a capture that is given twice and differently', async () => {
    const twice = await run(`${TEST} --pcap=a --pcap=b`);
    expect(twice.code).to.equal(2);
    expect(twice.err).to.match(/--pcap=b \(command line\): --pcap was already given as a; keep one of them/);
    expect((await run(`${TEST} --pcap --pcap=b`)).err).to.match(/--pcap was already given without a value/);
    expect((await run(`${TEST} --pcap --pcap`)).code).to.equal(0);
  });

  it('says once in its help that a time is a time', async () => {
    const { out } = await run('--help all');
    expect(out.join('\n'))
      .to.match(/a time such as 10us/)
      .and.not.to.match(/10us\s+time/);
  });
});

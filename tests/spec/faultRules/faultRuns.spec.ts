/** Whole runs under fault rules, as a user starts them. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../bin/hcaTest.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult, RunSpec } from '../../../bin/run/runSpec.ts';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import type { RunRecord } from '../../../regress/runRecord.ts';
import { CapturedOutput } from '../support/capturedOutput.ts';

const RC = ['+RC_QP_NUM=4', '+SEND_WQE_NUM=2', '+WRITE_WQE_NUM=3', '+READ_WQE_NUM=2', '+DATA_CNT=5000', '+MTU=1024'];
const QUICK = '+ACK_TIMEOUT=4';
/** A share of each kind that a reliable connection survives. */
const SHARES = ['+LOSS_PCT=1', '+DUP_PCT=2', '+REORDER_PCT=1', '+DELAY_PCT=1', '+CORRUPT_PCT=0.5', '+ECN_PCT=5'];
const ACK_LOST = '+NET_FAULT=drop host=1 opcode=ack nth=2';
const NEVER = 'drop opcode=fetch_add';

interface Played extends RunResult {
  readonly log: string;
}

describe('runs under fault rules', () => {
  let registry: Registry;
  let folder = '';

  before(async () => {
    registry = await loadRegistry();
    folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  function play(plusargs: readonly string[], more: Partial<RunSpec> = {}, test = 'test_direct_param'): Played {
    const log: string[] = [];
    const spec = { testName: test, seed: 1, plusargs: [`+UVM_TESTNAME=${test}`, ...plusargs], ...more };
    const result = runOne(spec, registry, { sink: (text) => log.push(text) });
    return { ...result, log: log.join('\n') };
  }

  async function command(words: readonly string[], out = 'out'): Promise<{ code: number; text: string }> {
    const output = new CapturedOutput();
    const argv = [...words, '--out', join(folder, out)];
    return { code: await main(argv, { registry, out: output, err: output, env: {} }), text: output.text };
  }

  function recordIn(out: string): { path: string; record: RunRecord } {
    const path = join(folder, out, readdirSync(join(folder, out))[0] as string, 'run.json');
    return { path, record: readRunRecord(path) };
  }

  it('are the same as without, bit for bit, where no rule acts', () => {
    const plain = play(RC);
    for (const faults of [[], [`+NET_FAULT=${NEVER} optional`], ['+LOSS_PCT=0', '+FAULT_UNTIL=1us']]) {
      const run = play([...RC, ...faults]);
      expect([run.verdict, run.transcript.hash], run.log).to.deep.equal(['passed', plain.transcript.hash]);
    }
    expect(plain.faults).to.equal(undefined);
  });

  it('pass on a healthy NIC that loses an acknowledgement, and say what was done', () => {
    const run = play([...RC, ACK_LOST]);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.match(
      /\[FAULT_SUMMARY\] 'drop host=1 opcode=ack nth=2' \(\+NET_FAULT\) acted on 1 of \d+ frames/,
    );
    expect(run.counts).to.include({ faults: 1, UVM_ERROR: 0, UVM_WARNING: 0 });
  });

  for (const seed of [1, 2, 3])
    it(`pass under all shares at once, seed ${seed}`, () => {
      const run = play([...RC, QUICK, '+DB_NUM=3', ...SHARES], { seed });
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.faults?.rules.map(({ fired }) => fired > 0)).to.include(true);
      expect(run.faults?.hosts.some(({ sentAgain }) => sentAgain > 0)).to.equal(true);
    });

  it('pass with losses in bursts, whose length is what was asked for', () => {
    const run = play([...RC, QUICK, '+DB_NUM=6', '+LOSS_PCT=2', '+LOSS_BURST=4']);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.faults?.rules.map(({ text }) => text)).to.deep.equal(['burst enter=0.00510204082 leave=0.25']);
  });

  it('have no fault after FAULT_UNTIL', () => {
    const late = play([...RC, QUICK, '+LOSS_PCT=30', '+FAULT_UNTIL=1us']);
    expect(late.verdict, late.log).to.equal('passed');
    expect(late.counts).to.include({ faults: 0 });
    const run = play([...RC, QUICK, '+LOSS_PCT=30', '+RETRY_CNT=7', '+FAULT_UNTIL=300us']);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.counts['faults']).to.be.above(5);
  });

  it('fail where a rule that must act never does, and say why', () => {
    const run = play([...RC, `+NET_FAULT=${NEVER}`, '+NET_FAULT=drop opcode=ack nth=9999']);
    expect([run.verdict, run.signature?.id, run.counts['UVM_ERROR']]).to.deep.equal(['failed', 'FAULT_NOT_FIRED', 2]);
    expect(run.log).to.contain(`the fault rule '${NEVER}' (+NET_FAULT) did nothing: no frame was what it selects`);
    expect(run.log).to.match(
      /'drop opcode=ack nth=9999' \(\+NET_FAULT\) did nothing: \d+ frames matched, and none of them is/,
    );
    const unmarked = play(['+RC_QP_NUM=1', '+SEND_WQE_NUM=1', '+NET_FAULT=corrupt field=q_key set=1']);
    expect(unmarked.message).to.match(/FAULT_NOT_FIRED.*frames matched, and none has what it changes/);
  });

  it('say where nothing is known that switches congestion notification on', () => {
    const blue = ['+DUT=blue', '+RC_QP_NUM=2', '+WRITE_WQE_NUM=2', '+SEND_WQE_NUM=0'];
    expect(play([...blue, '+ECN']).log).to.match(/UVM_WARNING.*\[FAULT_ECN\] ECN is on .*ecnKnobs of the NIC entry/);
    expect(play(blue).log).not.to.contain('FAULT_ECN');
    expect(play([...RC, '+ECN']).log).not.to.contain('FAULT_ECN');
  });

  it('pass where chance leaves a rule nothing to do', () => {
    const run = play([...RC, '+NET_FAULT=drop probability=0.000001']);
    expect(run.verdict, run.log).to.equal('passed');
  });

  it('may hit messages that nobody sends again, for which nobody waits for ever', () => {
    const mixed = ['+RC_QP_NUM=2', '+UC_QP_NUM=2', '+UD_QP_NUM=2', '+SEND_WQE_NUM=4', '+DATA_CNT=100', QUICK];
    for (const rule of [
      'drop every=3',
      'drop service=ud',
      'drop service=rc every=5',
      'drop opcode=ack every=3',
      'mark every=2',
    ]) {
      const run = play([...mixed, `+NET_FAULT=${rule}`]);
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.counts['faults'], rule).to.be.above(0);
    }
  });

  it('warn of frames that nobody sent and a receiver takes for sound', () => {
    const run = play([...RC, '+NET_FAULT=corrupt opcode=ack field=msn xor=1 every=4 repaired']);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.match(/UVM_WARNING.*\[FAULT_FORGED\] 'corrupt opcode=ack every=4 field=msn xor=1 repaired'/);
  });

  it('answer marked packets with CNPs, no more than one in an interval for each queue pair', () => {
    const marked = play([...RC, '+DB_NUM=4', '+NET_FAULT=mark', '+NIC_CNP_NS=5000', '+UVM_VERBOSITY=UVM_DEBUG']);
    expect(marked.verdict, marked.log).to.equal('passed');
    const cnps = marked.log.match(/: CNP, PSN 0x000000/g)?.length ?? 0;
    expect(cnps).to.be.above(20);
    expect(marked.faults?.hosts.map(({ cnpInterval }) => cnpInterval.count > 5)).to.deep.equal([true, true]);
    const paced = play([...RC, '+DB_NUM=4', '+NET_FAULT=mark', '+NIC_CNP_NS=1000000000', '+UVM_VERBOSITY=UVM_DEBUG']);
    expect(paced.log.match(/: CNP, PSN 0x000000/g)).to.have.length(8);
    const unmarked = play([...RC, '+ECN', '+UVM_VERBOSITY=UVM_DEBUG']);
    expect(unmarked.log).not.to.contain(': CNP');
    expect(unmarked.verdict, unmarked.log).to.equal('passed');
  });

  it('are recorded with what chance did, and a replay plays that', async () => {
    const words = ['+UVM_TESTNAME=test_direct_param', ...RC, QUICK, ...SHARES, ACK_LOST, '--quiet', '--seed', '3'];
    expect((await command(words, 'first')).code).to.equal(0);
    const { path, record } = recordIn('first');
    const rules = record.faults?.rules ?? [];
    expect(rules.map(({ schedule, fired }) => [schedule?.length ?? 'explicit', fired])).to.deep.equal(
      rules.map(({ rule, fired }) => [rule.startsWith('drop host=1') ? 'explicit' : fired, fired]),
    );
    const again = await command(['--replay', path, '--quiet'], 'again');
    expect([again.code, again.text]).to.satisfy(
      ([code, text]: [number, string]) => code === 0 && text.includes('REPLAY EQUAL'),
    );
    // What the schedule says is played, not what the seed would draw.
    const loss = rules.findIndex(({ rule }) => rule === 'drop probability=0.01');
    expect(rules[loss]?.fired).to.be.above(0);
    const edited = structuredClone(record) as { faults: { rules: { schedule: string[] | null }[] } };
    for (const rule of edited.faults.rules) if (rule.schedule !== null) rule.schedule = [];
    (edited.faults.rules[loss] as { schedule: string[] }).schedule = ['drop host=0 frame=2'];
    writeFileSync(path, JSON.stringify(edited));
    expect((await command(['--replay', path, '--quiet'], 'edited')).text).to.contain('REPLAY DIFFERS');
    const played = recordIn('edited').record.faults?.rules;
    expect(played?.map(({ fired }) => fired)).to.deep.equal(rules.map((_, i) => (i === loss || i === 0 ? 1 : 0)));
    expect(played?.[loss]?.schedule).to.deep.equal(['drop host=0 frame=2']);
  });

  it('are started from a file, and replayed with that file', async () => {
    const file = join(folder, 'rules.yaml');
    writeFileSync(file, 'faults:\n  - drop: { host: 1, opcode: ack, nth: 2 }\n  - duplicate: { probability: 2% }\n');
    const words = ['+UVM_TESTNAME=test_direct_param', ...RC, '--faults', file, '--quiet'];
    expect((await command(words, 'filed')).code).to.equal(0);
    const { path, record } = recordIn('filed');
    expect(record.faultFile.path).to.equal(file);
    expect(record.replay).to.contain(`--faults ${file} --seed 1`);
    expect(record.faults?.rules.map(({ source }) => source)).to.deep.equal([`${file}:2:5`, `${file}:3:5`]);
    expect((await command(['--replay', path, '--quiet'], 'refiled')).text).to.contain('REPLAY EQUAL');
    writeFileSync(file, 'faults: []\n');
    const changed = await command(['--replay', path, '--quiet'], 'changed');
    expect([changed.code, changed.text]).to.satisfy(
      ([code, text]: [number, string]) => code === 2 && text.includes('have changed since'),
    );
  });

  it('are not started with rules that have mistakes, all of which are said at once', async () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, 'faults:\n  - drp: {}\n');
    const wrong = ['+NET_FAULT=drop hots=1', '+NET_FAULT=delay', '+LOSS_PCT=101', '+LOSS_BURST=0', '--faults', file];
    const { code, text } = await command(['+UVM_TESTNAME=test_direct_param', ...wrong]);
    expect(code).to.equal(2);
    for (const part of [
      "+NET_FAULT='drop hots=1': hots=1: there is no hots here; did you mean host?",
      "+NET_FAULT='delay': delay needs by=",
      '+LOSS_PCT=101 is out of range: LOSS_PCT allows 0..100; try +LOSS_PCT=100',
      '+LOSS_BURST=0 is out of range: LOSS_BURST allows 1..1000; try +LOSS_BURST=1',
      `${file}:2:5: there is no action drp`,
    ])
      expect(text).to.contain(part);
    expect((await command(['+UVM_TESTNAME=test_direct_param', '+NET_FAULT='])).text).to.contain(
      '+NET_FAULT= names no rule',
    );
  });

  it('are explained by the frames of one run without faults', async () => {
    const words = ['+UVM_TESTNAME=test_direct_param', ...RC, '--explain-faults'];
    const { code, text } = await command([...words, ACK_LOST, `+NET_FAULT=${NEVER}`, '+NET_FAULT=drop every=1']);
    expect(code).to.equal(0);
    expect(text).to.match(
      /drop host=1 opcode=ack nth=2 \(\+NET_FAULT\): 1 frame\n {2}frame \d+ of host 1 QP \d+ to host 0 at [\d.]+us: RC ACKNOWLEDGE, PSN 0x[0-9a-f]{6}\n/,
    );
    expect(text).to.contain(`${NEVER} (+NET_FAULT): no frame of a run without faults\n`);
    expect(text).to.match(/\n {2}and \d+ more/);
    expect((await command(words)).text).to.contain('there is no rule to explain');
  });

  it('go with a scenario that is written out and played', async () => {
    const scenario = join(folder, 'scenario.json');
    const file = join(folder, 'ack.yaml');
    writeFileSync(file, 'faults:\n  - drop: { host: 1, opcode: ack, nth: 2 }\n');
    const words = ['+UVM_TESTNAME=test_direct_param', ...RC, '--quiet'];
    await command([...words, '--faults', file, '+NET_FAULT=delay by=2us nth=5', '--dump-scenario', scenario], 'dumped');
    const { parameters } = JSON.parse(readFileSync(scenario, 'utf8')) as { parameters: Record<string, string> };
    expect(parameters['NET_FAULT']).to.equal('drop host=1 opcode=ack nth=2; delay nth=5 by=2us');
    await command(['+UVM_TESTNAME=test_direct_param', '--scenario', scenario, '--quiet'], 'played');
    const [before, after] = [recordIn('dumped').record, recordIn('played').record];
    expect(after.faults?.rules.map(({ rule, fired }) => [rule, fired])).to.deep.equal(
      before.faults?.rules.map(({ rule, fired }) => [rule, fired]),
    );
    expect(after.transcript.hash).to.equal(before.transcript.hash);
  });
});

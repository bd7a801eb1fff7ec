/** A run that fails explains itself: page, fields of the record, trace, comments in the capture, replay. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { main } from '../../../../bin/hcaTest.ts';
import { loadRegistry } from '../../../../bin/registry.ts';
import { readRunRecord } from '../../../../regress/readRunRecord.ts';
import { CapturedOutput } from '../../support/capturedOutput.ts';

const SMALL =
  '+UVM_TESTNAME=test_direct_param +HOST_NUM=2 +RC_QP_NUM=2 +UD_QP_NUM=0 +SEND_WQE_NUM=10 +WRITE_WQE_NUM=10 +DATA_CNT=10 +DATA_UNIT=B';

interface TraceEvent {
  readonly ph: string;
  readonly ts: number;
  readonly pid: number;
  readonly tid: number;
  readonly id?: string;
  readonly cat?: string;
}

describe('a failed run', () => {
  let out = '';
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), 'failure-'));
  });
  afterEach(() => rmSync(out, { recursive: true }));

  async function run(
    line: string,
    more: readonly string[] = [],
  ): Promise<{ code: number; said: string; folder: string }> {
    const said = new CapturedOutput();
    const argv = [...line.split(' '), ...more, '--out', out, '-q'];
    const before = new Set(readdirSync(out));
    const code = await main(argv, { registry: await loadRegistry(), out: said, err: said, env: {} });
    const name = readdirSync(out).find((entry) => !before.has(entry)) ?? '';
    return { code, said: said.text, folder: join(out, name) };
  }

  it('says in failure.md what diverged, what became of the request, and what to do next', async () => {
    const { code, said, folder } = await run(`${SMALL} +DUT_FAULT=cqe_byte_count`);
    expect(code).to.equal(1);
    expect(said).to.contain(`cause ${folder}/failure.md`);
    const page = readFileSync(join(folder, 'failure.md'), 'utf8');
    expect(page).to.match(/^# SCB_BYTE_LEN: test_direct_param, seed 1\n\nThe byte count of a completion is not/);
    // Posted, its entry, doorbell, fetched, data, packets with their fate, answer in words, completion.
    const [, life = ''] = page.split('<summary>The request');
    for (const what of [
      /QP \d+: SEND \(wrId \d+, WQE \d+\) posted to host 1, 10 B at .*, PSN 0x[0-9a-f]{6}\n/,
      /its entry of 10 B at .* lkey 0x/,
      /doorbell, process \d QP \d+: send queue/,
      /NIC reads \d+ B of work queue of QP \d+/,
      /NIC reads 10 B of data of process \d at/,
      /RC SEND_ONLY, PSN .* leaves/,
      /RC SEND_ONLY, PSN .* arrives/,
      /RC ACKNOWLEDGE, PSN .*, ACK without credits, MSN \d+ arrives/,
      /RECV \(wrId \d+, WQE \d+\) posted/,
      /completion RECV of the receive queue .* SUCCESS, 9 B/,
      /completion SEND of the send queue .* SUCCESS, 10 B/,
    ])
      expect(life).to.match(what);
    expect(page).to.match(
      /<summary>Commands[\s\S]*SW2HW_MPT of key 0x\w+ begins\n[\s\S]*SW2HW_MPT of key 0x\w+, .*status OK/,
    );
    expect(page).to.contain(`--replay ${folder}/run.json --pcap +TRACE`);
    const { failure, files, secondPlay } = readRunRecord(folder);
    // Played once more without the bug: the completion is the first event that differs, and its byte count is what does.
    const { here, there } = failure?.against ?? {};
    expect(here?.time).to.equal(there?.time);
    expect(here?.text.replace(/ 9 B$/, ' 10 B')).to.equal(there?.text);
    expect(page).to.contain(
      `## Against the run without +DUT_FAULT=cqe_byte_count\n\nThe first event that differs, at the time of the error, here`,
    );
    expect(said).to.contain(
      `against the run without +DUT_FAULT=cqe_byte_count, the first event that differs:\n  here: `,
    );
    expect([secondPlay, failure?.source]).to.deep.equal([null, 'first play']);
    expect(failure?.request?.life.length).to.be.greaterThan(8);
    expect(failure?.queuePairs).to.have.length(2);
    for (const moments of [failure?.events ?? [], failure?.lines ?? []]) {
      expect(moments.some(({ text }) => text.includes('[SCB_BYTE_LEN]'))).to.equal(true);
      const times = moments.map(({ time }) => time);
      expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
    }
    expect(existsSync(files['failure'] ?? '')).to.equal(true);
  });

  it('shows first what the finding accuses and at most 40 lines that decide it, also behind the finding', async () => {
    const { folder } = await run('+UVM_TESTNAME=test_random --seed 3 +DUT_FAULT=data_after_completion');
    const page = readFileSync(join(folder, 'failure.md'), 'utf8');
    expect(page).to.match(/\n- accused: host 0 QP 15: send request \(wrId 64, WQE 0\), posted at [\d.]+ns\n/);
    expect(page).to.match(/\n- against it: host 1 QP 15: receive \(wrId 64, WQE 0\), posted at [\d.]+ns\n/);
    const { failure } = readRunRecord(folder);
    const lines = failure?.lines ?? [];
    expect(lines.length).to.be.within(10, 40);
    const [before, late] = [lines.filter(({ time }) => time <= (failure?.time ?? 0)), lines.slice(-2)];
    expect(before.some(({ text, decides }) => decides && text.includes('completion RECV'))).to.equal(true);
    // The data come 3 us behind the completion that has promised them.
    expect(late[0]?.decides).to.equal(true);
    expect(late[0]?.text).to.match(/^host 1: 173 B are in data of process 1 at/);
    // The healthy NIC writes the data where this one writes the completion; then the data are late.
    expect(failure?.against?.here?.text).to.match(/^host 1: NIC writes 32 B of completion queue/);
    expect(failure?.against?.there?.text).to.match(/^host 1: NIC writes 173 B of data of process 1/);
    expect(page).to.match(/\n~ .* host 1: 173 B are in data of process 1 at .*, [\d.]+us later than there\n/);
    expect((late[0]?.time ?? 0) - (failure?.time ?? 0)).to.be.within(1, 5_000_000);
  });

  it('is held against any other run, on another kind of NIC by requests, messages and completions alone', async () => {
    const work = '+UVM_TESTNAME=test_direct_param +RC_QP_NUM=2 +UD_QP_NUM=0 +WRITE_WQE_NUM=3 +DATA_CNT=10 +DATA_UNIT=B';
    const blue = await run(`${work} +DUT=blue`);
    expect(blue.code, blue.said).to.equal(0);
    const same = await run(`${work} --against ${blue.folder}`);
    expect([same.code, same.said]).to.deep.include(0);
    expect(same.said).to.contain(`against ${blue.folder}: no event differs`);
    const bad = await run(`${work} +DUT_FAULT=cqe_byte_count --against ${blue.folder}`);
    expect(bad.said).to.match(
      /the first event that differs:\n {2}here: .*completion .* 9 B\n {2}there: .*completion .* 10 B/,
    );
    const none = await run(`${work} --against ${join(out, 'none')}`);
    expect([none.code, none.said]).to.deep.include(2);
  });

  it('says what rules of the link did to packets, and which receive has no completion', async () => {
    const rules = [
      'drop host=0 opcode=send nth=1',
      'duplicate host=0 opcode=send nth=2',
      'delay host=0 opcode=send nth=3 by=1us',
      'corrupt host=0 opcode=send nth=4 field=payload',
    ];
    const line =
      '+UVM_TESTNAME=test_direct_param +HOST_NUM=2 +RC_QP_NUM=1 +UD_QP_NUM=0 +SEND_WQE_NUM=4 +DATA_CNT=10 +DATA_UNIT=B';
    const { folder } = await run(line, [
      '+ACK_TIMEOUT=8',
      '+DUT_FAULT=cqe_byte_count',
      `+NET_FAULT=${rules.join('; ')}`,
    ]);
    const page = readFileSync(join(folder, 'failure.md'), 'utf8');
    expect(page).to.contain("is lost on the link, by 'drop host=0 opcode=send nth=1'");
    expect(page).to.contain("is repeated once on the link, by 'duplicate host=0 opcode=send nth=2'");
    expect(page).to.contain("is held back on the link, by 'delay host=0 opcode=send nth=3 by=1us'");
    expect(page).to.contain("is changed on the link, by 'corrupt ");
    expect(page).to.contain(' arrives with other bytes than were sent\n');
    expect(page).to.match(
      /The life of host \d QP \d+: RECV \(wrId \d+, WQE \d+\), and of its message, host \d QP \d+: SEND/,
    );
    expect(page).to.contain(`--shrink ${folder}/run.json`);
    const keys = '+UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=wrong_keys +RC_QP_NUM=29 +DUT_FAULT=refusal_keeps_recvs';
    const missing = await run(keys);
    const text = readFileSync(join(missing.folder, 'failure.md'), 'utf8');
    expect(text).to.match(/QP \d+: RECV \(wrId \d+, WQE \d+\): no completion by now\n/);
  });

  it('comments the frames of a capture that findings name, and tshark shows it', async function () {
    if (spawnSync('tshark', ['--version']).status !== 0) {
      console.log('      skipped: tshark is not installed');
      this.skip();
    }
    const { folder } = await run(`${SMALL} +DUT_FAULT=psn_skipped --pcap`);
    const fields = ['-T', 'fields', '-e', 'infiniband.bth.psn', '-e', 'frame.comment'];
    const read = spawnSync('tshark', ['-n', '-r', join(folder, 'wire.pcap'), ...fields], { encoding: 'utf8' });
    expect(read.status, read.stderr).to.equal(0);
    const rows = read.stdout.split('\n').map((line) => line.split('\t'));
    const named = rows.filter(([, comment = '']) => comment !== '');
    const { signature } = readRunRecord(folder);
    // The first packet with the PSN after its own is an ACK: it acknowledges a SEND that arrives 30 ns later.
    for (const finding of [`[WIRE_ACK_UNARRIVED] ${signature?.message}`, '[WIRE_PSN] '])
      expect(named.some(([, comment = '']) => comment.includes(finding))).to.equal(true);
    for (const [psn, comment = ''] of named)
      expect(comment).to.contain(`PSN 0x${Number(psn).toString(16).padStart(6, '0')}`);
    expect(named.length).to.be.within(1, rows.length / 2);
  });

  it('writes a trace in which all that begins ends, in the order of time', async () => {
    const { folder } = await run(`${SMALL} +DUT_FAULT=psn_skipped +TRACE`);
    const text = readFileSync(join(folder, 'trace.json'), 'utf8');
    const { traceEvents: all } = JSON.parse(text) as { traceEvents: TraceEvent[] };
    const events = all.filter(({ ph }) => ph !== 'M');
    expect(text).to.match(/"ts":\d+\.\d{6}[,}]/);
    expect(events.map(({ ts }) => ts)).to.deep.equal(events.map(({ ts }) => ts).toSorted((a, b) => a - b));
    // Only what has an id has a length: nothing can overlap on a track.
    expect(new Set(events.map(({ ph }) => ph))).to.deep.equal(new Set(['b', 'n', 'e', 'i', 's', 'f']));
    const phases = new Map<string, string>();
    const link = new Map<string, string>();
    for (const { ph, id = '', cat = '', ts } of events) {
      const key = `${cat} ${id}`;
      if ('bne'.includes(ph)) phases.set(key, (phases.get(key) ?? '') + ph);
      if ('sf'.includes(ph)) link.set(key, (link.get(key) ?? '') + ph);
      expect(ts).to.be.at.least(0);
    }
    for (const [key, letters] of phases) expect(letters, key).to.match(/^bn*e$/);
    for (const [key, letters] of link) expect(letters, key).to.match(/^sf*$/);
    expect([...phases.keys()].some((key) => key.startsWith('request '))).to.equal(true);
    expect([...link.values()].filter((letters) => letters === 'sf').length).to.be.greaterThan(50);
    const tracks = new Set(all.filter(({ ph }) => ph === 'M').map(({ pid, tid }) => `${pid} ${tid}`));
    for (const { pid, tid } of events) expect(tracks.has(`${pid} ${tid}`), `track ${pid} ${tid}`).to.equal(true);
  });

  it('tells from its own latest events why it did not end', async () => {
    const { code, folder } = await run(
      '+UVM_TESTNAME=test_random_verbs +DUT_FAULT=cqe_byte_count --seed 5 --timeout 0.4',
    );
    const { failure, signature } = readRunRecord(folder);
    if (signature?.id !== 'RUN_LIMIT') return;
    expect(code).to.equal(3);
    expect(failure?.source).to.be.oneOf(['first play', 'run']);
    expect(failure?.events.length).to.be.greaterThan(5);
  });

  it('names the first event in which a replay differs, with its content in both runs', async () => {
    const { folder } = await run(`${SMALL} +DUT_FAULT=psn_skipped`);
    const path = join(folder, 'run.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll('+DUT_FAULT=psn_skipped', '+DUT_FAULT=ack_wrong_psn'));
    const { said } = await run(`--replay ${path}`);
    expect(said).to.contain('REPLAY DIFFERS');
    expect(said).to.match(/first event that differs is number \d+\n {2}then: .*PSN 0x.*\n {2}now: {2}.*PSN 0x/);
  });

  it('keeps nothing of it where it passes', async () => {
    const { code, folder } = await run(SMALL);
    expect(code).to.equal(0);
    expect(readdirSync(folder).sort()).to.deep.equal(['run.json', 'run.log']);
    const { failure, secondPlay } = readRunRecord(folder);
    expect([failure, secondPlay]).to.deep.equal([null, null]);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadRegistry } from '../../../bin/registry.ts';
import { type Played, play } from './harness.ts';

function expectPassed(run: Played): void {
  expect(run.verdict, `${run.message}\n${run.log}`).to.equal('passed');
  expect(run.counts['UVM_WARNING'], run.log).to.equal(0);
  expect(run.counts['error_completions']).to.equal(0);
}

/** Sequences that repeat nothing. */
const ONCE = [
  'ack_queue_example',
  'datagram_peers',
  'lost_queues',
  'recreated_queues',
  'reset_midway',
  'region_kinds',
  'stale_packets',
];

/** Sequences that make thousands of objects: the list `nightly` plays them. */
const DEAR: readonly string[] = ['exhausted_numbers'];

/** Sequences whose requests fail. */
const FAILING = [
  // They need memory on the card: tests/spec/dut-model/card-memory/cardBugs.spec.ts.
  'device_memory',
  'aperture_map',
  'aperture_misuse',
  'bars_moved',
  'bank_counters',
  'device_bounds',
  'large_pages',
  'unlocked_windows',
  'window_ends',
  'window_order',
  'window_storm',
  'wrong_keys',
  'used_keys',
  'stop_midway',
  'dead_peers',
  'old_keys',
  'query_states',
  'long_messages',
  'send_errors',
  'solicited_events',
  'withdrawn_rights',
  'drained_peers',
  'foreign_domains',
  'crossing_errors',
  'lost_results',
  'large_regions',
  'deregistered_midway',
  'mixed_events',
  'random_verbs',
  'narrow_regions',
  'region_ends',
  'reregistered_regions',
  'late_copies',
  'bound_midway',
  'late_deaths',
  'endless_patience',
  'changed_patience',
  'unequal_ends',
  'init_states',
  'near_domains',
  'address_handles',
  'posted_in_error',
  'huge_lists',
  'refused_packets',
  'atomic_counters',
  'bad_responses',
  'busy_rtr',
  'discarded_atomics',
  'revived_atomics',
  'queried_queues',
  'nic_reset',
  'pcie_errors',
  'refused_atomics',
  'shared_receive_events',
  'fast_registration',
  'window_rules',
  'key_invalidations',
  'key_reuse',
  'unsignaled_requests',
  'sqd_exits',
  'sqe_exits',
];

describe('the tests on the default NIC', () => {
  it('test_smoke passes and checks requests of every service', async () => {
    const run = await play('test_smoke');
    expectPassed(run);
    // Two hosts, two doorbells: RC 4, UC 3 and UD 2 requests on two queue pairs each; two receives on every one.
    expect(run.counts).to.include({ requests_done: 72, requests_total: 72, receives_done: 48, batches_done: 2 });
    expect(run.counts['checks']).to.be.at.least(72 + 48);
    expect(run.log).to.contain('[PARAM] UC_SKIPPED').and.contain('[PARAM] UD_SKIPPED');
    expect(run.log).to.match(
      /\[TEST_SUMMARY\] 72 requests, 48 receives, \d+ bytes, \d+ checks, simulated latency .* Gb\/s/,
    );
  });

  it('test_direct_param plays the published sample line', async () => {
    const run = await play(
      'test_direct_param',
      '+HOST_NUM=2 +PROC_NUM=2 +RC_QP_NUM=16 +UC_QP_NUM=0 +UD_QP_NUM=0 +DB_NUM=1 +WRITE_WQE_NUM=0 +READ_WQE_NUM=0 ' +
        '+SEND_WQE_NUM=1 +RECV_WQE_NUM=1 +SG_NUM=1 +DATA_CNT=10 +DATA_UNIT=B',
    );
    expectPassed(run);
    expect(run.counts).to.include({ requests_done: 32, receives_done: 32, payload_bytes: 320 });
  });

  it('test_direct_param plays one-sided, on odd totals, more hosts, shared queues and events', async () => {
    const lines = [
      '+ONE_SIDE_LAUNCH +RC_QP_NUM=2 +WRITE_WQE_NUM=2 +READ_WQE_NUM=2 +SEND_WQE_NUM=2 +SG_NUM=3 +DATA_CNT=1453',
      '+HOST_NUM=3 +PROC_NUM=3 +RC_QP_NUM=3 +UC_QP_NUM=1 +UD_QP_NUM=3 +SEND_WQE_NUM=2 +WRITE_WQE_NUM=1 +DB_NUM=2',
      '+RC_QP_NUM=5 +UD_QP_NUM=2 +SHARED_CQ=0 +SPLIT_CQ=1 +CQ_EVENT +SEND_WQE_NUM=3 +WRITE_WQE_NUM=3 +IMM=60 +DB_NUM=3',
      '+PROC_NUM=2048 +UD_QP_NUM=2 +SEND_WQE_NUM=2 +SG_NUM=6 +DATA_CNT=1 +DATA_UNIT=KB +MTU=1024 +IPV6 +PSN=wrap',
      '+RC_QP_NUM=2 +SEND_WQE_NUM=30 +SG_NUM=6 +DATA_CNT=0 +MR_GRANULARITY=qp +TEARDOWN=0',
    ];
    for (const line of lines) expectPassed(await play('test_direct_param', line));
  });

  it('test_direct_param without doorbells does no work and makes no check', async () => {
    expect((await play('test_direct_param', '+DB_NUM=0')).counts).to.include({ requests_done: 0, UVM_ERROR: 0 });
  });

  it('test_random passes for a row of seeds, and the same seed gives the same bytes', async () => {
    for (let seed = 1; seed <= 10; seed++) expectPassed(await play('test_random', '', seed));
    const [a, b, c] = [
      await play('test_random', '', 7),
      await play('test_random', '', 7),
      await play('test_random', '', 8),
    ];
    expect(a.transcript).to.deep.equal(b.transcript);
    expect(a.transcript.hash).to.not.equal(c.transcript.hash);
  });

  it('data begin where +DATA_OFFSET says, and go on in the next area', async () => {
    const line = '+RC_QP_NUM=1 +SEND_WQE_NUM=1 +WRITE_WQE_NUM=1 +READ_WQE_NUM=1 +SG_NUM=2 +DATA_CNT=300';
    const run = await play('test_direct_param', `${line} +DATA_OFFSET=4294967200 +UVM_VERBOSITY=UVM_HIGH`);
    expectPassed(run);
    const regions = [...run.log.matchAll(/\[HCA_MR\] host 0 .* (\d+) B at (0x\w+)/g)].map(([, n, at]) => `${n} ${at}`);
    expect(regions.slice(0, 2)).to.deep.equal(['300 0x0000801c_ffffffa0', '300 0x0000801d_000000cc']);
    expect(regions).to.include('300 0x0000801d_ffffffa0');
  });

  it('a dumped scenario plays to the same transcript as the run that it was dumped from', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    try {
      for (const [test, seed] of [
        ['test_random', 3],
        ['test_random', 12],
        ['test_smoke', 1],
      ] as const) {
        const file = join(folder, `${test}${seed}.json`);
        const first = await play(test, `+DUMP_SCENARIO=${file}`, seed);
        expectPassed(first);
        expect(readFileSync(file, 'utf8')).to.contain('rnic-verify scenario 1');
        const again = await play(test, `+SCENARIO=${file}`, seed);
        expectPassed(again);
        expect(again.transcript).to.deep.equal(first.transcript);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a played scenario warns of what is typed in vain, and may be wrong where a NIC is to refuse it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
    try {
      const file = join(folder, 'scenario.json');
      await play('test_direct_param', `+ONE_SIDE_LAUNCH +RC_QP_NUM=2 +WRITE_WQE_NUM=1 +DUMP_SCENARIO=${file}`);
      const text = readFileSync(file, 'utf8');
      const beyond = text.replace(/("remote": \{"region": \d+, "at": )0/, '$11');
      expect(beyond).to.not.equal(text);
      writeFileSync(file, beyond);
      const run = await play('test_direct_param', `+SCENARIO=${file} +DATA_CNT=3`);
      expect(run.verdict).to.equal('passed');
      expect(run.log).to.contain('[SCENARIO_WINS] no effect, because the scenario brings its own: +DATA_CNT=3');
      expect(run.log).to.not.contain('PARAM_DEFAULTED');
      expect(run.counts['error_completions']).to.equal(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('test_sequence runs every sequence of the library, on every service that it can use', async () => {
    const { sequences } = await loadRegistry();
    expect(sequences.map((s) => s.name)).to.include.members([
      'ping_pong',
      'write_read_back',
      'send_immediate',
      'many_doorbells',
      'wrong_keys',
      'send_flags',
      'late_receives',
      'stop_midway',
      'datagram_peers',
      'write_order',
      'linked_fences',
      'query_states',
      'long_messages',
      'send_errors',
      'solicited_events',
      'changed_attributes',
      'address_carries',
      'inline_data',
      'used_keys',
      'dead_peers',
      'reconnects',
      'drained_peers',
      'old_keys',
      'empty_requests',
      'refused_commands',
      'withdrawn_rights',
      'reset_midway',
      'foreign_domains',
      'raw_accesses',
      'changed_midway',
      'changed_qkeys',
      'split_headers',
      'zero_based',
      'strangers',
      'crossing_errors',
      'large_regions',
      'resized_queues',
    ]);
    for (const { name, description } of sequences) {
      expect(description, name).to.not.equal('');
      if (FAILING.includes(name) || DEAR.includes(name)) continue;
      const repeats = ONCE.includes(name) ? '' : '+SEQ_COUNT=3';
      const run = await play(
        'test_sequence',
        `+UVM_TEST_SEQ=${name} +RC_QP_NUM=2 +UC_QP_NUM=1 +UD_QP_NUM=2 ${repeats}`,
      );
      expectPassed(run);
      expect(run.counts['checks'], name).to.be.above(0);
    }
  });

  it('test_sequence plays calls in any order on every service, with errors that nobody is warned of', async () => {
    for (const surroundings of ['+SEQ_COUNT=2', '+HOST_NUM=3 +MTU=256', '+NIC_QPC_CACHE=4 +NIC_MPT_CACHE=8']) {
      const line = `+UVM_TEST_SEQ=random_verbs +RC_QP_NUM=3 +UC_QP_NUM=2 +UD_QP_NUM=2 ${surroundings}`;
      const run = await play('test_sequence', line);
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.counts['UVM_WARNING'], run.log).to.equal(0);
      expect(run.counts['error_completions']).to.be.above(0);
    }
  });

  it('test_random_verbs plays them in surroundings that it draws, and says which', async () => {
    for (let seed = 1; seed <= 6; seed++) {
      const run = await play('test_random_verbs', '', seed);
      expect(run.verdict, `seed ${seed}: ${run.message}`).to.equal('passed');
      expect(run.log).to.match(/PARAM_DRAWN: .*\+RC_QP_NUM=/);
    }
  });

  it('test_sequence plays errors that meet traffic the other way, large regions, and what changes under requests', async () => {
    const names = [
      ...['crossing_errors', 'large_regions', 'deregistered_midway', 'mixed_events', 'changed_patience'],
      ...['narrow_regions', 'region_ends', 'reregistered_regions', 'late_copies', 'late_deaths', 'endless_patience'],
    ];
    for (const name of names) {
      const run = await play('test_sequence', `+UVM_TEST_SEQ=${name} +RC_QP_NUM=8 +UC_QP_NUM=0 +UD_QP_NUM=0`);
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.counts['UVM_WARNING'], run.log).to.equal(0);
      expect(run.counts['error_completions'], name).to.be.above(0);
    }
  });

  it('test_sequence plays queue pairs that are stopped', async () => {
    const run = await play('test_sequence', '+UVM_TEST_SEQ=stop_midway +RC_QP_NUM=11 +UC_QP_NUM=1 +UD_QP_NUM=2');
    expect(run.verdict).to.equal('passed');
    // What is flushed when they stop in the middle of a bind depends on the moment.
    const bound = await play('test_sequence', '+UVM_TEST_SEQ=bound_midway +RC_QP_NUM=8 +UC_QP_NUM=0 +UD_QP_NUM=0');
    expect(bound.verdict, bound.log).to.equal('passed');
    expect(bound.counts['checks']).to.be.above(0);
  });

  it('test_sequence plays queues that are armed for solicited completions, shared or not, on slow systems too', async () => {
    for (const setting of ['', '+SHARED_CQ=0 +SPLIT_CQ', '+NIC_CLOCK_PS=1000000', '+PCIE_UP_NS=100000']) {
      const queues = '+RC_QP_NUM=4 +UC_QP_NUM=2 +UD_QP_NUM=2';
      const run = await play('test_sequence', `+UVM_TEST_SEQ=solicited_events ${queues} ${setting}`);
      expect(run.verdict, run.log).to.equal('passed');
    }
  });

  it('test_sequence plays messages that do not fit, and send queues that go on after an error', async () => {
    const long = await play('test_sequence', '+UVM_TEST_SEQ=long_messages +RC_QP_NUM=3 +UC_QP_NUM=2 +UD_QP_NUM=2');
    expect(long.verdict).to.equal('passed');
    expect(long.counts['error_completions']).to.equal(12);
    const errors = await play('test_sequence', '+UVM_TEST_SEQ=send_errors +RC_QP_NUM=0 +UC_QP_NUM=2 +UD_QP_NUM=2');
    expect(errors.verdict).to.equal('passed');
    expect(errors.counts['error_completions']).to.equal(132);
  });

  it('test_sequence plays requests that must fail', async () => {
    const run = await play('test_sequence', '+UVM_TEST_SEQ=wrong_keys +RC_QP_NUM=29 +UC_QP_NUM=20 +UD_QP_NUM=9');
    expect(run.verdict).to.equal('passed');
    // On RC one for each, and one more for the receives of the last four; UC and UD tell only who refuses, and WRITEs nobody.
    const told = 33 + (4 + 8) + (4 + 5);
    // And a receive is flushed on RC on this side in all 29 cases, on the other one but for the 11 that never come there;
    // on UC and UD on the other one where its receive fails.
    const flushed = 29 + (29 - 11) + 4 + 4;
    expect(run.counts['error_completions']).to.equal(told + flushed);
    const queried = await play('test_sequence', '+UVM_TEST_SEQ=query_states +RC_QP_NUM=3 +UC_QP_NUM=2');
    expect(queried.verdict).to.equal('passed');
    expect(queried.counts['error_completions']).to.equal(3);
  });

  it('end with a sentence, not with an exception, when the NIC refuses or never answers a command', async () => {
    for (const [test, fault, id] of [
      ['test_smoke', 'command_hangs', 'HCA_CMD_TIMEOUT'],
      ['test_smoke', 'command_refused', 'HCA_CMD_STATUS'],
      ['test_sequence', 'command_hangs', 'HCA_CMD_TIMEOUT'],
      ['test_smoke', 'query_unanswered', 'HCA_CMD_OUTBOX'],
    ] as const) {
      const run = await play(test, `+DUT_FAULT=${fault} +RC_QP_NUM=8`);
      expect(run.verdict).to.equal('failed');
      expect(run.signature?.id).to.equal(id);
      const fatal = run.log.split('\n').find((line) => line.startsWith('UVM_FATAL')) as string;
      expect(fatal).to.contain(`[${id}]`).and.contain('the host software cannot go on without it');
      expect(run.log).to.not.contain('EXCEPTION');
    }
  });

  it('test_sequence names the nearest sequence when there is none of that name', async () => {
    const run = await play('test_sequence', '+UVM_TEST_SEQ=pingpong');
    expect(run.verdict).to.equal('failed');
    expect(run.message).to.contain(
      '[NO_SEQUENCE] +UVM_TEST_SEQ=pingpong: there is no such sequence; did you mean ping_pong',
    );
  });

  it('draws what is not given, plays what is given, and lists both', async () => {
    const run = await play('test_random', '+RC_QP_NUM=3 +MTU=256', 4);
    expectPassed(run);
    expect(run.parameters).to.include({ RC_QP_NUM: 3, MTU: 256 });
    expect(run.log).to.match(/PARAM_DRAWN: \+HOST_NUM=\d.* \+SPLIT_CQ=[01] /);
  });
});

/** NICs that a fault rule resets: software is told, the others go on, and the judge expects silence and nothing else. */

import { expect } from 'chai';
import { parseRule } from '../../../agents/link/faults/rule/parseRule.ts';
import { ruleText } from '../../../agents/link/faults/rule/ruleText.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import { HostApiError, isDeviceFatal } from '../../../env/verbs/hostErrors.ts';
import { UserSequence } from '../../../sequences/user/userSequence.ts';
import { ASYNC_EVENT } from '../../../rdma/verbs.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { Played } from '../tests/harness.ts';

const SCENARIO = ['+RC_QP_NUM=4', '+WRITE_WQE_NUM=4', '+SEND_WQE_NUM=4', '+DATA_CNT=9000', '+HOST_NUM=3', '+DB_NUM=2'];
const IN_TURN = ['+UVM_TEST_SEQ=nic_reset', '+SEQ_COUNT=3', '+RC_QP_NUM=4'];

/** What the sequence of a spec is to do. */
let script: (sequence: Scripted) => Proc = function* () {};

class Scripted extends UserSequence {
  static readonly typeName: string = 'scripted';
  static readonly description: string = 'does what a spec says';

  override body(): Proc {
    return script(this);
  }
}

let registry: Registry;

function play(test: string, plusargs: readonly string[], rule = '', seed = 1): Played {
  const rules = rule === '' ? [] : [`+NET_FAULT=${rule}`];
  const log: string[] = [];
  const all = [`+UVM_TESTNAME=${test}`, ...plusargs, ...rules, '+ACK_TIMEOUT=5'];
  const result = runOne({ testName: test, seed, plusargs: all }, registry, { sink: (text) => log.push(text) });
  return { ...result, log: log.join('\n') };
}

function scripted(body: (sequence: Scripted) => Proc, plusargs: readonly string[] = []): Played {
  script = body;
  return play('test_sequence', ['+UVM_TEST_SEQ=scripted', '+RC_QP_NUM=2', ...plusargs]);
}

function expectPassed(run: Played): void {
  expect(run.verdict, run.log).to.equal('passed');
}

describe('a NIC that is reset at a time', () => {
  before(async () => {
    registry = await loadRegistry();
    registry.factory.register(Scripted.typeName, Scripted as never);
  });

  it('is judged by its event alone when it is reset before the first request', () => {
    const run = play('test_random_verbs', ['+RC_QP_NUM=1', '+DRAW_FAULTS=0'], 'nic_reset host=1 from=10us');
    expectPassed(run);
    expect(run.log).to.match(/\[SCB_SUMMARY\] 1 checks?,/);
  });

  for (const at of ['10us', '100us', '166500ns', '168us', '172us', '180us'])
    it(`takes its host out of a scenario at ${at}, and nobody else`, () => {
      const run = play('test_direct_param', SCENARIO, `nic_reset host=1 from=${at}`);
      expectPassed(run);
      expect(run.log)
        .to.contain('[SEQ_DEVICE_FATAL] host1 ends')
        .and.not.match(/\[SEQ_DEVICE_FATAL\] host[02]/);
      expect(run.log).to.match(/\[FAULT_SUMMARY\] 'nic_reset host=1 from=[\w.]+' \(\+NET_FAULT\) reset 1 NIC\n/);
      expect(run.counts['batches_done']).to.equal(2);
    });

  it('has its host back in the next turn', () => {
    const alone = play('test_direct_param', SCENARIO);
    const run = play('test_direct_param', [...SCENARIO, '+RESTARTS=1'], 'nic_reset host=1 from=172us');
    expectPassed(run);
    expect(run.log.match(/\[SEQ_DEVICE_FATAL\] host/g)).to.have.length(1);
    expect(run.counts['requests_done']).to.be.greaterThan(alone.counts['requests_done'] as number);
  });

  it('may be all that there are, and the first of them that leads the others', () => {
    expectPassed(play('test_direct_param', SCENARIO, 'nic_reset host=0 from=172us'));
    expectPassed(play('test_direct_param', SCENARIO, 'nic_reset host=0..2 from=190us'));
  });

  it('takes events with it that software waits for', () => {
    expectPassed(play('test_direct_param', [...SCENARIO, '+CQ_EVENT=1'], 'nic_reset host=1 from=190us'));
  });

  for (let seed = 1; seed <= 3; seed++)
    it(`ends what calls in any order do there, and lets others go on (${seed})`, () => {
      const run = play('test_random_verbs', [], 'nic_reset host=1 from=600us', seed);
      expectPassed(run);
      expect(run.log).to.contain('[SEQ_DEVICE_FATAL]');
    });

  it('plays the same when its record is played', () => {
    const [a, b] = [1, 2].map(() => play('test_direct_param', SCENARIO, 'nic_reset host=1 from=172us'));
    expect(a?.transcript).to.deep.equal(b?.transcript);
  });

  it('works again once it is opened, whatever service', () => {
    const run = play('test_sequence', [...IN_TURN, '+UC_QP_NUM=2', '+UD_QP_NUM=2', '+HOST_NUM=3']);
    expectPassed(run);
    expect(run.log.match(/\[HCA_RESET\] host/g)).to.have.length(3);
  });

  it('tells its software, ends calls under way, and leaves objects of which none works', () => {
    const run = scripted(function* (sequence) {
      const { left, right } = sequence.connections[0] as (typeof sequence.connections)[number];
      const { api, qp } = right;
      const sink = yield* right.sink(64);
      sequence.link.fault(`nic_reset host=${right.host} from=${sequence.run.scheduler.now + 1_000_000}ps`);
      let underWay: unknown;
      try {
        for (;;) yield* api.queryQp(qp);
      } catch (error) {
        underWay = error;
      }
      expect(isDeviceFatal(underWay), String(underWay)).to.equal(true);
      expect(api.deviceFatal).to.equal(true);
      expect((yield* api.waitAsyncEvent()).event).to.equal(ASYNC_EVENT.deviceFatal);
      for (const call of [
        () => api.waitAnyCq(),
        () => api.waitAsyncEvent(),
        () => api.openDevice(),
        () => api.createCq(1, { entries: 1 }),
        () => api.modifyQp(qp, { state: 6 }),
        () => right.receive(sink),
        () => left.received(),
      ])
        expect(isDeviceFatal(yield* thrownBy(call)), String(call)).to.equal(true);
      yield* sequence.reopen(right.host);
      expect(yield* thrownBy(() => api.queryQp(qp))).to.be.instanceOf(HostApiError);
      yield* right.receive(yield* right.sink(64));
      yield* left.send(yield* left.source(64));
      sequence.expectSuccess(yield* left.sent(), 'SEND');
    });
    expectPassed(run);
  });

  it('must come, unless it is optional', () => {
    const run = play('test_direct_param', SCENARIO, 'nic_reset host=1 from=5ms');
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'FAULT_NOT_FIRED']);
    expectPassed(play('test_direct_param', SCENARIO, 'nic_reset host=1 from=5ms optional'));
  });

  for (const [fault, id] of [
    ['nic_reset_frame_kept', 'SCB_RESET'],
    ['nic_reset_write_kept', 'SCB_RESET'],
    ['nic_reset_contexts_kept', 'SCB_RESET'],
  ] as const)
    it(`is seen to be awake when ${fault} is planted`, () => {
      const run = play('test_sequence', [...IN_TURN, `+DUT_FAULT=${fault}`]);
      expect(run.verdict).to.equal('failed');
      expect(run.log).to.contain(`[${id}]`);
      expect(run.log).to.not.contain('[EXCEPTION]');
    });

  it('is silent, which a scenario shows as well', () => {
    const rule = 'nic_reset host=1 from=172us';
    const run = play('test_direct_param', [...SCENARIO, '+DUT_FAULT=nic_reset_contexts_kept'], rule);
    expect(run.log).to.contain('[SCB_RESET]');
  });
});

describe('a rule that resets a NIC', () => {
  for (const [text, mistake] of [
    ['nic_reset from=1us', 'nic_reset needs host='],
    ['nic_reset host=1', 'nic_reset needs from='],
    ['nic_reset host=1 from=1us opcode=ack', 'leave opcode out'],
  ] as const)
    it(`is refused where it makes no sense: ${text}`, () => {
      expect(
        parseRule(text)
          .mistakes.map(({ message }) => message)
          .join(),
      ).to.contain(mistake);
    });

  it('is written as it is read', () => {
    const { rule } = parseRule('nic_reset from=300us host=1,3 optional');
    expect(rule === undefined ? '' : ruleText(rule)).to.equal('nic_reset host=1,3 from=300us optional');
  });
});

function* thrownBy(call: () => Proc<unknown>): Proc<unknown> {
  try {
    yield* call();
    return undefined;
  } catch (error) {
    return error;
  }
}

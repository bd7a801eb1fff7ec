/** Shrunk cases stay legal: rules hit what they hit, each message has a receive, a NIC with nothing wrong passes. */

import { expect } from 'chai';
import { loadRegistry } from '../../../../bin/registry.ts';
import { addressedRules, earlierRules, withFollowingRules } from '../../../../bin/shrink/faultAddresses.ts';
import { idleRulesOf, missingReceivesOf } from '../../../../bin/shrink/legality.ts';
import { shrinkFailure } from '../../../../bin/shrink/shrinkFailure.ts';
import { CALL_FORMAT, type CallScenario, type CallStep } from '../../../../config/scenario/calls/callScenario.ts';
import type { RuleOutcome } from '../../../../agents/link/faults/faultInjector.ts';

function scenario(steps: readonly CallStep[], faults: readonly string[] = []): CallScenario {
  return {
    format: CALL_FORMAT,
    test: 'test_random',
    seed: 1,
    parameters: {},
    faults,
    hosts: 2,
    processes: 1,
    receivesMayRemain: false,
    laziness: {},
    stages: [{ threads: [{ name: 'a', steps }] }],
  };
}

const QP = { type: 'RC', sendCq: 'host0.cq0', recvCq: 'host0.cq0', maxSendWr: 1, maxRecvWr: 1, maxSge: 1 } as const;
const made = (name: string): CallStep => ({ call: 'createQp', on: 'host0.pd0', as: name, args: QP });

describe('a shrunk case', () => {
  it('has a receive for each message that takes one, shared receives included', () => {
    const connected: CallStep = { call: 'connectQp', on: 'host0.qp0', args: { peer: 'host1.qp0' } };
    const sends = (...opcodes: string[]): CallStep => ({
      call: 'postSend',
      on: 'host0.qp0',
      args: { requests: opcodes.map((opcode, id) => ({ id, opcode, sges: [] })) },
    });
    const receive: CallStep = { call: 'postRecv', on: 'host1.qp0', args: { requests: [{ id: 0, sges: [] }] } };
    expect(missingReceivesOf(scenario([connected, receive, sends('SEND', 'RDMA_WRITE')]))).to.equal(0);
    expect(missingReceivesOf(scenario([connected, receive, sends('SEND', 'RDMA_WRITE_WITH_IMM')]))).to.equal(1);
    const shares: CallStep = {
      call: 'createQp',
      on: 'host1.pd0',
      as: 'host1.qp0',
      args: { ...QP, srq: 'host1.srq0' },
    };
    const shared: CallStep = { call: 'postSrqRecv', on: 'host1.srq0', args: { requests: [{ id: 0, sges: [] }] } };
    expect(missingReceivesOf(scenario([connected, shares, shared, sends('SEND')]))).to.equal(0);
  });

  const outcome = (text: string, schedule: readonly string[] | null, hits: RuleOutcome['hits']): RuleOutcome => ({
    text,
    source: 'scenario',
    matched: hits.length,
    fired: hits.length,
    mustFire: true,
    schedule,
    hits,
  });
  const hit = { host: 0, to: 1, ordinal: 3, time: 0, opcode: 4, psn: 7, qpn: 14 };

  it('has rules by what they hit in place of ordinals and of chance', () => {
    const address = { qp: 1, operation: 'send_only', round: 0, nth: 2 };
    const rules = addressedRules([
      outcome('drop host=0 frame=3', null, [{ ...hit, address }]),
      outcome('delay probability=0.5 by=1us..9us', ['delay host=0 frame=3 by=2us'], [{ ...hit, address }]),
      outcome('drop opcode=ack nth=2', null, []),
    ]);
    expect(rules).to.deep.equal([
      'drop host=0 qp=1 opcode=send_only round=0 nth=2 optional',
      'delay host=0 qp=1 opcode=send_only round=0 nth=2 by=2us optional',
      'drop opcode=ack nth=2',
    ]);
    expect(earlierRules(scenario([], [rules[0] as string])).map(({ faults }) => faults[0])).to.deep.equal([
      'drop host=0 qp=1 opcode=send_only round=0 nth=1 optional',
    ]);
    expect(idleRulesOf({ faults: { rules: [outcome('drop', null, [])], hosts: [] } })).to.deep.equal(['drop']);
  });

  it('has rules that follow their queue pairs when others go', () => {
    const rules = ['drop host=0 qp=1 nth=1', 'drop host=0 qp=0', 'drop host=1 frame=2'];
    const before = scenario([made('host0.qp0'), made('host0.qp1')], rules);
    const after = scenario([made('host0.qp1')], rules);
    expect(withFollowingRules(before, after).faults).to.deep.equal(['drop host=0 qp=0 nth=1', 'drop host=1 frame=2']);
    expect(withFollowingRules(before, before)).to.equal(before);
  });

  it('passes without the planted bug', async () => {
    const registry = await loadRegistry();
    const plusargs =
      '+HOST_NUM=2 +RC_QP_NUM=2 +UC_QP_NUM=0 +UD_QP_NUM=0 +SEND_WQE_NUM=2 +DATA_CNT=10 +DATA_UNIT=B +DUT_FAULT=cqe_byte_count';
    const spec = { testName: 'test_direct_param', seed: 1, plusargs: plusargs.split(' ') };
    const found = await shrinkFailure({ spec, registry, budget: { runs: 6, seconds: 60 } });
    expect(found.reference).to.equal('the run without +DUT_FAULT=cqe_byte_count passes');
    expect(found.after.requests).to.be.at.most(found.before.requests);
  });
});

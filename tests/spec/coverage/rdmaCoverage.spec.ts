import { expect } from 'chai';
import { runOne } from '../../../bin/run/runOne.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';
import { rdmaCovergroups } from '../../../coverage/rdmaCovergroups.ts';
import { countsOf, type GroupHits } from '../../../uvm/coverage/coverageCollector.ts';

describe('The coverage of a run', () => {
  let registry: Registry;
  before(async () => {
    registry = await loadRegistry();
  });

  function play(testName: string, ...plusargs: string[]): RunResult {
    return runOne({ testName, seed: 1, plusargs }, registry, { sink() {} });
  }

  /** Hits of a bin, 0 where it was not hit; the bin must be there. */
  function hits(coverage: readonly GroupHits[] | undefined, path: string): number {
    const [name, item, bin] = path.split('.');
    const found = coverage?.find(({ group }) => group.name === name);
    const names = found?.group.items.flatMap((i) => i.bins.map((b) => `${i.name}.${b.name}`)) ?? [];
    const number = names.indexOf(`${item}.${bin}`);
    expect(number, path).to.be.at.least(0);
    return countsOf(found?.hits ?? []).get(number) ?? 0;
  }

  const DIRECT = [
    '+HOST_NUM=2',
    '+RC_QP_NUM=2',
    '+UC_QP_NUM=0',
    '+UD_QP_NUM=0',
    '+DB_NUM=1',
    '+WRITE_WQE_NUM=3',
    '+SG_NUM=2',
    '+DATA_CNT=1500',
    '+DATA_UNIT=B',
    '+MTU=1024',
    '+PSN=wrap',
  ];

  it('is not measured unless that is asked for, and changes nothing of it', () => {
    const [off, on] = [play('test_direct_param', ...DIRECT), play('test_direct_param', ...DIRECT, '+COV')];
    expect(off.coverage).to.equal(undefined);
    // Those of ports and pairs of NICs are there where there are several.
    const others = ['nic_port_cg', 'nic_pair_cg'];
    const expected = rdmaCovergroups().filter(({ model }) => !others.includes(model.name));
    expect(on.coverage).to.have.length(expected.length);
    expect([on.verdict, on.transcript.hash, on.counts['events']]).to.deep.equal([
      'passed',
      off.transcript.hash,
      off.counts['events'],
    ]);
  });

  it('counts what the parameters ask for, at every place where it can be seen', () => {
    const { coverage } = play('test_direct_param', ...DIRECT, '+COV');
    // Two hosts with two queue pairs, each with three WRITEs of 2 x 1500 bytes.
    const writes = 2 * 2 * 3;
    expect(hits(coverage, 'request_cg.service_x_opcode_x_size.<rc,rdmaWrite,fewPackets>')).to.equal(writes);
    expect(hits(coverage, 'sg_list_cg.entries.two')).to.equal(writes);
    expect(hits(coverage, 'buffer_cg.use.source')).to.equal(2 * writes);
    expect(hits(coverage, 'send_completion_cg.opcode.rdmaWrite')).to.equal(writes);
    // 3000 bytes are three packets.
    expect(hits(coverage, 'packet_cg.service_x_kind_x_position.<rc,write,first>')).to.equal(writes);
    expect(hits(coverage, 'packet_cg.service_x_kind_x_position.<rc,write,middle>')).to.equal(writes);
    expect(hits(coverage, 'packet_cg.service_x_kind_x_position.<rc,write,last>')).to.equal(writes);
    expect(hits(coverage, 'qp_state_cg.from_x_to_x_service.<rtr,rts,rc>')).to.equal(4);
    expect(hits(coverage, 'start_psn_cg.sq_psn.before_wrap')).to.be.above(0);
    expect(hits(coverage, 'topology_cg.hosts.two')).to.equal(2);
    expect(hits(coverage, 'dma_target_cg.direction_x_target.<write,data>')).to.be.above(0);
    expect(hits(coverage, 'dma_target_cg.direction_x_target.<read,workQueue>')).to.be.above(0);
    expect(hits(coverage, 'pcie_port_cg.max_payload.mps_4096')).to.equal(2);
    // What was not asked for is not there.
    for (const bin of [
      'request_cg.opcode.send',
      'request_cg.service.ud',
      'retransmission_cg.round.first',
      'error_completion_cg.status.retryExcErr',
    ])
      expect(hits(coverage, bin), bin).to.equal(0);
  });

  it('counts errors by status and side, and what comes of rights', () => {
    const { coverage, verdict } = play('test_sequence', '+UVM_TEST_SEQ=wrong_keys', '+COV');
    expect(verdict).to.equal('passed');
    expect(hits(coverage, 'error_completion_cg.status.remAccessErr')).to.be.above(0);
    expect(hits(coverage, 'answer_cg.answer.nakAccess')).to.be.above(0);
    expect(hits(coverage, 'qp_state_cg.from_x_to.<rts,err>')).to.be.above(0);
    expect(hits(coverage, 'access_outcome_cg.outcome.remote_access_error')).to.be.above(0);
  });

  it('counts what fault rules of the link do, by kind of packet, place and round', () => {
    const many = [...DIRECT, '+ACK_TIMEOUT=6', '+COV'];
    const drops = '+NET_FAULT=drop opcode=write position=middle round=0 nth=1..3';
    const { coverage, faults } = play('test_direct_param', ...many, drops);
    expect(faults?.rules[0]?.fired).to.equal(3);
    expect(hits(coverage, 'link_fault_cg.fault.lost')).to.equal(3);
    expect(hits(coverage, 'link_fault_cg.kind_x_position_x_fault.<write,middle,lost>')).to.equal(3);
    expect(hits(coverage, 'link_fault_cg.position_x_fault_x_round.<middle,lost,first>')).to.equal(3);
    expect(hits(coverage, 'link_fault_cg.fault.duplicated')).to.equal(0);
    const close = play(
      'test_direct_param',
      ...many,
      '+NET_FAULT=drop service=rc host=0 qp=0 opcode=write round=0 nth=1..4',
    );
    expect(hits(close.coverage, 'fault_state_cg.fault_x_way_x_before.<lost,request,same_way>')).to.be.above(0);
    const again = play('test_direct_param', ...many, '+NET_FAULT=drop opcode=write position=first round=0..1 nth=1..2');
    const twice = 'drop opcode=write position=first nth=1; drop opcode=write position=first round=1 nth=1';
    const lostAgain = play('test_direct_param', ...many, `+NET_FAULT=${twice}`);
    expect(hits(lostAgain.coverage, 'fault_state_cg.fault_x_way_x_going_back.<lost,request,yes>')).to.equal(1);
    expect(hits(again.coverage, 'link_fault_cg.round.first')).to.be.above(0);
    expect(hits(again.coverage, 'recovery_cg.own_contexts.none')).to.be.above(0);
    expect(hits(again.coverage, 'recovery_cg.own_contexts.both')).to.equal(0);
    const evicting = [
      '+RC_QP_NUM=8',
      '+NIC_QPC_CACHE=4',
      '+NIC_CACHE_WAYS=1',
      '+NET_FAULT=drop opcode=write nth=1..12',
    ];
    const evicted = play('test_direct_param', ...evicting, ...many);
    expect(hits(evicted.coverage, 'recovery_cg.kind_x_own_x_round.<write,both,first>')).to.be.above(0);
    const acks = play('test_direct_param', ...many, '+NET_FAULT=duplicate opcode=ack nth=1..2', '+DELAY_PCT=20');
    expect(hits(acks.coverage, 'link_fault_cg.kind_x_position_x_fault.<acknowledge,only,duplicated>')).to.equal(2);
    expect(hits(acks.coverage, 'link_fault_cg.fault.delayed')).to.be.above(0);
    const none = play('test_direct_param', ...many);
    expect(hits(none.coverage, 'link_fault_cg.fault.lost')).to.equal(0);
  });

  it('counts shared receives, limits, overflows, address handles and requests without a completion', () => {
    const bins = (sequence: string, plusargs: readonly string[], paths: readonly string[]): void => {
      const { coverage, verdict } = play('test_sequence', `+UVM_TEST_SEQ=${sequence}`, ...plusargs, '+COV');
      expect(verdict, sequence).to.equal('passed');
      for (const path of paths) expect(hits(coverage, path), path).to.be.above(0);
    };
    bins('shared_receives', ['+RC_QP_NUM=4', '+PROC_NUM=1'], ['shared_receive_cg.users_x_taker.<more,other>']);
    bins(
      'shared_receive_events',
      ['+RC_QP_NUM=2', '+PROC_NUM=1'],
      [
        'shared_limit_cg.step.reached',
        'shared_limit_cg.step_x_receives.<armedAgain,more_than_limit>',
        'last_receive_cg.held_x_others.<some,some>',
      ],
    );
    bins(
      'cq_overflows',
      ['+RC_QP_NUM=3', '+SEQ_COUNT=8'],
      ['cq_overflow_cg.outcome_x_armed.<overflowed,yes>', 'cq_overflow_cg.outcome_x_resizing.<filled,yes>'],
    );
    bins(
      'address_handles',
      ['+UD_QP_NUM=2'],
      ['address_handle_cg.domain.other', 'address_handle_cg.step.destroyedBusy'],
    );
    bins('unsignaled_requests', ['+RC_QP_NUM=2'], ['unsignalled_cg.stands_for_x_ends_with.<few,success>']);
  });
});

describe('The covergroups of RDMA', () => {
  it('can all be carried out, have a comment each, and names that tell what they are', () => {
    const groups = rdmaCovergroups().map(({ model }) => model);
    expect(groups.length).to.be.at.least(40);
    expect(new Set(groups.map(({ name }) => name)).size).to.equal(groups.length);
    for (const { name, comment } of groups) {
      expect(name).to.match(/^[a-z0-9_]+_cg$/);
      expect(comment, name).to.not.equal('');
    }
  });
});

import { expect } from 'chai';
import { IS_NIGHTLY } from '../faults/nightlyBugs.ts';
import { play } from '../tests/harness.ts';

const WORK = '+CQ_EVENT +RC_QP_NUM=8 +SEND_WQE_NUM=8 +DATA_CNT=20000 +DB_NUM=2';
const SLOW = [
  '+PCIE_GBPS=1',
  '+PCIE_GBPS=1 +LINK_GBPS=400',
  '+PCIE_UP_NS=100000',
  '+PCIE_DOWN_NS=1000000 +PCIE_UP_NS=1000000',
  '+NIC_CLOCK_PS=1000000',
  '+NIC_CLOCK_PS=1000000 +PCIE_GBPS=1 +LINK_LATENCY_NS=1000000',
];

describe('waiting for completion events', () => {
  for (const setting of SLOW) {
    it(`calls no event lost with ${setting}`, async () => {
      const run = await play('test_direct_param', `${WORK} ${setting}`);
      expect(run.verdict).to.equal('passed');
    });

    it(`finds a lost interrupt with ${setting}`, async () => {
      const run = await play('test_direct_param', `${WORK} ${setting} +DUT_FAULT=interrupt_lost`);
      expect(run.verdict).to.equal('failed');
      expect(run.log).to.contain('[SEQ_EVENT_LOST]');
    });
  }
});

/** Large messages that take turns on a slow bus, 80 MB in sum; many small ones behind each other on one far away. */
const PATIENT = [
  ...['+LINK_GBPS=1', '+PCIE_GBPS=1']
    .filter(() => IS_NIGHTLY)
    .map((slow) => `+RC_QP_NUM=16 +WRITE_WQE_NUM=1 +DATA_CNT=5 +DATA_UNIT=MB ${slow}`),
  '+RC_QP_NUM=12 +SEND_WQE_NUM=4 +SG_NUM=6 +DATA_CNT=2880 +PCIE_TAGS=1 +PCIE_UP_NS=1000000',
];

describe('waiting for progress', () => {
  for (const setting of PATIENT) {
    it(`calls no queue pair stuck with ${setting}`, async () => {
      const run = await play('test_direct_param', `+ONE_SIDE_LAUNCH ${setting}`);
      expect(run.log).not.to.contain('SCB_STUCK');
      expect(run.verdict).to.equal('passed');
    });
  }

  it('finds a queue pair that is stuck on such a bus', async () => {
    const run = await play('test_direct_param', '+RC_QP_NUM=8 +WRITE_WQE_NUM=4 +LINK_GBPS=1 +DUT_FAULT=cqe_lost');
    expect(run.verdict).to.equal('failed');
    expect(run.log).to.contain('[SCB_STUCK] no useful progress for 500ms');
  });

  it('waits as long as +STALL_TIME says, and at least for a receiver that is not ready', async () => {
    const stuck = '+RC_QP_NUM=8 +WRITE_WQE_NUM=4 +DUT_FAULT=cqe_lost +STALL_TIME=20ms';
    const run = await play('test_direct_param', stuck);
    expect(run.log).to.contain('[SCB_STUCK] no useful progress for 20ms');
    const patient = await play('test_direct_param', `${stuck} +MIN_RNR_TIMER=0`);
    expect(patient.verdict).to.equal('failed');
    expect(patient.log).not.to.contain('no useful progress for 20ms');
  });
});

import { expect } from 'chai';
import { play } from '../../unit/tests/harness.ts';

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

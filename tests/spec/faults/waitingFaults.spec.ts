/** Planted bugs in runs whose contexts and translations have to be fetched again and again: they act, and break nothing else. */

import { expect } from 'chai';
import { play } from '../tests/harness.ts';

const TIGHT = '+NIC_QPC_CACHE=16 +NIC_CQC_CACHE=16 +NIC_MPT_CACHE=64 +NIC_MTT_CACHE=64 +NIC_CACHE_WAYS=1';

describe('planted bugs whose packets have to wait', () => {
  for (const [fault, line, found] of [
    ['write_in_err', '+UVM_TEST_SEQ=dead_peers +RC_QP_NUM=24 +UC_QP_NUM=0 +UD_QP_NUM=0', 'SCB_STRAY_WRITE'],
    ['qkey_half', '+UVM_TEST_SEQ=datagram_peers +RC_QP_NUM=0 +UC_QP_NUM=0 +UD_QP_NUM=24', 'SCB_DATA'],
    ['source_ignored', '+UVM_TEST_SEQ=strangers +RC_QP_NUM=24 +UC_QP_NUM=0 +UD_QP_NUM=0', ''],
  ] as const) {
    it(`end in no exception: ${fault}`, async () => {
      const run = await play('test_sequence', `${line} ${TIGHT} +DUT_FAULT=${fault}`);
      expect(run.log).not.to.match(/\[EXCEPTION\]/);
      if (found !== '') expect(run.log).to.contain(`[${found}]`);
    });
  }

  it('end in no exception: psn_plain_compare', async () => {
    const traffic = '+RC_QP_NUM=12 +WRITE_WQE_NUM=4 +READ_WQE_NUM=0 +DATA_CNT=9000 +DB_NUM=3 +PSN=0xfffffe';
    const run = await play('test_direct_param', `${traffic} +NIC_QPC_CACHE=4 +DUT_FAULT=psn_plain_compare`);
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'SCB_STUCK']);
  });

  it('end in no exception: mtu_doubled where the MTU is the longest', async () => {
    const run = await play('test_direct_param', '+RC_QP_NUM=2 +MTU=4096 +DATA_CNT=20000 +DUT_FAULT=mtu_doubled');
    expect(run.verdict, run.log).to.equal('passed');
  });

  it('end in no exception: empty_write_refused', async () => {
    const run = await play('test_random', '+DUT_FAULT=empty_write_refused', 1213949704);
    expect(run.log).not.to.match(/\[EXCEPTION\]/);
  });
});

/**
 * The switches with which the model behaves as published hardware does: the check that tells it says so, and without
 * that check, which `+uvm_set_action` switches off, the rest of the run is right.
 */

import { expect } from 'chai';
import { loadRegistry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';

const WORK = ['+RC_QP_NUM=2', '+UD_QP_NUM=2', '+SEND_WQE_NUM=2', '+RECV_WQE_NUM=2'];

async function play(...plusargs: string[]): Promise<RunResult> {
  const registry = await loadRegistry();
  return runOne({ testName: 'test_direct_param', seed: 1, plusargs: [...WORK, ...plusargs] }, registry, { sink() {} });
}

describe('a NIC with a personality of its own', () => {
  it('is told when its CQEs say that the hardware owns them', async () => {
    const { message } = await play('+NIC_CQE_OWNER=1');
    expect(message).to.match(/^\[HCA_CQE_OWNER\] CQ \d+: owner byte 0x80 instead of 0/);
    const { verdict, counts } = await play(
      '+NIC_CQE_OWNER=1',
      '+uvm_set_action=*,HCA_CQE_OWNER,UVM_ERROR,UVM_NO_ACTION',
    );
    expect([verdict, counts['requests_done']]).to.deep.equal(['passed', 16]);
  });

  it('is told when its CQEs name no WQE', async () => {
    expect((await play('+NIC_CQE_WQE=0')).message).to.match(/^\[SCB_DUPLICATE\]/);
  });

  it('is told when it leaves no room for the GRH', async () => {
    const { message } = await play('+NIC_UD_GRH=0');
    expect(message).to.match(/^\[SCB_BYTE_LEN\] .* byte count of the completion is 64, expected 104/);
  });
});

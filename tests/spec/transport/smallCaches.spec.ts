/**
 * Far more queue pairs and regions in use than the NIC's caches hold: everything goes through host memory and back, and
 * still everything comes to its end, in a simulated time of the same order as with room for all.
 */

import { expect } from 'chai';
import { loadRegistry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';

const WORK = [
  '+RC_QP_NUM=96',
  '+SEND_WQE_NUM=1',
  '+RECV_WQE_NUM=1',
  '+READ_WQE_NUM=1',
  '+WRITE_WQE_NUM=1',
  '+SG_NUM=3',
  '+DATA_CNT=9001',
];
const SMALLEST = ['+NIC_QPC_CACHE=16', '+NIC_CQC_CACHE=16', '+NIC_MPT_CACHE=64', '+NIC_MTT_CACHE=64'];

describe('caches smaller than what is in use', () => {
  for (const ways of [1, 4]) {
    it(`let every queue pair make progress with ${ways} way${ways === 1 ? '' : 's'} a set`, async () => {
      const registry = await loadRegistry();
      const play = (plusargs: string[]): ReturnType<typeof runOne> =>
        runOne({ testName: 'test_direct_param', seed: 11, plusargs: [...WORK, ...plusargs] }, registry, { sink() {} });
      const roomy = play([]);
      const tight = play([...SMALLEST, `+NIC_CACHE_WAYS=${ways}`]);
      expect(roomy.message).to.equal('');
      expect(tight.message).to.equal('');
      expect(tight.simulatedTimePs).to.be.lessThan(3 * roomy.simulatedTimePs);
    });
  }

  it('are not held up by a queue pair that fails while a message waits for its receive', async () => {
    const registry = await loadRegistry();
    const impatient = ['+ACK_TIMEOUT=1', '+RETRY_CNT=0', '+RNR_RETRY=0', '+MAX_RD_ATOMIC=1', '+PSN=wrap'];
    const slow = ['+LINK_GBPS=1', '+PCIE_MEMORY_NS=100000', '+NIC_QPC_CACHE=16', '+NIC_CACHE_WAYS=1'];
    const work = ['+RC_QP_NUM=24', '+DB_NUM=6', '+READ_WQE_NUM=4', '+SEND_WQE_NUM=4', '+SG_NUM=3', '+DATA_CNT=9000'];
    const plusargs = [...impatient, ...slow, ...work, '+WRITE_WQE_NUM=0', '+MTU=1024'];
    const run = runOne({ testName: 'test_direct_param', seed: 990248066, plusargs }, registry, { sink() {} });
    expect(run.message).to.equal('');
  });

  it('let datagrams arrive that wait in the middle of being placed', async () => {
    const registry = await loadRegistry();
    const work = ['+RC_QP_NUM=2', '+UD_QP_NUM=40', '+DB_NUM=2', '+SEND_WQE_NUM=10', '+SG_NUM=2', '+DATA_CNT=1900'];
    const plusargs = [...work, '+WRITE_WQE_NUM=2', '+NIC_MPT_CACHE=64', '+NIC_MTT_CACHE=64'];
    const run = runOne({ testName: 'test_direct_param', seed: 1, plusargs }, registry, { sink() {} });
    expect(run.message).to.equal('');
  });
});

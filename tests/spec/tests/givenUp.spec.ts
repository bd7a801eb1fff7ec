import { expect } from 'chai';
import { play } from './harness.ts';

describe('a scenario in which requesters give up', () => {
  it('passes when answers take longer than they may wait', async () => {
    const run = await play(
      'test_direct_param',
      '+RC_QP_NUM=2 +READ_WQE_NUM=2 +WRITE_WQE_NUM=1 +ACK_TIMEOUT=2 +RETRY_CNT=1 +LINK_LATENCY_NS=100000',
    );
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.log).to.match(
      /ERROR_COMPLETIONS.*RETRY_EXC_ERR; look for an ACK_TIMEOUT and a RETRY_CNT that leave no time/,
    );
  });

  it('says so when receives wait for ever for what they sent', async () => {
    const line =
      '+RC_QP_NUM=2 +SEND_WQE_NUM=4 +ONE_SIDE_LAUNCH +DATA_CNT=500000 +ACK_TIMEOUT=2 +RETRY_CNT=1 +LINK_LATENCY_NS=100000';
    const run = await play('test_direct_param', `${line}`);
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['error', 'SEQ_GIVEN_UP']);
    expect(run.message).to.contain('with RETRY_EXC_ERR is the first').and.to.contain('raise ACK_TIMEOUT');
  });
});

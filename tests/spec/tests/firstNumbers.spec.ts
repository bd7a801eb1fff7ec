import { expect } from 'chai';
import { type Played, play } from './harness.ts';

const DATA = '+RC_QP_NUM=3 +WRITE_WQE_NUM=2 +SEND_WQE_NUM=1 +READ_WQE_NUM=1';

/** Numbers that a run has given, by what the log calls them, smallest first. */
function numbers({ log }: Played, what: RegExp): number[] {
  return [...new Set([...log.matchAll(what)].map(([, digits]) => Number(digits)))].sort((a, b) => a - b);
}

describe('first numbers', () => {
  it('are where queue pairs begin, across a power of two and back from the last one, and runs pass there', async () => {
    const queuePairs = /\bQP (\d+)\b/g;
    const carried = await play('test_direct_param', `${DATA} +FIRST_QPN=255 +UVM_VERBOSITY=UVM_HIGH`);
    expect([carried.verdict, numbers(carried, queuePairs)]).to.deep.equal(['passed', [255, 256, 257]]);
    const last = await play('test_direct_param', `${DATA} +FIRST_QPN=16382 +UVM_VERBOSITY=UVM_HIGH`);
    expect([last.verdict, numbers(last, queuePairs)]).to.deep.equal(['passed', [1, 16382, 16383]]);
  });

  it('are where completion queues, their indices, keys and translation entries begin', async () => {
    const line = '+FIRST_CQ_INDEX=262142 +FIRST_CQN=4095 +FIRST_KEY=65535 +FIRST_MTT=1048575';
    const usual = await play('test_direct_param', DATA);
    const moved = await play('test_direct_param', `${DATA} ${line}`);
    expect([usual.verdict, moved.verdict]).to.deep.equal(['passed', 'passed']);
    expect(moved.transcript.hash).to.not.equal(usual.transcript.hash);
    expect((await play('test_direct_param', `${DATA} ${line.replaceAll(/=\d+/g, '=0')}`)).transcript).to.deep.equal(
      usual.transcript,
    );
  });
});

import { expect } from 'chai';
import { play } from './harness.ts';

describe('a run', () => {
  const COMMANDS: readonly (readonly [test: string, line: string, seeds: number])[] = [
    ['test_random', '', 3],
    ['test_random_verbs', '', 3],
    ['test_sequence', '+UVM_TEST_SEQ=late_receives +RC_QP_NUM=2', 1],
    ['test_sequence', '+UVM_TEST_SEQ=stop_midway +RC_QP_NUM=2 +UC_QP_NUM=1', 1],
    ['test_sequence', '+UVM_TEST_SEQ=dead_peers +RC_QP_NUM=2', 1],
    ['test_direct_param', '+RC_QP_NUM=3 +UD_QP_NUM=2 +SEND_WQE_NUM=3 +WRITE_WQE_NUM=3 +DB_NUM=2', 1],
  ];

  it('is the same whether it is judged or not', async () => {
    const differ: string[] = [];
    for (const [test, line, seeds] of COMMANDS) {
      for (let seed = 1; seed <= seeds; seed++) {
        const judged = await play(test, `${line} +CHECKS=1`, seed);
        const alone = await play(test, `${line} +CHECKS=0`, seed);
        if (judged.transcript.hash !== alone.transcript.hash) differ.push(`${test} ${line} seed ${seed}`);
        expect(judged.transcript.events).to.be.above(0);
      }
    }
    expect(differ).to.deep.equal([]);
  });
});

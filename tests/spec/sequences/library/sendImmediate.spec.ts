import { expect } from 'chai';
import { play } from '../../tests/harness.ts';

const LINE = '+UVM_TEST_SEQ=send_immediate +RC_QP_NUM=1 +UC_QP_NUM=1 +UD_QP_NUM=1 +SEQ_COUNT=8';

describe('send_immediate', () => {
  it('passes where all immediate data arrive as they were sent', async () => {
    const run = await play('test_sequence', LINE);
    expect(run.verdict, run.log).to.equal('passed');
    expect(run.counts).to.include({ UVM_ERROR: 0, UVM_WARNING: 0, receives_done: 3 * 8 });
  });

  it('reports SEQ_IMM, with both values, where they arrive changed', async () => {
    const run = await play('test_sequence', `${LINE} +DUT_FAULT=cqe_immediate_shifted`);
    expect(run.verdict).to.equal('failed');
    const said = [...run.log.matchAll(/\[SEQ_IMM\] immediate (\d+) was sent, (\d+) arrived/g)];
    expect(said, run.log).not.to.deep.equal([]);
    for (const [, sent, arrived] of said) expect(Number(arrived)).to.equal(Math.floor(Number(sent) / 2));
  });
});

import { expect } from 'chai';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { type Work, expectClean, playConnection } from './playConnection.ts';

const BYTES = 100;

/** Posts a SEND, and a receive for it unless it is left out, and waits for neither. */
function posting(received: boolean): Work {
  return function* (_, { left, right }): Proc<void> {
    if (received) yield* right.receive(yield* right.sink(BYTES));
    yield* left.send(yield* left.source(BYTES));
  };
}

describe('a sequence that does not wait for its completions', function () {
  this.timeout(60_000);

  it('has them judged before the end', async () => {
    const run = await playConnection(posting(true));
    expectClean(run);
    expect(run.counts).to.include({ requests_done: 1, receives_done: 1 });
  });

  it('fails when one never comes', async () => {
    const line = '+RC_QP_NUM=0 +UC_QP_NUM=1 +DUT_FAULT=uc_completion_missing';
    const run = await playConnection(posting(true), line);
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'SCB_STUCK']);
  });

  it('is told of a message that finds no receive', async () => {
    const run = await playConnection(posting(false));
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'SCB_NO_RECEIVE']);
  });
});

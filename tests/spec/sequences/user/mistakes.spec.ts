import { expect } from 'chai';
import type { QpSide } from '../../../../sequences/user/qpSide.ts';
import type { RegisteredBuffer } from '../../../../sequences/user/memory/registeredBuffer.ts';
import { type Proc, delay, joinAll } from '../../../../uvm/kernel/process.ts';
import { US } from '../../../../uvm/kernel/time.ts';
import { type Work, expectClean, playConnection } from './playConnection.ts';

const BYTES = 100;

/** Posts a SEND, and a receive for it unless it is left out, and waits for neither. */
function posting(received: boolean): Work {
  return function* (_, { left, right }): Proc<void> {
    if (received) yield* right.receive(yield* right.sink(BYTES));
    yield* left.send(yield* left.source(BYTES));
  };
}

function* writes(side: QpSide, source: RegisteredBuffer, target: RegisteredBuffer): Proc<void> {
  for (let i = 0; i < 3; i++) {
    yield* delay(US);
    yield* side.write(source, target);
  }
}

describe('a sequence that does not wait for its completions', () => {
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

  it('is warned of processes that end with it, and not of those that it has waited for, ended or let go on', async () => {
    for (const how of ['left', 'joined', 'killed', 'daemon']) {
      const run = await playConnection(function* (sequence, { left, right }) {
        const [source, sink] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
        const daemon = how === 'daemon';
        const loop = sequence.run.processes.spawn('loop', writes(left, source, sink), { daemon });
        yield* left.write(source, sink);
        if (how === 'joined') yield* joinAll([loop]);
        if (how === 'killed') loop.kill();
      });
      expect(run.verdict, run.log).to.equal('passed');
      expect(run.log.includes('[SEQ_CUT_OFF] loop, which waits for '), how).to.equal(how === 'left');
      expect(run.counts['UVM_WARNING'], run.log).to.equal(how === 'left' ? 1 : 0);
    }
  });

  it('is told of a message that finds no receive', async () => {
    const run = await playConnection(posting(false));
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'SCB_NO_RECEIVE']);
  });
});

describe('a sequence that uses the kernel wrongly', () => {
  it('ends the run without a verdict about the NIC', async () => {
    const run = await playConnection(function* (sequence): Proc<void> {
      yield* delay(US);
      expect(sequence.sequencer).to.equal(undefined);
    });
    expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['error', 'SEQNOSQR']);
  });
});

import { expect } from 'chai';
import { Event } from '../../../../uvm/kernel/event.ts';
import { expectClean, playConnection, type Work } from './playConnection.ts';

const BYTES = 100;

/** A right sequence. */
const ONE_SEND: Work = function* (_, { left, right }) {
  yield* right.receive(yield* right.sink(BYTES));
  yield* left.send(yield* left.source(BYTES));
  yield* right.received();
  yield* left.sent();
};

describe('a sequence that waits for what nobody can send', () => {
  it('is told so, and the NIC is not judged: nothing was sent', async () => {
    const run = await playConnection(function* (_, { right }) {
      yield* right.received();
    });
    expect([run.verdict, run.signature?.id]).to.deep.equal(['error', 'SEQ_DEADLOCK']);
    expect(run.message).to.match(
      /^\[SEQ_DEADLOCK\] deadlock at [\d.]+ms: no request is outstanding; connection0 waits for a completion that nobody can send: received\(\) of host 1 RC QP 14 \(no receive is posted\)$/,
    );
    expect(run.log).to.match(/connection0 waits for item from mailbox received\(\) of host 1 RC QP 14: 0 items/);
  });

  it('is told so when all that was posted is done', async () => {
    const run = await playConnection(function* (sequence, connection) {
      yield* ONE_SEND(sequence, connection);
      yield* connection.right.receive(yield* connection.right.sink(BYTES));
      const { processes } = sequence.run;
      processes.spawn('again', connection.left.sent());
      yield* connection.right.received();
    });
    expect([run.verdict, run.signature?.id]).to.deep.equal(['error', 'SEQ_DEADLOCK']);
    expect(run.message).to.contain('connection0, again wait for completions that nobody can send: ');
    expect(run.message).to.contain('sent() of host 0 RC QP 14 (no request is posted)');
    expect(run.message).to.contain('received() of host 1 RC QP 14 (1 posted, but no message is in flight)');
  });

  it('is not the one to blame when the NIC has lost a message or a completion', async () => {
    expectClean(await playConnection(ONE_SEND));
    for (const line of [
      '+DUT_FAULT=cqe_lost +RC_QP_NUM=1',
      '+DUT_FAULT=cqe_lost +RC_QP_NUM=0 +UC_QP_NUM=1',
      '+DUT_FAULT=cqe_lost +RC_QP_NUM=0 +UD_QP_NUM=1',
    ]) {
      const run = await playConnection(function* (sequence, connection) {
        for (let i = 0; i < 40; i++) yield* ONE_SEND(sequence, connection);
      }, line);
      expect(run.verdict, run.log).to.equal('failed');
      expect(run.log).not.to.contain('SEQ_DEADLOCK');
    }
  });

  it('is not told so after a failed request, or when somebody waits for something else', async () => {
    const other: Work = function* (sequence, { right }) {
      sequence.run.processes.spawn('other', new Event('something else').wait());
      yield* right.received();
    };
    const failed: Work = function* (_, { left, right }) {
      yield* right.receive(yield* right.sink(BYTES / 2));
      yield* left.send(yield* left.source(BYTES));
      yield* left.sent();
      for (;;) yield* left.sent();
    };
    for (const [work, line] of [
      [other, '+RC_QP_NUM=1'],
      [failed, '+RC_QP_NUM=1'],
    ] as const) {
      const run = await playConnection(work, line);
      expect([run.verdict, run.signature?.id], run.log).to.deep.equal(['failed', 'DEADLOCK']);
    }
  });
});

describe('the deadlock report of a sequence', () => {
  it('lists first who waits for a queue pair with work, and says how to see all others', async () => {
    const crowd: Work = function* (sequence, { right }) {
      for (let i = 0; i < 30; i++) sequence.run.processes.spawn(`other${i}`, new Event('something else').wait());
      yield* right.receive(yield* right.sink(BYTES));
      yield* right.received();
    };
    const run = await playConnection(crowd);
    const [first] = /parked processes:\n.*/.exec(run.log) ?? [''];
    expect(first).to.contain('connection0 waits for item from mailbox received() of host 1 RC QP 14');
    expect(run.log).to.match(/\.\.\. and \d+ more; \+UVM_VERBOSITY=UVM_HIGH lists all/);
    const all = await playConnection(crowd, '+RC_QP_NUM=1 +UVM_VERBOSITY=UVM_HIGH');
    expect(all.log.match(/other\d+ waits for event something else/g)).to.have.length(30);
  });
});

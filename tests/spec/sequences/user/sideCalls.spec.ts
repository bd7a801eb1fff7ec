import { expect } from 'chai';
import { QP_STATE } from '../../../../rdma/verbs.ts';
import { joinAll, type Proc } from '../../../../uvm/kernel/process.ts';
import { expectClean, playConnection, type Work } from './playConnection.ts';

const BYTES = 100;

/** Makes a call and nothing of it, unseen by lint. */
function forget(_call: unknown): void {}

describe('a call of a side that is made without yield*', () => {
  it('posts nothing, and ends the run without a verdict about the NIC', async () => {
    const run = await playConnection(function* (_, { left, right }) {
      const [near, far] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
      const dropped = [left.send(near), right.receive(far), left.send(near), left.write(near, far), left.sent()];
      expect(dropped).to.have.length(5);
      expect([left.sendsPosted, left.recvsPosted]).to.deep.equal([0, 0]);
    });
    expect([run.verdict, run.signature?.id]).to.deep.equal(['error', 'SEQ_NOT_BEGUN']);
    expect(run.message).to.equal(
      '[SEQ_NOT_BEGUN] send() of host 0 RC QP 14 (2 times), receive() of host 1 RC QP 14, write() of host 0 RC QP 14, ' +
        'and 1 more, were called without yield*, so that nothing was done; the NIC is not judged',
    );
    expect(run.counts).to.include({ requests_done: 0, receives_done: 0 });
    expect(run.log.match(/SEQ_NOT_BEGUN\]/g), 'once, and in the summary').to.have.length(2);
  });

  it('is named with its host when it is one of the host API, unless it has done its work at once', async () => {
    const run = await playConnection(function* (_, { left, right }) {
      yield* right.receive(yield* right.sink(BYTES));
      forget(left.api.modifyQp(left.qp, { state: QP_STATE.err }));
      forget(right.api.armCq(right.qp.recvCq, false));
      expect(left.api.host).to.equal(left.host);
      yield* left.send(yield* left.source(BYTES));
      yield* left.sent();
    });
    expect([run.verdict, run.signature?.id]).to.deep.equal(['error', 'SEQ_NOT_BEGUN']);
    expect(run.message).to.match(/ api\.modifyQp\(\) of host 0 was called without yield\*, so that nothing was done; /);
  });

  it('is named when what was posted was judged, and after what was found', async () => {
    const run = await playConnection(function* (sequence, { left, right }) {
      const near = yield* left.source(BYTES);
      yield* right.receive(yield* right.sink(BYTES));
      yield* left.send(near);
      sequence.expectStatus(yield* right.received(), 1, 'receive');
      forget(left.sent());
    });
    expect([run.verdict, run.signature?.id, run.endedBy?.id]).to.deep.equal(['failed', 'SEQ_STATUS', 'SEQ_NOT_BEGUN']);
    expect(run.log).to.contain('sent() of host 0 RC QP 14 was called without yield*');
  });

  it('is named by the deadlock that it leads to', async () => {
    const run = await playConnection(function* (_, { left, right }) {
      yield* right.receive(yield* right.sink(BYTES));
      forget(left.send(yield* left.source(BYTES)));
      yield* right.received();
    });
    expect([run.verdict, run.signature?.id]).to.deep.equal(['error', 'SEQ_DEADLOCK']);
    expect(run.message).to.match(/; send\(\) of host 0 RC QP 14 was called without yield\*, so that nothing was done$/);
  });

  it('is named besides when messages find no receive', async () => {
    const run = await playConnection(function* (_, { left, right }) {
      forget(right.receive(yield* right.sink(BYTES)));
      yield* left.send(yield* left.source(BYTES));
      yield* left.sent();
    });
    expect(run.signature?.id).to.equal('SCB_NO_RECEIVE');
    expect(run.log).to.match(/UVM_WARNING .*\[SEQ_NOT_BEGUN\] receive\(\) of host 1 RC QP 14 was called without/);
  });

  it('is none when it is begun later, elsewhere, by a process, or by hand, or given up', async () => {
    const work: Work = function* (sequence, { left, right }) {
      const { processes } = sequence.run;
      const [near, far] = [yield* left.source(BYTES), yield* right.sink(BYTES)];
      const later = left.send(near);
      yield* joinAll([processes.spawn('receive', right.receive(far))]);
      const wrapped = (function* (): Proc<void> {
        yield* later;
      })();
      yield* wrapped;
      const waits = right.received();
      const first = waits.next();
      if (first.done !== true) yield first.value;
      processes.spawn('never', left.sent()).kill();
      yield* left.sent();
    };
    expectClean(await playConnection(work));
  });
});

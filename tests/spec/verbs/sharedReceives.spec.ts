import { expect } from 'chai';
import { RecvWr } from '../../../agents/verbs/verbsItems.ts';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { QP_TYPE, type QpType } from '../../../rdma/verbs.ts';
import { play } from '../tests/harness.ts';
import { ProviderBench } from '../env/support/providerBench.ts';

function kindOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof HostApiError) return error.kind;
    throw error;
  }
  return 'none';
}

function shared(srqs = 2) {
  const bench = new ProviderBench();
  bench.run(bench.api.openDevice({ srqs }));
  const pd = bench.api.allocPd(1);
  const srq = bench.run(bench.api.createSrq(pd, { maxWr: 3, maxSge: 2 }));
  const cq = bench.run(bench.api.createCq(1, { entries: 8 }));
  const pair = (type: QpType) => {
    const init = { type, sendCq: cq, recvCq: cq, srq, maxSendWr: 1, maxRecvWr: 0, maxSge: 1 };
    return bench.run(bench.api.createQp(pd, init));
  };
  return { bench, pd, srq, pair };
}

function receives(count: number, entries = 1): RecvWr[] {
  return Array.from({ length: count }, () => {
    const wr = new RecvWr();
    wr.setNumSge(entries);
    return wr;
  });
}

describe('shared receive queues of the host API', () => {
  it('have room for the receives and entries that were asked for, and for no more', () => {
    const { bench, srq } = shared();
    const post = (wrs: RecvWr[]): string => kindOf(() => bench.run(bench.api.postSrqRecv(srq, wrs, wrs.length)));
    expect(srq.maxWr).to.equal(3);
    expect(post(receives(1, 3))).to.equal('TOO_MANY_SGE');
    expect(post(receives(2))).to.equal('none');
    expect(post(receives(2)), 'the first one is posted').to.equal('QUEUE_FULL');
    expect(srq.outstanding).to.equal(3);
  });

  it('are as many as the device was opened for, and cannot be more than it has', () => {
    const { bench, pd } = shared(1);
    const request = { maxWr: 1, maxSge: 1 };
    expect(kindOf(() => bench.run(bench.api.createSrq(pd, request)))).to.equal('LIMIT');
    for (const wrong of [
      { maxWr: 32_768, maxSge: 1 },
      { maxWr: 1, maxSge: 17 },
      { maxWr: 0, maxSge: 1 },
    ])
      expect(kindOf(() => bench.run(bench.api.createSrq(pd, wrong)))).to.equal('LIMIT');
    expect(kindOf(() => bench.run(new ProviderBench().api.openDevice({ srqs: 1025 })))).to.equal('LIMIT');
  });

  it('are in use by queue pairs, and keep their domain in use', () => {
    const { bench, pd, srq, pair } = shared();
    const qp = pair(QP_TYPE.rc);
    expect(kindOf(() => bench.run(bench.api.destroySrq(srq)))).to.equal('IN_USE');
    bench.run(bench.api.destroyQp(qp));
    expect(kindOf(() => bench.api.deallocPd(pd))).to.equal('IN_USE');
    bench.run(bench.api.destroySrq(srq));
    bench.api.deallocPd(pd);
    expect(kindOf(() => bench.run(bench.api.querySrq(srq)))).to.equal('GONE');
  });

  it('are not for UC, and take the place of receives of a queue pair', () => {
    const { bench, pair } = shared();
    expect(kindOf(() => pair(QP_TYPE.uc))).to.equal('ATTRIBUTE');
    const qp = pair(QP_TYPE.ud);
    bench.run(bench.api.modifyQp(qp, { state: 1, pkeyIndex: 0, port: 1, qkey: 1 }));
    expect(kindOf(() => bench.run(bench.api.postRecv(qp, receives(1), 1)))).to.equal('UNSUPPORTED');
  });

  it('take a limit up to their size, and no other size', () => {
    const { bench, srq } = shared();
    expect(kindOf(() => bench.run(bench.api.modifySrq(srq, { maxWr: 7 })))).to.equal('UNSUPPORTED');
    expect(kindOf(() => bench.run(bench.api.modifySrq(srq, { limit: 4 })))).to.equal('LIMIT');
    bench.run(bench.api.modifySrq(srq, { limit: 3 }));
  });
});

describe('sequences with shared receives', () => {
  it('pass on HanGu, with events at the limit and behind the last receive', async () => {
    for (const sequence of ['shared_receives', 'shared_receive_events']) {
      const run = await play('test_sequence', `+UVM_TEST_SEQ=${sequence} +RC_QP_NUM=2 +SEQ_COUNT=1`);
      expect(run.verdict, run.log).to.equal('passed');
    }
  });

  it('are refused where the NIC has no shared receives', async () => {
    const run = await play('test_sequence', '+UVM_TEST_SEQ=shared_receives +RC_QP_NUM=2 +DUT=blue').catch(String);
    expect(typeof run === 'string' ? run : run.log).to.match(/sharedReceives/);
  });
});

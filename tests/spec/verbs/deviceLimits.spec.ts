import { expect } from 'chai';
import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
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

describe('what a device says of itself', () => {
  it('can be asked for while it is open', () => {
    const bench = new ProviderBench();
    expect(kindOf(() => bench.api.device)).to.equal('GONE');
    const said = bench.run(bench.api.openDevice());
    expect(bench.api.device).to.equal(said);
    bench.run(bench.api.closeDevice());
    expect(kindOf(() => bench.api.device)).to.equal('GONE');
  });

  it('holds for queues: as many requests as it says are granted, and one more is refused', () => {
    const bench = new ProviderBench();
    const { maxQpWr } = bench.run(bench.api.openDevice());
    const pd = bench.api.allocPd(1);
    const cq = bench.run(bench.api.createCq(1, { entries: 4 }));
    const init = { type: QP_TYPE.rc, sendCq: cq, recvCq: cq, maxSendWr: 4, maxRecvWr: 4, maxSge: 1 };
    for (const more of [{ maxSendWr: maxQpWr + 1 }, { maxSendWr: 2 * maxQpWr }, { maxRecvWr: maxQpWr + 1 }])
      expect(kindOf(() => bench.run(bench.api.createQp(pd, { ...init, ...more })))).to.equal('LIMIT');
    const most = bench.run(bench.api.createQp(pd, { ...init, maxSendWr: maxQpWr, maxRecvWr: maxQpWr }));
    expect(most.maxSendWr).to.equal(maxQpWr);
    expect(most.maxRecvWr).to.be.at.least(maxQpWr);
  });

  it('holds for outstanding READs and atomics: 256 of HanGu, whose context has them in nine bits', () => {
    const bench = new ProviderBench();
    const { maxRdAtomic } = bench.run(bench.api.openDevice());
    expect(maxRdAtomic).to.equal(256);
    const pd = bench.api.allocPd(1);
    const cq = bench.run(bench.api.createCq(1, { entries: 4 }));
    const init = { type: QP_TYPE.rc, sendCq: cq, recvCq: cq, maxSendWr: 4, maxRecvWr: 4, maxSge: 1 };
    for (const [reads, answers] of [
      [256, 1],
      [1, 256],
      [255, 255],
    ] as const) {
      const qp = bench.run(bench.api.createQp(pd, init));
      const remote = { host: 1, qpn: 7, psn: 0 };
      bench.run(bench.api.connectQp(qp, remote, { maxRdAtomic: reads, maxDestRdAtomic: answers }));
      const said = bench.run(bench.api.queryQp(qp));
      expect([said.maxRdAtomic, said.maxDestRdAtomic]).to.deep.equal([reads, answers]);
    }
    const qp = bench.run(bench.api.createQp(pd, init));
    const call = () => bench.run(bench.api.connectQp(qp, { host: 1, qpn: 7, psn: 0 }, { maxRdAtomic: 257 }));
    expect(kindOf(call)).to.equal('ATTRIBUTE');
  });
});

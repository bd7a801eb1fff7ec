import { expect } from 'chai';
import { Drains } from '../../../env/verbs/drains.ts';
import { QP_STATE } from '../../../rdma/verbs.ts';
import { ProviderBench } from '../env/support/providerBench.ts';

describe('Drains', () => {
  const { qp } = new ProviderBench({ settings: { events: false } }).queuePair();
  const isAwaited = (drains: Drains) => drains.wait(qp) !== undefined;

  it('hold a queue pair silent until software asks for another state, though what the NIC says may come later', () => {
    const drains = new Drains();
    expect(drains.isHeld(qp.qpn)).to.equal(false);
    drains.begin(qp);
    expect(drains.isHeld(qp.qpn)).to.equal(true);
    drains.leave(qp);
    expect([drains.isHeld(qp.qpn), isAwaited(drains)]).to.deep.equal([false, true]);
    drains.begin(qp);
    expect(drains.isHeld(qp.qpn)).to.equal(true);
  });

  it('hold no queue pair that has failed meanwhile', () => {
    const drains = new Drains();
    drains.begin(qp);
    drains.failed(qp.qpn);
    expect([drains.isHeld(qp.qpn), isAwaited(drains)]).to.deep.equal([false, true]);
  });

  it('forget a queue pair in any other state', () => {
    const drains = new Drains();
    drains.begin(qp);
    drains.entered(qp.qpn, QP_STATE.sqd);
    expect(isAwaited(drains)).to.equal(true);
    drains.entered(qp.qpn, QP_STATE.err);
    expect([isAwaited(drains), drains.isHeld(qp.qpn)]).to.deep.equal([false, false]);
  });
});

import { expect } from 'chai';
import { Drains } from '../../../env/drains.ts';
import { QP_STATE } from '../../../rdma/verbs.ts';
import { ProviderBench } from './support/providerBench.ts';

describe('Drains', () => {
  const { qp } = new ProviderBench({ settings: { events: false } }).queuePair();

  it('hold a queue pair silent until software asks for another state, though what the NIC says may come later', () => {
    const drains = new Drains();
    expect(drains.isHeld(qp.qpn)).to.equal(false);
    drains.begin(qp);
    expect(drains.isHeld(qp.qpn)).to.equal(true);
    drains.leave(qp);
    expect([drains.isHeld(qp.qpn), drains.isAwaited(qp)]).to.deep.equal([false, true]);
    drains.begin(qp);
    expect(drains.isHeld(qp.qpn)).to.equal(true);
  });

  it('forget a queue pair in any other state', () => {
    const drains = new Drains();
    drains.begin(qp);
    drains.entered(qp.qpn, QP_STATE.sqd);
    expect(drains.isAwaited(qp)).to.equal(true);
    drains.entered(qp.qpn, QP_STATE.err);
    expect([drains.isAwaited(qp), drains.isHeld(qp.qpn)]).to.deep.equal([false, false]);
  });
});

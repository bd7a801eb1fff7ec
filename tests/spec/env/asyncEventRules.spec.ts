import { expect } from 'chai';
import { AsyncEventRules } from '../../../env/verbs/asyncEventRules.ts';
import { Drains } from '../../../env/verbs/drains.ts';
import { HostObjects } from '../../../env/verbs/hostObjects.ts';
import { ASYNC_EVENT, QP_STATE } from '../../../rdma/verbs.ts';
import { ProviderBench } from './support/providerBench.ts';

describe('AsyncEventRules', () => {
  function open() {
    const { qp, cq } = new ProviderBench({ settings: { events: false } }).queuePair();
    const objects = new HostObjects(0);
    objects.addQp(qp);
    objects.addCq(cq);
    const drains = new Drains();
    const rules = new AsyncEventRules(objects, drains);
    return { qp, cq, objects, drains, rules };
  }

  it('let a queue pair fail once, and again after software has changed it', () => {
    const { qp, rules } = open();
    expect(rules.problem(ASYNC_EVENT.qpAccessErr, qp.qpn)).to.equal('');
    expect(rules.problem(ASYNC_EVENT.qpAccessErr, qp.qpn)).to.contain('has said already that it is in ERR');
    expect(rules.problem(ASYNC_EVENT.qpFatal, qp.qpn)).to.contain('QP 14');
    qp.changes += 2;
    expect(rules.problem(ASYNC_EVENT.qpReqErr, qp.qpn)).to.equal('');
  });

  it('let a queue be drained as often as software has asked, and once more where an error may be the cause', () => {
    const { qp, drains, rules } = open();
    const drained = () => rules.problem(ASYNC_EVENT.sqDrained, qp.qpn);
    expect(drained()).to.contain('nobody asked');
    drains.begin(qp);
    expect([drained(), drained() === '']).to.deep.equal(['', false]);
    drains.failed(qp.qpn);
    expect(drained()).to.equal('');
    drains.entered(qp.qpn, QP_STATE.reset);
    expect(drained()).to.contain('nobody asked');
  });

  it('let a completion queue overrun once it has been full', () => {
    const { cq, rules } = open();
    expect(rules.problem(ASYNC_EVENT.cqErr, cq.cqn)).to.contain('were never all in use');
    rules.filled(cq);
    expect(rules.problem(ASYNC_EVENT.cqErr, cq.cqn)).to.equal('');
  });

  it('let a queue pair be talked to once for each time that it goes to RTR', () => {
    const { qp, rules } = open();
    const established = () => rules.problem(ASYNC_EVENT.commEst, qp.qpn);
    expect(established()).to.contain('since it went to RTR');
    for (let i = 0; i < 2; i++) {
      rules.listens(qp);
      expect([established(), established() === '']).to.deep.equal(['', false]);
    }
  });

  it('say nothing of what is gone, nor of other events', () => {
    const { qp, cq, objects, rules } = open();
    objects.qpns.take(qp.qpn + 1);
    objects.cqns.take(cq.cqn + 1);
    for (let i = 0; i < 2; i++) {
      expect(rules.problem(ASYNC_EVENT.qpAccessErr, qp.qpn + 1)).to.equal('');
      expect(rules.problem(ASYNC_EVENT.sqDrained, qp.qpn + 1)).to.equal('');
      expect(rules.problem(ASYNC_EVENT.cqErr, cq.cqn + 1)).to.equal('');
      expect(rules.problem(ASYNC_EVENT.commEst, qp.qpn + 1)).to.equal('');
      expect(rules.problem(ASYNC_EVENT.portActive, 1)).to.equal('');
    }
  });

  it('know of queue pairs and completion queues that never were', () => {
    const { qp, cq, rules } = open();
    for (const event of [ASYNC_EVENT.qpAccessErr, ASYNC_EVENT.sqDrained, ASYNC_EVENT.commEst]) {
      expect(rules.problem(event, qp.qpn + 1)).to.equal(`there never was a queue pair ${qp.qpn + 1}`);
      expect(rules.problem(event, 0)).to.equal('there never was a queue pair 0');
    }
    expect(rules.problem(ASYNC_EVENT.cqErr, cq.cqn - 1)).to.equal(`there never was a completion queue ${cq.cqn - 1}`);
  });
});

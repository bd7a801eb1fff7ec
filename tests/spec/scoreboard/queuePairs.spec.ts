import { expect } from 'chai';
import type { QpInfo } from '../../../agents/verbs/verbsItems.ts';
import { ACCESS, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { QueuePairs } from '../../../scoreboard/model/queuePairs.ts';
import { Messages } from '../../../scoreboard/model/messages.ts';
import { NO_QP, NONE, QueuePair, ReceiveQueue } from '../../../scoreboard/model/work.ts';

const INFO: QpInfo = {
  host: 0,
  qpn: 64,
  process: 1,
  type: QP_TYPE.rc,
  sendCqn: 1,
  recvCqn: 2,
  mtu: 1024,
  remoteHost: 1,
  remoteQpn: 65,
  sqPsn: 0,
  rqPsn: 0,
  qkey: 0,
  ackTimeout: 0,
  rnrRetry: 7,
  signalAll: true,
};

describe('a shared receive queue', () => {
  it('gives its receives to whichever queue pair asks first, in the order of posting, and counts them once', () => {
    const messages = new Messages();
    const shared = new ReceiveQueue();
    const takers = [1, 2].map((qpn) => new QueuePair(qpn, 0, qpn, shared));
    const posted = [0, 1, 2].map((wqe) => messages.receive(NO_QP, shared, wqe, 10 + wqe, 0));
    for (const recv of posted) shared.append(recv);
    const [a, b] = takers as [QueuePair, QueuePair];
    expect([a.rq.waiting, b.rq.waiting]).to.deep.equal([3, 3]);
    a.rq.unlink(a.rq.head);
    a.rq.done++;
    expect([b.rq.head, b.rq.waiting, b.rq.length]).to.deep.equal([posted[1], 2, 2]);
    b.recvFailed = true;
    b.mustFlush = 3;
    expect([a.recvFailed, a.mustFlush]).to.deep.equal([false, NONE]);
  });
});

describe('the queue pairs that the judge knows', () => {
  it('counts the queue pairs of each host that are in use, however often it is told that one is gone', () => {
    const qps = new QueuePairs();
    const [first] = [qps.ensure(0, 64), qps.ensure(0, 65), qps.ensure(1, 64)];
    qps.ensure(0, 64);
    expect([qps.inUse(0), qps.inUse(1), qps.inUse(2)]).to.deep.equal([2, 1, 0]);
    qps.gone(first, 0);
    qps.gone(first, 0);
    expect([qps.inUse(0), qps.inUse(1)]).to.deep.equal([1, 1]);
    qps.ensure(0, 64);
    expect(qps.inUse(0)).to.equal(2);
  });

  it('finds the newest queue pair of a host that is connected to one of another, and none that is gone or elsewhere', () => {
    const qps = new QueuePairs();
    const older = qps.ready(INFO, QP_STATE.rts, 0);
    const newer = qps.ready({ ...INFO, qpn: 70 }, QP_STATE.rts, 0);
    qps.ready({ ...INFO, qpn: 71, remoteHost: 2 }, QP_STATE.rts, 0);
    qps.ready({ ...INFO, qpn: 72, remoteQpn: 66 }, QP_STATE.rts, 0);
    qps.ready({ ...INFO, qpn: 73, host: 2 }, QP_STATE.rts, 0);
    qps.made({ ...INFO, qpn: 74 });
    expect(qps.connectedTo(0, 1, 65)).to.equal(newer);
    qps.gone(newer, 0);
    expect(qps.connectedTo(0, 1, 65)).to.equal(older);
    qps.gone(older, 0);
    expect(qps.connectedTo(0, 1, 65)).to.equal(NO_QP);
  });

  it('forgets the rights of an earlier connection whose number comes again where the new ones are not known', () => {
    const qps = new QueuePairs();
    const q = qps.ready({ ...INFO, access: ACCESS.remoteRead }, QP_STATE.rts, 0);
    expect(q.attributes.access.now).to.equal(ACCESS.remoteRead);
    qps.ready(INFO, QP_STATE.rts, 0);
    expect(q.attributes.access.now).to.equal(NONE);
  });

  it('keeps what has gone wrong with a connected queue pair, of another only what can come before it is connected', () => {
    const qps = new QueuePairs();
    const connected = qps.ready(INFO, QP_STATE.rts, 0);
    const fresh = qps.made({ ...INFO, qpn: 70 });
    for (const q of [connected, fresh]) {
      Object.assign(q, { broken: true, stops: true });
      q.sq.stopped.set(true);
      q.recvFailed = true;
    }
    qps.ready(INFO, QP_STATE.rts, 0);
    qps.ready({ ...INFO, qpn: 70 }, QP_STATE.rts, 0);
    const wrong = [connected, fresh].map((q) => [q.broken, q.stops, q.recvFailed, q.sq.failed]);
    expect(wrong).to.deep.equal([
      [true, true, true, true],
      [true, true, true, false],
    ]);
  });

  it('lets a queue pair that may be flushed wait anew', () => {
    const qps = new QueuePairs();
    const q = qps.ready(INFO, QP_STATE.rts, 0);
    q.waitsFrom = 5;
    q.mayFlush();
    expect([q.waitsFrom, q.stops]).to.deep.equal([NONE, true]);
  });
});

import { expect } from 'chai';
import type { QpInfo } from '../../../agents/verbs/verbsItems.ts';
import { leastOf } from '../../../agents/verbs/windowed.ts';
import { ACK_TIMER_PS } from '../../../rdma/timers.ts';
import { ACCESS, QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { Attributes } from '../../../scoreboard/model/attributes.ts';
import { QueuePairs } from '../../../scoreboard/model/queuePairs.ts';
import { Requesters } from '../../../scoreboard/reference/requesters.ts';

const INFO: QpInfo = {
  host: 0,
  qpn: 64,
  process: 1,
  type: QP_TYPE.rc,
  access: ACCESS.remoteRead,
  sendCqn: 1,
  recvCqn: 2,
  mtu: 1024,
  remoteHost: 1,
  remoteQpn: 65,
  sqPsn: 0,
  rqPsn: 0,
  qkey: 0,
  ackTimeout: 4,
  retryCnt: 2,
  rnrRetry: 7,
  maxDestRdAtomic: 4,
  signalAll: true,
};

function given(info: Partial<QpInfo> = {}): Attributes {
  const attributes = new Attributes();
  attributes.set({ ...INFO, ...info });
  return attributes;
}

describe('the attributes of a queue pair', () => {
  it('are each of the old value or the new one while a command is under way, and the new ones behind it', () => {
    const a = given();
    const other = { ...INFO, access: ACCESS.remoteWrite, ackTimeout: 6 };
    a.begin(other, 10);
    expect(a.access.every()).to.deep.equal([ACCESS.remoteRead, ACCESS.remoteWrite]);
    expect([a.permitsChange, a.ackTimeout.isOpen, a.retryCnt.isOpen]).to.deep.equal([true, true, false]);
    a.end(other, 20);
    expect([a.permitsChange, a.access.now, a.ackTimeout.now]).to.deep.equal([false, ACCESS.remoteWrite, 6]);
  });

  it('are the old ones again when the NIC has refused', () => {
    const a = given();
    a.begin({ ...INFO, access: 0, maxDestRdAtomic: 1 }, 10);
    a.end(INFO, 20);
    expect([a.permitsChange, a.access.every(0)]).to.deep.equal([false, [ACCESS.remoteRead]]);
    expect(leastOf(a.maxDestRdAtomic, Number.NEGATIVE_INFINITY), 'what it never had').to.equal(4);
  });

  it('know the fewest READs that the queue pair was ever given to answer, once that is known', () => {
    const a = given({ maxDestRdAtomic: undefined });
    a.end(INFO, 5);
    for (const [maxDestRdAtomic, at] of [
      [2, 10],
      [8, 20],
    ] as const) {
      a.begin({ ...INFO, maxDestRdAtomic }, at);
      a.end({ ...INFO, maxDestRdAtomic }, at + 5);
    }
    expect([a.maxDestRdAtomic.now, leastOf(a.maxDestRdAtomic, Number.NEGATIVE_INFINITY)]).to.deep.equal([8, 2]);
  });

  it('let it wait for an answer as long as the longer time-out says while that is changed, and for ever without one', () => {
    const wait = (code: number, tries: number): number => (ACK_TIMER_PS[code] as number) * tries;
    const a = given();
    expect(a.retryTime).to.equal(wait(4, 3));
    a.begin({ ...INFO, ackTimeout: 3, retryCnt: 6 }, 10);
    expect(a.retryTime).to.equal(wait(4, 7));
    a.end({ ...INFO, ackTimeout: 3, retryCnt: 6 }, 20);
    expect(a.retryTime).to.equal(wait(3, 7));
    expect(given({ ackTimeout: 0 }).retryTime).to.equal(0);
    expect(given({ retryCnt: undefined }).retryTime, 'the most that there are').to.equal(wait(4, 8));
  });
});

describe('the attributes of requesters', () => {
  it('are known from the first request on, and no others are taken for those of a flow of which nobody has spoken', () => {
    const requesters = new Requesters();
    requesters.change(3, INFO, 1);
    requesters.changed(3, INFO, 2);
    for (const flow of [3, 4])
      expect([requesters.of(flow).ackTimeout.now, requesters.of(flow).retryCnt.now]).to.deep.equal([0, -1]);
    requesters.begin(3, INFO);
    expect(requesters.of(3).ackTimeout.now).to.equal(4);
    expect(requesters.of(4).ackTimeout.now).to.equal(0);
  });
});

describe('the state of a queue pair', () => {
  it('says what it may not have taken since its requests were sent: what came before it was in RTR', () => {
    const q = new QueuePairs().made(INFO);
    q.state.end(10, QP_STATE.init);
    q.state.begin(QP_STATE.rtr, 20);
    q.state.end(30, QP_STATE.rtr);
    expect([29, 30, 31].map((time) => q.mayHaveTakenNothing(time))).to.deep.equal([true, true, false]);
    expect(q.listening).to.equal(true);
    q.state.begin(QP_STATE.rts, 40);
    expect(q.listening, 'in which of the two it receives is not known').to.equal(false);
  });

  it('is ERR for requests when the NIC has said so, and remains so when the queue pair is gone', () => {
    const qps = new QueuePairs();
    const q = qps.ready(INFO, QP_STATE.rts, 0);
    const seen = (): boolean[] => [q.dead, q.isLeaving, q.gone];
    q.state.begin(QP_STATE.err, 10);
    expect(seen()).to.deep.equal([false, false, false]);
    q.state.end(20);
    expect(seen()).to.deep.equal([true, false, false]);
    q.state.begin(QP_STATE.reset, 30);
    expect(seen()).to.deep.equal([true, true, false]);
    qps.gone(q, 40);
    expect(seen()).to.deep.equal([true, true, true]);
    const other = qps.ready(INFO, QP_STATE.rts, 50);
    qps.gone(other, 60);
    expect([other.dead, other.gone], 'reset without an error').to.deep.equal([false, true]);
  });

  it('is not known of one that requests have named and nobody has spoken of', () => {
    const qps = new QueuePairs();
    const q = qps.ensure(1, 7);
    expect([q.isUnknown, q.gone, q.dead]).to.deep.equal([true, false, false]);
    q.state.end(5, QP_STATE.init);
    expect(q.isUnknown).to.equal(false);
  });
});

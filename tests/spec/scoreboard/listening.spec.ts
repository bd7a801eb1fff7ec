import { expect } from 'chai';
import { ASYNC_EVENT } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, SRC_HI } from './fakeWorld.ts';

describe('a queue pair in RTR', () => {
  const FROM: Entry[] = [[SRC_HI, 4090, 60]];
  const TO: Entry[] = [[DST_HI, 0, 60]];

  /** Queue pair 15 of host 1 begins anew and receives two messages of host 0, in RTR until `rts` of them have come. */
  function receives(rts: number, events: number): FakeWorld {
    const w = new FakeWorld();
    w.oracle.listens(1);
    w.oracle.qpGone(1, 15);
    const early = w.recv(TO);
    w.listening(1, 15);
    for (const [i, r] of [early, w.recv(TO)].entries()) {
      if (i === rts) w.qp(1, 15);
      const s = w.send(FROM);
      w.scatter(1, TO, w.gather(0, FROM));
      w.recvDone(r, s);
      w.sendDone(s);
    }
    for (let i = 0; i < events; i++) w.oracle.asyncEvent({ host: 1, event: ASYNC_EVENT.commEst, number: 15 });
    w.oracle.finish();
    return w;
  }

  it('receives what comes, and its software is told of the first message', () => {
    expect(receives(2, 1).ids()).to.deep.equal([]);
    expect(receives(1, 1).ids()).to.deep.equal([]);
    const untold = receives(1, 0);
    expect(untold.ids()).to.deep.equal([SCB.asyncEvent]);
    expect(untold.reports[0]?.text).to.contain('host 1 QP 15: no COMM_EST event came although it received SEND');
  });

  it('owes its software nothing when the first message comes in RTS', () => {
    expect(receives(0, 0).ids()).to.deep.equal([]);
  });
});

import { expect } from 'chai';
import { ASYNC_EVENT } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { MS, US } from '../../../uvm/kernel/time.ts';
import { FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';

const STALL_TIME = 50 * MS;

describe('DrainEvents', () => {
  const source = [[SRC_HI, 0, 64]] as const;
  let world: FakeWorld;

  beforeEach(() => {
    world = new FakeWorld({ stallTime: STALL_TIME });
    world.clock.now = 10 * US;
  });

  function drain(): void {
    world.oracle.qpDrainAsked(0, QPN[0]);
    world.oracle.qpDraining(0, QPN[0]);
  }

  it('are awaited until they come, without a word', () => {
    expect(world.oracle.awaits).to.equal(false);
    drain();
    expect(world.oracle.awaits).to.equal(true);
    world.oracle.asyncEvent({ host: 0, event: ASYNC_EVENT.sqDrained, number: QPN[0] });
    expect(world.oracle.awaits).to.equal(false);
    world.oracle.checkLiveness(true);
    expect(world.ids()).to.deep.equal([]);
  });

  it('are missed, once, when nothing is outstanding and nothing can happen any more', () => {
    drain();
    world.oracle.checkLiveness(false);
    expect(world.ids()).to.deep.equal([]);
    world.oracle.checkLiveness(true);
    world.oracle.checkLiveness(true);
    expect(world.reports).to.deep.equal([
      {
        id: SCB.asyncEvent,
        text:
          'host 0 QP 14 (process 3, RC): no SQ_DRAINED event came although it was told at 10000ns to drain its send ' +
          'queue and to say so; nothing of its send queue is outstanding, and nothing can happen any more',
      },
    ]);
  });

  it('are missed when they do not come for the stall time, while others are at work', () => {
    drain();
    world.clock.now += STALL_TIME - US;
    world.oracle.checkLiveness(false);
    expect(world.ids()).to.deep.equal([]);
    world.clock.now += US;
    world.oracle.checkLiveness(false);
    expect(world.ids()).to.deep.equal([SCB.asyncEvent]);
  });

  it('are not due while a request is outstanding that the NIC may have begun', () => {
    world.send(source);
    world.clock.now += US;
    drain();
    world.oracle.checkLiveness(true);
    expect(world.ids()).not.to.include(SCB.asyncEvent);
  });

  it('are due although requests wait that were posted after the command', () => {
    drain();
    world.clock.now += US;
    world.send(source);
    world.oracle.checkLiveness(true);
    expect(world.reports[0]?.id).to.equal(SCB.asyncEvent);
    expect(world.reports[0]?.text).to.match(/all that was posted before is done \(1 request is posted since/);
  });

  it('are not awaited once software wants something else of the queue pair', () => {
    const { oracle } = world;
    for (const leave of [
      () => oracle.qpResuming(0, QPN[0]),
      () => oracle.qpToErr(0, QPN[0]),
      () => oracle.qpGone(0, QPN[0]),
    ]) {
      drain();
      leave();
      oracle.checkLiveness(true);
    }
    expect(world.ids()).to.deep.equal([]);
  });
});

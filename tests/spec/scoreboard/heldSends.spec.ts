import { expect } from 'chai';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import { OWES } from '../../../scoreboard/report/pending.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { MS } from '../../../uvm/kernel/time.ts';
import { DST_HI, type Entry, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';
import { EMPTY_SEND } from './wirePackets.ts';

/** A further queue pair of host 0. */
const OTHER = 16;
const STALL = 50 * MS;
const SOURCE: readonly Entry[] = [[SRC_HI, 0, 60]];
const TARGET: readonly Entry[] = [[DST_HI, 0, 60]];
const WRITE = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 0x4000] as const };

/** Host 0's queue pair is in SQD. */
function held(): FakeWorld {
  const w = new FakeWorld({ stallTime: STALL });
  w.oracle.qpInSqd(0, QPN[0]);
  return w;
}

function look(w: FakeWorld, time: number): string[] {
  w.clock.now = time;
  w.oracle.checkLiveness();
  return w.ids();
}

/** A WRITE of one packet leaves host 0. */
function sent(w: FakeWorld, psn: number): void {
  w.oracle.packet({ ...EMPTY_SEND, opcode: BTH_CLASS.rc | BTH_OP.writeOnly, dmaLength: 60, psn, time: w.clock.now });
}

describe('what waits in SQD', () => {
  it('is not stuck, nor is the receiver of it, and software is told what to do', () => {
    const w = held();
    w.recv(TARGET);
    w.send(SOURCE);
    expect(look(w, 3 * STALL)).to.deep.equal([]);
    const found = w.oracle.standstill(STALL);
    expect(found).to.include({ software: true, owes: OWES.resumption });
    expect(found?.lines.join('; ')).to.match(
      /1 send completion.*, which waits in SQD; .*1 receive completion.*, which waits/,
    );
  });

  it('is expected to get on from when the queue pair has left that', () => {
    const w = held();
    w.recv(TARGET);
    w.send(SOURCE);
    w.clock.now = 3 * STALL;
    w.oracle.qpOutOfSqd(0, QPN[0]);
    expect(look(w, 3.9 * STALL)).to.deep.equal([]);
    expect(look(w, 4 * STALL)).to.deep.equal([SCB.stuck, SCB.stuck]);
  });

  it('is not what the wire shows as begun', () => {
    const w = held();
    for (let i = 0; i < 2; i++) w.send(SOURCE, WRITE);
    sent(w, 100);
    expect(look(w, STALL)).to.deep.equal([SCB.stuck]);
  });

  it('is what comes behind that', () => {
    const w = held();
    const first = w.send(SOURCE, WRITE);
    w.send(SOURCE, WRITE);
    sent(w, 100);
    w.scatter(1, [[DST_HI, 0x4000, 60]], w.gather(0, SOURCE));
    w.sendDone(first);
    expect(look(w, 2 * STALL)).not.to.include(SCB.stuck);
  });

  it('hides no message of another sender to the same receiver', () => {
    const w = new FakeWorld({ stallTime: STALL }, QP_TYPE.ud);
    w.qp(0, OTHER, QP_TYPE.ud);
    w.oracle.qpInSqd(0, QPN[0]);
    for (let i = 0; i < 2; i++) w.recv([[DST_HI, 0x1000 * i, 100]]);
    w.send(SOURCE, { unsent: true });
    w.send(SOURCE, { qpn: OTHER });
    expect(look(w, STALL)).to.deep.equal([SCB.stuck, SCB.stuck]);
    expect(w.reports.map(({ text }) => /progress.*?: (host . QP ..)/.exec(text)?.[1])).to.deep.equal([
      `host 0 QP ${OTHER}`,
      `host 1 QP ${QPN[1]}`,
    ]);
  });

  it('is not done when nothing is in flight', () => {
    const w = new FakeWorld({ stallTime: STALL }, undefined, false);
    w.oracle.qpInSqd(0, QPN[0]);
    w.send(SOURCE, { ...WRITE, flags: 0 });
    w.oracle.quiet();
    expect(w.ids()).to.deep.equal([]);
  });

  it('is forgotten with its queue pair', () => {
    const w = held();
    w.oracle.qpGone(0, QPN[0]);
    w.qp(0, QPN[0]);
    w.send(SOURCE, WRITE);
    expect(look(w, STALL)).to.deep.equal([SCB.stuck]);
  });
});

/** Receives that must be flushed, because their queue pair must be in the error state. */

import { expect } from 'chai';
import { QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, QPN, RECV_CQ, SRC_HI } from './fakeWorld.ts';
import { NO_WIRE } from '../../../scoreboard/model/wireView.ts';

const SOURCE: Entry[] = [[SRC_HI, 0, 60]];
const TARGET: Entry[] = [[DST_HI, 0, 60]];
const NO_KEY: Entry[] = [[0x99, 0, 60]];
const BAD_READ = { opcode: WR_OPCODE.rdmaRead, remote: [DST_HI, 0x10000000] as const };

/** Every NIC comes to rest at once, or never. */
class World extends FakeWorld {
  constructor(paused = true, type: number = QP_TYPE.rc) {
    super({ wire: { ...NO_WIRE, hasPaused: () => paused }, receivesMayRemain: true }, type);
  }

  /** Ids after both queue pairs have been destroyed. */
  destroyed(): string[] {
    for (const host of [0, 1]) {
      this.oracle.qpDestroying(host, QPN[host] as number);
      this.oracle.qpGone(host, QPN[host] as number);
    }
    expect(this.oracle.outstanding).to.equal(0);
    return this.ids();
  }
}

describe('the receives of a requester that has failed', () => {
  function failed(flushes: number, paused = true): World {
    const w = new World(paused);
    const receives = [w.recv(TARGET, { host: 0 }), w.recv([[DST_HI, 100, 60]], { host: 0 })];
    w.sendDone(w.send(NO_KEY), { status: WC_STATUS.locProtErr });
    for (const r of receives.slice(0, flushes)) w.flushed(r);
    return w;
  }

  it('must all be flushed before it is destroyed', () => {
    expect(failed(2).destroyed()).to.deep.equal([]);
    const w = failed(1);
    expect(w.destroyed()).to.deep.equal([SCB.missing]);
    expect(w.reports[0]?.text).to.match(/^host 0 QP 14 .* without flushing 1 receive, first RECV \(wrId 2001/);
  });

  it('must be flushed before it is reset, and at the end of the test', () => {
    const reset = failed(0);
    reset.oracle.qpToReset(0, QPN[0]);
    expect(reset.ids()).to.deep.equal([SCB.missing]);
    const ended = failed(0);
    ended.oracle.finish();
    expect(ended.ids()).to.deep.equal([SCB.missing]);
  });

  it('may be under way as long as its NIC has not come to rest', () => {
    expect(failed(0, false).destroyed()).to.deep.equal([]);
  });

  it('are awaited, and named when nothing can happen any more', () => {
    const w = failed(1, false);
    expect(w.oracle.outstanding).to.equal(1);
    expect(w.oracle.pendingWork()).to.have.length(1);
    w.oracle.checkLiveness(true);
    w.oracle.checkLiveness(true);
    expect(w.ids()).to.deep.equal([SCB.missing]);
    expect(w.reports[0]?.text).to.contain('has failed and has not flushed 1 receive');
  });

  it('are not missed when they were posted after the request that failed: software did not know', () => {
    const w = new World();
    const s = w.send(NO_KEY);
    w.clock.now = 10;
    w.recv(TARGET, { host: 0 });
    w.sendDone(s, { status: WC_STATUS.locProtErr });
    expect(w.destroyed()).to.deep.equal([]);
  });

  it('are left to the next messages on unreliable services, whose send queue stops alone', () => {
    const w = new World(true, QP_TYPE.uc);
    w.recv(TARGET, { host: 0 });
    w.sendDone(w.send(NO_KEY), { status: WC_STATUS.locProtErr });
    expect(w.destroyed()).to.deep.equal([]);
  });
});

describe('the receives of a responder that has refused a request', () => {
  function refused(flushed: boolean, again = false): string[] {
    const w = new World();
    const r = w.recv(TARGET);
    const s = w.send(SOURCE, BAD_READ);
    w.clock.now = 10;
    if (again) {
      w.oracle.qpGone(1, QPN[1]);
      w.recv(TARGET);
      w.qp(1, QPN[1]);
    }
    w.sendDone(s, { status: WC_STATUS.remAccessErr });
    if (flushed) w.flushed(r);
    return w.destroyed();
  }

  it('must be flushed', () => {
    expect(refused(true)).to.deep.equal([]);
    expect(refused(false)).to.deep.equal([SCB.missing]);
  });

  it('are others when it has been reset since', () => {
    expect(refused(false, true)).to.deep.equal([]);
  });
});

describe('the receives of an unreliable queue pair of which one has failed', () => {
  it('must be flushed when they were there before the message', () => {
    for (const type of [QP_TYPE.uc, QP_TYPE.ud])
      for (const flushed of [true, false]) {
        const w = new World(true, type);
        const [bad, next] = [w.recv(NO_KEY), w.recv(TARGET)];
        w.sendDone(w.send(SOURCE));
        const status = WC_STATUS.locProtErr;
        w.complete(1, RECV_CQ[1], { wrId: bad.wr.wrId, qpn: QPN[1], wqeIndex: bad.wqeIndex, status });
        if (flushed) w.flushed(next);
        expect(w.destroyed(), `type ${type}`).to.deep.equal(flushed ? [] : [SCB.missing]);
      }
  });
});

describe('the receives of a queue pair that software takes to ERR', () => {
  function stopped(flushes: number): string[] {
    const w = new World();
    const before = w.recv(TARGET);
    w.oracle.qpToErr(1, QPN[1]);
    w.recv(TARGET);
    w.oracle.qpInErr(1, QPN[1]);
    if (flushes > 0) w.flushed(before);
    return w.destroyed();
  }

  it('must be flushed when they were there before the command', () => {
    expect(stopped(0)).to.deep.equal([SCB.missing]);
    expect(stopped(1)).to.deep.equal([]);
  });

  it('must be flushed when they are posted behind it, and with them those posted meanwhile', () => {
    const w = new World();
    w.oracle.qpToErr(1, QPN[1]);
    const meanwhile = w.recv(TARGET);
    w.oracle.qpInErr(1, QPN[1]);
    w.recv(TARGET);
    w.flushed(meanwhile);
    expect(w.destroyed()).to.deep.equal([SCB.missing]);
  });
});

import { expect } from 'chai';
import type { PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';

const SOURCE: readonly Entry[] = [[SRC_HI, 0x100, 60]];
const TARGET: readonly Entry[] = [[DST_HI, 0x4000, 60]];
/** No region has this key. */
const UNKNOWN: readonly Entry[] = [[0x7777, 0, 60]];

/** A queue pair of host 0 whose send queue has stopped for an error of its own (SQE). */
function stopped(): FakeWorld {
  const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
  w.sendDone(w.send(UNKNOWN), { status: WC_STATUS.locProtErr });
  return w;
}

/** Software takes it to RTS again. */
function resume(w: FakeWorld): void {
  w.recovers(0, QPN[0]);
}

describe('a queue with an error', () => {
  it('completes everything behind it as flushed, whatever the service', () => {
    for (const type of [QP_TYPE.rc, QP_TYPE.uc]) {
      for (const [status, found] of [
        [WC_STATUS.wrFlushErr, []],
        [WC_STATUS.success, [SCB.status]],
        [WC_STATUS.locProtErr, [SCB.status]],
      ] as const) {
        const w = new FakeWorld({ receivesMayRemain: true }, type);
        const bad = w.send(UNKNOWN);
        const next = w.send(SOURCE);
        w.sendDone(bad, { status: WC_STATUS.locProtErr });
        w.sendDone(next, { status });
        expect(w.ids(), `service ${type}, status ${status}`).to.deep.equal(found);
      }
    }
  });

  it('of sends, on RC, may show first in the flushed receives, and in those of other services never', () => {
    for (const [type, from, found] of [
      [QP_TYPE.rc, UNKNOWN, []],
      [QP_TYPE.rc, SOURCE, [SCB.status]],
      [QP_TYPE.uc, UNKNOWN, [SCB.status]],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true }, type);
      const recv = w.recv(TARGET, { host: 0 });
      w.send(from);
      w.flushed(recv);
      expect(w.ids(), `service ${type}`).to.deep.equal(found);
    }
  });

  it('of sends may show first in the flushed receives where the sender may give up, but not where it has sent nothing', () => {
    for (const sends of [true, false]) {
      const w = new FakeWorld({ receivesMayRemain: true, disturbed: true });
      const recv = w.recv(TARGET, { host: 0 });
      if (sends) w.send(SOURCE);
      w.flushed(recv);
      expect(w.ids()).to.deep.equal(sends ? [] : [SCB.status]);
    }
  });

  it('of receives may show first in the flushed sends: a message that does not fit may have come behind others', () => {
    for (const [room, found] of [
      [50, []],
      [60, [SCB.status]],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true });
      w.recv(TARGET);
      w.recv([[DST_HI, 0x5000, room]]);
      w.send(SOURCE);
      w.send(SOURCE);
      w.sendDone(w.send(SOURCE, { host: 1 }), { status: WC_STATUS.wrFlushErr });
      expect(w.ids(), `room for ${room} of 60 bytes`).to.deep.equal(found);
    }
  });

  it('of sends may show first in the flushed receives where the peer cannot take them', () => {
    for (const [room, found] of [
      [50, []],
      [60, [SCB.status]],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true });
      const own = w.recv(TARGET, { host: 0 });
      w.recv([[DST_HI, 0x5000, room]]);
      w.send(SOURCE);
      w.flushed(own);
      expect(w.ids(), `room for ${room} of 60 bytes`).to.deep.equal(found);
    }
  });

  it('of sends, on an unreliable service, leaves the receives alone: they must still come', () => {
    for (const [comes, found] of [
      [true, []],
      [false, [SCB.missing]],
    ] as const) {
      const w = stopped();
      const recv = w.recv(TARGET, { host: 0 });
      const send = w.send(SOURCE, { host: 1 });
      if (comes) {
        w.scatter(0, TARGET, w.gather(1, SOURCE));
        w.recvDone(recv, send);
      }
      w.sendDone(send);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(found);
    }
  });

  it('must carry out what is posted after software has taken it out of SQE', () => {
    const w = stopped();
    resume(w);
    w.message(SOURCE, TARGET);
    expect(w.ids()).to.deep.equal([]);
    w.send(SOURCE);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.missing]);
  });

  it('is over where software, which was about to end SQD, has found it in SQE', () => {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    const bad = w.send(UNKNOWN);
    w.oracle.qpInSqd(0, QPN[0]);
    w.oracle.qpResuming(0, QPN[0]);
    w.sendDone(bad, { status: WC_STATUS.locProtErr });
    w.oracle.qpOutOfSqe(0, QPN[0]);
    w.sendDone(w.send(UNKNOWN), { status: WC_STATUS.locProtErr });
    expect(w.ids()).to.deep.equal([]);
  });

  it('may flush what was posted before that, or carry it out', () => {
    for (const status of [WC_STATUS.wrFlushErr, WC_STATUS.success]) {
      const w = stopped();
      const late = w.send(SOURCE);
      resume(w);
      w.sendDone(late, { status });
      w.sendDone(w.send(SOURCE));
      expect(w.ids()).to.deep.equal([]);
    }
  });

  it('is judged again as soon as what was posted before that has completed', () => {
    const w = stopped();
    const late = w.send(SOURCE);
    resume(w);
    const next = w.send(SOURCE);
    w.sendDone(late, { status: WC_STATUS.wrFlushErr });
    w.sendDone(next, { status: WC_STATUS.wrFlushErr });
    expect(w.ids()).to.deep.equal([SCB.status]);
  });

  it('is judged again when what was posted before that asked for no completion', () => {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc, false);
    w.sendDone(w.send(UNKNOWN), { status: WC_STATUS.locProtErr });
    w.send(SOURCE, { flags: 0 });
    resume(w);
    w.oracle.quiet();
    w.send(SOURCE);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.missing]);
  });

  it('flushes what is behind a request that was posted before that and failed after it', () => {
    for (const [status, found] of [
      [WC_STATUS.wrFlushErr, []],
      [WC_STATUS.success, [SCB.status]],
    ] as const) {
      const w = stopped();
      const bad = w.send(UNKNOWN);
      resume(w);
      const next = w.send(SOURCE);
      w.sendDone(bad, { status: WC_STATUS.locProtErr });
      w.sendDone(next, { status });
      expect(w.ids()).to.deep.equal(found);
    }
  });

  it('may show as often as software has ended it, knowing of it from QUERY_QP, and no more often', () => {
    for (const [resumptions, found] of [
      [2, []],
      [1, [SCB.status]],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
      const sends = [UNKNOWN, UNKNOWN, SOURCE].map((entries) => w.send(entries));
      for (let i = 0; i < resumptions; i++) resume(w);
      const [first, second, last] = sends as [PostedSend, PostedSend, PostedSend];
      for (const s of [first, second]) w.sendDone(s, { status: WC_STATUS.locProtErr });
      w.sendDone(last);
      expect(w.ids()).to.deep.equal(found);
    }
  });

  it('may flush all that was posted before software has ended it, although it shows only while software does so', () => {
    const w = stopped();
    const bad = w.send(UNKNOWN);
    resume(w);
    const next = w.send(SOURCE);
    w.oracle.qpResuming(0, QPN[0]);
    w.sendDone(bad, { status: WC_STATUS.locProtErr });
    w.sendDone(next, { status: WC_STATUS.wrFlushErr });
    w.oracle.qpOutOfSqe(0, QPN[0]);
    expect(w.ids()).to.deep.equal([]);
    w.sendDone(w.send(SOURCE), { status: WC_STATUS.wrFlushErr });
    expect(w.ids()).to.deep.equal([SCB.status]);
  });

  it('stays one where software takes a reliable queue pair nowhere', () => {
    const w = new FakeWorld({ receivesMayRemain: true });
    w.sendDone(w.send(UNKNOWN), { status: WC_STATUS.locProtErr });
    resume(w);
    w.sendDone(w.send(SOURCE));
    expect(w.ids()).to.deep.equal([SCB.status]);
  });
});

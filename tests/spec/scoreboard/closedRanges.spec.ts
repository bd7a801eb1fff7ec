import { expect } from 'chai';
import { QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { ClosedRanges } from '../../../scoreboard/memory/ranges/closedRanges.ts';
import { OpenRanges } from '../../../scoreboard/memory/ranges/openRanges.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { Messages } from '../../../scoreboard/model/messages.ts';
import type { Entry } from './fakeWorld.ts';
import { DST_HI, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';

const SHARED = 5000;
const LENGTH = 60;
const TARGET: Entry[] = [[DST_HI, SHARED, LENGTH]];
const WRITE = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, SHARED] as const };

/** What a request sends, each something else. */
function from(i: number): Entry[] {
  return [[SRC_HI, 1000 * i, LENGTH]];
}

/** Data arrive. */
function land(w: FakeWorld, i: number, target: readonly Entry[] = TARGET): void {
  w.scatter(1, target, w.gather(0, from(i)));
}

describe('ranges that were closed lately', () => {
  it('take memory in proportion to their number', () => {
    const clock = { now: 1 };
    const closed = new ClosedRanges(new OpenRanges(), new Messages(), clock);
    const before = process.memoryUsage().arrayBuffers;
    closed.keepFrom(0);
    for (let page = 0; page < 300_000; page++) closed.written(page, 0, 4096);
    const taken = process.memoryUsage().arrayBuffers - before;
    expect(taken / 2 ** 20).to.be.below(64);
  });
});

describe('bytes that one request left and another has written since', () => {
  /** A WRITE, and a SEND behind it into the same bytes, which is received before the WRITE has been judged. */
  function writeThenSend(w: FakeWorld, ...landing: readonly number[]): void {
    const r = w.recv(TARGET);
    const write = w.send(from(1), WRITE);
    const s = w.send(from(2));
    for (const i of landing) land(w, i);
    w.sendDone(write);
    w.recvDone(r, s);
    w.sendDone(s);
  }

  it('are what the last of them left, where the order says which that is', () => {
    const right = new FakeWorld();
    writeThenSend(right, 1, 2);
    right.oracle.quiet();
    right.oracle.finish();
    expect(right.ids()).to.deep.equal([]);
    const wrong = new FakeWorld();
    writeThenSend(wrong, 1);
    wrong.oracle.quiet();
    expect(wrong.ids()).to.deep.equal([SCB.data]);
  });

  it('are judged beside those of the other, up to the last and from the first', () => {
    for (const at of [SHARED - 100, SHARED + LENGTH]) {
      const w = new FakeWorld();
      const whole: Entry[] = [[SRC_HI, 50_000, 100 + 2 * LENGTH]];
      const r = w.recv(TARGET);
      const write = w.send(whole, { ...WRITE, remote: [DST_HI, SHARED - 100] });
      const s = w.send(from(2));
      w.scatter(1, [[DST_HI, SHARED - 100, 100 + 2 * LENGTH]], w.gather(0, whole));
      const byte = w.gather(1, [[DST_HI, at, 1]]);
      w.dma(1, DST_HI, at, Uint8Array.of((byte[0] as number) ^ 1));
      land(w, 2);
      w.sendDone(write);
      w.recvDone(r, s);
      w.sendDone(s);
      w.oracle.quiet();
      expect(w.ids(), String(at)).to.deep.equal([SCB.data]);
    }
  });

  it('are what a message left of which only its packets are known, since its sender has failed meanwhile', () => {
    const play = (fills: boolean): string[] => {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
      const write = w.send(from(1), WRITE);
      w.sendDone(write);
      if (fills) land(w, 1);
      const failed = w.send(from(3), { lkeys: [0x77], unsent: true });
      const behind = w.send(from(4), { unsent: true });
      w.sendDone(failed, { status: WC_STATUS.locProtErr });
      w.recovers(0, QPN[0]);
      const r = w.recv(fills ? TARGET : [[DST_HI, 0x10000, LENGTH]]);
      const s = w.send(from(2));
      if (fills) land(w, 2);
      else land(w, 2, [[DST_HI, 0x10000, LENGTH]]);
      w.recvDone(r, s);
      w.sendDone(behind, { status: WC_STATUS.wrFlushErr });
      w.sendDone(s);
      w.oracle.quiet();
      return w.ids();
    };
    expect(play(true)).to.deep.equal([]);
    expect(play(false)).to.deep.equal([SCB.data]);
  });

  it('do not excuse a WRITE behind the message that wrote them before', () => {
    const w = new FakeWorld();
    const r = w.recv(TARGET);
    const s = w.send(from(2));
    const write = w.send(from(1), WRITE);
    land(w, 2);
    w.recvDone(r, s);
    w.sendDone(s);
    w.sendDone(write);
    w.oracle.quiet();
    expect(w.ids()).to.deep.equal([SCB.data]);
  });

  it('do not excuse a WRITE posted when they had been closed', () => {
    const w = new FakeWorld();
    w.message(from(2), TARGET);
    w.clock.now++;
    w.sendDone(w.send(from(1), WRITE));
    w.oracle.quiet();
    expect(w.ids()).to.deep.equal([SCB.data]);
  });

  it('are not decided between a WRITE and a READ of their own host, which nothing orders; a READ alone is judged', () => {
    for (const last of ['READ', 'WRITE', 'neither'] as const) {
      const w = new FakeWorld();
      const write = w.send(from(1), WRITE);
      const read = { opcode: WR_OPCODE.rdmaRead, host: 1, rkey: SRC_HI, remote: [SRC_HI, 3000] } as const;
      const fetch = w.send(TARGET, read);
      for (const i of last === 'READ' ? [1, 3] : last === 'WRITE' ? [3, 1] : [4]) land(w, i);
      w.sendDone(fetch);
      w.sendDone(write);
      w.oracle.quiet();
      w.oracle.finish();
      expect(w.ids(), last).to.deep.equal([]);
    }
    const alone = new FakeWorld();
    const read = { opcode: WR_OPCODE.rdmaRead, host: 1, rkey: SRC_HI, remote: [SRC_HI, 3000] } as const;
    const fetch = alone.send(TARGET, read);
    land(alone, 4);
    alone.sendDone(fetch);
    expect(alone.ids()).to.deep.equal([SCB.data]);
  });

  it('are not decided for what is fetched from them meanwhile', () => {
    const w = new FakeWorld();
    w.qp(0, 20);
    w.qp(1, 21);
    const copy: Entry[] = [[DST_HI, 9000, LENGTH]];
    const old = w.gather(1, TARGET);
    const fetch = w.send(copy, { opcode: WR_OPCODE.rdmaRead, qpn: 20, remote: [DST_HI, SHARED] });
    w.scatter(0, copy, old);
    w.message(from(2), TARGET);
    w.sendDone(fetch);
    w.oracle.quiet();
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([]);
  });
});

/** Queue pairs that software stops, drains or resets in the middle of their work (roce-transport.md 5.3, 6.2, 6.4). */

import { expect } from 'chai';
import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { RecvWr, SendWr } from '../../../agents/verbs/verbsItems.ts';
import { BTH_OP, SYNDROME } from '../../../rdma/bth.ts';
import { ASYNC_EVENT, QP_STATE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { CommandError } from '../../../env/verbs/hostErrors.ts';
import type { EnvSettings } from '../../../env/envSettings.ts';
import { CMD_STATUS } from '../../../dut-model/hangu/layout/commands.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { Run } from '../../../uvm/run.ts';
import { CONNECTION_MTU, type End, RcConnection } from '../support/rcConnection.ts';

type Drive = (test: Stopped, a: End, b: End) => Proc;

const S = WC_STATUS;
const LONG = 900_000;

/** The scoreboard is off: what a run leaves undone is meant. */
class Stopped extends RcConnection {
  static drive: Drive;
  protected readonly settings: Partial<EnvSettings> = { checkLevel: CHECK_LEVEL.off };
  statuses: number[] = [];
  seen: number[] = [];

  protected override *traffic(a: End, b: End): Proc {
    yield* Stopped.drive(this, a, b);
  }

  /** Frames that the NIC of an end has sent. */
  frames(end: End): number {
    return this.nics[end.api.host]?.core.counters.framesSent ?? 0;
  }

  *read(a: End, b: End, length: number): Proc {
    yield* a.api.postSend(a.qp, [request(WR_OPCODE.rdmaRead, a, b, length)], 1);
  }

  *ends(end: End, count: number): Proc {
    this.statuses.push(...(yield* this.take(end, count, (wc) => wc.status)));
  }
}

function request(opcode: number, a: End, b: End, length: number): SendWr {
  const wr = new SendWr();
  wr.opcode = opcode;
  wr.setNumSge(1);
  const read = opcode === WR_OPCODE.rdmaRead;
  const [local, remote] = read ? [a.target, b.source] : [a.source, b.target];
  Object.assign(wr.sges[0] as object, { hi: local.hi, lo: local.lo, length, lkey: local.key });
  return Object.assign(wr, { remoteHi: remote.hi, remoteLo: remote.lo, rkey: remote.key });
}

function receive(end: End): RecvWr {
  const wr = new RecvWr();
  wr.setNumSge(1);
  Object.assign(wr.sges[0] as object, { hi: end.target.hi, lo: end.target.lo, length: 64, lkey: end.target.key });
  return wr;
}

function play(drive: Drive, make: typeof Stopped = Stopped): Stopped {
  Stopped.drive = drive;
  const run = new Run({ seed: 1, testName: 'stopped', sink: () => {} });
  run.factory.register('stopped', make);
  run.runTest();
  return run.root.find('uvm_test_top') as Stopped;
}

describe('a READ whose region goes before it is answered', () => {
  it('ends with one NAK, an event, and the responder in the error state', () => {
    const { statuses, seen } = play(function* (self, a, b) {
      yield* self.read(a, b, LONG);
      yield* delay(8 * US);
      yield* b.api.deregMr(b.source);
      yield* self.ends(a, 1);
      const event = yield* b.api.waitAsyncEvent();
      self.seen = [event.event, event.number - b.qp.qpn, (yield* b.api.queryQp(b.qp)).state];
      const stopped = self.frames(b);
      yield* delay(500 * US);
      self.seen.push(self.frames(b) - stopped);
    });
    expect(statuses).to.deep.equal([WC_STATUS.remAccessErr]);
    expect(seen).to.deep.equal([ASYNC_EVENT.qpAccessErr, 0, QP_STATE.err, 0]);
  });
});

describe('a send queue that is drained', () => {
  it('repeats what is not acknowledged, and gives up when the peer is gone (T-084)', () => {
    const { statuses } = play(function* (self, a, b) {
      yield* b.api.modifyQp(b.qp, { state: QP_STATE.err });
      yield* a.api.postSend(a.qp, [request(WR_OPCODE.rdmaWrite, a, b, 100)], 1);
      yield* delay(5 * US);
      yield* a.api.modifyQp(a.qp, { state: QP_STATE.sqd });
      yield* self.ends(a, 1);
    });
    expect(statuses).to.deep.equal([WC_STATUS.retryExcErr]);
  });

  it('goes on only when what was started has ended; what was not waits (T-084)', () => {
    const { seen, statuses } = play(function* (self, a, b) {
      const wr = request(WR_OPCODE.rdmaWrite, a, b, LONG);
      yield* a.api.postSend(a.qp, [wr, wr, wr], 3);
      yield* delay(10 * US);
      yield* a.api.modifyQp(a.qp, { state: QP_STATE.sqd, enSqdAsyncNotify: true });
      let refused = 0;
      try {
        yield* a.api.modifyQp(a.qp, { state: QP_STATE.rts });
      } catch (error) {
        if (error instanceof CommandError) refused = error.status;
      }
      yield* a.api.waitDrained(a.qp);
      const event = yield* a.api.waitAsyncEvent();
      yield* a.api.waitDrained(a.qp);
      yield* delay(500 * US);
      self.seen = [refused, event.event, a.cq.consumed];
      yield* self.ends(a, 1);
      yield* a.api.modifyQp(a.qp, { state: QP_STATE.rts });
      yield* self.ends(a, 2);
    });
    expect(seen).to.deep.equal([CMD_STATUS.badQpState, ASYNC_EVENT.sqDrained, 0]);
    expect(statuses).to.deep.equal([WC_STATUS.success, WC_STATUS.success, WC_STATUS.success]);
  });

  it('lets nobody wait for the end of a drain that will not come', () => {
    const { seen } = play(function* (self, a, b) {
      yield* b.api.modifyQp(b.qp, { state: QP_STATE.err });
      yield* a.api.postSend(a.qp, [request(WR_OPCODE.rdmaWrite, a, b, 100)], 1);
      yield* a.api.modifyQp(a.qp, { state: QP_STATE.sqd, enSqdAsyncNotify: true });
      const waiting = self.run.processes.spawn('waiting', a.api.waitDrained(a.qp));
      yield* delay(5 * US);
      self.seen.push(Number(waiting.ended));
      yield* a.api.modifyQp(a.qp, { state: QP_STATE.err });
      yield* delay(0);
      self.seen.push(Number(waiting.ended));
      expect(() => a.api.waitDrained(a.qp)).to.throw(/not being drained in ERR; .*enSqdAsyncNotify/);
    });
    expect(seen).to.deep.equal([0, 1]);
  });
});

describe('what is posted while a send queue is drained', () => {
  const post = function* (a: End, b: End): Proc {
    yield* a.api.modifyQp(a.qp, { state: QP_STATE.sqd });
    const wr = request(WR_OPCODE.rdmaWrite, a, b, 100);
    yield* a.api.postSend(a.qp, [wr, wr, wr], 3);
    yield* delay(20 * US);
  };

  it('is flushed when software takes the queue pair to ERR (T-075)', () => {
    const { statuses } = play(function* (self, a, b) {
      yield* post(a, b);
      yield* a.api.modifyQp(a.qp, { state: QP_STATE.err });
      yield* self.ends(a, 3);
    });
    expect(statuses).to.deep.equal([S.wrFlushErr, S.wrFlushErr, S.wrFlushErr]);
  });

  it('is flushed when the queue pair refuses a request of its peer', () => {
    const { statuses } = play(function* (self, a, b) {
      yield* post(a, b);
      const bad = Object.assign(request(WR_OPCODE.rdmaWrite, b, a, 60), { rkey: 0x7777 });
      yield* b.api.postSend(b.qp, [bad], 1);
      yield* self.ends(a, 3);
    });
    expect(statuses).to.deep.equal([S.wrFlushErr, S.wrFlushErr, S.wrFlushErr]);
  });

  it('is flushed when a READ of the peer fails in the middle of its answer', () => {
    const { statuses } = play(function* (self, a, b) {
      yield* post(a, b);
      yield* self.read(b, a, LONG);
      yield* delay(8 * US);
      yield* a.api.deregMr(a.source);
      yield* self.ends(a, 3);
    });
    expect(statuses).to.deep.equal([S.wrFlushErr, S.wrFlushErr, S.wrFlushErr]);
  });
});

describe('a receive that is posted in the error state', () => {
  it('is flushed, however long ago software has brought the queue pair there (T-075)', () => {
    const { statuses } = play(function* (self, a) {
      yield* a.api.modifyQp(a.qp, { state: QP_STATE.err });
      yield* delay(50 * US);
      yield* a.api.postRecv(a.qp, [receive(a), receive(a)], 2);
      yield* self.ends(a, 2);
      yield* a.api.postRecv(a.qp, [receive(a)], 1);
      yield* self.ends(a, 1);
    });
    expect(statuses).to.deep.equal([S.wrFlushErr, S.wrFlushErr, S.wrFlushErr]);
  });

  it('is flushed where the queue pair went there by itself, at either end (T-075)', () => {
    const { statuses } = play(function* (self, a, b) {
      const wr = Object.assign(request(WR_OPCODE.rdmaWrite, a, b, 60), { rkey: 0x7777 });
      yield* a.api.postSend(a.qp, [wr], 1);
      yield* self.ends(a, 1);
      yield* b.api.waitAsyncEvent();
      yield* delay(50 * US);
      for (const end of [a, b]) {
        yield* end.api.postRecv(end.qp, [receive(end)], 1);
        yield* self.ends(end, 1);
      }
    });
    expect(statuses).to.deep.equal([S.remAccessErr, S.wrFlushErr, S.wrFlushErr]);
  });
});

describe('a READ that is refused while one before it is answered again, whose region goes', () => {
  /** Answers wait for the link. */
  class Slow extends Stopped {
    protected override readonly settings = { checkLevel: CHECK_LEVEL.off, link: { rate: 1 } };
    naks = 0;

    /** Counts what host 1 refuses. */
    watch(): void {
      const write = ({ host, opcode, syndrome }: DecodedPacket): void => {
        if (host === 1 && opcode === BTH_OP.acknowledge && syndrome === SYNDROME.nakAccess) this.naks++;
      };
      this.env.monitor?.packets.connect({ write });
    }
  }

  /** What the responder has refused, and its state, when its region goes so long after the READ is asked for again. */
  function refused(wait: number, late: number): [naks: number, state: number | undefined] {
    const drive: Drive = function* (self, a, b) {
      (self as Slow).watch();
      yield* self.read(a, b, 9 * CONNECTION_MTU);
      yield* delay(60 * US);
      Object.assign(self.nics[0]?.core.slot(a.qp.qpn) as object, { timeoutDue: true });
      yield* self.read(a, b, 100);
      yield* delay(wait);
      self.run.processes.spawn('dereg', b.api.deregMr(b.source));
      yield* delay(late);
      yield* self.read(a, b, 100);
      yield* delay(300 * US);
      self.seen = [(yield* b.api.queryQp(b.qp)).state];
    };
    const { naks, seen } = play(drive, Slow) as Slow;
    return [naks, seen[0]];
  }

  it('ends with a NAK, whichever of the two is found first', () => {
    let ended = 0;
    for (let wait = 0; wait < 80 * US; wait += 16 * US) {
      for (const late of [1, 3, 8]) {
        const [naks, state] = refused(wait, late * US);
        expect(naks, `${wait / US} us, ${late} us`).to.equal(state === QP_STATE.err ? 1 : 0);
        ended += naks;
      }
    }
    expect(ended).to.be.greaterThan(0);
  });
});

describe('a receive that is posted while the NIC reads the ring for a message', () => {
  /** Answers to a read of the ring come in parts, with time in between. */
  class SlowHost extends Stopped {
    protected override readonly settings = {
      checkLevel: CHECK_LEVEL.off,
      pcieOf: (host: number) => (host === 1 ? { maxPayload: 128, rate: 1 } : {}),
    };
  }

  it('is flushed when software takes the queue pair to ERR before all of that has come', () => {
    for (let wait = 2 * US; wait < 8 * US; wait += US / 2) {
      const drive: Drive = function* (self, a, b) {
        yield* a.api.postSend(a.qp, [request(WR_OPCODE.send, a, b, 60)], 1);
        yield* delay(wait);
        yield* b.api.postRecv(b.qp, [receive(b)], 1);
        yield* b.api.modifyQp(b.qp, { state: QP_STATE.err });
        yield* delay(100 * US);
        if (b.cq.arrived > 0) yield* self.ends(b, 1);
      };
      expect(play(drive, SlowHost).statuses, `${wait / US} us`).to.deep.equal([S.wrFlushErr]);
    }
  });
});

describe('a queue pair that software stops', () => {
  for (const [name, stop] of [
    ['taken to ERR', (b: End) => b.api.modifyQp(b.qp, { state: QP_STATE.err })],
    ['reset', (b: End) => b.api.modifyQp(b.qp, { state: QP_STATE.reset })],
    ['destroyed', (b: End) => b.api.destroyQp(b.qp)],
  ] as const) {
    it(`sends no further answer to a READ once it is ${name}`, () => {
      const { seen } = play(function* (self, a, b) {
        yield* self.read(a, b, LONG);
        yield* delay(8 * US);
        const before = self.frames(b);
        yield* stop(b);
        const stopped = self.frames(b);
        yield* delay(500 * US);
        self.seen = [before, stopped, self.frames(b)];
      });
      expect(seen[0]).to.be.greaterThan(10);
      expect(seen[2]).to.equal(seen[1]);
    });
  }

  it('sends nothing of its old life after it is connected anew (T-085)', () => {
    const { seen, statuses } = play(function* (self, a, b) {
      yield* self.read(a, b, LONG);
      yield* delay(8 * US);
      for (const end of [b, a]) yield* end.api.modifyQp(end.qp, { state: QP_STATE.reset });
      const stopped = self.frames(b);
      const common = { mtu: CONNECTION_MTU, timeout: 5 };
      yield* a.api.connectQp(a.qp, { host: 1, qpn: b.qp.qpn, psn: 7 }, { psn: 0x123, ...common });
      yield* b.api.connectQp(b.qp, { host: 0, qpn: a.qp.qpn, psn: 0x123 }, { psn: 7, ...common });
      yield* self.read(a, b, 9 * CONNECTION_MTU);
      yield* self.ends(a, 1);
      self.seen = [self.frames(b) - stopped];
    });
    expect(seen).to.deep.equal([9]);
    expect(statuses).to.deep.equal([WC_STATUS.success]);
  });
});

/** Two queue pairs of host 1 take their receives from one queue; each has a peer of its own on host 0. */

import { expect } from 'chai';
import type { PostedRecv, PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { BTH_CLASS, BTH_OP, SYNDROME } from '../../../rdma/bth.ts';
import { ASYNC_EVENT, QP_TYPE } from '../../../rdma/verbs.ts';
import { NO_WIRE, type WireView } from '../../../scoreboard/model/wireView.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, type Entry, FakeWorld, SRC_HI } from './fakeWorld.ts';
import { EMPTY_SEND } from './wirePackets.ts';

const SRQN = 3;
/** Numbers of two connections, on host 0 and host 1. */
const A = [14, 15] as const;
const B = [24, 25] as const;
const US = 1_000_000;
/** Nothing is hidden from the judge. */
const WATCHED: WireView = { ...NO_WIRE, watches: true };
const LONG = 1500;
const SHORT = 60;

class World extends FakeWorld {
  readonly #psns = new Map<number, number>();
  #receives = 0;

  constructor(wire?: WireView) {
    super({ receivesMayRemain: true, ...(wire && { wire }) });
    this.oracle.srqCreated({ host: 1, srqn: SRQN, process: 1, pd: 1 });
    for (const [own, peer] of [A, B]) {
      this.oracle.qpInRts(this.info(0, own, QP_TYPE.rc, { remoteQpn: peer }));
      this.oracle.qpInRts(this.info(1, peer, QP_TYPE.rc, { remoteQpn: own, srqn: SRQN }));
    }
  }

  /** A receive of 2000 bytes. */
  receive(): PostedRecv {
    return this.recv([[DST_HI, 4096 * this.#receives++, 2000]], { srqn: SRQN });
  }

  post([qpn, remoteQpn]: readonly [number, number], length: number): PostedSend {
    return this.send([[SRC_HI, 0x10000 * qpn, length]], { qpn, remoteQpn });
  }

  /** The next packet of a connection leaves, and arrives if it is not `early`. */
  sends([, destQp]: readonly [number, number], operation: number, early = false): void {
    const psn = this.#psns.get(destQp) ?? 0;
    this.#psns.set(destQp, psn + 1);
    const packet = { ...EMPTY_SEND, opcode: BTH_CLASS.rc | operation, destQp, psn, time: this.clock.now };
    this.oracle.packet(packet);
    if (!early) this.oracle.accepted(packet);
  }

  /** A packet comes once more, when no receive was there. */
  comesAgain([, destQp]: readonly [number, number], psn: number): void {
    this.oracle.accepted({ ...EMPTY_SEND, destQp, psn });
  }

  /** Host 1 has no receive for a packet that was sent at `sentAt`. */
  refuses([destQp]: readonly [number, number], psn: number, sentAt: number): void {
    const packet = { ...EMPTY_SEND, host: 1, to: 0, opcode: BTH_CLASS.rc | BTH_OP.acknowledge, destQp, psn };
    this.oracle.packet({ ...packet, syndrome: SYNDROME.rnr | 3, refusedSentAt: sentAt, time: this.clock.now });
  }

  /** A receive completes on the queue pair of a connection, and holds a message. */
  fills(recv: PostedRecv, message: PostedSend, data = message): void {
    const source = (item: PostedSend): Entry[] =>
      item.wr.sges.slice(0, 1).map(({ hi, lo, length }) => [hi, lo, length]);
    const target = recv.wr.sges.slice(0, 1).map(({ hi, lo, length }): Entry => [hi, lo, length]);
    this.scatter(1, target, this.gather(0, source(data)));
    this.recvDone(recv, message, { qpn: message.wr.remoteQpn });
  }
}

describe('receives that two queue pairs share', () => {
  it('are taken in the order in which messages begin, and complete in any order', () => {
    const w = new World();
    const [first, second] = [w.receive(), w.receive()];
    const [long, short] = [w.post(A, LONG), w.post(B, SHORT)];
    w.sends(A, BTH_OP.sendFirst);
    w.sends(B, BTH_OP.sendOnly);
    w.fills(second, short);
    w.sends(A, BTH_OP.sendLast);
    w.fills(first, long);
    expect(w.reports).to.deep.equal([]);
  });

  it('may be taken in another order than messages of several queue pairs arrive in', () => {
    const w = new World();
    const [first, second] = [w.receive(), w.receive()];
    const [a, b] = [w.post(A, SHORT), w.post(B, SHORT)];
    w.sends(A, BTH_OP.sendOnly);
    w.sends(B, BTH_OP.sendOnly);
    w.fills(second, a);
    w.fills(first, b);
    expect(w.reports).to.deep.equal([]);
  });

  it('are not taken by one queue pair out of their order, nor in front of one that nobody has taken', () => {
    const w = new World();
    const receives = [w.receive(), w.receive(), w.receive()];
    w.post(B, SHORT);
    const [a, b] = [w.post(A, SHORT), w.post(A, SHORT)];
    for (let i = 0; i < 2; i++) w.sends(A, BTH_OP.sendOnly);
    w.fills(receives[1] as PostedRecv, a);
    expect(w.ids()).to.deep.equal([SCB.order]);
    w.sends(B, BTH_OP.sendOnly);
    w.fills(receives[2] as PostedRecv, b);
    expect(w.ids(), 'B has taken one').to.deep.equal([SCB.order]);
  });

  it('hold the message for which they were taken', () => {
    const w = new World();
    const [first, second] = [w.receive(), w.receive()];
    const [a, b] = [w.post(A, SHORT), w.post(B, SHORT)];
    w.sends(A, BTH_OP.sendOnly);
    w.sends(B, BTH_OP.sendOnly);
    w.fills(first, a, b);
    w.fills(second, b, a);
    expect(w.ids()).to.deep.equal([SCB.data, SCB.data]);
  });

  it('are refused where all are taken, and taken when one has come', () => {
    const w = new World();
    const only = w.receive();
    const [a, b] = [w.post(A, LONG), w.post(B, SHORT)];
    w.sends(A, BTH_OP.sendFirst);
    w.sends(B, BTH_OP.sendOnly);
    w.clock.now = 5 * US;
    w.refuses(B, 0, US);
    const next = w.receive();
    w.comesAgain(B, 0);
    w.fills(next, b);
    w.sends(A, BTH_OP.sendLast);
    w.fills(only, a);
    expect(w.reports).to.deep.equal([]);
  });

  it('go to whoever is served next where a refused message has not taken one', () => {
    const w = new World();
    const [a, b] = [w.post(A, SHORT), w.post(B, SHORT)];
    w.sends(A, BTH_OP.sendOnly);
    w.clock.now = US;
    const first = w.receive();
    w.refuses(A, 0, 0);
    w.sends(B, BTH_OP.sendOnly);
    w.fills(first, b);
    const second = w.receive();
    w.comesAgain(A, 0);
    w.fills(second, a);
    expect(w.reports).to.deep.equal([]);
  });

  it('are not refused while one is left', () => {
    const w = new World();
    w.receive();
    w.receive();
    w.post(A, LONG);
    w.post(B, SHORT);
    w.clock.now = US;
    w.sends(A, BTH_OP.sendFirst);
    w.sends(B, BTH_OP.sendOnly);
    w.clock.now = 5 * US;
    w.refuses(B, 0, US);
    expect(w.ids()).to.deep.equal([SCB.refused]);
    expect(w.reports[0]?.text).to.contain('2 receives are posted there for 2 messages, the last one at 0ns');
  });

  it('may complete in another order where one in front of them may have found no room in a completion queue', () => {
    const w = new World();
    w.oracle.cqSized(1, w.info(1, A[1], QP_TYPE.rc, {}).recvCqn, 1, 1);
    const receives = [w.receive(), w.receive(), w.receive(), w.receive()];
    w.post(B, SHORT);
    const messages = [w.post(A, SHORT), w.post(A, SHORT), w.post(A, SHORT)];
    for (let i = 0; i < 3; i++) w.sends(A, BTH_OP.sendOnly);
    w.fills(receives[0] as PostedRecv, messages[0] as PostedSend);
    w.fills(receives[3] as PostedRecv, messages[1] as PostedSend);
    expect(w.ids()).to.not.include(SCB.order);
  });
});

describe('a shared receive queue', () => {
  /** What the NIC says of the limit when software asks, while `during` happens. */
  const queried = (w: World, limit: number, during: () => void = () => {}): readonly string[] => {
    w.oracle.srqQuerying(1, SRQN);
    during();
    w.oracle.srqQueried({ host: 1, srqn: SRQN, maxWr: 8, maxSge: 1, said: { maxWr: 8, maxSge: 1, limit } });
    return w.ids();
  };
  const arms = (w: World, limit: number): void => {
    w.oracle.srqArming(1, SRQN, limit);
    w.clock.now += US;
    w.oracle.srqArmed(1, SRQN, limit);
    w.clock.now += US;
  };
  const reached = (w: World): readonly string[] => {
    w.oracle.asyncEvent({ host: 1, event: ASYNC_EVENT.srqLimitReached, number: SRQN });
    w.clock.now += US;
    return w.ids();
  };

  it('has a limit that was set when software asked for it, or since', () => {
    const w = new World();
    for (let i = 0; i < 8; i++) w.receive();
    arms(w, 6);
    expect(queried(w, 6, () => w.oracle.srqArming(1, SRQN, 4))).to.deep.equal([]);
    expect(queried(w, 4)).to.deep.equal([]);
    w.clock.now += US;
    w.oracle.srqArmed(1, SRQN, 4);
    w.clock.now += US;
    expect(queried(w, 6)).to.deep.equal([SCB.querySrq]);
    expect(w.reports[0]?.text).to.contain('limit 6, and 4 was set');
  });

  it('has no limit before one is set, and none that was reached', () => {
    const w = new World();
    expect(queried(w, 0)).to.deep.equal([]);
    w.receive();
    arms(w, 2);
    expect(reached(w)).to.deep.equal([]);
    expect(queried(w, 0)).to.deep.equal([]);
    expect(queried(w, 2)).to.deep.equal([SCB.querySrq]);
  });

  it('reaches no limit that nothing can have reached, unless a queue pair that is gone may have taken any number', () => {
    const w = new World(WATCHED);
    for (let i = 0; i < 8; i++) w.receive();
    arms(w, 4);
    expect(reached(w)).to.deep.equal([SCB.eventGroundless]);
    const other = new World(WATCHED);
    for (let i = 0; i < 8; i++) other.receive();
    arms(other, 4);
    other.oracle.qpInRts(other.info(1, 40, QP_TYPE.ud, { srqn: SRQN }));
    other.oracle.qpGone(1, 40);
    expect(reached(other)).to.deep.equal([]);
  });

  it('owes no last event of a queue pair that may work on', () => {
    const w = new World({ ...WATCHED, hasPaused: () => true });
    w.oracle.listens(1);
    w.oracle.cqSized(1, w.info(1, A[1], QP_TYPE.rc, {}).recvCqn, 1, 1);
    const message = w.post(A, SHORT);
    const recv = w.receive();
    w.sends(A, BTH_OP.sendOnly);
    w.fills(recv, message);
    w.oracle.qpDestroying(1, A[1]);
    expect(w.ids()).to.deep.equal([]);
    w.oracle.qpInErr(1, B[1]);
    w.oracle.qpDestroying(1, B[1]);
    expect(w.ids()).to.deep.equal([SCB.asyncEvent]);
  });
});

/** Events of refusals against the refusals on the wire. */

import { expect } from 'chai';
import { BTH_CLASS, BTH_OP, SYNDROME } from '../../../rdma/bth.ts';
import { ASYNC_EVENT, WC_STATUS } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { WireView } from '../../../scoreboard/model/wireView.ts';
import { DST_HI, type Entry, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';
import { NO_WIRE } from '../../../scoreboard/model/wireView.ts';
import { EMPTY_SEND } from './wirePackets.ts';

const SOURCE: Entry[] = [[SRC_HI, 40, 300]];
const SHORT: Entry[] = [[DST_HI, 5000, 10]];

class World extends FakeWorld {
  constructor(over: Partial<WireView> = {}) {
    const wire: WireView = { ...NO_WIRE, ...over };
    super({ receivesMayRemain: true, wire });
    this.oracle.listens(1);
    // Somebody looks at the wire.
    this.oracle.packet({ ...EMPTY_SEND, retransmission: true });
  }

  /** Host 1 refuses what host 0 has sent. */
  refuses(syndrome: number): void {
    const answer = { host: 1, to: 0, destQp: QPN[0], opcode: BTH_CLASS.rc | BTH_OP.acknowledge };
    this.oracle.packet({ ...EMPTY_SEND, ...answer, syndrome, refusesForGood: true });
  }

  event(host: number, event: number): void {
    this.oracle.asyncEvent({ host: host, event: event, number: QPN[host] as number });
  }

  /** What was found of events once nothing moves any more. */
  found(): string[] {
    this.oracle.quiet();
    return this.reports.filter(({ id }) => id === SCB.asyncEvent).map(({ text }) => text);
  }
}

describe('an event of a refusal', () => {
  it('may come before its NAK or after it', () => {
    const w = new World();
    w.event(1, ASYNC_EVENT.qpAccessErr);
    w.refuses(SYNDROME.nakAccess);
    w.refuses(SYNDROME.nakInvalid);
    w.event(1, ASYNC_EVENT.qpReqErr);
    expect(w.found()).to.deep.equal([]);
  });

  it('is groundless where nothing was refused, or for another reason, or by the other side', () => {
    const w = new World();
    w.event(1, ASYNC_EVENT.qpAccessErr);
    w.refuses(SYNDROME.nakInvalid);
    w.event(0, ASYNC_EVENT.qpReqErr);
    expect(w.found()).to.deep.equal([
      'host 1 QP 15: 1 QP_ACCESS_ERR event came, but it sent 0 NAKs 0x62',
      'host 0 QP 14: 1 QP_REQ_ERR event came, but it sent 0 NAKs 0x61',
    ]);
    expect(w.found(), 'once').to.have.length(2);
  });

  it('is groundless where a receive has told of it', () => {
    const w = new World();
    const receive = w.recv(SHORT);
    const send = w.send(SOURCE);
    w.refuses(SYNDROME.nakInvalid);
    w.recvDone(receive, send, { status: WC_STATUS.locLenErr });
    w.event(1, ASYNC_EVENT.qpReqErr);
    expect(w.found()).to.deep.equal([
      'host 1 QP 15: 1 QP_REQ_ERR event came, but it sent 1 NAK 0x61, and 1 receive told so',
    ]);
  });

  it('must have one where its NIC had come to rest before software stopped the queue pair', () => {
    const w = new World({ hasPaused: () => true });
    w.event(1, ASYNC_EVENT.qpAccessErr);
    w.oracle.qpToErr(1, QPN[1]);
    expect(w.found()).to.have.length(1);
  });

  it('may have no NAK where software posts on its queue pair, which the driver says with 2ERR', () => {
    const w = new World({ hasPaused: () => true });
    w.event(1, ASYNC_EVENT.qpAccessErr);
    w.recv(SHORT);
    expect(w.found()).to.deep.equal([]);
  });

  it('is told from those of a later life of the number', () => {
    const w = new World();
    w.oracle.qpToErr(1, QPN[1]);
    w.made(1, QPN[1]);
    w.event(1, ASYNC_EVENT.qpAccessErr);
    w.made(1, QPN[1]);
    expect(w.reports.map(({ id }) => id)).to.deep.equal([SCB.asyncEvent]);
    w.refuses(SYNDROME.nakAccess);
    w.event(1, ASYNC_EVENT.qpAccessErr);
    expect(w.found()).to.have.length(1);
  });

  it('may have no NAK where software has stopped the queue pair, until that is made again', () => {
    const w = new World();
    w.event(1, ASYNC_EVENT.qpAccessErr);
    w.oracle.qpToErr(1, QPN[1]);
    w.event(1, ASYNC_EVENT.qpAccessErr);
    expect(w.found()).to.deep.equal([]);
    w.made(1, QPN[1]);
    w.event(1, ASYNC_EVENT.qpAccessErr);
    expect(w.found()).to.have.length(1);
  });
});

import { expect } from 'chai';
import { BTH_OP, SYNDROME } from '../../../../rdma/bth.ts';
import { US } from '../../../../uvm/kernel/time.ts';
import { aeth, reth } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

const FIRST = 0x100;
/** Code of a time-out of 1 s and more. */
const LONG = 18;

describe('reliable connections whose link loses packets', () => {
  let b: WireBench;
  beforeEach(() => {
    b = new WireBench();
    b.transport.followArrivals();
  });

  function connect(ackTimeout: number, rested = false): void {
    b.hears({ hasRested: () => rested });
    b.connect({ ackTimeout, retryCnt: 7 });
  }

  function sends(psn: number, arrives = true): void {
    b.request({ opcode: BTH_OP.sendOnly, psn, ackRequest: true });
    if (arrives) b.delivers();
  }

  function asks(psn: number): void {
    b.request({ opcode: BTH_OP.readRequest, psn, ackRequest: true, ext: reth(8) });
    b.delivers();
  }

  function answers(psn: number, syndrome: number, arrives = true): void {
    b.response({ opcode: BTH_OP.acknowledge, psn, ext: aeth(syndrome, psn - FIRST + (syndrome === 0x1f ? 1 : 0)) });
    if (arrives) b.delivers();
  }

  it('lets a requester send again what a NAK that has come asks for', () => {
    connect(LONG);
    sends(FIRST, false);
    sends(FIRST + 1);
    answers(FIRST, SYNDROME.nakSequence);
    sends(FIRST);
    sends(FIRST + 1);
    expect(b.ids()).deep.equals({});
  });

  it('reports one that goes back before its time-out when the NAK was lost', () => {
    connect(LONG);
    sends(FIRST, false);
    sends(FIRST + 1);
    answers(FIRST, SYNDROME.nakSequence, false);
    sends(FIRST);
    expect(b.ids()).deep.equals({ WIRE_UNPROVOKED: 1 });
  });

  it('lets it go back behind its time-out', () => {
    connect(1);
    sends(FIRST, false);
    b.wait(40 * US);
    sends(FIRST);
    expect(b.ids()).deep.equals({});
  });

  it('lets it go back to a young packet where an answer to one before came behind its time-out, once', () => {
    connect(3);
    sends(FIRST);
    b.wait(40 * US);
    sends(FIRST + 1, false);
    answers(FIRST, 0x1f);
    sends(FIRST + 1);
    expect(b.ids()).deep.equals({});
    sends(FIRST + 1);
    expect(b.ids()).deep.equals({ WIRE_UNPROVOKED: 1 });
  });

  it('reports one that goes back to a young packet where that answer came before', () => {
    connect(3);
    sends(FIRST);
    b.wait(10 * US);
    sends(FIRST + 1, false);
    answers(FIRST, 0x1f);
    sends(FIRST + 1);
    expect(b.ids()).deep.equals({ WIRE_UNPROVOKED: 1 });
  });

  it('reports one that a NAK has reached and that waits for its time-out', () => {
    connect(1, true);
    sends(FIRST, false);
    sends(FIRST + 1);
    answers(FIRST, SYNDROME.nakSequence);
    b.wait(40 * US);
    sends(FIRST);
    expect(b.ids()).deep.equals({ WIRE_NAK_IGNORED: 1 });
  });

  for (const [again, found] of [
    [true, {}],
    [false, { WIRE_NAK_IGNORED: 1 }],
  ] as const)
    it(`${again ? 'lets one wait that may have timed out before it sent the packet that a NAK asks for' : 'reports one that waits though it had nothing under way before'}`, () => {
      let rested = false;
      b.hears({ hasRested: () => rested });
      b.connect({ ackTimeout: 3, retryCnt: 7 });
      sends(FIRST);
      sends(FIRST + 1);
      b.wait(40 * US);
      if (again) sends(FIRST, false);
      answers(FIRST + 1, 0x1f);
      b.wait(US);
      if (again) sends(FIRST + 1, false);
      b.wait(40 * US);
      sends(FIRST + 2, false);
      sends(FIRST + 3);
      answers(FIRST + 2, SYNDROME.nakSequence);
      b.wait(40 * US);
      rested = true;
      sends(FIRST + 2);
      expect(b.ids()).deep.equals(found);
    });

  for (const [passed, found] of [
    [true, {}],
    [false, { WIRE_RETRY: 1 }],
  ] as const)
    it(`lets it go back for its time-outs as often as it may, ${passed ? 'and once for an answer that says that another was lost' : 'and no more often'}`, () => {
      b.hears({ hasHeardAll: () => true });
      b.connect({ ackTimeout: 3, retryCnt: 2 });
      asks(FIRST);
      b.response({ opcode: BTH_OP.readResponseOnly, psn: FIRST, ext: aeth(0x1f, 1), payload: 8 });
      sends(FIRST + 1);
      answers(FIRST + 1, 0x1f, passed);
      for (let i = 0; i < 3; i++) {
        if (!passed || i > 0) b.wait(40 * US);
        asks(FIRST);
      }
      expect(b.ids()).deep.equals(found);
    });

  for (const [way, found] of [
    [25, {}],
    [1, { WIRE_RETRY: 1 }],
  ] as const)
    it(`does ${way > 20 ? 'not ' : ''}count a return to what an answer has left that was ${way} us on its way`, () => {
      b.hears({ hasHeardAll: () => true });
      b.connect({ ackTimeout: 3, retryCnt: 2 });
      sends(FIRST);
      b.wait(10 * US);
      sends(FIRST + 1, false);
      answers(FIRST, 0x1f, false);
      b.wait(way * US);
      b.delivers();
      for (let i = 0; i < 3; i++) {
        if (i > 0 || way < 20) b.wait(40 * US);
        sends(FIRST + 1, false);
      }
      expect(b.ids()).deep.equals(found);
    });

  it('reports one that goes back behind a packet of which no answer has come', () => {
    connect(1);
    sends(FIRST);
    sends(FIRST + 1);
    answers(FIRST, 0x1f, false);
    b.wait(40 * US);
    sends(FIRST + 1);
    expect(b.ids()).deep.equals({ WIRE_RETRY: 1 });
  });

  it('reports a responder that acknowledges what has not arrived', () => {
    connect(LONG);
    sends(FIRST, false);
    answers(FIRST, 0x1f);
    expect(b.ids()).deep.equals({ WIRE_ACK_UNARRIVED: 1 });
  });

  it('lets a responder that has taken nothing acknowledge the PSN before the first, for a packet of another life', () => {
    connect(LONG);
    sends(FIRST, false);
    answers(FIRST - 1, 0x1f, false);
    expect(b.ids()).deep.equals({});
    answers(FIRST - 2, 0x1f, false);
    expect(b.ids()).to.have.property('WIRE_ACK_PSN', 1);
  });

  it('judges a connection no more to which an edited packet with a right ICRC has come', () => {
    connect(LONG);
    sends(FIRST, false);
    b.delivers(true);
    sends(FIRST + 1, false);
    answers(FIRST + 1, 0x1f);
    expect(b.ids()).deep.equals({});
  });
});

describe('reliable connections whose link loses nothing', () => {
  it('let a requester go back to a young packet where an answer to one before arrives behind its time-out, once', () => {
    const b = new WireBench(true);
    b.transport.followArrivals();
    b.hears({ hasRested: () => false });
    b.connect({ ackTimeout: 3, retryCnt: 7 });
    b.request({ opcode: BTH_OP.sendOnly, psn: FIRST, ackRequest: true });
    b.delivers();
    b.wait(15 * US);
    b.request({ opcode: BTH_OP.sendOnly, psn: FIRST + 1, ackRequest: true });
    b.response({ opcode: BTH_OP.acknowledge, psn: FIRST, ext: aeth(0x1f, 1) });
    b.wait(18 * US);
    b.delivers();
    b.request({ opcode: BTH_OP.sendOnly, psn: FIRST + 1, ackRequest: true });
    expect(b.ids()).deep.equals({});
    b.request({ opcode: BTH_OP.sendOnly, psn: FIRST + 1, ackRequest: true });
    expect(b.ids()).deep.equals({ WIRE_UNPROVOKED: 1 });
  });
});

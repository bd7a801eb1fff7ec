import { expect } from 'chai';
import { aeth } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

const ACK = 17;
const SEND_ONLY = 4;
const NAK_SEQUENCE = 0x60;
const NOT_READY_10_US = 0x21;
/** 4.096 us * 2^8. */
const TIMEOUT = 1_048_576_000;

describe('OverdueTimeouts', () => {
  /** A connection whose requester was at rest for as long as it is asked, and what was asked. */
  function bench(idle = true): { b: WireBench; asked: number[][] } {
    const asked: number[][] = [];
    const b = new WireBench().connect({ ackTimeout: 8 });
    const hasIdled = (...question: number[]): boolean => asked.push(question) > 0 && idle;
    b.hears({ hasHeardAll: () => true, hasIdled });
    return { b, asked };
  }

  const send = (b: WireBench, psn = 0x100): unknown => b.request({ opcode: SEND_ONLY, psn, payload: 8 });
  const answer = (b: WireBench, psn: number, syndrome: number): unknown =>
    b.response({ opcode: ACK, psn, ext: aeth(syndrome, 0) });

  it('are those of a requester that has rested four time-outs after it sent what it sends again', () => {
    for (const idle of [true, false]) {
      const { b, asked } = bench(idle);
      b.wait(7);
      send(b);
      b.wait(5 * TIMEOUT);
      send(b);
      expect([b.ids(), asked]).to.deep.equal([idle ? { WIRE_RETRY: 1 } : {}, [[0, 7, 4 * TIMEOUT]]]);
    }
  });

  it('count from the latest answer, or from the last packet of what was sent again', () => {
    const { b, asked } = bench(false);
    send(b, 0x100);
    send(b, 0x101);
    b.wait(10);
    answer(b, 0x100, 0x1f);
    b.wait(TIMEOUT);
    send(b, 0x101);
    b.wait(TIMEOUT);
    send(b, 0x101);
    expect(asked.map(([, since]) => since)).to.deep.equal([10, TIMEOUT + 10]);
  });

  it('are not those that a NAK has asked for; the next one is again', () => {
    const { b } = bench();
    send(b, 0x100);
    send(b, 0x101);
    answer(b, 0x100, NAK_SEQUENCE);
    b.wait(5 * TIMEOUT);
    send(b, 0x100);
    expect(b.ids()).to.not.have.property('WIRE_RETRY');
    b.wait(5 * TIMEOUT);
    send(b, 0x100);
    expect(b.ids()).to.include({ WIRE_RETRY: 1 });
  });

  it('are not known of a requester that was told to wait: when it began is not seen', () => {
    const { b, asked } = bench(false);
    send(b, 0x100);
    send(b, 0x101);
    b.wait(10);
    answer(b, 0x100, NOT_READY_10_US);
    b.wait(10);
    send(b, 0x100);
    send(b, 0x101);
    answer(b, 0x100, 0x1f);
    b.wait(5 * TIMEOUT);
    send(b, 0x101);
    expect(asked).to.have.length(0);
    b.wait(5 * TIMEOUT);
    send(b, 0x101);
    expect(asked).to.have.length(1);
  });

  it('are not known while a timer may run by the time-out that software has changed', () => {
    const { b, asked } = bench();
    send(b);
    b.wait(3);
    b.change({ ackTimeout: 2 });
    send(b);
    expect(asked).to.have.length(0);
    b.wait(5);
    answer(b, 0x100, 0x1f);
    b.change({ ackTimeout: 8 });
    send(b, 0x101);
    send(b, 0x101);
    expect(asked).to.deep.equal([[0, 8, 4 * TIMEOUT]]);
  });

  it('are not judged where there is no time-out', () => {
    const { b, asked } = bench();
    b.change({ ackTimeout: 0 });
    send(b);
    send(b);
    expect(asked).to.have.length(0);
  });
});

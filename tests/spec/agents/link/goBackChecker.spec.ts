import { expect } from 'chai';
import { aeth, reth } from '../support/roceFrame.ts';
import { WireBench } from '../support/wireBench.ts';

const ACK = 17;
const NAK_SEQUENCE = 0x60;
const ACKNOWLEDGED = 0x1f;
/** Asks for 10 us. */
const NOT_READY = 0x21;
const WAIT = 10_000_000;
/** 4.096 us * 2^8. */
const TIMEOUT = 1_048_576_000;

/** The packets of a WRITE of 600 bytes at MTU 256, from number `first` on. */
function write600(b: WireBench, first = 0): void {
  if (first <= 0) b.request({ opcode: 6, psn: 0x100, ext: reth(600), payload: 256 });
  if (first <= 1) b.request({ opcode: 7, psn: 0x101, payload: 256 });
  b.request({ opcode: 8, psn: 0x102, payload: 88 });
}

function answer(b: WireBench, psn: number, syndrome: number, msn = 0): void {
  b.response({ opcode: ACK, psn, ext: aeth(syndrome, msn) });
}

describe('GoBackChecker, of a lossless link', () => {
  for (const [what, syndrome] of [['NAK', NAK_SEQUENCE] as const, ['refusal', NOT_READY] as const]) {
    it(`lets a requester go back to the packet that a ${what} asks for, and to no other`, () => {
      for (const first of [1, 0, 2]) {
        const b = new WireBench(true).connect({ ackTimeout: 14 });
        write600(b);
        answer(b, 0x101, syndrome);
        b.wait(WAIT);
        write600(b, first);
        expect(Object.keys(b.ids()).includes('WIRE_UNPROVOKED'), `from ${first}`).to.equal(first !== 1);
      }
    });
  }

  it('lets a requester begin with its oldest packet although a NAK is on the way, once its time-out may have expired', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8 });
    write600(b);
    answer(b, 0x101, NAK_SEQUENCE);
    b.wait(TIMEOUT);
    write600(b);
    write600(b, 1);
    expect(b.ids()).to.deep.equal({});
  });

  it('tells since when the latest packet has no answer, not since when a later one of an earlier round has none', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8 });
    const since: number[] = [];
    b.monitor.packets.connect({ write: (p) => since.push(p.unansweredSince) });
    for (const psn of [0x100, 0x101]) b.request({ opcode: 4, psn, payload: 4 });
    for (let i = 0; i < 2; i++) {
      b.wait(TIMEOUT);
      b.request({ opcode: 4, psn: 0x100, payload: 4 });
    }
    expect(since).to.deep.equal([-1, -1, 0, TIMEOUT]);
  });

  /** Ids where a requester that may try again once comes back twice to its last packet; a refusal may be on its way before. */
  function triesTwice(refused: boolean): object {
    const b = new WireBench(true).connect({ ackTimeout: 8, retryCnt: 1 });
    write600(b);
    answer(b, 0x101, ACKNOWLEDGED, 0);
    if (refused) answer(b, 0x102, NOT_READY);
    b.wait(TIMEOUT);
    write600(b, 1);
    for (let i = 0; i < 3; i++) {
      b.wait(TIMEOUT);
      write600(b, 2);
    }
    return b.ids();
  }

  it('leaves open how often a packet is sent that a refusal asks for which has passed a time-out on the way', () => {
    expect(triesTwice(true)).to.deep.equal({});
    expect(triesTwice(false)).to.have.property('WIRE_RETRY');
  });

  /** Ids after a packet was refused and sent again `times` times by a requester that may do so `limit` times. */
  function refusedAgain(
    times: number,
    limit: number,
    b = new WireBench(true).connect({ ackTimeout: 14, rnrRetry: limit }),
  ) {
    write600(b);
    for (let i = 0; i < times; i++) {
      answer(b, 0x102, NOT_READY);
      b.wait(WAIT);
      write600(b, 2);
    }
    return b.ids();
  }

  it('lets a packet be sent again for as many refusals as its requester may try again, and no more', () => {
    for (const limit of [0, 1, 3, 6]) {
      expect(refusedAgain(limit, limit)).to.deep.equal({});
      expect(refusedAgain(limit + 1, limit)).to.deep.equal({ WIRE_RNR: 1 });
    }
    expect(refusedAgain(40, 7)).to.deep.equal({});
  });

  it('counts the refusals of each packet, and those of another connection anew', () => {
    const b = new WireBench(true).connect({ ackTimeout: 14, rnrRetry: 1 });
    for (const psn of [0x100, 0x101, 0x102]) {
      b.request({ opcode: 4, psn, payload: 4 });
      answer(b, psn, NOT_READY, psn - 0x100);
      b.wait(WAIT);
      b.request({ opcode: 4, psn, payload: 4 });
    }
    for (const host of [0, 1]) b.transport.qpGone(host, 0x10 + host);
    expect(refusedAgain(1, 1, b.connect({ ackTimeout: 14, rnrRetry: 1 }))).to.deep.equal({});
  });

  it('counts by the limit that the queue pair was given last', () => {
    const change = (rnrRetry: number) => {
      const b = new WireBench(true).connect({ ackTimeout: 14, rnrRetry: 2 });
      b.change({ ackTimeout: 14, rnrRetry });
      return b;
    };
    expect(refusedAgain(3, 2, change(3))).to.deep.equal({});
    expect(refusedAgain(2, 2, change(1))).to.deep.equal({ WIRE_RNR: 1 });
  });

  it('does not count refusals where the time-out may have brought more than one copy of the packet', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8, rnrRetry: 0 });
    write600(b);
    b.wait(TIMEOUT);
    write600(b);
    answer(b, 0x102, NOT_READY);
    answer(b, 0x102, NOT_READY);
    b.wait(WAIT);
    write600(b, 2);
    expect(b.ids()).to.deep.equal({});
  });

  it('does not count refusals of a link that may lose or repeat them', () => {
    expect(refusedAgain(3, 0, new WireBench().connect({ ackTimeout: 14, rnrRetry: 0 }))).to.deep.equal({});
  });

  for (const lossless of [true, false]) {
    it(`lets a packet without an answer be sent again as often as its requester may try, on ${lossless ? 'this' : 'any other'} link too`, () => {
      for (const retryCnt of [0, 1, 7]) {
        const b = new WireBench(lossless).connect({ ackTimeout: 8, retryCnt });
        write600(b);
        for (let i = 0; i <= retryCnt; i++) {
          expect(b.ids()).to.deep.equal({});
          b.wait(TIMEOUT);
          write600(b);
        }
        expect(b.ids()).to.deep.equal({ WIRE_RETRY: 1 });
      }
    });
  }

  it('lets a requester try as often again once an answer has brought it on', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8, retryCnt: 2 });
    for (const first of [0, 0, 0, 1, 1, 2, 2]) {
      if (first > 0) answer(b, 0x100 + first - 1, 0x1f);
      b.wait(TIMEOUT);
      write600(b, first);
    }
    expect(b.ids()).to.deep.equal({});
  });

  it('lets a packet that is refused just before its time-out expires be sent again for both', () => {
    for (const [wait, found] of [
      [TIMEOUT - WAIT, {}],
      [WAIT, { WIRE_UNPROVOKED: 1 }],
    ] as const) {
      const b = new WireBench(true).connect({ ackTimeout: 8 });
      write600(b);
      b.wait(wait);
      answer(b, 0x102, NOT_READY);
      b.wait(WAIT);
      for (let i = 0; i < 2; i++) write600(b, 2);
      expect(b.ids()).to.deep.equal(found);
    }
  });

  it('makes a refused requester wait, unless the time-out that may have expired is forgotten with its peer', () => {
    for (const gone of [false, true]) {
      const b = new WireBench(true).connect({ ackTimeout: 14 });
      write600(b);
      answer(b, 0x102, NOT_READY);
      if (gone) b.transport.qpGone(1, 0x11);
      write600(b, 2);
      write600(b, 2);
      expect(Object.keys(b.ids())).to.deep.equal(gone ? [] : ['WIRE_RNR', 'WIRE_UNPROVOKED']);
    }
  });

  it('lets a requester go back for a time-out that expires while the answer is on its way', () => {
    const US = 1_000_000;
    for (const [trip, found] of [
      [60 * US, {}],
      [0, { WIRE_UNPROVOKED: 1 }],
    ] as const) {
      const b = new WireBench(true).connect({ ackTimeout: 8 });
      b.hears({ shortestTrip: trip });
      b.request({ opcode: 4, psn: 0x100, payload: 4 });
      b.wait(TIMEOUT - 60 * US);
      b.request({ opcode: 4, psn: 0x101, payload: 4 });
      answer(b, 0x100, 0x1f, 1);
      b.wait(20 * US);
      b.request({ opcode: 4, psn: 0x101, payload: 4 });
      expect(b.ids(), `${trip} ps`).to.deep.equal(found);
    }
  });

  it('does not count returns that a NAK may have asked for', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8, retryCnt: 1 });
    write600(b);
    for (let i = 0; i < 9; i++) {
      if (i % 3 === 0) answer(b, 0x101, NAK_SEQUENCE);
      b.wait(TIMEOUT);
      write600(b, 1);
    }
    expect(b.ids()).to.deep.equal({});
  });

  it('makes a requester go back to its oldest packet without an answer, on any link', () => {
    for (const lossless of [true, false]) {
      const b = new WireBench(lossless).connect({ ackTimeout: 8 });
      write600(b);
      answer(b, 0x100, 0x1f);
      b.wait(TIMEOUT);
      write600(b, 2);
      expect(b.ids(), `lossless: ${lossless}`).to.deep.equal({ WIRE_RETRY: 1 });
    }
  });

  /** Ids of a requester that may try once, and goes back twice to a packet before which another was answered. */
  function twiceBehindAnAnswer(hasHeardAll: boolean): object {
    const b = new WireBench(true).connect({ ackTimeout: 8, retryCnt: 1 });
    b.hears({ hasHeardAll: () => hasHeardAll });
    write600(b);
    answer(b, 0x101, 0x1f);
    for (let i = 0; i < 2; i++) {
      b.wait(TIMEOUT);
      write600(b, 2);
    }
    return b.ids();
  }

  it('does not count a return that may be for a packet before, the answer to which was late', () => {
    expect(twiceBehindAnAnswer(true)).to.deep.equal({ WIRE_RETRY: 1 });
    expect(twiceBehindAnAnswer(false)).to.deep.equal({});
  });

  /** Ids of a requester that may try once, and goes back so often to a packet before which two were answered. */
  function behindAnswers(wait: number, times: number): object {
    const b = new WireBench(true).connect({ ackTimeout: 8, retryCnt: 1 });
    b.hears({ hasHeardAll: () => true });
    write600(b);
    b.wait(wait);
    answer(b, 0x100, 0x1f);
    answer(b, 0x101, 0x1f);
    for (let i = 0; i < times; i++) {
      b.wait(TIMEOUT);
      write600(b, 2);
    }
    return b.ids();
  }

  it('does not count the return after an answer that came when the time-out may have expired, but every other one', () => {
    expect([behindAnswers(5, 1), behindAnswers(TIMEOUT, 2)]).to.deep.equal([{}, {}]);
    expect([behindAnswers(5, 2), behindAnswers(TIMEOUT, 3)]).to.deep.equal([{ WIRE_RETRY: 1 }, { WIRE_RETRY: 1 }]);
  });

  it('may go back to what has been answered only while it may not know of that', () => {
    for (const rested of [true, false]) {
      const b = new WireBench(true).connect({ ackTimeout: 8 });
      const asked: number[] = [];
      const hasRested = (_host: number, since: number): boolean => asked.push(since) > 0 && rested;
      b.hears({ hasHeardAll: () => true, hasRested });
      write600(b);
      b.wait(5);
      answer(b, 0x100, 0x1f);
      b.wait(TIMEOUT);
      write600(b);
      expect([b.ids(), asked]).to.deep.equal([rested ? { WIRE_UNPROVOKED: 1 } : {}, [5]]);
    }
  });
});

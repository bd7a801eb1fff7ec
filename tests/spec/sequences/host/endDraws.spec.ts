/** What the two ends of a connection choose by themselves, and software that ends endless refusals. */

import { expect } from 'chai';
import { drawnEnd } from '../../../../sequences/host/endDraws.ts';
import type { QpSide } from '../../../../sequences/user/qpSide.ts';
import { RefusalGuard } from '../../../../sequences/user/random/refusalGuard.ts';
import { IndexAllocator } from '../../../../env/memory/indexAllocator.ts';
import { RandomStreams } from '../../../../uvm/random/randomStreams.ts';

const BTH = 42;
const ACKNOWLEDGE = 0x11;

describe('ends that differ', () => {
  it('are no less patient than those of the run, and ask for no more READs', () => {
    const random = new RandomStreams(1, 'ends').stream('host0', 'end');
    for (let i = 0; i < 500; i++) {
      const {
        timeout = -1,
        maxRdAtomic = 0,
        trafficClass = 0,
      } = drawnEnd(random, {
        timeout: 30,
        maxRdAtomic: 3,
        trafficClass: 2,
      });
      expect(timeout).to.be.within(30, 31);
      expect(maxRdAtomic).to.be.within(1, 3);
      expect(trafficClass & 3).to.equal(2);
      expect(drawnEnd(random, { timeout: 0 }).timeout).to.equal(0);
    }
  });
});

describe('the guard against endless refusals', () => {
  const qp = { alive: true, destQpn: 0x12_3456, recvOutstanding: 0 };
  const side = { host: 1, qp } as unknown as QpSide;

  function frame(syndrome: number, opcode = ACKNOWLEDGE): Uint8Array {
    const u8 = new Uint8Array(80);
    u8.set([0x08, 0x00], 12);
    u8[BTH] = opcode;
    u8.set([0x12, 0x34, 0x56], BTH + 5);
    u8[BTH + 12] = syndrome;
    return u8;
  }

  function refusals(...frames: readonly Uint8Array[]): number {
    let asked = 0;
    let u8 = frame(0);
    const guard = new RefusalGuard(
      [side],
      3,
      () => u8,
      () => asked++,
    );
    for (const next of frames) {
      u8 = next;
      guard.sent(1, 0, 62);
    }
    return asked;
  }

  it('asks for receives after so many refusals in a row, and once for each row', () => {
    const refused = frame(0x21);
    expect(refusals(refused, refused)).to.equal(0);
    expect(refusals(refused, refused, refused)).to.equal(1);
    expect(refusals(...Array.from({ length: 6 }, () => refused))).to.equal(2);
  });

  it('looks at refusals for want of a receive alone', () => {
    const [refused, ack, other] = [frame(0x21), frame(0x1f), frame(0x21, 0x04)];
    expect(refusals(refused, refused, ack, other)).to.equal(0);
  });

  it('counts anew where receives wait', () => {
    qp.recvOutstanding = 1;
    expect(refusals(...Array.from({ length: 9 }, () => frame(0x21)))).to.equal(0);
    qp.recvOutstanding = 0;
  });
});

describe('numbers that come back at once', () => {
  it('are those that were freed last', () => {
    const numbers = new IndexAllocator(1, 100);
    numbers.comesBack(true);
    const [a, b] = [numbers.alloc(), numbers.alloc()];
    numbers.free(a);
    expect(numbers.alloc()).to.equal(a);
    numbers.free(b);
    expect([numbers.alloc(), numbers.alloc()]).to.deep.equal([b, b + 1]);
  });
});

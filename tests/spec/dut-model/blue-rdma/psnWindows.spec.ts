import { expect } from 'chai';
import fc from 'fast-check';
import { PsnWindows, WINDOW_STEP } from '../../../../dut-model/blue-rdma/model/psnWindows.ts';

const MASK = 0xff_ffff;

/** The window as section 10.1 of blue-rdma.md has it, on a set of PSNs and one 128-bit number. */
class Reference {
  left: number;
  bits = (1n << 128n) - 1n;

  constructor(psn: number) {
    this.left = ((psn >> 4) - 1) & 0xf_ffff;
  }

  accept(psn: number): number {
    const d = ((psn >> 4) - this.left) & 0xf_ffff;
    const delta = d >= 0x8_0000 ? d - 0x10_0000 : d;
    const bit = 1n << BigInt(112 + 16 * Math.min(0, delta) + (psn & 15));
    if (delta < -7) return WINDOW_STEP.behind;
    if (delta <= 0) {
      const again = (this.bits & bit) !== 0n;
      this.bits |= bit;
      return again ? WINDOW_STEP.again : WINDOW_STEP.marked;
    }
    const gone = BigInt(16 * Math.min(delta, 8));
    const lost = delta > 8 || (this.bits & ((1n << gone) - 1n)) !== (1n << gone) - 1n;
    this.bits = (this.bits >> gone) | (1n << BigInt(112 + (psn & 15)));
    this.left = (this.left + delta) & 0xf_ffff;
    return lost ? WINDOW_STEP.lost : WINDOW_STEP.slid;
  }
}

function bitsOf(windows: PsnWindows, index: number): bigint {
  let bits = 0n;
  for (let n = 3; n >= 0; n--) bits = (bits << 32n) | BigInt(windows.word(index, n) >>> 0);
  return bits;
}

describe('blue-rdma bitmap of a receive queue', () => {
  it('is after every packet what the reference says, for all steps and over the wrap of the PSN', () => {
    const step = fc.integer({ min: -9 * 16, max: 9 * 16 + 15 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MASK >> 4 }), fc.array(step, { maxLength: 200 }), (stride, steps) => {
        const windows = new PsnWindows(3);
        const start = stride << 4;
        const reference = new Reference(start);
        windows.reset(1, start);
        let newest = start;
        for (const by of steps) {
          const psn = (newest + by) & MASK;
          const before = bitsOf(windows, 1);
          const psnNow = windows.psnNow(1);
          const found = windows.accept(1, psn);
          expect(found).to.equal(reference.accept(psn));
          expect(bitsOf(windows, 1)).to.equal(reference.bits);
          expect(windows.psnNow(1) >> 4).to.equal(reference.left);
          if (found >= WINDOW_STEP.slid) {
            newest = psn;
            expect(windows.psnBefore).to.equal(psnNow);
            expect(windows.before.map((word) => word)).to.deep.equal(
              Int32Array.from({ length: 4 }, (_, n) => Number(BigInt.asIntN(32, before >> BigInt(32 * n)))),
            );
          }
        }
        expect([bitsOf(windows, 0), bitsOf(windows, 2)]).to.deep.equal([0n, 0n]);
      }),
    );
  });

  it('takes packets that are late by up to 112 without a loss', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(112), { minLength: 300, maxLength: 300 }), (delays) => {
        const windows = new PsnWindows(1);
        windows.reset(0, 0);
        const order = delays.map((late, psn) => ({ psn, at: psn + late })).sort((a, b) => a.at - b.at || a.psn - b.psn);
        for (const { psn } of order)
          expect(windows.accept(0, psn)).to.not.be.oneOf([WINDOW_STEP.lost, WINDOW_STEP.behind]);
      }),
    );
  });

  it('loses nothing when the step is exactly the window and all of it is there', () => {
    const windows = new PsnWindows(1);
    windows.reset(0, 0);
    for (let psn = 0; psn < 128; psn++) windows.accept(0, psn);
    expect(windows.accept(0, 15 * 16)).to.equal(WINDOW_STEP.slid);
    expect(windows.accept(0, 24 * 16)).to.equal(WINDOW_STEP.lost);
  });
});

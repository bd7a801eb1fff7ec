import { expect } from 'chai';
import { ACK_TIMER_PS, RNR_TIMER_PS } from '../../../rdma/timers.ts';
import { US } from '../../../uvm/kernel/time.ts';

describe('Times by code', () => {
  it('are those of the RNR NAK timer table, of which code 0 is the longest', () => {
    expect([0, 1, 2, 12, 14, 31].map((code) => (RNR_TIMER_PS[code] as number) / US)).to.deep.equal([
      655_360, 10, 20, 640, 1280, 491_520,
    ]);
    expect(RNR_TIMER_PS).to.have.length(32);
  });

  it('are 4.096 us times a power of two for the local ACK time-out', () => {
    expect([1, 14, 31].map((code) => (ACK_TIMER_PS[code] as number) / US)).to.deep.equal([
      8.192, 67_108.864, 8_796_093_022.208,
    ]);
  });
});

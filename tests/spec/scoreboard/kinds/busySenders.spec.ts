import { expect } from 'chai';
import { BusySenders } from '../../../../dut-model/blue-rdma/judge/busySenders.ts';
import { US } from '../../../../uvm/kernel/time.ts';

describe('BusySenders', () => {
  it('says which NIC has sent without a pause since something came to it', () => {
    const busy = new BusySenders();
    for (let at = 100; at <= 2000; at += 100) busy.sent(0, at * US);
    expect(busy.hasSentSince(0, 300 * US, 2100 * US)).to.equal(true);
    expect(busy.hasSentSince(0, 50 * US, 2100 * US)).to.equal(false);
    expect(busy.hasSentSince(1, 300 * US, 2100 * US)).to.equal(false);
  });

  it('lets nobody off who has paused since, or sends nothing any more', () => {
    const busy = new BusySenders();
    for (const at of [100, 200, 700, 800]) busy.sent(0, at * US);
    expect(busy.hasSentSince(0, 150 * US, 850 * US)).to.equal(false);
    expect(busy.hasSentSince(0, 700 * US, 850 * US)).to.equal(true);
    expect(busy.hasSentSince(0, 700 * US, 1300 * US)).to.equal(false);
  });
});

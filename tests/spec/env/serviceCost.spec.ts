import { expect } from 'chai';
import { DEFAULT_LINK_SETTINGS, type LinkSettings } from '../../../agents/link/linkSettings.ts';
import { DEFAULT_PCIE_SETTINGS, type PcieHostSettings } from '../../../agents/pcie/pcieSettings.ts';
import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import { serviceCost, slowest } from '../../../env/ports/serviceCost.ts';

const MS = 1_000_000_000;

const costOf = (pcie: PcieHostSettings, link: LinkSettings) => serviceCost(pcie, link, HANGU_PROFILE);

describe('serviceCost', () => {
  it('takes 10 Gb/s and 2 us a request for granted on fast buses', () => {
    const cost = costOf(DEFAULT_PCIE_SETTINGS, DEFAULT_LINK_SETTINGS);
    expect(cost.bytePs).to.equal(800);
    expect(cost.piecePs).to.be.below(2000);
    expect(cost.requestPs).to.be.within(2_000_000, 2_010_000);
  });

  it('follows the slower of the two buses', () => {
    const slowLink = costOf(DEFAULT_PCIE_SETTINGS, { ...DEFAULT_LINK_SETTINGS, rate: 1 });
    const slowPcie = costOf({ ...DEFAULT_PCIE_SETTINGS, rate: 1 }, DEFAULT_LINK_SETTINGS);
    expect(slowLink).to.deep.equal(slowPcie);
    expect(slowLink.bytePs).to.equal(16_000);
    expect(slowLink.requestPs).to.be.above(30_000_000);
  });

  it('allows for reads one after the other where a host is far away and tags are few', () => {
    const far = { ...DEFAULT_PCIE_SETTINGS, upLatency: MS, tags: 1 };
    const cost = costOf(far, DEFAULT_LINK_SETTINGS);
    expect(cost.piecePs).to.be.within(4 * MS, 4.1 * MS);
    expect(cost.requestPs).to.be.within(16 * MS, 16.1 * MS);
    expect(costOf({ ...far, tags: 1024 }, DEFAULT_LINK_SETTINGS).piecePs).to.be.below(MS / 200);
  });

  it('is that of the slowest bus where hosts differ', () => {
    const [near, far] = [
      { bytePs: 100, piecePs: 1, requestPs: 5 },
      { bytePs: 90, piecePs: 7, requestPs: 9 },
    ];
    expect(slowest([near, far])).to.deep.equal({ bytePs: 100, piecePs: 7, requestPs: 9 });
  });
});

import { expect } from 'chai';
import { PcieUsageError } from '../../../../agents/pcie/pcieError.ts';
import { DEFAULT_PCIE_SETTINGS, resolvePcieSettings } from '../../../../agents/pcie/pcieSettings.ts';

describe('resolvePcieSettings', () => {
  it('gives the defaults when told nothing', () => {
    expect(resolvePcieSettings()).to.deep.equal(DEFAULT_PCIE_SETTINGS);
  });

  it('accepts every legal size', () => {
    for (const size of [128, 256, 512, 1024, 2048, 4096]) {
      expect(resolvePcieSettings({ maxPayload: size, maxReadRequest: size }).maxPayload).to.equal(size);
    }
  });

  it('names field, value and nearest legal value of a wrong size', () => {
    expect(() => resolvePcieSettings({ maxPayload: 300 })).to.throw(PcieUsageError, /maxPayload: 300 .*nearest: 256/);
    expect(() => resolvePcieSettings({ maxReadRequest: 8192 })).to.throw(/maxReadRequest: 8192 .*nearest: 4096/);
    expect(() => resolvePcieSettings({ maxPayload: 0 })).to.throw(/nearest: 128/);
  });

  it('refuses the other fields out of range', () => {
    const wrong = [
      { readCompletionBoundary: 32 },
      { tags: 0 },
      { tags: 1025 },
      { rate: 0 },
      { rate: Number.NaN },
      { upLatency: -1 },
      { downLatency: 0.5 },
      { splitChance: 1.1 },
      { reorderChance: -0.1 },
      { headerBytes: 100 },
      { barReadTimeout: Number.POSITIVE_INFINITY },
    ];
    for (const settings of wrong) {
      expect(() => resolvePcieSettings(settings), JSON.stringify(settings)).to.throw(
        PcieUsageError,
        Object.keys(settings)[0],
      );
    }
  });
});

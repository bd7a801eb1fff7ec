import { expect } from 'chai';
import {
  checkHanguKnob,
  HANGU_DEFAULTS,
  HANGU_KNOBS,
  resolveHanguConfig,
} from '../../../../dut-model/hangu/hanguConfig.ts';

describe('HanGu knobs', () => {
  it('have a name and a possible default each', () => {
    const fields = Object.keys(HANGU_DEFAULTS) as (keyof typeof HANGU_DEFAULTS)[];
    expect(HANGU_KNOBS).to.have.length(fields.length).and.include.members(['QPC_CACHE', 'EGRESS_NS']);
    for (const [i, field] of fields.entries()) {
      expect(checkHanguKnob(HANGU_KNOBS[i] as string, HANGU_DEFAULTS[field])).to.equal(undefined);
    }
  });

  it('are put over the defaults, by any spelling', () => {
    const config = resolveHanguConfig({ QPC_CACHE: 32, turnpackets: 4 });
    expect(config).to.deep.equal({ ...HANGU_DEFAULTS, qpcCache: 32, turnPackets: 4 });
  });

  it('must be known and possible', () => {
    expect(() => resolveHanguConfig({ QPC_CASH: 32 })).to.throw(RangeError, 'QPC_CASH is unknown');
    expect(() => resolveHanguConfig({ QPC_CACHE: 33 })).to.throw(RangeError, 'use a power of two from 16 to 1048576');
    expect(checkHanguKnob('TURN_PACKETS', 0)).to.equal('use an integer from 1 to 1048576');
    expect(checkHanguKnob('CLOCK_PS', 1e17)).to.equal('use an integer from 1 to 1000000000');
    expect(checkHanguKnob('CHECK_QKEY', 0)).to.equal(undefined);
    expect(checkHanguKnob('EGRESS_NS', 1.5)).to.equal('use an integer from 1 to 1000000000');
  });

  it('ask for an acknowledgement at least once in a window', () => {
    expect(resolveHanguConfig({ PSN_WINDOW: 8 }).ackInterval).to.equal(8);
    expect(resolveHanguConfig({ PSN_WINDOW: 8, ACK_INTERVAL: 4 }).ackInterval).to.equal(4);
  });
});

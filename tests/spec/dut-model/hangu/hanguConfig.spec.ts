import { expect } from 'chai';
import { HANGU_DEFAULTS, HANGU_KNOBS, resolveHanguConfig } from '../../../../dut-model/hangu/model/hanguConfig.ts';
import { findKnob, knobMistake, type NicKnob } from '../../../../dut-model/nicKnob.ts';

describe('HanGu knobs', () => {
  it('have a name and a possible default each', () => {
    const names = HANGU_KNOBS.map(({ name }) => name);
    expect(names).to.have.length(Object.keys(HANGU_DEFAULTS).length).and.include.members(['QPC_CACHE', 'EGRESS_NS']);
    for (const knob of HANGU_KNOBS) expect(knobMistake(knob, knob.default)).to.equal(undefined);
    const asGiven = Object.fromEntries(HANGU_KNOBS.map((knob) => [knob.name, knob.default]));
    expect(resolveHanguConfig(asGiven)).to.deep.equal(HANGU_DEFAULTS);
  });

  it('are put over the defaults, by any spelling', () => {
    const config = resolveHanguConfig({ QPC_CACHE: 32, turnpackets: 4 });
    expect(config).to.deep.equal({ ...HANGU_DEFAULTS, qpcCache: 32, turnPackets: 4 });
  });

  it('must be known and possible', () => {
    expect(() => resolveHanguConfig({ QPC_CASH: 32 })).to.throw(RangeError, 'QPC_CASH is unknown');
    expect(() => resolveHanguConfig({ QPC_CACHE: 33 })).to.throw(RangeError, 'use a power of two from 4 to 1048576');
    const mistake = (name: string, value: number): string | undefined =>
      knobMistake(findKnob(HANGU_KNOBS, name) as NicKnob, value);
    expect(mistake('TURN_PACKETS', 0)).to.equal('use an integer from 1 to 1048576');
    expect(mistake('CLOCK_PS', 1e17)).to.equal('use an integer from 1 to 1000000000');
    expect(mistake('CHECK_QKEY', 0)).to.equal(undefined);
    expect(mistake('CHECK_QKEY', 2)).to.equal('use an integer from 0 to 1');
    expect(mistake('EGRESS_NS', 1.5)).to.equal('use an integer from 1 to 1000000000');
  });

  it('ask for an acknowledgement at least once in a window', () => {
    expect(resolveHanguConfig({ PSN_WINDOW: 8 }).ackInterval).to.equal(8);
    expect(resolveHanguConfig({ PSN_WINDOW: 8, ACK_INTERVAL: 4 }).ackInterval).to.equal(4);
    expect(() => resolveHanguConfig({ ACK_INTERVAL: 65 })).to.throw(RangeError, 'use an integer from 1 to 64');
  });
});

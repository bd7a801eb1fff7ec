import { expect } from 'chai';
import fc from 'fast-check';
import { FarEvents } from '../../../../uvm/kernel/farEvents.ts';
import { ScheduledEvent } from '../../../../uvm/kernel/scheduledEvent.ts';
import type { Region } from '../../../../uvm/kernel/eventHandler.ts';

describe('FarEvents', () => {
  it('gives events back by time, then by region, then as they came, and knows the time of the first', () => {
    const event = fc.tuple(fc.nat(20), fc.nat(3));
    fc.assert(
      fc.property(fc.array(event, { maxLength: 600 }), (list) => {
        const events = list.map((_, id) => new ScheduledEvent(id));
        const far = new FarEvents(events);
        for (const [id, [time, region]] of list.entries()) {
          const e = Object.assign(events[id] as ScheduledEvent, { time, region: region as Region });
          far.push(e);
        }
        const sorted = [...events].sort((a, b) => a.time - b.time || a.region - b.region || a.id - b.id);
        for (const e of sorted) {
          expect(far.time).to.equal(e.time);
          expect(far.pop()).to.equal(e);
        }
        expect([far.length, far.time]).to.deep.equal([0, Number.POSITIVE_INFINITY]);
      }),
      { numRuns: 50 },
    );
  });
});

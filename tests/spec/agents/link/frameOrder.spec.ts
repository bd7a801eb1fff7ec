import { expect } from 'chai';
import fc from 'fast-check';
import { FrameOrder } from '../../../../agents/link/frameOrder.ts';
import { FrameItem } from '../../../../agents/link/linkItems.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';

describe('FrameOrder', () => {
  const bytes = ByteStore.create();
  const data = bytes.alloc(64);

  /** Sends frames (number = first byte) from one buffer, each at `now` for `now + ahead`. */
  function play(
    sends: readonly { readonly now: number; readonly ahead: number }[],
  ): { number: number; time: number }[] {
    const clock = { now: 0 };
    const out: { number: number; time: number }[] = [];
    const order = new FrameOrder(bytes, clock, {
      write: (frame) => out.push({ number: bytes.u8[frame.data] as number, time: frame.time }),
    });
    sends.forEach(({ now, ahead }, number) => {
      clock.now = now;
      bytes.u8[data] = number;
      order.write(Object.assign(new FrameItem(), { host: number & 1, data, length: 64, time: now + ahead }));
    });
    order.flush();
    return out;
  }

  it('puts a frame before one that was handed over earlier but begins later, with its own bytes', () => {
    const out = play([
      { now: 100, ahead: 50 },
      { now: 110, ahead: 33 },
      { now: 120, ahead: 0 },
    ]);
    expect(out).to.deep.equal([
      { number: 2, time: 120 },
      { number: 1, time: 143 },
      { number: 0, time: 150 },
    ]);
  });

  it('loses nothing, sorts by time, and keeps the order of equal times', () => {
    const steps = fc.array(fc.record({ step: fc.nat(5), ahead: fc.nat(20) }), { maxLength: 100 });
    fc.assert(
      fc.property(steps, (list) => {
        let now = 0;
        const sends = list.map(({ step, ahead }) => {
          now += step;
          return { now, ahead };
        });
        const sorted = sends.map((send, number) => ({ number, time: send.now + send.ahead }));
        sorted.sort((a, b) => a.time - b.time || a.number - b.number);
        expect(play(sends)).to.deep.equal(sorted);
      }),
    );
  });
});

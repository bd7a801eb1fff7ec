import { expect } from 'chai';
import fc from 'fast-check';
import { AckContext } from '../../../dut-model/hangu/model/transport/ackQueue/ackContext.ts';
import { QpSlot, type SlotEngine } from '../../../dut-model/hangu/model/transport/qpSlot.ts';

const DEPTH = 64;
const GROUP = 16;

function context(): AckContext {
  const words = new Int32Array(512);
  const made = new AckContext(new QpSlot(14, {} as SlotEngine), 8, () => words);
  made.initialise(0x6000, 0x1000, DEPTH, GROUP);
  return made;
}

/** Entries of a queue in which results with these PSNs were written, by place. */
function filled(psns: readonly number[]): [AckContext, (number | undefined)[]] {
  const made = context();
  const entries: (number | undefined)[] = [];
  for (const psn of psns) {
    entries[made.next] = psn;
    made.append(psn);
  }
  return [made, entries];
}

/** PSNs of atomics with other requests between them, from one that is near the largest. */
const psns = fc
  .tuple(fc.integer({ min: 0xff_ff00, max: 0xff_ffff }), fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 200 }))
  .map(([first, steps]) => {
    let psn = first;
    return steps.map((step) => (psn = (psn + step) & 0xff_ffff));
  });

describe('The context of an ACK queue', () => {
  it('selects a range that holds each result that is kept, and never more than a group', () => {
    fc.assert(
      fc.property(psns, (written) => {
        const [made, entries] = filled(written);
        for (const psn of written.slice(-DEPTH)) {
          const { first, count } = made.rangeOf(psn);
          expect(count).to.be.at.most(GROUP);
          expect(entries.slice(first, first + count)).to.include(psn);
        }
      }),
    );
  });

  it('holds no result longer than it has entries, and finds none in an empty queue', () => {
    expect(context().rangeOf(5)).to.deep.equal({ first: 0, count: 0 });
    const [made, entries] = filled(Array.from({ length: DEPTH + 1 }, (_, i) => i));
    expect(entries).to.not.include(0);
    const { first, count } = made.rangeOf(0);
    expect(entries.slice(first, first + count)).to.not.include(0);
  });

  it('tells where a group begins, of which the first PSN goes to host memory', () => {
    const made = context();
    const begins = Array.from({ length: DEPTH + 1 }, (_, i) => made.append(100 + i));
    const places = begins.flatMap((begin, i) => (begin ? [i] : []));
    expect(places).to.deep.equal([0, 16, 32, 48, 64]);
    expect([made.firstPsn(0), made.firstPsn(1)]).to.deep.equal([164, 116]);
  });
});

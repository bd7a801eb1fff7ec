import { expect } from 'chai';
import * as fc from 'fast-check';
import { leastOf, mostOf, Windowed } from '../../../../agents/verbs/windowed.ts';

/** A command on a NIC: how long after the one before it begins, when the NIC takes it up (of ten tenths), how long it takes, whether it is refused. */
const command = fc.record({
  pause: fc.nat({ max: 3 }),
  value: fc.nat({ max: 3 }),
  tenths: fc.nat({ max: 10 }),
  takes: fc.nat({ max: 20 }),
  refused: fc.boolean(),
});

type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** What a NIC worked by: `value` from `from` to `to`. */
interface Held {
  readonly value: number;
  readonly from: number;
  to: number;
}

interface Played {
  readonly window: Windowed<number>;
  readonly truth: readonly Held[];
  /** By command: when it began and was done, what held before and what it asked for. */
  readonly commands: readonly { begins: number; ends: number; before: number; value: number; refused: boolean }[];
  readonly over: number;
}

/** Plays commands, one after the other, on a NIC that takes each of them up at a moment of its own. */
function play(list: readonly Command[]): Played {
  const window = new Windowed(0);
  const truth: Held[] = [{ value: 0, from: -1, to: Infinity }];
  const commands: Played['commands'][number][] = [];
  let time = 0;
  for (const { pause, value, tenths, takes, refused } of list) {
    const before = window.now;
    const begins = time + pause;
    const ends = begins + takes;
    window.begin(value, begins);
    if (!refused && value !== before) {
      const taken = begins + (takes * tenths) / 10;
      (truth[truth.length - 1] as Held).to = taken;
      truth.push({ value, from: taken, to: Infinity });
    }
    if (refused) window.end(ends, before);
    else window.end(ends);
    commands.push({ begins, ends, before, value, refused });
    time = ends;
  }
  return { window, truth, commands, over: time };
}

describe('a value that software changes by commands', () => {
  const interval = fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 20 }));

  it('is among those that may have held whatever the NIC worked by, at any moment and in any interval', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 12 }), interval, (list, [from, length]) => {
        const { window, truth } = play(list);
        const to = from + length;
        const every = window.every(from, to);
        for (const held of truth) {
          if (held.from > to || held.to < from) continue;
          expect(every).to.include(held.value);
          expect(window.mayBe(held.value, from)).to.equal(true);
          expect(window.some(from, (value) => value === held.value, to)).to.equal(true);
        }
      }),
    );
  });

  it('can have been no other one: each that may have held was in place, or on its way, then', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 12 }), interval, (list, [from, length]) => {
        const { window, commands } = play(list);
        const to = from + length;
        // What was in place from the end of one command to the end of the next one that was not refused.
        const may = new Set<number>();
        let since = -Infinity;
        let value = 0;
        for (const c of commands.filter(({ refused, before, value: asked }) => !refused && before !== asked)) {
          if (c.ends >= from && since <= to) may.add(value);
          since = c.begins;
          value = c.value;
        }
        if (since <= to) may.add(value);
        expect(window.every(from, to)).to.have.members([...may]);
        expect(window.now).to.equal(value);
        expect(window.next).to.equal(value);
        expect(window.isOpen).to.equal(false);
      }),
    );
  });

  it('knows fewer values the later the interval begins, and at last the one that holds', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 12 }), fc.nat({ max: 60 }), (list, from) => {
        const { window, over } = play(list);
        expect(window.every(from)).to.include.members(window.every(from + 1));
        expect(window.every(over + 1)).to.deep.equal([window.now]);
        expect(window.every()).to.deep.equal([window.now]);
        expect(leastOf(window)).to.equal(window.now);
        expect(leastOf(window, from)).to.equal(Math.min(...window.every(from)));
        expect(mostOf(window, from)).to.equal(Math.max(...window.every(from)));
      }),
    );
  });

  it('may be the old one or the new one while a command is under way, and the old one up to its end', () => {
    const w = new Windowed(5);
    expect([w.isOpen, w.every()]).to.deep.equal([false, [5]]);
    w.begin(7, 100);
    expect([w.isOpen, w.now, w.next, w.every()]).to.deep.equal([true, 5, 7, [5, 7]]);
    expect([leastOf(w), mostOf(w)]).to.deep.equal([5, 7]);
    expect(w.every(0, 99), 'before it began').to.deep.equal([5]);
    w.end(200);
    expect([w.isOpen, w.now, w.every()]).to.deep.equal([false, 7, [7]]);
    expect([w.mayBe(5, 200), w.mayBe(5, 201)]).to.deep.equal([true, false]);
    expect([w.every(150), w.every(201)]).to.deep.equal([[5, 7], [7]]);
  });

  it('opens no window when the command asks for the value that holds', () => {
    const w = new Windowed(5);
    w.begin(5, 100);
    expect(w.isOpen).to.equal(false);
    w.end(200);
    expect(w.every(0)).to.deep.equal([5]);
  });

  it('has never held what a command asked for that was refused', () => {
    const w = new Windowed(5);
    w.begin(7, 100);
    w.end(200, 5);
    expect([w.isOpen, w.now, w.next, w.every(0)]).to.deep.equal([false, 5, 5, [5]]);
  });

  it('may be what any of several commands asked for until the last one is done', () => {
    const w = new Windowed(1);
    w.begin(2, 10);
    w.begin(3, 20);
    expect([w.now, w.next, w.every()]).to.deep.equal([1, 3, [1, 2, 3]]);
    w.end(30);
    expect([w.every(), w.every(30), w.every(31)]).to.deep.equal([[3], [1, 2, 3], [3]]);
    w.begin(1, 40);
    w.begin(3, 50);
    w.end(60, 3);
    expect(w.every(55)).to.deep.equal([1, 3]);
  });

  it('takes what holds after a command of which no begin was told', () => {
    const w = new Windowed(1);
    w.end(50, 2);
    expect([w.now, w.every(50), w.every(51)]).to.deep.equal([2, [1, 2], [2]]);
  });

  it('begins anew without a past', () => {
    const w = new Windowed(1);
    w.begin(2, 10);
    w.set(9);
    expect([w.now, w.isOpen, w.every(0)]).to.deep.equal([9, false, [9]]);
    w.end(20);
    expect(w.every(0)).to.deep.equal([9]);
  });
});

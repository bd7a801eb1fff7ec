import { expect } from 'chai';
import * as fc from 'fast-check';
import { type EventHandler, REGION, type Region, Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import { DeltaLimitError, EventLimitError } from '../../../../uvm/kernel/schedulerErrors.ts';

/** Beyond this far ahead an event waits in the heap. */
const WHEEL_PS = 16384 * 1024;

/** Delays that meet every case: ties, one slot, the edges of slots and wheel, several turns of it, far beyond. */
const delay = fc.oneof(
  { weight: 4, arbitrary: fc.nat(3) },
  { weight: 4, arbitrary: fc.nat(5000) },
  { weight: 2, arbitrary: fc.constantFrom(1023, 1024, 1025, 2048) },
  { weight: 2, arbitrary: fc.integer({ min: WHEEL_PS - 2050, max: WHEEL_PS + 2050 }) },
  { weight: 2, arbitrary: fc.nat(5 * WHEEL_PS) },
  { weight: 1, arbitrary: fc.nat(1e13) },
);
const region = fc.constantFrom<Region>(REGION.drive, REGION.drive, REGION.settle, REGION.observe, REGION.check);
const item = fc.record({ delay, region, children: fc.nat(2) });

interface Item {
  readonly delay: number;
  readonly region: Region;
  /** How many of the following items the event schedules when it fires. */
  readonly children: number;
}

/** What the scheduler promises, as a plain list. */
class SortedList {
  now = 0;
  #seq = 0;
  readonly #list: { time: number; region: number; seq: number; arg: number }[] = [];

  schedule(after: number, arg: number, where: number): void {
    this.#list.push({ time: this.now + after, region: where, seq: this.#seq++, arg });
    this.#list.sort((a, b) => a.time - b.time || a.region - b.region || a.seq - b.seq);
  }

  nextTime(): number {
    return this.#list[0]?.time ?? -1;
  }

  pop(): number | undefined {
    const first = this.#list.shift();
    if (first !== undefined) this.now = first.time;
    return first?.arg;
  }
}

/** Plays items: the first few are scheduled at once, the others by the events that fire. Returns what happened. */
function play(items: readonly Item[], initial: number, limits: readonly number[]): string[][] {
  const scheduler = new Scheduler();
  const model = new SortedList();
  const real: string[] = [];
  const ideal: string[] = [];
  let next = 0;
  const handler: EventHandler = {
    fire(arg) {
      real.push(`${arg} at ${scheduler.now} in ${scheduler.region}`);
      const entry = items[model.pop() as number] as Item;
      ideal.push(`${items.indexOf(entry)} at ${model.now} in ${entry.region}`);
      add(entry.children);
    },
  };
  function add(count: number): void {
    for (let i = 0; i < count && next < items.length; i++, next++) {
      const entry = items[next] as Item;
      scheduler.schedule(entry.delay, handler, next, entry.region);
      model.schedule(entry.delay, next, entry.region);
    }
  }
  add(initial);
  for (const limit of limits) {
    const until = scheduler.now + limit;
    const reason = scheduler.run(until);
    expect(scheduler.nextTime()).to.equal(model.nextTime());
    if (reason === 'limit') {
      expect(scheduler.now).to.equal(until);
      expect(model.nextTime()).to.be.above(until);
      model.now = until;
    } else expect(model.nextTime()).to.equal(-1);
    add(2);
  }
  expect(scheduler.run()).to.equal('empty');
  expect(scheduler.pending).to.equal(0);
  expect(scheduler.executed).to.equal(real.length);
  expect(model.pop()).to.equal(undefined);
  return [real, ideal];
}

/** Notes its arguments. */
class Recorder implements EventHandler {
  readonly seen: number[] = [];
  readonly fullName = 'top.recorder';

  fire(arg: number): void {
    this.seen.push(arg);
  }
}

describe('Scheduler', () => {
  it('executes in the order of a sorted list: time, region, order of scheduling', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 300 }), fc.nat(200), (items, initial) => {
        const [real, ideal] = play(items, initial + 1, []);
        expect(real).to.deep.equal(ideal);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps that order when run in slices, with events added in between', () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 100 }),
        fc.nat(40),
        fc.array(delay, { maxLength: 20 }),
        (items, n, limits) => {
          const [real, ideal] = play(items, n, limits);
          expect(real).to.deep.equal(ideal);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('takes an event scheduled after a look at the next one, which lies far ahead', () => {
    const scheduler = new Scheduler();
    const recorder = new Recorder();
    scheduler.schedule(10 * WHEEL_PS, recorder, 2);
    scheduler.schedule(10 * WHEEL_PS + 5000, recorder, 3);
    expect(scheduler.nextTime()).to.equal(10 * WHEEL_PS);
    expect(scheduler.run(5)).to.equal('limit');
    scheduler.schedule(3000, recorder, 1);
    scheduler.run();
    expect(recorder.seen).to.deep.equal([1, 2, 3]);
  });

  it('does not go back in time when the limit lies in the past', () => {
    const scheduler = new Scheduler();
    const recorder = new Recorder();
    scheduler.schedule(100, recorder);
    scheduler.schedule(200, recorder);
    scheduler.run(150);
    expect(scheduler.run(20)).to.equal('limit');
    expect(scheduler.now).to.equal(150);
  });

  it('executes events at the limit itself', () => {
    const scheduler = new Scheduler();
    const recorder = new Recorder();
    scheduler.schedule(100, recorder, 7);
    expect(scheduler.run(100)).to.equal('empty');
    expect(recorder.seen).to.deep.equal([7]);
  });

  it('stops after the current event and goes on where it stopped', () => {
    const scheduler = new Scheduler();
    const recorder = new Recorder();
    scheduler.schedule(1, recorder, 1);
    scheduler.schedule(2, { fire: () => scheduler.stop() });
    scheduler.schedule(3, recorder, 3);
    expect(scheduler.run()).to.equal('stopped');
    expect(recorder.seen).to.deep.equal([1]);
    expect(scheduler.now).to.equal(2);
    expect(scheduler.run()).to.equal('empty');
    expect(recorder.seen).to.deep.equal([1, 3]);
  });

  it('stays usable when a handler throws', () => {
    const scheduler = new Scheduler();
    const recorder = new Recorder();
    scheduler.schedule(1, {
      fire() {
        throw new Error('from a handler');
      },
    });
    scheduler.schedule(1, recorder, 5);
    expect(() => scheduler.run()).to.throw('from a handler');
    expect(scheduler.run()).to.equal('empty');
    expect(recorder.seen).to.deep.equal([5]);
  });

  it('hands through arguments that are not 32-bit integers', () => {
    const scheduler = new Scheduler();
    const recorder = new Recorder();
    for (const arg of [2 ** 40, -1, 0.5]) scheduler.schedule(0, recorder, arg);
    scheduler.run();
    expect(recorder.seen).to.deep.equal([2 ** 40, -1, 0.5]);
  });

  it('holds many events, near and far', () => {
    const scheduler = new Scheduler();
    const times: number[] = [];
    const handler = { fire: () => times.push(scheduler.now) };
    for (let i = 0; i < 20_000; i++) scheduler.schedule((i * 7919 * 1_000_003) % 1e10, handler);
    expect(scheduler.pending).to.equal(20_000);
    scheduler.run();
    expect(times.length).to.equal(20_000);
    for (let i = 1; i < times.length; i++) expect((times[i] as number) >= (times[i - 1] as number)).to.equal(true);
  });

  it('carries out an event of an owner in line with all others, as often as it is scheduled', () => {
    const scheduler = new Scheduler();
    const order: string[] = [];
    const event = scheduler.own(7);
    const other = { fire: (arg: number) => order.push(`other ${arg} at ${scheduler.now}`) };
    const owner = {
      fire(arg: number) {
        order.push(`own ${arg} at ${scheduler.now}`);
        if (scheduler.now < 2 * WHEEL_PS) scheduler.scheduleOwn(scheduler.now + WHEEL_PS, owner, event);
      },
    };
    expect(scheduler.pending).to.equal(0);
    scheduler.schedule(5, other, 1);
    scheduler.scheduleOwn(5, owner, event);
    scheduler.schedule(5, other, 2);
    expect(() => scheduler.scheduleOwn(-1, owner, scheduler.own(0))).to.throw(RangeError, 'event time');
    expect(scheduler.pending).to.equal(3);
    expect(scheduler.run()).to.equal('empty');
    const later = [1, 2].map((n) => `own 7 at ${5 + n * WHEEL_PS}`);
    expect(order).to.deep.equal(['other 1 at 5', 'own 7 at 5', 'other 2 at 5', ...later]);
    expect(scheduler.pending).to.equal(0);
  });

  it('works up to the last representable time', () => {
    const scheduler = new Scheduler();
    const recorder = new Recorder();
    scheduler.scheduleAt(Number.MAX_SAFE_INTEGER, recorder, 2);
    scheduler.scheduleAt(Number.MAX_SAFE_INTEGER - 1, recorder, 1);
    expect(scheduler.run()).to.equal('empty');
    expect(recorder.seen).to.deep.equal([1, 2]);
  });

  it('rejects a time that is past, fractional, not a number or beyond 2^53', () => {
    const scheduler = new Scheduler();
    const recorder = new Recorder();
    scheduler.schedule(10, recorder);
    scheduler.run();
    for (const bad of [-1, 0.5, Number.NaN, Infinity, 2 ** 53]) {
      expect(() => scheduler.schedule(bad, recorder), String(bad)).to.throw(RangeError, 'event time');
    }
    expect(() => scheduler.scheduleAt(9, recorder)).to.throw(RangeError, 'current time 10 ps');
    expect(() => scheduler.run(0.5)).to.throw(RangeError);
    expect(() => scheduler.run(Number.NaN)).to.throw(RangeError);
    expect(scheduler.pending).to.equal(0);
  });

  it('names the handlers that keep an instant from ending', () => {
    const scheduler = new Scheduler();
    scheduler.deltaLimit = 1000;
    const make = (fullName: string): EventHandler => ({
      fullName,
      fire() {
        scheduler.schedule(0, this);
      },
    });
    const innocent = new Recorder();
    scheduler.schedule(5, make('top.ping'));
    scheduler.schedule(5, make('top.pong'));
    scheduler.schedule(5, innocent);
    const error = caught(() => scheduler.run()) as DeltaLimitError;
    expect(error).to.be.instanceOf(DeltaLimitError);
    expect(error.time).to.equal(5);
    expect(error.names).to.have.members(['top.ping', 'top.pong']);
    expect(error.message).to.match(/^more than 1000 events at 5ps .* top\.p\w+ \(1000\), top\.p\w+ \(1000\)$/);
  });

  it('says when more events are asked for than it can hold, and goes on with those that it has', () => {
    const s = new Scheduler(3000);
    let fired = 0;
    const target: EventHandler = { fire: () => fired++ };
    expect(() => {
      for (;;) s.schedule(10, target);
    }).to.throw(EventLimitError, /3000 events are scheduled/);
    expect([s.pending, s.run(), fired]).to.deep.equal([3000, 'empty', 3000]);
    expect(() => s.schedule(10, target)).not.to.throw();
  });

  it('allows the limit of events at one instant to be reached but not passed', () => {
    const scheduler = new Scheduler();
    scheduler.deltaLimit = 10;
    const recorder = new Recorder();
    for (let i = 0; i <= 10; i++) scheduler.schedule(7, recorder);
    scheduler.run();
    for (let i = 0; i <= 11; i++) scheduler.schedule(7, recorder);
    expect(() => scheduler.run()).to.throw(DeltaLimitError);
  });
});

function caught(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

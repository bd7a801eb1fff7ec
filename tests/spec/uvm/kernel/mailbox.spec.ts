import { expect } from 'chai';
import * as fc from 'fast-check';
import { waitFirst } from '../../../../uvm/kernel/anyOf.ts';
import { Mailbox } from '../../../../uvm/kernel/mailbox.ts';
import { delay, type Proc, type Process, ProcessManager } from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';

describe('Mailbox', () => {
  let scheduler: Scheduler;
  let manager: ProcessManager;
  let log: string[];

  beforeEach(() => {
    scheduler = new Scheduler();
    manager = new ProcessManager(scheduler);
    log = [];
  });

  const getter = (name: string, box: Mailbox<number>): Process =>
    manager.spawn(
      name,
      (function* (): Proc {
        log.push(`${name} ${yield* box.get()}`);
      })(),
    );
  const putter = (name: string, box: Mailbox<number>, item: number): Process =>
    manager.spawn(
      name,
      (function* (): Proc {
        yield* box.put(item);
        log.push(`${name} put ${item}`);
      })(),
    );

  it('serves getters in the order in which they came', () => {
    const box = new Mailbox<number>();
    getter('a', box);
    getter('b', box);
    scheduler.run();
    expect(box.getting).to.equal(2);
    expect(box.tryPut(1)).to.equal(true);
    expect(box.tryPut(2)).to.equal(true);
    expect(box.tryGet(), 'an item on its way to a getter is not in the queue').to.equal(undefined);
    scheduler.run();
    expect(log).to.deep.equal(['a 1', 'b 2']);
  });

  it('makes putters wait while it is full and admits them in order', () => {
    const box = new Mailbox<number>(1);
    putter('p1', box, 1);
    putter('p2', box, 2);
    putter('p3', box, 3);
    scheduler.run();
    expect([box.size, box.putting]).to.deep.equal([1, 2]);
    expect(box.tryPut(9)).to.equal(false);
    getter('g1', box);
    getter('g2', box);
    getter('g3', box);
    scheduler.run();
    expect(log.filter((l) => l.startsWith('g'))).to.deep.equal(['g1 1', 'g2 2', 'g3 3']);
    expect(log.filter((l) => l.startsWith('p'))).to.deep.equal(['p1 put 1', 'p2 put 2', 'p3 put 3']);
  });

  it('peeks without taking, waiting when it is empty', () => {
    const box = new Mailbox<number>();
    manager.spawn(
      'peek',
      (function* (): Proc {
        log.push(`peek ${yield* box.peek()}`);
        log.push(`size ${box.size}`);
      })(),
    );
    scheduler.run();
    box.tryPut(4);
    scheduler.run();
    expect(log).to.deep.equal(['peek 4', 'size 1']);
    expect(box.tryPeek()).to.equal(4);
    expect(box.tryGet()).to.equal(4);
    expect(box.tryPeek()).to.equal(undefined);
  });

  it('gives the item of a killed getter to the next, or back to the front', () => {
    const box = new Mailbox<number>();
    const a = getter('a', box);
    getter('b', box);
    scheduler.run();
    box.tryPut(1);
    a.kill();
    scheduler.run();
    expect(log).to.deep.equal(['b 1']);
    const c = getter('c', box);
    scheduler.run();
    box.tryPut(2);
    box.tryPut(3);
    c.kill();
    expect([box.tryGet(), box.tryGet()]).to.deep.equal([2, 3]);
  });

  it('forgets the item of a putter that is killed while it waits', () => {
    const box = new Mailbox<number>(1);
    box.tryPut(1);
    const p = putter('p', box, 2);
    scheduler.run();
    p.kill();
    expect(box.putting).to.equal(0);
    expect(box.tryGet()).to.equal(1);
    expect(box.tryGet()).to.equal(undefined);
  });

  it('can be waited for together with a time limit', () => {
    const box = new Mailbox<number>();
    manager.spawn(
      'w',
      (function* (): Proc {
        for (let i = 0; i < 3; i++) {
          const { index, value } = yield* waitFirst([box.arrival, 10]);
          log.push(`${scheduler.now} ${index} ${value}`);
        }
      })(),
    );
    scheduler.run(5);
    box.tryPut(1);
    box.tryPut(2);
    scheduler.run();
    expect(log).to.deep.equal(['5 0 1', '5 0 2', '15 1 undefined']);
    expect(box.getting).to.equal(0);
  });

  it('takes the item itself back from a process that waited for it and a time limit, killed or interrupted', () => {
    for (const end of ['kill', 'interrupt'] as const) {
      const box = new Mailbox<number>();
      const taker = manager.spawn(
        'taker',
        (function* (): Proc {
          try {
            yield* waitFirst([box.arrival, 100]);
          } catch {
            log.push('interrupted');
          }
        })(),
      );
      scheduler.run(10);
      box.tryPut(7);
      taker[end](new Error('stop'));
      expect([box.size, box.tryPeek()], end).to.deep.equal([1, 7]);
      scheduler.run();
      expect([box.size, box.tryGet()], end).to.deep.equal([1, 7]);
    }
    expect(log).to.deep.equal(['interrupted']);
  });

  it('shows an item that came back to those who began to peek while it was on its way', () => {
    const box = new Mailbox<number>();
    const taker = getter('taker', box);
    const at10 = (name: string, act: () => Proc): Process =>
      manager.spawn(
        name,
        (function* (): Proc {
          yield* delay(10);
          yield* act();
        })(),
      );
    // All three are due before the taker goes on.
    at10('put', () => box.put(1));
    at10('peek', function* () {
      log.push(`peek ${yield* box.peek()}`);
    });
    at10('killer', function* () {
      taker.kill();
      yield* delay(0);
    });
    scheduler.run();
    expect([box.size, log]).to.deep.equal([1, ['peek 1']]);
  });

  it('delivers every item once and in order, with any number of putters, getters and any capacity', () => {
    const times = fc.array(fc.nat(20), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        times,
        times,
        fc.integer({ min: 1, max: 3 }),
        (capacity, puts, gets, n) => {
          const s = new Scheduler();
          const m = new ProcessManager(s);
          const box = new Mailbox<number>(capacity);
          const taken: number[] = [];
          m.spawn(
            'put',
            (function* (): Proc {
              for (let i = 0; i < puts.length; i++) {
                yield* delay(puts[i] as number);
                yield* box.put(i);
                expect(box.size).to.be.at.most(capacity);
              }
            })(),
          );
          for (let g = 0; g < n; g++) {
            m.spawn(
              'get',
              (function* (): Proc {
                for (let i = 0; ; i++) {
                  yield* delay(gets[i % gets.length] ?? 0);
                  taken.push(yield* box.get());
                }
              })(),
            );
          }
          m.spawn(
            'limit',
            (function* (): Proc {
              yield* delay(10_000);
            })(),
          );
          s.run();
          expect(taken).to.deep.equal(puts.map((_, i) => i));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reports its fill level and refuses a capacity below 1', () => {
    const box = new Mailbox<number>(4, 'rx');
    box.tryPut(1);
    expect(box.describe()).to.equal('mailbox rx: 1 of 4 items, 0 getting, 0 putting');
    expect(new Mailbox().describe()).to.equal('mailbox mailbox: 0 items, 0 getting, 0 putting');
    for (const bad of [0, -1, 1.5, Number.NaN]) expect(() => new Mailbox(bad)).to.throw(RangeError, `${bad}`);
  });
});

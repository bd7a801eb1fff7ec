import { expect } from 'chai';
import { delay, type Proc, type Process, ProcessManager } from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import { Semaphore } from '../../../../uvm/kernel/semaphore.ts';

describe('Semaphore', () => {
  let scheduler: Scheduler;
  let manager: ProcessManager;
  let log: string[];

  beforeEach(() => {
    scheduler = new Scheduler();
    manager = new ProcessManager(scheduler);
    log = [];
  });

  const user = (name: string, semaphore: Semaphore, keys: number, time: number): Process =>
    manager.spawn(
      name,
      (function* (): Proc {
        yield* semaphore.get(keys);
        log.push(`${scheduler.now} ${name}`);
        yield* delay(time);
        semaphore.put(keys);
      })(),
    );

  it('lets one at a time through', () => {
    const semaphore = new Semaphore(1, 'hcr');
    for (const name of ['a', 'b', 'c']) user(name, semaphore, 1, 10);
    scheduler.run();
    expect(log).to.deep.equal(['0 a', '10 b', '20 c']);
    expect(semaphore.available).to.equal(1);
  });

  it('does not let a small request overtake a large one', () => {
    const semaphore = new Semaphore(2);
    user('a', semaphore, 1, 10);
    user('large', semaphore, 2, 10);
    user('small', semaphore, 1, 10);
    scheduler.run(5);
    expect(semaphore.tryGet()).to.equal(false);
    expect(semaphore.waiting).to.equal(2);
    scheduler.run();
    expect(log).to.deep.equal(['0 a', '10 large', '20 small']);
  });

  it('returns the keys granted to a process that is killed before it goes on', () => {
    const semaphore = new Semaphore(1);
    user('a', semaphore, 1, 10);
    const b = user('b', semaphore, 1, 10);
    user('c', semaphore, 1, 10);
    manager.spawn(
      'killer',
      (function* (): Proc {
        yield* delay(9);
        yield* delay(1);
        b.kill();
      })(),
    );
    scheduler.run();
    expect(log).to.deep.equal(['0 a', '10 c']);
    expect(semaphore.available).to.equal(1);
  });

  it('serves those behind a large request when that goes away', () => {
    const semaphore = new Semaphore(1);
    const large = user('large', semaphore, 2, 10);
    user('small', semaphore, 1, 10);
    scheduler.run();
    expect(log).to.deep.equal([]);
    large.kill();
    scheduler.run();
    expect(log).to.deep.equal(['0 small']);
  });

  it('hold returns its key when the body throws or is killed', () => {
    const semaphore = new Semaphore(1);
    function* long(): Proc<number> {
      yield* delay(10);
      return 5;
    }
    const killed = manager.spawn('killed', semaphore.hold(long()));
    scheduler.run(5);
    expect(semaphore.available).to.equal(0);
    killed.kill();
    expect(semaphore.available).to.equal(1);
    const ends = manager.spawn('ends', semaphore.hold(long()));
    scheduler.run();
    expect(ends.result).to.equal(5);
    expect(semaphore.available).to.equal(1);
  });

  it('reports its state and refuses what is no number of keys', () => {
    const semaphore = new Semaphore(3, 's');
    expect(semaphore.describe()).to.equal('semaphore s: 3 keys free, 0 waiting');
    expect(() => new Semaphore(-1)).to.throw(RangeError, '-1');
    expect(() => semaphore.put(0.5)).to.throw(RangeError, '0.5');
    expect(() => semaphore.tryGet(Number.NaN)).to.throw(RangeError, 'NaN');
  });
});

import { expect } from 'chai';
import { Event } from '../../../../uvm/kernel/event.ts';
import { delay, type Proc, ProcessManager } from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';

describe('Event', () => {
  let scheduler: Scheduler;
  let manager: ProcessManager;
  let log: string[];

  beforeEach(() => {
    scheduler = new Scheduler();
    manager = new ProcessManager(scheduler);
    log = [];
  });

  const waiter = (name: string, event: Event<number>, on = false): void => {
    manager.spawn(
      name,
      (function* (): Proc {
        const data = yield* on ? event.waitOn() : event.wait();
        log.push(`${scheduler.now} ${name} ${data}`);
      })(),
    );
  };

  it('wakes all who wait, in order, with its data', () => {
    const event = new Event<number>('e');
    waiter('a', event);
    waiter('b', event);
    manager.spawn(
      't',
      (function* (): Proc {
        yield* delay(10);
        expect(event.waiting).to.equal(2);
        event.trigger(5);
      })(),
    );
    scheduler.run();
    expect(log).to.deep.equal(['10 a 5', '10 b 5']);
  });

  it('stays on for waitOn until reset, but wait waits for the next trigger', () => {
    const event = new Event<number>('e');
    event.trigger(1);
    waiter('on', event, true);
    waiter('next', event);
    scheduler.run();
    expect(log).to.deep.equal(['0 on 1']);
    event.reset();
    expect([event.isOn, event.data]).to.deep.equal([false, undefined]);
    waiter('late', event, true);
    scheduler.run();
    event.trigger(2);
    scheduler.run();
    expect(log).to.deep.equal(['0 on 1', '0 next 2', '0 late 2']);
  });

  it('names itself for reports', () => {
    expect(new Event('link up').describe()).to.equal('event link up');
  });
});

import { expect } from 'chai';
import { DeadlockReport } from '../../../../uvm/kernel/deadlock.ts';
import { Event } from '../../../../uvm/kernel/event.ts';
import { Mailbox } from '../../../../uvm/kernel/mailbox.ts';
import { delay, join, type Proc, ProcessManager } from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import { Semaphore } from '../../../../uvm/kernel/semaphore.ts';

describe('DeadlockReport', () => {
  it('names every parked process with its path, what it waits for and since when, and the registered sections', () => {
    const scheduler = new Scheduler();
    const manager = new ProcessManager(scheduler);
    const report = new DeadlockReport(manager);
    const box = new Mailbox<number>(2, 'commands');
    const semaphore = new Semaphore(0, 'hcr');
    report.register('objections', () => ['main sequence, raised by top.vseq']);
    report.register('queues', () => [box.describe()]);
    report.register('queues', () => [semaphore.describe()]);
    report.register('sessions', () => []);
    manager.spawn(
      'driver',
      (function* (): Proc {
        yield* delay(2000);
        report.progress('command done');
        yield* box.get();
      })(),
    );
    manager.spawn(
      'vseq',
      (function* (): Proc {
        const child = manager.spawn('host0', semaphore.get());
        yield* join(child);
      })(),
    );
    manager.spawn('irq', new Event('interrupt').wait(), { daemon: true });
    expect(scheduler.run()).to.equal('empty');
    expect(report.text().split('\n')).to.deep.equal([
      'deadlock at 2ns: no event is scheduled',
      'last progress: command done at 2ns',
      'parked processes:',
      '  vseq waits for end of process vseq.host0 since 0ps',
      '  vseq.host0 waits for 1 key of semaphore hcr: 0 keys free, 1 waiting since 0ps',
      '  driver waits for item from mailbox commands: 0 of 2 items, 1 getting, 0 putting since 2ns',
      '  irq (daemon) waits for event interrupt since 0ps',
      'objections:',
      '  main sequence, raised by top.vseq',
      'queues:',
      '  mailbox commands: 0 of 2 items, 1 getting, 0 putting',
      '  semaphore hcr: 0 keys free, 1 waiting',
      'sessions: none',
    ]);
  });

  it('leaves out who is idle, as a driver is that nobody asks for anything', () => {
    const manager = new ProcessManager(new Scheduler());
    const report = new DeadlockReport(manager);
    const never = new Event('never');
    const idle = { idle: true, park: (): void => {}, unpark: (): void => {}, describe: (): string => 'work' };
    manager.spawn('stuck', never.wait());
    manager.spawn(
      'driver',
      (function* (): Proc {
        yield idle;
      })(),
    );
    manager.scheduler.run();
    expect(report.text().split('\n').slice(1)).to.deep.equal([
      'parked processes:',
      '  stuck waits for event never since 0ps',
    ]);
  });

  it('counts what it does not list', () => {
    const manager = new ProcessManager(new Scheduler());
    const report = new DeadlockReport(manager);
    const event = new Event('never');
    for (let i = 0; i < 25; i++) manager.spawn(`p${i}`, event.wait());
    manager.scheduler.run();
    const lines = report.text().split('\n');
    expect(lines.length).to.equal(2 + 20 + 1);
    expect(lines[22]).to.equal('  ... and 5 more; +UVM_VERBOSITY=UVM_HIGH lists all');
    report.listed = Infinity;
    expect(report.text().split('\n')).to.have.length(2 + 25);
  });

  it('lists daemons last, and before them what is said to matter most', () => {
    const manager = new ProcessManager(new Scheduler());
    const report = new DeadlockReport(manager);
    const event = new Event('never');
    manager.spawn('service', event.wait(), { daemon: true });
    for (const name of ['bystander', 'stuck']) manager.spawn(name, event.wait());
    manager.scheduler.run();
    const names = (): string[] => [...report.text().matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name as string);
    expect(names()).to.deep.equal(['bystander', 'stuck', 'service']);
    report.rank = (process) => (process.name === 'stuck' ? 0 : 1);
    expect(names()).to.deep.equal(['stuck', 'service', 'bystander']);
  });
});

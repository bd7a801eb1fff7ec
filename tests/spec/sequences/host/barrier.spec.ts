import { expect } from 'chai';
import { Barrier } from '../../../../sequences/host/barrier.ts';
import { type Proc, ProcessManager, delay } from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';

describe('Barrier', () => {
  it('lets nobody go before the last has arrived, round after round', () => {
    const processes = new ProcessManager(new Scheduler());
    const barrier = new Barrier('b', 3);
    const log: string[] = [];
    function* party(pace: number): Proc {
      for (let round = 0; round < 3; round++) {
        yield* delay(pace);
        log.push(`${round}`);
        yield* barrier.arrive();
        log.push(`${round}!`);
      }
    }
    processes.spawn('a', party(1));
    processes.spawn('b', party(100));
    processes.spawn('c', party(7));
    processes.scheduler.run();
    // Nobody leaves a round before everybody has entered it.
    for (const round of ['0', '1', '2']) expect(log.indexOf(`${round}!`)).to.be.above(log.lastIndexOf(round));
    expect(log.length).to.equal(18);
  });

  it('lets a single party through at once', () => {
    const processes = new ProcessManager(new Scheduler());
    const done = processes.spawn('a', new Barrier('b', 1).arrive());
    processes.scheduler.run();
    expect(done.state).to.equal('finished');
  });
});

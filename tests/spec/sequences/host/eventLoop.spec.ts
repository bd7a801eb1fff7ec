import { expect } from 'chai';
import type { HostApi } from '../../../../env/verbs/hostApi.ts';
import { Cq } from '../../../../env/verbs/verbsObjects.ts';
import { EventLoop, type EventLoopUser } from '../../../../sequences/host/eventLoop.ts';
import { Stillness } from '../../../../sequences/host/stillness.ts';
import { Mailbox } from '../../../../uvm/kernel/mailbox.ts';
import { type Proc, ProcessManager, delay } from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import { MS, US } from '../../../../uvm/kernel/time.ts';

/**
 * A NIC that fires an armed queue when a completion comes, or came while the doorbell was on its way, unless it is told
 * to forget one or the other; arming takes 1 us.
 */
class FakeHost implements EventLoopUser {
  readonly processes = new ProcessManager(new Scheduler());
  readonly cq = new Cq(0, 1, 254, 64);
  readonly events = new Mailbox<Cq>();
  readonly lostCqs: Cq[] = [];
  expected = 0;
  forgetful = false;
  racy = false;
  /** Something moves until then, and events wait behind it, unless they are prompt. */
  busyUntil = 0;
  prompt = false;
  /** Time that the NIC thinks before it sends an event, and that the loop knows it may. */
  thinkTime = 0;
  silence = 0;
  dataTime = 0;
  #armedInNic = false;

  get api(): HostApi {
    return {
      armCq: () => this.#arm(),
      waitEvent: () => this.events.get(),
    } as unknown as HostApi;
  }

  loop(): EventLoop {
    const { scheduler } = this.processes;
    const stillness = new Stillness({
      activity: () => Math.min(this.busyUntil, scheduler.now) + this.cq.produced,
      inFlight: () => 0,
    });
    const patience = { stillness, silence: this.silence, dataTime: () => this.dataTime };
    return new EventLoop(this.api, [this.cq], this.processes, this, patience);
  }

  complete(): void {
    this.cq.produced++;
    if (!this.#armedInNic || this.forgetful) return;
    this.#armedInNic = false;
    this.processes.spawn('event', this.#fire(), { daemon: true });
  }

  *#fire(): Proc<void> {
    const busy = this.prompt ? US : this.busyUntil - this.processes.scheduler.now;
    yield* delay(Math.max(0, busy) + this.thinkTime);
    this.cq.armed = 0;
    this.events.tryPut(this.cq);
  }

  drain(cq: Cq): void {
    this.expected -= cq.arrived;
    cq.consumed = cq.produced;
  }

  finished(): boolean {
    return this.expected === 0;
  }

  lost(cq: Cq): void {
    this.lostCqs.push(cq);
  }

  *#arm(): Proc<void> {
    this.cq.armed = 2;
    this.processes.spawn('arm', this.#armLater(this.cq.consumed), { daemon: true });
    yield* delay(0);
  }

  *#armLater(consumer: number): Proc<void> {
    yield* delay(US);
    if (this.cq.produced > consumer && !this.racy) yield* this.#fire();
    else this.#armedInNic = true;
  }
}

function runWith(host: FakeHost, times: readonly number[]): boolean {
  const loop = host.loop();
  host.expected = times.length;
  function* body(): Proc {
    yield* loop.armAll();
    yield* loop.run();
  }
  function* nic(): Proc {
    for (const time of times) {
      yield* delay(time - host.processes.scheduler.now);
      host.complete();
    }
  }
  const done = host.processes.spawn('loop', body());
  host.processes.spawn('nic', nic());
  host.processes.scheduler.run();
  return done.state === 'finished';
}

describe('EventLoop', () => {
  it('takes completions by events', () => {
    const host = new FakeHost();
    expect(runWith(host, [5 * US, 9 * US, 13 * US])).to.equal(true);
    expect(host.lostCqs).to.deep.equal([]);
    expect(host.processes.scheduler.now).to.equal(20 * US); // the timer's last tick is stale and does nothing
  });

  it('is told of what came while the arm doorbell was on its way', () => {
    const host = new FakeHost();
    expect(runWith(host, [5 * US, 5.5 * US])).to.equal(true);
    expect(host.lostCqs).to.deep.equal([]);
  });

  it('reports an event that was owed for what came while the arm doorbell was on its way', () => {
    const host = new FakeHost();
    host.racy = true;
    expect(runWith(host, [5 * US, 5.5 * US])).to.equal(true);
    expect(host.lostCqs).to.deep.equal([host.cq]);
  });

  it('does not hold against a queue that it is never empty when the timer looks', () => {
    const host = new FakeHost();
    host.busyUntil = 900 * MS;
    host.prompt = true;
    const times = Array.from({ length: 30_000 }, (_, i) => (10 * i + 9) * US + 900_000);
    expect(runWith(host, times)).to.equal(true);
    expect(host.lostCqs).to.deep.equal([]);
  });

  it('reports an event that an armed queue owed', () => {
    const host = new FakeHost();
    host.forgetful = true;
    expect(runWith(host, [105 * US])).to.equal(true);
    expect(host.lostCqs).to.deep.equal([host.cq]);
  });

  it('waits for an event that the NIC has not come to', () => {
    const host = new FakeHost();
    host.busyUntil = 905 * US;
    expect(runWith(host, [105 * US])).to.equal(true);
    expect(host.lostCqs).to.deep.equal([]);
  });

  it('waits in silence for a slow NIC as long as it is told, and no longer', () => {
    for (const thinkTime of [0, 450 * US, 700 * US]) {
      const host = new FakeHost();
      host.silence = 500 * US;
      host.thinkTime = thinkTime;
      expect(runWith(host, [105 * US])).to.equal(true);
      expect(host.lostCqs).to.have.length(thinkTime > 500 * US ? 1 : 0);
    }
  });

  it('waits for as long as the data on its way takes', () => {
    const host = new FakeHost();
    host.busyUntil = 900 * MS;
    host.dataTime = 900 * MS;
    expect(runWith(host, [105 * US])).to.equal(true);
    expect(host.lostCqs).to.deep.equal([]);
  });

  it('reports an event that a busy NIC owes for very long', () => {
    const host = new FakeHost();
    host.forgetful = true;
    host.busyUntil = 900 * MS;
    expect(runWith(host, [105 * US])).to.equal(true);
    expect(host.lostCqs).to.deep.equal([host.cq]);
  });

  it('gives up when nothing comes, so that the run is seen to be stuck', () => {
    const host = new FakeHost();
    host.expected = 1;
    const loop = host.loop();
    const waiting = host.processes.spawn('loop', loop.run());
    expect(host.processes.scheduler.run()).to.equal('empty');
    expect(waiting.state).to.equal('parked');
  });
});

import { expect } from 'chai';
import type { PlayEnv } from '../../../../sequences/host/playEnv.ts';
import { settle } from '../../../../sequences/host/settle.ts';
import { ProcessManager } from '../../../../uvm/kernel/process.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import { MS, US } from '../../../../uvm/kernel/time.ts';

function settleWith(
  activity: (now: number) => number,
  inFlight: (now: number) => number,
  window = 5 * US,
): { end: number; quiet: number; result: unknown } {
  const processes = new ProcessManager(new Scheduler());
  const { scheduler } = processes;
  let quiet = -1;
  const env: PlayEnv = {
    hosts: [],
    stallTime: 200 * MS,
    lossAllowed: false,
    link: {
      longestDelay: 0,
      addFault: () => ({ text: '', matched: 0, fired: 0, stop: () => {} }),
      inject: () => {},
    },
    pcie: { addFault: () => ({ text: '', matched: 0, fired: 0, stop: () => {} }) },
    activity: () => activity(scheduler.now),
    owesCompletion: () => false,
    inFlight: () => inFlight(scheduler.now),
    quiet: () => {
      quiet = scheduler.now;
    },
  };
  const process = processes.spawn('settle', settle(env, window));
  scheduler.run();
  return { end: scheduler.now, quiet, result: process.result };
}

describe('settle', () => {
  it('lets time pass between two looks, however short a rest is asked for', () => {
    for (const window of [0, 1]) {
      const { end, result } = settleWith(
        (now) => Math.min(now, 3 * US),
        () => 0,
        window,
      );
      expect([result, end >= 3 * US && end < 4 * US]).to.deep.equal([true, true]);
    }
  });

  it('tells the judge after one window without movement', () => {
    expect(
      settleWith(
        () => 1,
        () => 0,
      ),
    ).to.deep.equal({ end: 5 * US, quiet: 5 * US, result: true });
  });

  it('goes on while transactions move', () => {
    expect(
      settleWith(
        (now) => Math.min(now, 12 * US),
        () => 0,
      ).quiet,
    ).to.equal(20 * US);
  });

  it('goes on while a frame is on a long cable, although nothing moves', () => {
    expect(
      settleWith(
        () => 1,
        (now) => (now < 23 * US ? 1 : 0),
      ).quiet,
    ).to.equal(25 * US);
  });

  it('has as much patience with slow answers as a queue pair that makes no progress is given', () => {
    expect(
      settleWith(
        (now) => Math.min(now, 199 * MS),
        () => 0,
      ).result,
    ).to.equal(true);
  });

  it('gives up on what never comes to rest, and tells the judge nothing', () => {
    const { quiet, result, end } = settleWith(
      (now) => now,
      () => 0,
    );
    expect([quiet, result, end]).to.deep.equal([-1, false, 200 * MS]);
  });
});

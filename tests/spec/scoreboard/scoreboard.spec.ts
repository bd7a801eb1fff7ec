import { expect } from 'chai';
import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import { PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { Scoreboard } from '../../../scoreboard/scoreboard.ts';
import { Component } from '../../../uvm/base/component.ts';
import type { Phase } from '../../../uvm/base/phase.ts';
import { Event } from '../../../uvm/kernel/event.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import { delay } from '../../../uvm/kernel/process.ts';
import { Run } from '../../../uvm/run.ts';
import { FakeMemory } from './fakeMemory.ts';
import { MS } from '../../../uvm/kernel/time.ts';

const STALL_TIME = 50 * MS;

/** Posts one send if asked to, and keeps the run phase alive for 80 ms. */
class Idle extends Component {
  scoreboard: Scoreboard | null = null;
  posts = false;
  /** Waits of 10 ms; after a single one it waits for ever. */
  waits = 8;

  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this);
    if (this.posts) this.#post();
    for (let i = 0; i < this.waits; i++) yield* delay(10 * MS);
    if (this.waits === 1) yield* new Event('never').wait();
    phase.dropObjection(this);
  }

  #post(): void {
    const connected = {
      remoteHost: 1,
      remoteQpn: 15,
      sqPsn: 0,
      rqPsn: 0,
      qkey: 0,
      ackTimeout: 0,
      rnrRetry: 7,
      signalAll: true,
      mtu: 1024,
    };
    const qp = { host: 0, qpn: 14, process: 1, type: QP_TYPE.rc, sendCqn: 1, recvCqn: 1, ...connected };
    this.scoreboard?.observer?.qpInRts(qp);
    const item = new PostedSend();
    item.qpn = 14;
    item.remoteHost = 1;
    item.wr.opcode = 0;
    this.scoreboard?.observer?.postedSend(item);
  }
}

function runWith(posts: boolean, waits = 8, sink = (_: string) => {}): { run: Run; scoreboard: Scoreboard } {
  const run = new Run({ seed: 1, testName: '', sink });
  const scoreboard = new Scoreboard('scoreboard', run, {
    hosts: 2,
    memory: new FakeMemory(2, run.bytes),
    profile: HANGU_PROFILE,
    stallTime: STALL_TIME,
  });
  const idle = new Idle('idle', run);
  idle.scoreboard = scoreboard;
  idle.posts = posts;
  idle.waits = waits;
  run.runTest();
  return { run, scoreboard };
}

describe('Scoreboard', () => {
  it('looks for stuck queue pairs by itself and judges at the end', () => {
    const { run, scoreboard } = runWith(true);
    expect(run.reports.idCount(SCB.stuck)).to.equal(1);
    expect(run.reports.idCount(SCB.missing)).to.equal(1);
    expect(scoreboard.pendingWork()).to.have.length(1);
  });

  it('has what is outstanding listed when a run ends in the middle', () => {
    const { run } = runWith(true);
    expect(run.deadlock.waiting()).to.match(/queue pairs with work:\n {2}.*waits for 1 send completion/);
  });

  it('gives a run up in which nothing has got on for two stall times, and says what is outstanding', () => {
    const lines: string[] = [];
    const { run } = runWith(true, 100, (text) => lines.push(text));
    expect(run.reports.idCount(SCB.stuck)).to.equal(2);
    expect(run.scheduler.now).to.be.within(2 * STALL_TIME, 2.6 * STALL_TIME);
    expect(lines.join('')).to.match(/UVM_FATAL .*nothing has got on for 100ms, the run is given up: host 0 QP 14/);
  });

  it('names the queue pair before a deadlock ends the run, without waiting for the stall time', () => {
    const { run } = runWith(true, 1);
    expect(run.reports.idCount(SCB.stuck)).to.equal(1);
    expect(run.scheduler.now).to.be.below(STALL_TIME);
  });

  it('warns of a run without a single check', () => {
    const { run, scoreboard } = runWith(false);
    expect(scoreboard.vacuous).to.equal(true);
    expect(run.reports.idCount(SCB.vacuous)).to.equal(1);
    expect(run.reports.idCount(SCB.stuck)).to.equal(0);
  });

  it('observes nothing when switched off', () => {
    const run = new Run({ seed: 1, testName: '', sink: () => {} });
    const options = { hosts: 2, profile: HANGU_PROFILE, memory: new FakeMemory(2, run.bytes) };
    const watching = Object.values(CHECK_LEVEL).filter((level) => {
      const scoreboard = new Scoreboard(`scoreboard${level}`, run, { ...options, level });
      return scoreboard.observer !== null;
    });
    expect(watching).to.deep.equal(Object.values(CHECK_LEVEL).filter((level) => level !== CHECK_LEVEL.off));
  });
});

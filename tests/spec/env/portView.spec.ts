import { expect } from 'chai';
import type { LinkAgent } from '../../../agents/link/linkAgent.ts';
import { LinkStatistics } from '../../../agents/link/linkStatistics.ts';
import type { TransportMonitor } from '../../../scoreboard/reference/transportMonitor.ts';
import { IdleTime } from '../../../agents/idleTime.ts';
import { PcieStatistics } from '../../../agents/pcie/pcieStatistics.ts';
import type { HostEnv } from '../../../env/hostEnv.ts';
import { Profiles } from '../../../scoreboard/model/profiles.ts';
import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import { PortView } from '../../../env/ports/portView.ts';
import { US } from '../../../uvm/kernel/time.ts';

const REST = 6 * US;

/** A view of one host, whose ports the spec moves by hand. */
class Bench {
  readonly bus = new PcieStatistics();
  readonly port = new LinkStatistics();
  readonly link = { emptyAt: 0, inFlight: 0, statistics: [this.port] };
  readonly clock = { now: 0 };
  readonly slave: { faults: object | null } = { faults: null };
  /** Memory on the card, when there is some. */
  readonly ddr: { readonly idle: IdleTime; movedAt: number } | null;
  readonly view: PortView;

  constructor(hasCard = false) {
    this.ddr = hasCard ? { idle: new IdleTime(), movedAt: 0 } : null;
    const settings = { upLatency: US / 2, downLatency: US / 2, memoryLatency: US, rate: 8, headerBytes: 17 };
    const agent = { slave: this.slave, statistics: this.bus, settings };
    const host = { agent, ddr: this.ddr, run: { scheduler: this.clock } } as unknown as HostEnv;
    const profile = { ...HANGU_PROFILE, restTime: REST };
    this.view = new PortView([host], this.link as unknown as LinkAgent, {} as TransportMonitor, new Profiles(profile));
  }

  /** A frame comes at `time` us, and is the last one on the link. */
  frame(time: number): this {
    this.clock.now = time * US;
    this.port.receives(100, this.clock.now);
    this.link.emptyAt = this.clock.now;
    return this;
  }

  /** The NIC writes to its host at `time` us. */
  write(time: number): this {
    this.clock.now = time * US;
    this.bus.idle.ends(this.bus.lastAt, this.clock.now);
    this.bus.lastAt = this.clock.now;
    return this;
  }

  /** A bank of the card is done with a burst at `time` us. */
  burst(time: number): this {
    const { ddr } = this;
    if (ddr === null) throw new Error('no memory on the card');
    ddr.idle.ends(ddr.movedAt, time * US);
    ddr.movedAt = time * US;
    return this;
  }

  /** Whether, at `time` us, the NIC has come to rest after it was sent something at `since` us. */
  hasRested(since: number, time: number): boolean {
    this.clock.now = time * US;
    return this.view.hasRested(0, since * US);
  }
}

describe('PortView', () => {
  it('takes a NIC to rest when nothing has moved at either port since the frame came', () => {
    const b = new Bench().frame(10);
    expect([b.hasRested(9, 15), b.hasRested(9, 16)]).to.deep.equal([false, true]);
    const busy = new Bench().frame(10).write(14);
    expect([busy.hasRested(9, 19), busy.hasRested(9, 20)]).to.deep.equal([false, true]);
  });

  it('counts the rest after what software did from when the NIC hears of it', () => {
    const b = new Bench().write(1);
    const hasPaused = (since: number, time: number): boolean => {
      b.clock.now = time * US;
      return b.view.hasPaused(0, since * US);
    };
    // Half a microsecond on its way, behind 31 others of 25 ns.
    expect([hasPaused(2, 9.2), hasPaused(2, 9.4)]).to.deep.equal([false, true]);
  });

  it('does not take a NIC to rest whose card still stores what has come', () => {
    const b = new Bench(true).frame(10).burst(14).burst(18);
    expect([b.hasRested(9, 23), b.hasRested(9, 24)]).to.deep.equal([false, true]);
    b.burst(25);
    expect(b.hasRested(9, 25)).to.equal(true);
  });

  it('remembers a rest that is over', () => {
    const b = new Bench().frame(10).write(11).write(18);
    b.port.receives(100, 18 * US);
    expect(b.hasRested(9, 18)).to.equal(true);
  });

  it('does not take pauses of one port for a rest, nor those of both at different times', () => {
    const b = new Bench().frame(10).write(13);
    b.port.sends(100, 14 * US, 15 * US);
    b.write(20);
    expect(b.hasRested(9, 20)).to.equal(false);
  });

  it('does not know of frames that may be on their way, nor of a NIC that waits for its host or is heard by it later', () => {
    const b = new Bench().frame(10);
    expect([b.hasRested(10, 30), b.hasRested(-1, 30)]).to.deep.equal([false, false]);
    b.bus.outstanding = 1;
    expect(b.hasRested(9, 30)).to.equal(false);
    b.bus.outstanding = 0;
    b.bus.writes++;
    expect(b.hasRested(9, 30)).to.equal(false);
    b.bus.arrived++;
    expect(b.hasRested(9, 30)).to.equal(true);
    b.slave.faults = {};
    expect(b.hasRested(9, 30)).to.equal(false);
  });

  it('takes a NIC to have been idle when it rested that long after both the moment and the latest frame', () => {
    for (const [frame, since] of [
      [10, 12],
      [12, 9],
    ] as const) {
      const idleUntil = (time: number, inFlight = 0): boolean => {
        const b = new Bench().frame(frame).write(time);
        b.link.inFlight = inFlight;
        return b.view.hasIdled(0, since * US, 20 * US);
      };
      expect([idleUntil(37), idleUntil(38), idleUntil(38, 1)], `frame at ${frame}`).to.deep.equal([false, true, false]);
    }
  });

  it('gives a NIC time for the latest frame, by the speed of its bus', () => {
    const b = new Bench().frame(10);
    const heard = (time: number): boolean => {
      b.clock.now = time * US;
      return b.view.hasHeardAll(0);
    };
    expect([heard(36), heard(37)]).to.deep.equal([false, true]);
    b.link.inFlight = 1;
    expect(heard(50)).to.equal(false);
  });
});

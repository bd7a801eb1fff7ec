/** Work that waits for its turn while its NIC serves others. */

import { expect } from 'chai';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { QP_TYPE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { WirePacket } from '../../../scoreboard/model/wirePacket.ts';
import type { WireView } from '../../../scoreboard/model/wireView.ts';
import { type Entry, FakeWorld, QPN, SRC_HI } from './fakeWorld.ts';
import { NO_WIRE } from '../../../scoreboard/model/wireView.ts';
import { EMPTY_SEND } from './wirePackets.ts';

const US = 1_000_000;
const SOURCE: Entry[] = [[SRC_HI, 0, 60]];
/** Frames for each of the queue pairs of a host, of which it has one. */
const PLENTY = 4096;
/** Time that a frame takes to the other host, and frames that fit into that. */
const TRIP = 2 * US;
const FRAMES_OF_TRIP = 10;

class World extends FakeWorld {
  readonly port: { frames: number };

  constructor(type: number = QP_TYPE.rc, hosts = 2) {
    const port = { frames: 0 };
    const wire: WireView = {
      ...NO_WIRE,
      shortestTrip: TRIP,
      sentFrames: () => port.frames,
      mostFrames: (time) => (time / TRIP) * FRAMES_OF_TRIP,
    };
    super({ wire, hosts }, type);
    this.port = port;
  }

  packet(over: Partial<WirePacket>): void {
    this.oracle.packet({
      ...EMPTY_SEND,
      ...over,
    });
  }

  /** Time in which the NICs send so many frames. */
  passes(frames: number): void {
    this.clock.now += 5 * US;
    this.port.frames += frames;
  }
}

describe('a queue pair that is given work', () => {
  /** A packet of its own is among the frames. */
  const turn = (w: World, frames: number): void => {
    w.passes(frames + 1);
    w.packet({});
  };

  it('has its turn before its NIC has sent thousands of frames for others', () => {
    for (const [frames, ids] of [
      [PLENTY, []],
      [PLENTY + 1, [SCB.starved]],
    ] as const) {
      const w = new World();
      w.send(SOURCE);
      turn(w, frames);
      expect(w.ids()).to.deep.equal(ids);
    }
  });

  it('is told of as a number, also where no other host has sent anything', () => {
    const w = new World();
    expect(w.oracle.waits.longest).to.equal(0);
    w.send(SOURCE, { host: 1, remoteHost: 0, qpn: QPN[1] });
    w.passes(3);
    w.packet({ host: 1, to: 0, destQp: QPN[0] });
    expect(w.oracle.waits.longest).to.equal(5 * US);
  });

  it('may wait longer the more queue pairs its host has in use', () => {
    const w = new World();
    w.qp(0, 30);
    w.send(SOURCE);
    turn(w, 2 * PLENTY);
    expect(w.ids()).to.deep.equal([]);
    const gone = new World();
    gone.qp(0, 30);
    gone.oracle.qpGone(0, 30);
    gone.send(SOURCE);
    turn(gone, 2 * PLENTY);
    expect(gone.ids()).to.deep.equal([SCB.starved]);
  });

  it('is not judged where it had work before, and where it was stopped meanwhile', () => {
    const busy = new World();
    busy.send(SOURCE);
    turn(busy, 0);
    busy.send(SOURCE);
    const stopped = new World();
    stopped.send(SOURCE);
    stopped.oracle.qpResuming(0, QPN[0]);
    for (const w of [busy, stopped]) turn(w, 9 * PLENTY);
    expect([...busy.ids(), ...stopped.ids()]).to.deep.equal([]);
  });

  it('is named with the longest time that it has waited', () => {
    const w = new World();
    const first = w.send(SOURCE);
    turn(w, 7);
    w.sendDone(first);
    w.send(SOURCE);
    w.packet({ psn: 101 });
    expect(w.oracle.waits.longest).to.equal(5 * US);
    expect(w.oracle.waits.lines().join()).to.match(/^host 0 QP 14 .* 5us, 7 frames in between$/);
  });

  it('goes on with a message of UC before thousands of frames of others', () => {
    for (const [framesBetween, ids] of [
      [PLENTY, []],
      [PLENTY + 1, [SCB.starved]],
    ] as const) {
      const w = new World(QP_TYPE.uc);
      w.packet({ opcode: BTH_CLASS.uc | BTH_OP.sendMiddle, framesBetween });
      expect(w.ids()).to.deep.equal(ids);
    }
  });
});

describe('a READ', () => {
  const asked = (w: World, over: Partial<WirePacket> = {}): void =>
    w.packet({ opcode: BTH_OP.readRequest, time: w.clock.now, ...over });
  const answered = (w: World, frames: number, psn = 100): string[] => {
    w.passes(frames);
    w.packet({ host: 1, to: 0, destQp: QPN[0], opcode: BTH_OP.readResponseOnly, psn });
    return w.ids();
  };

  it('is answered before the NIC has sent thousands of frames since it came', () => {
    const [right, wrong] = [new World(), new World()];
    for (const w of [right, wrong]) asked(w);
    expect(answered(right, PLENTY + FRAMES_OF_TRIP)).to.deep.equal([]);
    expect(answered(wrong, PLENTY + FRAMES_OF_TRIP + 1)).to.deep.equal([SCB.starved]);
    expect(wrong.reports[0]?.text).to.contain('its READ with PSN 0x000064').and.contain('host 1 sent 4097 frames');
  });

  it('is not judged behind another READ, when something is sent again, over a switch, or next to unreliable queue pairs', () => {
    const second = new World();
    asked(second, { openReads: 1 });
    const again = new World();
    asked(again);
    again.packet({ psn: 99, retransmission: true });
    const far = new World(QP_TYPE.rc, 3);
    asked(far);
    const mixed = new World();
    mixed.qp(1, 40, QP_TYPE.ud);
    asked(mixed);
    for (const w of [second, again, far, mixed]) expect(answered(w, 9 * PLENTY)).to.deep.equal([]);
  });

  it('that is never answered keeps no other from being judged, once its queue pair is out of use', () => {
    const w = new World();
    asked(w);
    w.oracle.qpGone(0, QPN[0]);
    w.qp(0, QPN[0]);
    asked(w, { psn: 500 });
    expect(answered(w, 9 * PLENTY, 500)).to.deep.equal([SCB.starved]);
  });
});

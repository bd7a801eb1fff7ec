/** Requests without an answer, READs that are answered again, and requesters that give up. */

import { expect } from 'chai';
import type { Attempt, GivenUp } from '../../../scoreboard/reference/attempts.ts';
import { BTH_CLASS, BTH_OP, SYNDROME } from '../../../rdma/bth.ts';
import { ACCESS, QP_TYPE, WC_STATUS } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { WirePacket } from '../../../scoreboard/model/wirePacket.ts';
import type { WireView } from '../../../scoreboard/model/wireView.ts';
import { DST_HI, type Entry, FakeWorld, PROCESS, QPN, SRC_HI, type WorldOptions } from './fakeWorld.ts';
import { NO_WIRE } from '../../../scoreboard/model/wireView.ts';
import { EMPTY_SEND } from './wirePackets.ts';

const US = 1_000_000;
const SOURCE: Entry[] = [[SRC_HI, 0, 60]];
/** Of the regions of `FakeWorld`, and their protection domain. */
const REGION_BYTES = 0x1000_0000;
const PD = 1;
/** Least time that a frame takes. */
const TRIP = 2 * US;
/** Time that a NIC takes for a frame. */
const HEARING = 70 * US;
/** A packet that was sent again three times, the last time at 0. */
const TRIED: GivenUp = { psn: 100, made: 3, times: [], until: 100 * US, repliedAt: -1 };
const ATTEMPT: Attempt = {
  givenUp: [TRIED],
  wanted: 3,
  owedSince: -1,
  sentAt: 0,
  answered: false,
  retryTime: 100 * US,
  notReady: () => 0,
};

/** One that has tried a packet like `TRIED`, but for what is said. */
function tried(over: Partial<GivenUp>, more: Partial<Attempt> = {}): Attempt {
  return { ...ATTEMPT, givenUp: [{ ...TRIED, ...over }], ...more };
}

/** What is known of the wire; by default that nothing rests and nothing has come. */
class World extends FakeWorld {
  readonly seen: { rested: boolean; paused: boolean; heard: boolean; attempt: Attempt | undefined };

  constructor(seen: Partial<World['seen']> = {}, options: WorldOptions = {}) {
    const known = { rested: false, paused: false, heard: false, attempt: ATTEMPT, ...seen };
    const wire: WireView = {
      ...NO_WIRE,
      shortestTrip: TRIP,
      hasRested: (_host, since) => since >= 0 && known.rested,
      hasPaused: () => known.paused,
      hasHeardAll: () => known.heard,
      hearingTime: () => HEARING,
      attempt: () => known.attempt,
    };
    super({ wire, ...options });
    this.seen = known;
  }

  packet(over: Partial<WirePacket>): void {
    this.oracle.packet({
      ...EMPTY_SEND,
      retransmission: true,
      ...over,
    });
  }

  /** Ids after a SEND ended with RETRY_EXC_ERR. */
  givenUp(now = 500 * US): string[] {
    const item = this.send(SOURCE);
    this.clock.now = now;
    this.sendDone(item, { status: WC_STATUS.retryExcErr });
    return this.ids();
  }

  /** The reason that the report gives. */
  reason(): string {
    return this.reports[0]?.text.split('expected SUCCESS: ')[1] ?? '';
  }
}

describe('a request that is sent again for want of an answer', () => {
  it('is reported when the NIC of the responder came to rest without answering it', () => {
    const w = new World({ rested: true });
    w.packet({ unansweredSince: 5 * US, unansweredPsn: 100 });
    expect(w.ids()).to.deep.equal([SCB.unanswered]);
    expect(w.reports[0]?.text).to.contain('host 1 QP 15').and.to.contain('PSN 0x000064 of host 0 QP 14');
  });

  it('is let pass while the responder may be at work, and where no answer is due', () => {
    const busy = new World();
    busy.packet({ unansweredSince: 5 * US });
    const other = new World({ rested: true });
    other.packet({});
    expect([...busy.ids(), ...other.ids()]).to.deep.equal([]);
  });

  it('is let pass where software or an error has taken the responder out of service', () => {
    const stopped = new World({ rested: true });
    stopped.oracle.qpToErr(1, QPN[1]);
    const gone = new World({ rested: true });
    gone.oracle.qpGone(1, QPN[1]);
    const resetting = new World({ rested: true });
    resetting.oracle.qpToReset(1, QPN[1]);
    for (const w of [stopped, gone, resetting]) w.packet({ unansweredSince: 5 * US });
    expect([...stopped.ids(), ...gone.ids(), ...resetting.ids()]).to.deep.equal([]);
  });
});

describe('a requester that gives up for want of an answer', () => {
  it('may do so when none has reached it', () => {
    expect(new World().givenUp()).to.deep.equal([]);
    expect(new World({ heard: true }).givenUp()).to.deep.equal([]);
  });

  it('is reported when all answers had come, and its responder when it owes one', () => {
    const answered = new World({ heard: true, attempt: { ...ATTEMPT, givenUp: [] } });
    expect(answered.givenUp()).to.deep.equal([SCB.status]);
    expect(answered.reason()).to.equal('the peer has answered all that was sent');
    const owed = new World({ rested: true, attempt: { ...ATTEMPT, owedSince: 5 * US } });
    expect(owed.givenUp()).to.deep.equal([SCB.status]);
    expect(owed.reason()).to.equal('the peer has not answered what reached it at 5us');
    const busy = new World({ attempt: { ...ATTEMPT, owedSince: 5 * US } });
    expect(busy.givenUp()).to.deep.equal([]);
  });

  it('may have done so before an answer, or an RNR NAK, which had come when that was seen, was dealt with', () => {
    for (const [repliedAt, found] of [
      [31 * US, []],
      [30 * US, [SCB.status]],
    ] as const) {
      const w = new World({ heard: true, attempt: tried({ repliedAt }) });
      expect(w.givenUp()).to.deep.equal(found);
      if (found.length > 0)
        expect(w.reason()).to.equal('an answer to the packet with PSN 0x000064 had arrived at 30us');
    }
  });

  it('may have given up for either of two packets', () => {
    const early = { ...TRIED, repliedAt: 30 * US };
    const attempt = (second: GivenUp): Attempt => ({ ...ATTEMPT, givenUp: [early, second] });
    expect(new World({ heard: true, attempt: attempt(TRIED) }).givenUp()).to.deep.equal([]);
    expect(new World({ heard: true, attempt: attempt({ ...TRIED, made: 2 }) }).givenUp()).to.deep.equal([SCB.status]);
  });

  for (const deaf of [true, false]) {
    it(`must have tried as often as it may, ${deaf ? 'also when its peer is gone' : 'also on a link that loses frames'}`, () => {
      const w = new World({ attempt: tried({ made: 2, times: [40 * US, 80 * US] }) }, { disturbed: !deaf });
      if (deaf) w.oracle.qpGone(1, QPN[1]);
      expect(w.givenUp()).to.deep.equal([SCB.status]);
      const right = 'the packet with PSN 0x000064 was sent again 2 times (at 40us, 80us), and 3 are needed to give up';
      expect(w.reason()).to.equal(right);
    });

    it(`may do so after as many attempts ${deaf ? 'when its peer is gone' : 'on a link that loses frames'}`, () => {
      const w = new World({ rested: true, heard: true }, { disturbed: !deaf });
      if (deaf) w.oracle.qpGone(1, QPN[1]);
      expect(w.givenUp()).to.deep.equal([]);
    });
  }

  it('must have waited after the last attempt', () => {
    const w = new World({ attempt: tried({ until: 600 * US }) });
    w.oracle.qpGone(1, QPN[1]);
    expect(w.givenUp(599 * US)).to.deep.equal([SCB.status]);
    expect(w.reason()).to.contain('cannot have expired');
  });

  it('is not judged where it may have taken packets that nobody has sent so', () => {
    expect(new World({ attempt: { ...ATTEMPT, givenUp: undefined } }).givenUp()).to.deep.equal([]);
  });

  it('is judged by what software did where nothing is known of the wire', () => {
    const attempt = undefined;
    expect(new World({ attempt }).givenUp()).to.deep.equal([SCB.status]);
    expect(new World({ attempt }, { disturbed: true }).givenUp()).to.deep.equal([]);
  });
});

describe('a READ that is answered again', () => {
  /** Ids after host 1 sent the bytes at `va` again, `change` of them wrong. */
  function answeredAgain(w: World, va: number, change: (payload: Uint8Array) => void = () => {}): string[] {
    const length = 300;
    const payload = w.memory.bytes.alloc(length);
    const right = w.memory.peek(1, PROCESS, SRC_HI, va, length);
    change(right);
    w.memory.bytes.u8.set(right, payload);
    const back = { host: 1, to: 0, destQp: QPN[0], opcode: BTH_CLASS.rc | BTH_OP.readResponseOnly };
    w.packet({
      ...back,
      answersRead: true,
      answersAgain: true,
      vaHi: SRC_HI,
      vaLo: va,
      rkey: SRC_HI,
      payload,
      payloadLength: length,
    });
    return w.ids();
  }

  it('must carry the bytes that are there, also across pages', () => {
    expect(answeredAgain(new World(), 4000)).to.deep.equal([]);
    const w = new World();
    const ids = answeredAgain(w, 4000, (payload) => payload.fill(0, 200, 201).fill(255, 201, 202));
    expect(ids).to.deep.equal([SCB.readAgain]);
    expect(w.reports[0]?.text).to.match(/of host 0 QP 14 .*again; from 0x0000801c_0000106[89] on/);
  });

  it('is not judged where the bytes have been written, or the key is known no longer', () => {
    const written = new World();
    written.memory.poke(1, PROCESS, SRC_HI, 4000, Uint8Array.of(1));
    const wrong = (payload: Uint8Array): void => void payload.fill(7, 0, 50);
    expect(answeredAgain(written, 4000, wrong)).to.deep.equal([]);
    const closed = new World();
    closed.oracle.mrDeregistering(1, SRC_HI);
    expect(answeredAgain(closed, 4000, wrong)).to.deep.equal([]);
  });
});

describe('a READ that is asked for again', () => {
  /** What happens: host 0 asks again, for PSN 100 by default; host 1 answers with another packet. */
  const again = (w: World, over: Partial<WirePacket> = {}): void =>
    w.packet({ opcode: BTH_OP.readRequest, readsBehind: 0, wasAnswered: true, time: w.clock.now, ...over });
  const answers = (w: World, over: Partial<WirePacket> = {}): void =>
    w.packet({ host: 1, to: 0, destQp: QPN[0], opcode: BTH_OP.readResponseFirst, ...over });

  /** A world whose responder knows `known` READs, and came to rest. */
  function world(known = 2, options: WorldOptions = {}): World {
    const w = new World({ rested: true }, options);
    for (const host of [0, 1]) w.qp(host, QPN[host] as number, QP_TYPE.rc, true, 7, PD, known);
    return w;
  }

  function idsOf(w: World): string[] {
    w.oracle.quiet();
    return w.ids();
  }

  it('must be answered again by the time its NIC rests', () => {
    const w = world();
    again(w, { readsBehind: 1 });
    expect(idsOf(w)).to.deep.equal([SCB.readForgotten]);
    expect(w.reports[0]?.text).to.contain('host 1 QP 15').and.contain('PSN 0x000064 of host 0 QP 14');
    expect(idsOf(w), 'once').to.have.length(1);
  });

  it('is answered by the packet that it asks for, if that leaves after it can have arrived', () => {
    for (const [time, psn, ids] of [
      [TRIP, 100, []],
      [TRIP - 1, 100, [SCB.readForgotten]],
      [TRIP, 101, [SCB.readForgotten]],
    ] as const) {
      const w = world();
      again(w);
      w.clock.now = time;
      answers(w, { psn, opcode: BTH_OP.readResponseMiddle });
      expect(idsOf(w), `${time} ${psn}`).to.deep.equal(ids);
    }
  });

  it('need not be answered when it may come before the READ itself was executed', () => {
    const nak = { opcode: BTH_OP.acknowledge, syndrome: SYNDROME.nakSequence };
    for (const [psn, over, ids] of [
      [100, nak, []],
      [101, nak, [SCB.readForgotten]],
      [100, {}, [SCB.readForgotten]],
    ] as const) {
      const w = world();
      again(w, { wasAnswered: false });
      answers(w, { psn, ...over });
      w.clock.now = TRIP;
      expect(idsOf(w), `${psn}`).to.deep.equal(ids);
    }
  });

  it('need not be answered when its responder may have forgotten it, now or before software let it know more', () => {
    const older = world(2);
    again(older, { readsBehind: 2 });
    const fewer = world(1);
    fewer.qp(1, QPN[1], QP_TYPE.rc, true, 7, PD, 4);
    again(fewer, { readsBehind: 1 });
    expect([...idsOf(older), ...idsOf(fewer)]).to.deep.equal([]);
  });

  it('is not judged on a link that loses frames, while the NIC may be at work, and where the responder is out of service', () => {
    const lossy = world(2, { disturbed: true });
    const busy = world();
    busy.seen.rested = false;
    const stopped = world();
    for (const w of [lossy, busy, stopped]) again(w);
    stopped.seen.rested = false;
    stopped.oracle.qpToErr(1, QPN[1]);
    stopped.seen.rested = true;
    expect([lossy, busy, stopped].flatMap(idsOf)).to.deep.equal([]);
    busy.seen.rested = true;
    expect(idsOf(busy)).to.deep.equal([SCB.readForgotten]);
  });

  it('is not judged where it is the request itself that the link holds back', () => {
    const w = world();
    again(w);
    w.disturb();
    expect(idsOf(w)).to.deep.equal([]);
  });

  for (const host of [0, 1] as const) {
    it(`is judged before host ${host}'s queue pair leaves service`, () => {
      const w = world();
      again(w);
      w.oracle.qpDestroying(host, QPN[host]);
      w.oracle.qpGone(host, QPN[host]);
      expect(idsOf(w)).to.deep.equal([SCB.readForgotten]);
    });
  }
});

describe('a READ whose answer begins', () => {
  /** Ids after host 1 began to answer a READ of `length` bytes, `from` bytes behind the start of the region `hi`. */
  function answered(w: World, length: number, hi = SRC_HI, from = 0): string[] {
    const back = { host: 1, to: 0, destQp: QPN[0], opcode: BTH_CLASS.rc | BTH_OP.readResponseFirst };
    w.packet({ ...back, beginsAnswer: true, vaHi: hi, vaLo: from, rkey: hi, dmaLength: length, payloadLength: 256 });
    return w.ids();
  }

  it('must lie in the region of its key as a whole', () => {
    expect(answered(new World(), REGION_BYTES)).to.deep.equal([]);
    const w = new World();
    expect(answered(w, REGION_BYTES, SRC_HI, 1)).to.deep.equal([SCB.answered]);
    expect(w.reports[0]?.text).to.contain('a READ of').and.to.contain('not all of that is in the region');
  });

  it('must be permitted by its key, for the domain of the responder', () => {
    for (const [access, pd, ids] of [
      [ACCESS.remoteRead, PD, []],
      [ACCESS.localWrite | ACCESS.remoteWrite, PD, [SCB.answered]],
      [ACCESS.remoteRead, PD + 1, [SCB.answered]],
    ] as const) {
      const w = new World();
      w.qp(1, QPN[1], QP_TYPE.rc, true, 7, PD);
      w.oracle.mrRegistered({
        host: 1,
        process: PROCESS,
        key: 0x77,
        hi: 0x77,
        lo: 0,
        length: 500,
        access,
        pd,
        zeroBased: false,
      });
      expect(answered(w, 500, 0x77)).to.deep.equal(ids);
    }
  });

  it('is not judged when its key is known no longer', () => {
    const w = new World();
    w.oracle.mrDeregistering(1, SRC_HI);
    expect(answered(w, REGION_BYTES, SRC_HI, 1)).to.deep.equal([]);
  });
});

describe('a queue pair that has failed and is destroyed', () => {
  function destroyed(paused: boolean, flushed: boolean): string[] {
    const w = new World({ paused, attempt: tried({ until: -1 }) });
    const [first, second] = [w.send(SOURCE), w.send([[DST_HI, 0, 60]])];
    w.sendDone(first, { status: WC_STATUS.retryExcErr });
    if (flushed) w.sendDone(second, { status: WC_STATUS.wrFlushErr });
    w.oracle.qpDestroying(0, QPN[0]);
    w.oracle.qpGone(0, QPN[0]);
    return w.ids();
  }

  it('is reported when its NIC came to rest before without flushing its send queue', () => {
    expect(destroyed(true, false)).to.deep.equal([SCB.missing]);
  });

  it('is let pass when it has flushed everything, or may have been at it', () => {
    expect([...destroyed(true, true), ...destroyed(false, false)]).to.deep.equal([]);
  });
});

describe('an acknowledgement', () => {
  it('offers no more receives than are posted, or none', () => {
    const w = new World();
    for (let i = 0; i < 6; i++) w.recv([[DST_HI, i * 100, 60]]);
    const answer = (syndrome: number): void =>
      w.packet({ host: 1, to: 0, destQp: QPN[0], opcode: BTH_CLASS.rc | BTH_OP.acknowledge, syndrome });
    for (const syndrome of [0, 4, 5, 31]) answer(syndrome);
    expect(w.ids()).to.deep.equal([]);
    answer(6);
    expect(w.ids()).to.deep.equal([SCB.credits]);
    expect(w.reports[0]?.text).to.contain('host 1 QP 15').and.contain('offers 8 receives');
  });
});

describe('a requester that waits for answers which never come', () => {
  const STALL = 50 * US;

  /** Ids after `now` ps without progress, where the requester gives up after 4 * 100 us at the latest. */
  function waiting(now: number, seen: Partial<World['seen']>, deaf: boolean, lossAllowed = false): string[] {
    const w = new World(seen, { stallTime: STALL, disturbed: lossAllowed });
    w.recv([[DST_HI, 0, 60]]);
    w.send(SOURCE);
    if (deaf) w.oracle.qpToErr(1, QPN[1]);
    w.clock.now = now;
    w.oracle.checkLiveness();
    return [...new Set([...w.ids(), ...(w.oracle.standstill(STALL) === null ? [] : ['standstill'])])];
  }

  it('is not stuck as long as it may wait, where its peer may be deaf', () => {
    expect(waiting(399 * US, {}, true)).to.deep.equal([]);
    expect(waiting(400 * US, {}, true)).to.include(SCB.stuck);
    expect(waiting(400 * US, {}, true)).to.include('standstill');
  });

  it('is not stuck as long as its attributes let it wait, where the wire has forgotten them with its peer', () => {
    for (const attempt of [undefined, { ...ATTEMPT, retryTime: Number.POSITIVE_INFINITY }]) {
      const w = new World({ attempt }, { stallTime: STALL });
      w.waitingQp(0, QPN[0], 4, 1);
      w.send(SOURCE);
      w.oracle.qpGone(1, QPN[1]);
      // Twice 65.536 us, and four times as long at the latest.
      w.clock.now = 524 * US;
      w.oracle.checkLiveness();
      expect(w.ids()).to.deep.equal([]);
      w.clock.now = 525 * US;
      w.oracle.checkLiveness();
      expect(w.ids()).to.deep.equal([SCB.stuck]);
    }
  });

  it('is not stuck as long as it may wait on a link that may have lost the answer', () => {
    for (const answered of [false, true]) {
      const seen = { attempt: { ...ATTEMPT, answered } };
      expect(waiting(399 * US, seen, false, true)).to.deep.equal([]);
      expect(waiting(400 * US, seen, false, true)).to.include(SCB.stuck);
    }
  });

  it('is stuck where answers must come, have come, or no timer runs', () => {
    expect(waiting(STALL, {}, false)).to.include(SCB.stuck);
    expect(waiting(STALL, { attempt: { ...ATTEMPT, answered: true } }, true)).to.include(SCB.stuck);
    expect(waiting(STALL, { attempt: { ...ATTEMPT, retryTime: Number.POSITIVE_INFINITY } }, true)).to.include(
      SCB.stuck,
    );
    expect(waiting(STALL, { attempt: undefined }, true)).to.include(SCB.stuck);
  });
});

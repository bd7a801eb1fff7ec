import { expect } from 'chai';
import type { PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { BTH_CLASS, BTH_OP, SYNDROME } from '../../../rdma/bth.ts';
import { RNR_TIMER_PS } from '../../../rdma/timers.ts';
import { QP_TYPE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { WireOpcodes } from '../../../agents/wire/wireOpcodes.ts';
import { NO_WIRE } from '../../../scoreboard/model/wireView.ts';
import type { Attempt } from '../../../scoreboard/reference/attempts.ts';
import { RequesterReference } from '../../../scoreboard/reference/reliable/requesterReference.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { Entry } from './fakeWorld.ts';
import { DST_HI, FakeWorld, QPN, SRC_HI, type WorldOptions } from './fakeWorld.ts';
import { EMPTY_SEND } from './wirePackets.ts';

const US = 1_000_000;
/** Code 3: 30 us. */
const TIMER_CODE = 3;
const TIMER = RNR_TIMER_PS[TIMER_CODE] as number;
const OPCODES = new WireOpcodes();
const SOURCE: Entry[] = [[SRC_HI, 0, 60]];
/** Two packets at the path MTU of 1024. */
const LONG: Entry[] = [[SRC_HI, 0, 1500]];
const TARGET: Entry[] = [[DST_HI, 0, 2000]];

/** A sender on host 0 that tries a message again twice. */
class World extends FakeWorld {
  readonly #requester: RequesterReference;

  constructor(options: WorldOptions = {}, rnrRetry = 2) {
    const requester = new RequesterReference(100);
    const attempt: Attempt = {
      givenUp: [],
      wanted: 7,
      owedSince: -1,
      answered: false,
      sentAt: -1,
      retryTime: Number.POSITIVE_INFINITY,
      notReady: (psn, now) => requester.notReady(psn, now),
    };
    super({ wire: { ...NO_WIRE, attempt: () => attempt }, ...options });
    this.#requester = requester;
    this.qp(0, QPN[0], QP_TYPE.rc, true, rnrRetry);
  }

  at(time: number): this {
    this.clock.now = time;
    return this;
  }

  /** A packet of host 0's queue pair. */
  packet(psn: number, opcode: number = BTH_OP.sendOnly): void {
    this.#wire(0, opcode, psn, 0, -1);
  }

  /** Host 1 refuses it; it was sent `age` ago. */
  refuse(psn: number, age = US): void {
    this.#wire(1, BTH_OP.acknowledge, psn, SYNDROME.rnr | TIMER_CODE, this.clock.now - age);
  }

  /** Host 1 has taken `msn` messages. */
  acknowledge(psn: number, msn: number): void {
    this.#wire(1, BTH_OP.acknowledge, psn, SYNDROME.ack, -1, msn);
  }

  /** Host 1 refuses it for good. */
  nak(psn: number, syndrome: number): void {
    this.#wire(1, BTH_OP.acknowledge, psn, syndrome, -1);
  }

  giveUp(item: PostedSend): void {
    this.sendDone(item, { status: WC_STATUS.rnrRetryExcErr });
  }

  #wire(host: number, opcode: number, psn: number, syndrome: number, refusedSentAt: number, msn = 0): void {
    const destQp = QPN[1 - host] as number;
    const packet = Object.assign(new DecodedPacket(), {
      ...EMPTY_SEND,
      time: this.clock.now,
      msn,
      host,
      to: 1 - host,
      opcode: BTH_CLASS.rc | opcode,
      flags: OPCODES.flags[BTH_CLASS.rc | opcode],
      destQp,
      psn,
      syndrome,
      refusedSentAt,
      refusesForGood: syndrome > SYNDROME.nakSequence,
    });
    this.oracle.packet(packet);
    if (host === 0) this.#requester.sends(packet, 1);
    else this.#requester.arrived(packet, { now: this.clock.now, expired: false, resending: false, wait: TIMER });
  }
}

/** A message without a receive that is refused at the given times, in us, and given up after that, or at `end`. */
function refusedAt(times: readonly number[], rnrRetry = 2, end?: number): World {
  const w = new World({ receivesMayRemain: true }, rnrRetry);
  const s = w.send(SOURCE);
  w.packet(100);
  for (const time of times) w.at(time * US).refuse(100);
  if (end !== undefined) w.at(end * US);
  w.giveUp(s);
  w.oracle.finish();
  return w;
}

describe('a sender that was told to wait', () => {
  const STALL = 10 * US;

  /** A message that was refused at 1 us for 30 us, and whose receive comes at 20 us. */
  function refused(): { w: World; message: PostedSend } {
    const w = new World({ stallTime: STALL });
    const message = w.send(SOURCE);
    w.packet(100);
    w.at(US).refuse(100);
    w.at(20 * US).recv(TARGET);
    return { w, message };
  }

  it('is not stuck, and neither is its receiver, until that and the stall time are over', () => {
    const { w } = refused();
    w.at(59 * US).oracle.checkLiveness();
    expect(w.oracle.standstill(STALL)).to.equal(null);
    expect(w.ids()).to.deep.equal([]);
    w.at(60 * US).oracle.checkLiveness();
    expect(w.oracle.standstill(STALL)).not.to.equal(null);
    expect(w.ids()).to.deep.equal([SCB.stuck, SCB.stuck]);
    expect(w.reports[0]?.text).to.contain('no useful progress for 40us (last progress at 20000ns)');
  });

  it('is stuck after that also when it is refused again and again', () => {
    const { w } = refused();
    for (let time = 31; time < 60; time += 3) w.at(time * US).refuse(100, 0);
    w.at(60 * US).oracle.checkLiveness();
    expect(w.ids()).to.include(SCB.stuck);
  });

  it('has only the stall time for what it sends behind that', () => {
    const { w, message } = refused();
    w.send(SOURCE);
    w.sendDone(message);
    w.at(30 * US).oracle.checkLiveness();
    expect(w.ids()).to.include(SCB.stuck);
  });
});

describe('a message that finds no receive', () => {
  it('may be given up once it was refused as often as it may be tried', () => {
    expect(refusedAt([1, 32, 63]).reports).to.deep.equal([]);
    expect(refusedAt([1], 0).reports).to.deep.equal([]);
  });

  it('must not be given up before that, or by a sender that does not wait, or by one that must try for ever', () => {
    expect(refusedAt([1, 32]).ids()).to.deep.equal([SCB.status]);
    expect(refusedAt([1, 2, 3, 4, 5]).ids()).to.deep.equal([SCB.status]);
    expect(refusedAt([1, 32, 63, 94, 125], 7).ids()).to.deep.equal([SCB.status]);
    expect(refusedAt([]).reports[0]?.text).to.match(/0 refusals were waited for, and 3 are needed to give up$/);
  });

  it('counts refusals that the link repeats once', () => {
    expect(refusedAt([1, 4, 32, 33, 63]).reports).to.deep.equal([]);
    expect(refusedAt([1, 4, 32, 33]).ids()).to.deep.equal([SCB.status]);
  });

  it('may be given up by a busy sender that finds refusals later than they come, when it had the time to wait for them', () => {
    expect(refusedAt([1, 20, 40], 2, 61).reports).to.deep.equal([]);
    expect(refusedAt([1, 20, 40], 2, 60).ids()).to.deep.equal([SCB.status]);
    expect(refusedAt([1, 20], 2, 200).ids()).to.deep.equal([SCB.status]);
  });

  it('counts refusals of the message itself only', () => {
    const w = new World({ receivesMayRemain: true });
    const [first, second] = [w.send(SOURCE), w.send(LONG)];
    w.packet(100);
    w.packet(101, BTH_OP.sendFirst);
    for (const time of [0, 31]) w.at(time * US).refuse(100);
    const r = w.recv(TARGET);
    w.at(70 * US);
    w.scatter(1, TARGET, w.gather(0, SOURCE));
    w.recvDone(r, first);
    w.acknowledge(100, 1);
    w.sendDone(first);
    for (const time of [80, 111]) w.at(time * US).refuse(101);
    w.giveUp(second);
    expect(w.ids()).to.deep.equal([SCB.status]);
    expect(w.reports[0]?.text).to.match(/2 refusals were waited for/);
  });

  it('may be given up for a refusal that comes behind those of requests after it: a later copy of it was taken', () => {
    const w = new World({ receivesMayRemain: true }, 0);
    const first = w.send(SOURCE);
    w.send(LONG);
    w.packet(100);
    w.packet(101, BTH_OP.sendFirst);
    w.refuse(100);
    const r = w.recv(TARGET);
    w.at(70 * US);
    w.scatter(1, TARGET, w.gather(0, SOURCE));
    w.recvDone(r, first);
    w.at(80 * US).refuse(101);
    w.giveUp(first);
    expect(w.reports).to.deep.equal([]);
  });

  it('may show first in what its own queue pair flushes, also where requests before it have not been seen to end', () => {
    for (const [times, found] of [
      [[1, 32, 63], []],
      [[1, 32], [SCB.status]],
    ] as const) {
      const w = new World({ receivesMayRemain: true });
      const own = w.recv(TARGET, { host: 0 });
      w.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite });
      w.send(LONG);
      w.packet(100, BTH_OP.writeOnly);
      w.packet(101, BTH_OP.sendFirst);
      for (const time of times) w.at(time * US).refuse(101);
      w.flushed(own);
      expect(w.ids(), `refused ${times.length} times`).to.deep.equal(found);
    }
  });

  it('leaves its receive, posted in the meantime, and all behind it to nobody', () => {
    const w = new World();
    const sends = [w.send(SOURCE), w.send(LONG)];
    w.packet(100);
    for (const time of [1, 32, 63]) w.at(time * US).refuse(100);
    for (let i = 0; i < 2; i++) w.recv([[DST_HI, 4096 * i, 2000]]);
    w.giveUp(sends[0] as PostedSend);
    w.sendDone(sends[1] as PostedSend, { status: WC_STATUS.wrFlushErr });
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('is not judged when nobody watches the wire', () => {
    const w = new World({ receivesMayRemain: true });
    w.giveUp(w.send(SOURCE));
    expect(w.reports).to.deep.equal([]);
  });
});

describe('a refusal', () => {
  it('is reported when its receive had been posted before the message was sent', () => {
    const w = new World();
    w.send(SOURCE);
    w.packet(100);
    w.recv(TARGET);
    w.at(10 * US).refuse(100, 5 * US);
    expect(w.ids()).to.deep.equal([SCB.refused]);
    expect(w.reports[0]?.text).to.match(/refuses SEND .* PSN 0x000064 .*1 receive is posted there for 1 message,/);
  });

  it('is right while the receive is posted too late, or taken by messages before it', () => {
    const w = new World();
    w.at(7 * US).recv(TARGET);
    w.send(SOURCE);
    w.send(LONG);
    w.packet(100);
    w.packet(101, BTH_OP.sendFirst);
    w.packet(102, BTH_OP.sendLast);
    w.at(10 * US).refuse(100, 5 * US);
    w.at(10 * US).refuse(101, US);
    expect(w.reports).to.deep.equal([]);
    w.at(20 * US).refuse(100, US);
    expect(w.ids()).to.deep.equal([SCB.refused]);
  });

  it('is reported for a request that needs no receive', () => {
    const w = new World();
    w.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite });
    w.packet(100, BTH_OP.writeOnly);
    w.at(US).refuse(100);
    expect(w.ids()).to.deep.equal([SCB.refused]);
  });

  it('is not judged where the link may lose or repeat, or where it is not known when the packet was sent', () => {
    for (const [lossAllowed, age] of [
      [true, 0],
      [false, 11 * US],
    ] as const) {
      const w = new World({ disturbed: lossAllowed });
      w.send(SOURCE);
      w.packet(100);
      w.recv(TARGET);
      w.at(10 * US).refuse(100, age);
      expect(w.reports).to.deep.equal([]);
    }
  });
});

describe('a refusal for good', () => {
  const WRITE = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 0] as const };

  it('is reported where nothing is wrong with the request, and what comes of it is not', () => {
    const w = new World();
    const flushed = w.recv(TARGET);
    const own = w.send(SOURCE, { host: 1, ...WRITE });
    const first = w.send(SOURCE, WRITE);
    const second = w.send(LONG, WRITE);
    w.packet(100, BTH_OP.writeOnly);
    w.packet(101, BTH_OP.writeFirst);
    w.acknowledge(100, 1);
    w.nak(101, SYNDROME.nakInvalid);
    expect(w.reports).to.deep.equal([
      {
        id: SCB.refused,
        text:
          'host 1 QP 15 (process 3, RC) refuses PSN 0x000065 with NAK 0x61 (invalid request), and nothing is wrong with ' +
          'the request: RDMA_WRITE (wrId 1003, WQE 3, 1500 B in 1 SG entry) of host 0 QP 14 (process 3, RC)',
      },
    ]);
    w.scatter(1, TARGET, w.gather(0, SOURCE));
    w.sendDone(first);
    w.sendDone(own, { status: WC_STATUS.wrFlushErr });
    w.flushed(flushed);
    w.sendDone(second, { status: WC_STATUS.remInvReqErr });
    expect(w.ids()).to.deep.equal([SCB.refused]);
  });

  it('does not excuse another status than it calls for', () => {
    const w = new World();
    const s = w.send(SOURCE, WRITE);
    w.packet(100, BTH_OP.writeOnly);
    w.nak(100, SYNDROME.nakAccess);
    w.sendDone(s, { status: WC_STATUS.remInvReqErr });
    expect(w.ids()).to.deep.equal([SCB.refused, SCB.status]);
  });

  it('is left to the completion where the request, its receive or its queue pairs may be wrong', () => {
    const wrongs: ((w: World) => unknown)[] = [
      (w) => w.send(SOURCE, { ...WRITE, rkey: 0x77 }),
      (w) => w.recv([[DST_HI, 0, 10]]) && w.send(SOURCE),
      (w) => w.send(SOURCE, WRITE) && w.oracle.mrDeregistering(1, DST_HI),
      (w) => w.send(SOURCE, WRITE) && w.oracle.qpToErr(0, QPN[0]),
      (w) => w.send(SOURCE, WRITE) && w.oracle.qpInErr(1, QPN[1]),
    ];
    for (const wrong of wrongs) {
      const w = new World();
      wrong(w);
      w.packet(100, BTH_OP.sendOnly);
      w.nak(100, SYNDROME.nakInvalid);
      expect(w.reports).to.deep.equal([]);
    }
  });
});

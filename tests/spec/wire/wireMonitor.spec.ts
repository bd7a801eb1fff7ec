import { expect } from 'chai';
import { PROBLEM, WIRE_REPORT_IDS } from '../../../agents/wire/wireRules.ts';
import { Conversation } from '../agents/support/conversation.ts';
import { aeth, atomicEth, deth, reth, roceFrame, word } from '../agents/support/roceFrame.ts';
import { WireBench } from '../agents/support/wireBench.ts';

const SEND = { first: 0, middle: 1, last: 2, only: 4 } as const;
const WRITE = { first: 6, middle: 7, last: 8, only: 10 } as const;
const READ = { request: 12, first: 13, middle: 14, last: 15, only: 16 } as const;
const ACK = 17;
const ATOMIC_ACK = 18;
const CAS = 19;
const UC = 0x20;

/** A WRITE of 600 bytes at MTU 256, from PSN 0x100 on. */
function write600(b: WireBench, psn = 0x100): void {
  b.request({ opcode: WRITE.first, psn, ext: reth(600), payload: 256 });
  b.request({ opcode: WRITE.middle, psn: psn + 1, payload: 256 });
  b.request({ opcode: WRITE.last, psn: psn + 2, payload: 88, ackRequest: true });
}

/** A SEND of one packet. */
function send(b: WireBench, psn = 0x100): void {
  b.request({ opcode: SEND.only, psn, payload: 4, ackRequest: true });
}

/** The answer to a READ of 600 bytes. */
function answer600(b: WireBench, psn: number, msn: number): void {
  b.response({ opcode: READ.first, psn, ext: aeth(0x1f, msn), payload: 256 });
  b.response({ opcode: READ.middle, psn: psn + 1, payload: 256 });
  b.response({ opcode: READ.last, psn: psn + 2, ext: aeth(0x1f, msn), payload: 88 });
}

/** A READ of 2^31 bytes from PSN 0x100 on, its first answer, its last part asked for again and answered, and a SEND. */
function readOfHalf(b: WireBench): void {
  b.request({ opcode: READ.request, psn: 0x100, ext: reth(0x8000_0000) });
  b.response({ opcode: READ.first, psn: 0x100, ext: aeth(0x1f, 1), payload: 256 });
  b.request({ opcode: READ.request, psn: 0x8000ff, ext: reth(256, 0x77, 0x1000 + 0x7fff_ff00) });
  b.response({ opcode: READ.only, psn: 0x8000ff, ext: aeth(0x1f, 1), payload: 256 });
  send(b, 0x800100);
  b.response({ opcode: ACK, psn: 0x800100, ext: aeth(0x1f, 2) });
}

describe('WireMonitor', () => {
  it('is silent about a conversation of all kinds of request', () => {
    const b = new WireBench().connect();
    b.request({ opcode: SEND.only, psn: 0x100, payload: 10, ackRequest: true, solicited: true });
    b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x1f, 1) });
    write600(b, 0x101);
    b.request({ opcode: READ.request, psn: 0x104, ext: reth(600) });
    b.request({ opcode: CAS, psn: 0x107, ext: atomicEth() });
    b.request({ opcode: SEND.only, psn: 0x108, payload: 0 });
    b.response({ opcode: ACK, psn: 0x103, ext: aeth(0x1f, 2) });
    answer600(b, 0x104, 3);
    b.response({ opcode: ATOMIC_ACK, psn: 0x107, ext: [...aeth(0x1f, 4), ...word(0), ...word(1)] });
    b.response({ opcode: ACK, psn: 0x108, ext: aeth(0x1f, 5) });
    b.response({ opcode: SEND.only, psn: 0x900, payload: 3 });
    b.request({ opcode: ACK, psn: 0x900, ext: aeth(0x1f, 1) });
    expect(b.ids()).to.deep.equal({});
  });

  it('is silent about PSNs that wrap', () => {
    const b = new WireBench().connect({ sqPsn: 0xffffff });
    b.request({ opcode: WRITE.first, psn: 0xffffff, ext: reth(300), payload: 256 });
    b.request({ opcode: WRITE.last, psn: 0, payload: 44, ackRequest: true });
    b.response({ opcode: ACK, psn: 0, ext: aeth(0x1f, 1) });
    expect(b.ids()).to.deep.equal({});
  });

  it('takes the answer to a READ of half of all PSNs for what was asked, and goes on behind it', () => {
    const b = new WireBench().connect();
    readOfHalf(b);
    expect(b.ids()).to.deep.equal({});
    b.response({ opcode: ACK, psn: 0x800102, ext: aeth(0x1f, 2) });
    expect(b.ids()).to.deep.equal({ WIRE_ACK_PSN: 1 });
  });

  it('allows going back when PSNs have come round, but by no more than half of them', () => {
    const b = new WireBench().connect();
    readOfHalf(b);
    send(b, 0x800101);
    send(b, 0x800100);
    expect(Object.keys(b.ids())).to.not.include('WIRE_PSN');
    send(b, 0x101);
    expect(Object.keys(b.ids())).to.include('WIRE_PSN');
  });

  it('knows the PSN behind the newest request of a queue pair and of its peer until they have come half round', () => {
    const b = new WireBench().connect();
    const known = (): number[] => [b.transport.requestsFrom(0, 0x10, 0x100), b.transport.requestsTo(1, 0x11, 0x100)];
    expect(known()).to.deep.equal([0x100, 0x100]);
    b.request({ opcode: READ.request, psn: 0x100, ext: reth(0x8000_0000) });
    expect(known()).to.deep.equal([0x80_0100, 0x80_0100]);
    send(b, 0x80_0100);
    expect(known()).to.deep.equal([-1, -1]);
    expect(b.transport.requestsFrom(1, 0x11, 0x900)).to.equal(0x900);
    expect(b.transport.requestsFrom(1, 0x11, 0x901)).to.equal(-1);
    b.transport.qpGone(0, 0x10);
    expect(b.transport.requestsFrom(1, 0x11, 0x900), 'it may send that again').to.equal(0x900);
  });

  it('allows a retransmission to skip what is acknowledged meanwhile', () => {
    const b = new WireBench().connect();
    write600(b);
    send(b, 0x103);
    b.request({ opcode: WRITE.first, psn: 0x100, ext: reth(600), payload: 256 });
    b.response({ opcode: ACK, psn: 0x102, ext: aeth(0x1f, 1) });
    send(b, 0x103);
    b.response({ opcode: ACK, psn: 0x103, ext: aeth(0x1f, 2) });
    b.request({ opcode: WRITE.first, psn: 0x100, ext: reth(600), payload: 256 });
    send(b, 0x104);
    expect(b.ids()).to.deep.equal({});
  });

  it('allows repeated and partial READ requests, each with its answer', () => {
    const b = new WireBench().connect();
    b.request({ opcode: READ.request, psn: 0x100, ext: reth(600) });
    b.request({ opcode: READ.request, psn: 0x103, ext: reth(4) });
    b.request({ opcode: READ.request, psn: 0x100, ext: reth(600) });
    answer600(b, 0x100, 1);
    b.response({ opcode: READ.only, psn: 0x103, ext: aeth(0x1f, 2), payload: 4 });
    b.request({ opcode: READ.request, psn: 0x101, ext: reth(344, 0x77, 0x1100) });
    b.request({ opcode: READ.request, psn: 0x103, ext: reth(4) });
    answer600(b, 0x100, 2);
    b.response({ opcode: READ.first, psn: 0x101, ext: aeth(0x1f, 2), payload: 256 });
    b.response({ opcode: READ.last, psn: 0x102, ext: aeth(0x1f, 2), payload: 88 });
    b.response({ opcode: READ.only, psn: 0x103, ext: aeth(0x1f, 2), payload: 4 });
    b.request({ opcode: SEND.only, psn: 0x104, payload: 4, ackRequest: true });
    b.response({ opcode: ACK, psn: 0x104, ext: aeth(0x1f, 3) });
    expect(b.ids()).to.deep.equal({});
  });

  it('is silent about any conversation by the rules, with whatever is lost', () => {
    let sent = 0;
    for (let seed = 0; seed < 60; seed++) {
      // Its responder asks for what is missing behind a refusal too.
      const b = new WireBench(false, false, { sequenceNakAfterRnr: true });
      const talk = new Conversation(b, seed, 12, [0, 0.02, 0.1, 0.3][seed & 3] as number);
      talk.run();
      sent += talk.sent;
      expect(b.ids(), `seed ${seed}: ${b.lines.join(' ')}`).to.deep.equal({});
    }
    expect(sent).to.be.greaterThan(1500);
  });

  it('allows an answer for each delivery of a READ or an atomic that the link repeats, at once or later', () => {
    const b = new WireBench().connect();
    const cas = () => b.response({ opcode: ATOMIC_ACK, psn: 0x103, ext: [...aeth(0x1f, 2), ...word(0), ...word(1)] });
    b.requestTwice({ opcode: READ.request, psn: 0x100, ext: reth(600) });
    b.requestTwice({ opcode: CAS, psn: 0x103, ext: atomicEth() });
    b.requestTwice({ opcode: SEND.only, psn: 0x104, payload: 4, ackRequest: true });
    answer600(b, 0x100, 1);
    cas();
    answer600(b, 0x100, 2);
    b.response({ opcode: ACK, psn: 0x104, ext: aeth(0x1f, 3) });
    b.response({ opcode: ATOMIC_ACK, psn: 0x103, ext: [...aeth(0x1f, 3), ...word(0), ...word(1)] });
    b.response({ opcode: ACK, psn: 0x104, ext: aeth(0x1f, 3) });
    expect(b.ids()).to.deep.equal({});
  });

  it('does not wait for the answers to a READ that the link repeats', () => {
    const b = new WireBench().connect();
    b.requestTwice({ opcode: READ.request, psn: 0x100, ext: reth(600) });
    send(b, 0x103);
    answer600(b, 0x100, 1);
    b.response({ opcode: ACK, psn: 0x103, ext: aeth(0x1f, 2) });
    expect(b.ids()).to.deep.equal({});
  });

  it('allows a responder to break an answer off for a repeated request', () => {
    const b = new WireBench().connect();
    b.request({ opcode: READ.request, psn: 0x100, ext: reth(600) });
    b.response({ opcode: READ.first, psn: 0x100, ext: aeth(0x1f, 1), payload: 256 });
    b.request({ opcode: READ.request, psn: 0x101, ext: reth(344, 0x77, 0x1100) });
    b.response({ opcode: READ.first, psn: 0x101, ext: aeth(0x1f, 1), payload: 256 });
    b.response({ opcode: READ.last, psn: 0x102, ext: aeth(0x1f, 1), payload: 88 });
    b.request({ opcode: SEND.only, psn: 0x103, payload: 4, ackRequest: true });
    b.response({ opcode: ACK, psn: 0x103, ext: aeth(0x1f, 2) });
    expect(b.ids()).to.deep.equal({});
  });

  it('is silent about unreliable connections and datagrams in order', () => {
    const b = new WireBench().connect({ type: 3 });
    b.request({ opcode: UC | SEND.first, psn: 0x100, payload: 256 });
    b.request({ opcode: UC | SEND.last, psn: 0x101, payload: 1 });
    b.request({ opcode: UC | WRITE.only, psn: 0x102, ext: reth(9), payload: 9 });
    b.connect({ type: 4, qpn: 0x20, remoteHost: -1, remoteQpn: 0, sqPsn: 5 });
    b.request({ opcode: 0x64, destQp: 0x99, psn: 5, ext: deth(0x20), payload: 256 });
    b.request({ opcode: 0x64, destQp: 0x98, psn: 6, ext: deth(0x20), payload: 1 });
    expect(b.ids()).to.deep.equal({});
  });

  it('reports a congestion notification where no packet has arrived marked', () => {
    const b = new WireBench().connect();
    b.request({ opcode: 0x81, destQp: 0x98, becn: true, ext: new Array<number>(16).fill(0) });
    expect(b.ids()).to.deep.equal({ WIRE_CNP_UNMARKED: 1 });
  });

  it('lets an unreliable connection begin anew after an error that cut its message short, at the next PSN', () => {
    const cut = (resumed: boolean, next: { opcode: number; psn: number }): object => {
      const b = new WireBench().connect({ type: 3 });
      b.request({ opcode: UC | SEND.first, psn: 0x100, payload: 256 });
      if (resumed) b.transport.qpResuming(0, 0x10);
      b.request({ payload: 4, ...next });
      return b.ids();
    };
    expect(cut(true, { opcode: UC | SEND.only, psn: 0x101 })).to.deep.equal({});
    expect(cut(false, { opcode: UC | SEND.only, psn: 0x101 })).to.deep.equal({ WIRE_SEQUENCE: 1 });
    expect(cut(true, { opcode: UC | SEND.last, psn: 0x101 })).to.deep.equal({ WIRE_SEQUENCE: 1 });
    expect(cut(true, { opcode: UC | SEND.only, psn: 0x102 })).to.deep.equal({ WIRE_PSN: 1 });
  });

  it('lets an error empty a send queue, and the NIC say that it is drained before its completions tell why', () => {
    for (const end of ['qpInErr', 'qpGone'] as const) {
      const b = new WireBench().connect();
      send(b, 0x100);
      b.transport.qpDrained(0, 0x10);
      b.transport[end](0, 0x10);
      b.transport.qpOutOfSqd(0, 0x10);
      expect(b.ids()).to.deep.equal({});
    }
  });

  it('reports WIRE_DRAINED for a send queue that is said to be drained before its requests are answered', () => {
    const b = new WireBench().connect();
    b.transport.qpDrained(0, 0x10);
    b.transport.qpResuming(0, 0x10);
    b.transport.qpOutOfSqd(0, 0x10);
    b.request({ opcode: READ.request, psn: 0x100, ext: reth(600) });
    send(b, 0x103);
    b.transport.qpDrained(1, 0x11);
    b.transport.qpOutOfSqd(1, 0x11);
    answer600(b, 0x100, 1);
    expect(b.ids()).to.deep.equal({});
    b.transport.qpDrained(0, 0x10);
    b.transport.qpOutOfSqd(0, 0x10);
    expect(b.ids()).to.deep.equal({ WIRE_DRAINED: 1 });
    b.response({ opcode: ACK, psn: 0x103, ext: aeth(0x1f, 2) });
    b.transport.qpDrained(0, 0x10);
    b.transport.qpOutOfSqd(0, 0x10);
    expect(b.ids()).to.deep.equal({ WIRE_DRAINED: 1 });
    const unreliable = new WireBench().connect({ type: 3 });
    unreliable.request({ opcode: UC | SEND.only, psn: 0x100, payload: 4 });
    unreliable.transport.qpDrained(0, 0x10);
    expect(unreliable.ids()).to.deep.equal({});
  });

  it('knows what a queue pair in RTR must ask for when it is not ready', () => {
    for (const listens of [true, false]) {
      const b = new WireBench().connectHalf(listens);
      send(b, 0x100);
      b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x24, 0) });
      expect(b.ids()).to.deep.equal(listens ? { WIRE_RNR: 1 } : {});
    }
  });

  it('learns flows that nobody announced', () => {
    const b = new WireBench();
    b.request({ opcode: WRITE.middle, psn: 0x777, payload: 512 });
    b.request({ opcode: WRITE.last, psn: 0x778, payload: 5 });
    b.request({ opcode: READ.request, psn: 0x779, ext: reth(1500) });
    b.request({ opcode: SEND.only, psn: 0x77c, payload: 512 });
    b.request({ opcode: SEND.only, psn: 0x700, payload: 512 });
    expect(b.ids()).to.deep.equal({});
    b.request({ opcode: SEND.only, psn: 0x780, payload: 512 });
    expect(b.ids()).to.deep.equal({ WIRE_PSN: 1 });
  });

  it('begins anew when a connection is made again', () => {
    const b = new WireBench().connect();
    b.request({ opcode: WRITE.first, psn: 0x100, ext: reth(600), payload: 256 });
    b.transport.qpGone(0, 0x10);
    b.transport.qpGone(1, 0x11);
    b.connect({ sqPsn: 7, mtu: 1024 });
    b.request({ opcode: SEND.first, psn: 7, payload: 1024 });
    b.request({ opcode: SEND.last, psn: 8, payload: 1024 });
    b.request({ opcode: SEND.only, psn: 7, payload: 1024 });
    expect(b.ids()).to.deep.equal({ WIRE_RETRY: 1 });
  });

  /** 4.096 us * 2^8. */
  const TIMEOUT = 1_048_576_000;
  const NAK_SEQUENCE = 0x60;
  const NAK_ACCESS = 0x62;

  it('takes a packet that is sent again on a lossless link before its time-out for unprovoked', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8 });
    send(b);
    b.wait(TIMEOUT / 2);
    send(b);
    expect(b.ids()).to.deep.equal({ WIRE_UNPROVOKED: 1 });
  });

  it('takes any packet that is sent again for unprovoked when the time-out never expires', () => {
    const b = new WireBench(true).connect({ ackTimeout: 0 });
    send(b);
    b.wait(1000 * TIMEOUT);
    send(b);
    expect(b.ids()).to.deep.equal({ WIRE_UNPROVOKED: 1 });
  });

  it('allows a packet to be sent again after its time-out', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8 });
    send(b);
    b.wait(TIMEOUT);
    send(b);
    expect(b.ids()).to.deep.equal({});
  });

  it('allows any packet to be sent again once an answer took longer than the time-out', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8 });
    send(b);
    b.wait(TIMEOUT);
    send(b, 0x101);
    b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x1f, 1) });
    send(b, 0x101);
    expect(b.ids()).to.deep.equal({});
  });

  it('takes a READ that fails at a packet that was answered for wrong, unless it was asked for again', () => {
    for (const [psn, again, right] of [
      [0x101, false, true],
      [0x100, false, false],
      [0x100, true, true],
    ] as const) {
      const b = new WireBench().connect();
      b.request({ opcode: READ.request, psn: 0x100, ext: reth(600) });
      b.response({ opcode: READ.first, psn: 0x100, ext: aeth(0x1f, 1), payload: 256 });
      if (again) b.request({ opcode: READ.request, psn: 0x100, ext: reth(600) });
      b.response({ opcode: ACK, psn, ext: aeth(NAK_ACCESS, 1) });
      expect(b.ids(), `${psn} ${again}`).to.deep.equal(right ? {} : { WIRE_NAK: 1 });
    }
  });

  it('allows as many READs outstanding as the queue pair may have, and another for each answer', () => {
    const b = new WireBench().connect({ maxRdAtomic: 2 });
    for (let i = 0; i < 2; i++) {
      read600(b);
      b.request({ opcode: READ.request, psn: 0x103, ext: reth(4) });
    }
    answer600(b, 0x100, 2);
    b.request({ opcode: READ.request, psn: 0x104, ext: reth(4) });
    expect(b.ids()).to.deep.equal({});
  });

  /** 120 us. */
  const RNR_CODE = 7;
  const RNR_TIME = 120_000_000;

  it('lets a refused packet be sent again once the receiver may be ready', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8, minRnrTimer: RNR_CODE });
    send(b);
    b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x20 | RNR_CODE, 0) });
    b.wait(RNR_TIME);
    send(b);
    expect(b.ids()).to.deep.equal({});
  });

  it('lets a receiver whose time is changed ask for the old one for packets that it had by then, and only for those', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8, minRnrTimer: RNR_CODE });
    const refuse = (psn: number, code: number) => b.response({ opcode: ACK, psn, ext: aeth(0x20 | code, 0) });
    send(b);
    b.changePeer({ minRnrTimer: 9 }, () => refuse(0x100, 9));
    refuse(0x100, RNR_CODE);
    b.wait(TIMEOUT / 2);
    send(b);
    refuse(0x100, 9);
    expect(b.ids()).to.deep.equal({});
    refuse(0x100, RNR_CODE);
    expect(b.ids()).to.deep.equal({ WIRE_RNR: 1 });
  });

  it('counts READs by the limit that the queue pair was given last, and by the higher one while it is changed', () => {
    const b = new WireBench().connect({ maxRdAtomic: 1 });
    const read = (psn: number) => b.request({ opcode: READ.request, psn, ext: reth(4) });
    b.change({ maxRdAtomic: 3 });
    for (const psn of [0x100, 0x101, 0x102]) read(psn);
    b.change({ maxRdAtomic: 4 }, () => read(0x103));
    expect(b.ids()).to.deep.equal({});
    b.change({ maxRdAtomic: 2 });
    read(0x104);
    expect(b.ids()).to.deep.equal({ WIRE_READ_LIMIT: 1 });
  });

  it('judges what is sent again by the time-out that the queue pair was given last', () => {
    for (const [ackTimeout, wrong] of [[7, 0] as const, [9, 1] as const]) {
      const b = new WireBench(true).connect({ ackTimeout: 8 });
      b.change({ ackTimeout });
      send(b);
      b.wait(TIMEOUT * 0.6);
      send(b);
      expect(b.ids()).to.deep.equal(wrong === 0 ? {} : { WIRE_UNPROVOKED: 1 });
    }
  });

  it('reports a refused packet that is sent again before the receiver may be ready, once', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8 });
    send(b);
    send(b, 0x101);
    b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x20 | RNR_CODE, 0) });
    b.wait(RNR_TIME - 1);
    send(b);
    send(b, 0x101);
    expect(b.ids()).to.deep.equal({ WIRE_RNR: 1 });
  });

  it('lets a packet whose time-out has expired pass a refusal on the way', () => {
    const b = new WireBench(true).connect({ ackTimeout: 8 });
    send(b);
    b.wait(TIMEOUT);
    b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x20 | RNR_CODE, 0) });
    send(b);
    expect(b.ids()).to.deep.equal({});
  });

  const read600 = (b: WireBench) => b.request({ opcode: READ.request, psn: 0x100, ext: reth(600) });
  const planted: [id: string, what: string, fault: (b: WireBench) => void, lossless?: boolean][] = [
    ['WIRE_PSN', 'a first PSN that is not the announced one', (b) => send(b, 0x101)],
    [
      'WIRE_PSN',
      'a gap in the requests',
      (b) => {
        send(b);
        send(b, 0x102);
      },
    ],
    ['WIRE_PSN', 'going back before the start', (b) => send(b, 0xff)],
    [
      'WIRE_PSN',
      'a retransmission that skips what is not acknowledged',
      (b) => {
        write600(b);
        b.request({ opcode: WRITE.first, psn: 0x100, ext: reth(600), payload: 256 });
        b.request({ opcode: WRITE.last, psn: 0x102, payload: 88 });
      },
    ],
    [
      'WIRE_PSN',
      'a READ that takes too few PSNs',
      (b) => {
        read600(b);
        b.request({ opcode: SEND.only, psn: 0x104, payload: 4 });
      },
    ],
    [
      'WIRE_SEQUENCE',
      'a message that begins in the middle',
      (b) => b.request({ opcode: SEND.middle, psn: 0x100, payload: 256 }),
    ],
    [
      'WIRE_SEQUENCE',
      'a message inside another',
      (b) => {
        b.request({ opcode: SEND.first, psn: 0x100, payload: 256 });
        b.request({ opcode: SEND.only, psn: 0x101, payload: 4 });
      },
    ],
    [
      'WIRE_SEQUENCE',
      'a SEND that goes on as a WRITE',
      (b) => {
        b.request({ opcode: SEND.first, psn: 0x100, payload: 256 });
        b.request({ opcode: WRITE.last, psn: 0x101, payload: 4 });
      },
    ],
    ['WIRE_MTU', 'FIRST with another size', (b) => b.request({ opcode: SEND.first, psn: 0x100, payload: 512 })],
    ['WIRE_MTU', 'ONLY above the MTU', (b) => b.request({ opcode: SEND.only, psn: 0x100, payload: 260 })],
    [
      'WIRE_PSN',
      'a request behind half of all PSNs',
      (b) => {
        send(b);
        b.request({ opcode: READ.request, psn: 0x101, ext: reth(0x7fff_ffff) });
      },
    ],
    [
      'WIRE_DMA_LENGTH',
      'a WRITE that ends too early',
      (b) => b.request({ opcode: WRITE.only, psn: 0x100, ext: reth(9), payload: 8 }),
    ],
    [
      'WIRE_DMA_LENGTH',
      'a WRITE that goes on too long',
      (b) => {
        b.request({ opcode: WRITE.first, psn: 0x100, ext: reth(300), payload: 256 });
        b.request({ opcode: WRITE.middle, psn: 0x101, payload: 256 });
      },
    ],
    [
      'WIRE_DMA_LENGTH',
      'a READ above 2^31',
      (b) => b.request({ opcode: READ.request, psn: 0x100, ext: reth(0x8000_0001) }),
    ],
    [
      'WIRE_RETRY',
      'a retransmission with another opcode',
      (b) => {
        send(b);
        b.request({ opcode: WRITE.only, psn: 0x100, ext: reth(4), payload: 4 });
      },
    ],
    [
      'WIRE_RETRY',
      'a retransmission with another length',
      (b) => {
        send(b);
        b.request({ opcode: SEND.only, psn: 0x100, payload: 8 });
      },
    ],
    [
      'WIRE_RETRY',
      'a repeated READ of another length',
      (b) => {
        read600(b);
        b.request({ opcode: READ.request, psn: 0x100, ext: reth(601) });
      },
    ],
    [
      'WIRE_RETRY',
      'a partial READ that does not reach the end',
      (b) => {
        read600(b);
        b.request({ opcode: READ.request, psn: 0x101, ext: reth(256, 0x77, 0x1100) });
      },
    ],
    [
      'WIRE_ACK_PSN',
      'an acknowledgement of nothing',
      (b) => b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x1f, 0) }),
    ],
    [
      'WIRE_ACK_PSN',
      'an acknowledgement of the next packet',
      (b) => {
        send(b);
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(0x1f, 1) });
      },
    ],
    [
      'WIRE_ACK_ORDER',
      'an acknowledgement inside an open READ',
      (b) => {
        read600(b);
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(0x1f, 1) });
      },
    ],
    [
      'WIRE_ACK_ORDER',
      'an acknowledgement past an atomic',
      (b) => {
        b.request({ opcode: CAS, psn: 0x100, ext: atomicEth() });
        send(b, 0x101);
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(0x1f, 2) });
      },
    ],
    [
      'WIRE_NAK',
      'a NAK for what has been acknowledged',
      (b) => {
        send(b);
        send(b, 0x101);
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(0x1f, 2) });
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(NAK_SEQUENCE, 2) });
      },
    ],
    [
      'WIRE_NAK',
      'a receiver that is not ready for what it has acknowledged',
      (b) => {
        send(b);
        b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x1f, 1) });
        b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x21, 1) });
      },
    ],
    [
      'WIRE_NAK',
      'a refusal for good of what has been acknowledged',
      (b) => {
        send(b);
        b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x1f, 1) });
        b.response({ opcode: ACK, psn: 0x100, ext: aeth(NAK_ACCESS, 1) });
      },
    ],
    [
      'WIRE_NAK',
      'a NAK for a packet in the middle of the answer to a READ',
      (b) => {
        read600(b);
        send(b, 0x103);
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(NAK_SEQUENCE, 0) });
      },
    ],
    [
      'WIRE_NAK',
      'a NAK for the newest packet as if one was missing',
      (b) => {
        send(b);
        send(b, 0x101);
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(NAK_SEQUENCE, 1) });
      },
      true,
    ],
    [
      'WIRE_RNR',
      'a receiver that asks for another time than it was given',
      (b) => {
        b.connect({ minRnrTimer: RNR_CODE });
        send(b);
        b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x20 | (RNR_CODE + 1), 0) });
      },
    ],
    [
      'WIRE_READ_LIMIT',
      'one READ too many',
      (b) => {
        b.connect({ maxRdAtomic: 2 });
        read600(b);
        b.request({ opcode: READ.request, psn: 0x103, ext: reth(4) });
        b.request({ opcode: READ.request, psn: 0x104, ext: reth(4) });
      },
    ],
    [
      'WIRE_MSN',
      'a message number that falls',
      (b) => {
        send(b);
        send(b, 0x101);
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(0x1f, 2) });
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(0x1f, 1) });
      },
    ],
    [
      'WIRE_MSN',
      'a message number that counts what was not sent',
      (b) => {
        send(b);
        b.response({ opcode: ACK, psn: 0x100, ext: aeth(0x1f, 2) });
      },
    ],
    [
      'WIRE_MSN',
      'a message number that leaves out what it acknowledges',
      (b) => {
        send(b);
        send(b, 0x101);
        b.response({ opcode: ACK, psn: 0x101, ext: aeth(0x1f, 1) });
      },
    ],
    [
      'WIRE_ACK_REQUEST',
      'a message at whose end no acknowledgement is asked for',
      (b) => b.request({ opcode: SEND.only, psn: 0x100, payload: 4, ackRequest: false }),
    ],
    [
      'WIRE_RESPONSE',
      'READ data without a READ',
      (b) => {
        send(b);
        b.response({ opcode: READ.only, psn: 0x100, ext: aeth(0x1f, 1), payload: 4 });
      },
    ],
    [
      'WIRE_RESPONSE',
      'a second answer to one READ',
      (b) => {
        read600(b);
        answer600(b, 0x100, 1);
        b.response({ opcode: READ.first, psn: 0x100, ext: aeth(0x1f, 1), payload: 256 });
      },
    ],
    [
      'WIRE_RESPONSE',
      'a third answer to one READ that the link delivers twice',
      (b) => {
        b.requestTwice({ opcode: READ.request, psn: 0x100, ext: reth(600) });
        for (let i = 0; i < 2; i++) answer600(b, 0x100, 1);
        b.response({ opcode: READ.first, psn: 0x100, ext: aeth(0x1f, 1), payload: 256 });
      },
    ],
    [
      'WIRE_RESPONSE',
      'a hole in READ data',
      (b) => {
        read600(b);
        b.response({ opcode: READ.first, psn: 0x100, ext: aeth(0x1f, 1), payload: 256 });
        b.response({ opcode: READ.last, psn: 0x102, ext: aeth(0x1f, 1), payload: 88 });
      },
    ],
    [
      'WIRE_RESPONSE',
      'an atomic answer to a SEND',
      (b) => {
        send(b);
        b.response({ opcode: ATOMIC_ACK, psn: 0x100, ext: [...aeth(0x1f, 1), ...word(0), ...word(0)] });
      },
    ],
    [
      'WIRE_READ_LENGTH',
      'READ data that is too short',
      (b) => {
        read600(b);
        b.response({ opcode: READ.first, psn: 0x100, ext: aeth(0x1f, 1), payload: 256 });
        b.response({ opcode: READ.middle, psn: 0x101, payload: 256 });
        b.response({ opcode: READ.last, psn: 0x102, ext: aeth(0x1f, 1), payload: 84 });
      },
    ],
    [
      'WIRE_READ_LENGTH',
      'a short answer to a long READ',
      (b) => {
        read600(b);
        b.response({ opcode: READ.only, psn: 0x100, ext: aeth(0x1f, 1), payload: 256 });
      },
    ],
    [
      'WIRE_SERVICE',
      'an unreliable packet to a reliable QP',
      (b) => b.request({ opcode: UC | 4, psn: 0x100, payload: 4 }),
    ],
    [
      'WIRE_PSN',
      'an unreliable connection that goes back',
      (b) => {
        b.connect({ type: 3 });
        b.request({ opcode: UC | 4, psn: 0x100, payload: 4 });
        b.request({ opcode: UC | 4, psn: 0x100, payload: 4 });
      },
    ],
    [
      'WIRE_PSN',
      'a gap between datagrams',
      (b) => {
        b.request({ opcode: 0x64, psn: 5, ext: deth(0x20), payload: 4 });
        b.request({ opcode: 0x64, psn: 7, ext: deth(0x20), payload: 4 });
      },
    ],
    [
      'WIRE_MTU',
      'a datagram above the MTU',
      (b) => {
        b.connect({ type: 4, qpn: 0x20, remoteHost: -1, sqPsn: 5 });
        b.request({ opcode: 0x64, psn: 5, ext: deth(0x20), payload: 257 });
      },
    ],
    ['WIRE_OPCODE', 'a fault of a single packet', (b) => b.request({ opcode: 0x1c, psn: 0x100, payload: 4 })],
  ];
  for (const [id, what, fault, lossless] of planted) {
    it(`reports ${id} for ${what}`, () => {
      const b = new WireBench(lossless).connect();
      fault(b);
      expect(b.ids()).to.deep.equal({ [id]: 1 });
      expect(b.lines.join('\n')).to.match(
        /host [01]( QP \d+)? to host [01].* \(frame of \d+ B, on the wire at \d+ns\)/,
      );
    });
  }

  it('keeps a queue pair silent when one begins anew that sent in its flow before', () => {
    const b = new WireBench().connect();
    b.transport.qpInErr(0, 0x10);
    b.connect({ qpn: 0x20 });
    send(b);
    expect(b.ids()).to.deep.equal({});
    b.transport.qpInErr(0, 0x20);
    b.transport.qpResuming(0, 0x10);
    send(b, 0x101);
    expect(b.ids()).to.deep.equal({ WIRE_SILENT: 1 });
    expect(b.lines[0]).to.contain('host 0 QP 32 to host 1 QP 17');
    b.transport.qpResuming(0, 0x20);
    send(b, 0x102);
    expect(b.ids()).to.deep.equal({ WIRE_SILENT: 1 });
  });

  it('names packets in findings as the trace does, with the queue pair that sends where it is known', () => {
    const b = new WireBench().connect();
    const name = 'host 0 QP 16 to host 1 QP 17: RC SEND_MIDDLE, PSN 0x000105';
    b.wait(1_250_500);
    b.request({ opcode: SEND.middle, psn: 0x105, payload: 256 });
    expect(b.lines[0]).to.match(/^UVM_ERROR @ 1250\.5ns: .*\(frame of \d+ B, on the wire at 1250\.5ns\)/);
    expect(b.lines[0]).to.contain(`[WIRE_PSN] ${name} (frame of`).and.contain('where 0x000100 is next');
    const gone = new WireBench().connect();
    gone.transport.qpInErr(0, 0x10);
    gone.request({ opcode: SEND.only, psn: 0x100, payload: 4, ackRequest: true });
    expect(gone.lines[0]).to.contain('[WIRE_SILENT] host 0 QP 16 to host 1 QP 17: RC SEND_ONLY, PSN 0x000100');
    const unknown = new WireBench();
    unknown.request({ opcode: SEND.middle, psn: 0x100, payload: 256 });
    unknown.request({ opcode: SEND.middle, psn: 0x102, payload: 256 });
    expect(unknown.lines[0]).to.contain('[WIRE_PSN] host 0 to host 1 QP 17: RC SEND_MIDDLE');
    const datagram = new WireBench();
    datagram.request({ opcode: 0x64, psn: 5, ext: deth(0x20), payload: 4 });
    datagram.request({ opcode: 0x64, psn: 7, ext: deth(0x20), payload: 4 });
    expect(datagram.lines[0]).to.contain('[WIRE_PSN] host 0 QP 32 to host 1 QP 17: UD SEND_ONLY, PSN 0x000007');
  });

  it('documents every id that it reports', () => {
    for (const [id] of planted) expect(WIRE_REPORT_IDS).to.have.property(id);
  });

  it('trusts nothing in a packet with a wrong ICRC', () => {
    const b = new WireBench().connect();
    const seen: number[] = [];
    b.monitor.packets.connect((p) => seen.push(p.problems));
    const broken = roceFrame({ opcode: SEND.middle, destQp: 0x11, psn: 0x555, payload: 256 });
    broken[100] = (broken[100] as number) ^ 1;
    b.raw(broken);
    expect(b.ids()).to.deep.equal({ WIRE_ICRC: 1 });
    expect(seen).to.deep.equal([PROBLEM.icrc]);
    send(b);
    expect(b.ids()).to.deep.equal({ WIRE_ICRC: 1 });
  });

  it('shows twenty findings of a kind, and says at the end how many more there were', () => {
    const b = new WireBench().connect();
    for (let psn = 0x101; psn < 0x101 + 2 * 30; psn += 2) send(b, psn);
    expect(b.lines).to.have.length(20);
    b.monitor.checkPhase();
    expect(b.ids()).to.deep.equal({ WIRE_PSN: 30 });
    expect(b.lines.at(-1)).to.contain('10 more findings of this kind, 30 in all');
  });

  it('reports frames of other protocols with what they are, and does not publish them', () => {
    const b = new WireBench();
    b.monitor.packets.connect(() => expect.fail('published'));
    const roce = roceFrame({ opcode: SEND.only, destQp: 14, psn: 1, payload: 4 });
    const changed = (at: number, ...values: number[]): number[] => roce.map((byte, i) => values[i - at] ?? byte);
    const cases: readonly (readonly [readonly number[], RegExp])[] = [
      [new Array<number>(60).fill(0), /has Ethernet type 0x0000; 0x0800 and 0x86dd are right/],
      [changed(12, 0x08, 0x06), /has Ethernet type 0x0806/],
      [changed(23, 6), /has IP protocol 6; 17 \(UDP\) is right/],
      [changed(36, 0x12, 0xb8), /goes to UDP port 4792; 4791 is right/],
      [roce.slice(0, 30), /has 16 B behind its Ethernet header; IP and UDP headers take 28/],
    ];
    for (const [i, [frame, says]] of cases.entries()) {
      b.raw([...frame]);
      expect(b.lines.at(-1)).to.match(says).and.contain(`host 0 to host 1: frame of ${frame.length} B`);
      expect(b.monitor).to.include({ frames: i + 1, otherFrames: i + 1 });
    }
    expect(b.ids()).to.deep.equal({ WIRE_FOREIGN: cases.length });
  });

  it('reports a VLAN tag, which no queue pair was given, and checks the packet all the same', () => {
    const b = new WireBench().connect();
    const frame = roceFrame({ opcode: SEND.only, destQp: 15, psn: 0x100, payload: 40 });
    b.raw([...frame.slice(0, 12), 0x81, 0x00, 0x60, 0x05, ...frame.slice(12)]);
    expect(b.ids()).to.deep.equal({ WIRE_FOREIGN: 1 });
    expect(b.lines[0]).to.contain('has VLAN tag 0x6005; no queue pair was given one');
  });

  it('publishes each packet with its flow position', () => {
    const b = new WireBench().connect();
    const seen: [number, boolean][] = [];
    b.monitor.packets.connect((p) => seen.push([p.psn, p.retransmission]));
    write600(b);
    write600(b);
    expect(seen).to.deep.equal([
      [0x100, false],
      [0x101, false],
      [0x102, false],
      [0x100, true],
      [0x101, true],
      [0x102, true],
    ]);
  });

  it('keeps 8192 connections of 8 hosts apart', () => {
    const b = new WireBench();
    for (let q = 0; q < 8192; q++) {
      b.connect({ host: q & 7, qpn: 14 + q, remoteHost: (q + 1) & 7, remoteQpn: 14 + q, sqPsn: q });
    }
    const post = (q: number, psn: number) =>
      b.raw(roceFrame({ opcode: SEND.only, destQp: 14 + q, psn, payload: 4 }), q & 7, (q + 1) & 7);
    for (let q = 0; q < 8192; q += 37) {
      post(q, q);
      post(q, q + 1);
    }
    expect(b.ids()).to.deep.equal({});
    post(37, 100);
    expect(b.ids()).to.deep.equal({ WIRE_PSN: 1 });
  });
});

import { expect } from 'chai';
import { BTH_CLASS, BTH_OP } from '../../../rdma/bth.ts';
import { GRH_BYTES, QP_STATE, QP_TYPE, SEND_FLAG, WC_FLAG, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { WirePacket } from '../../../scoreboard/model/wirePacket.ts';
import type { WireView } from '../../../scoreboard/model/wireView.ts';
import type { Entry } from './fakeWorld.ts';
import { DST_HI, FakeWorld, ipv4Header, PROCESS, QPN, SRC_HI } from './fakeWorld.ts';
import { MS } from '../../../uvm/kernel/time.ts';
import { NO_WIRE } from '../../../scoreboard/model/wireView.ts';
import { EMPTY_SEND } from './wirePackets.ts';

const STALL_TIME = 50 * MS;
const SOURCE: Entry[] = [[SRC_HI, 0, 60]];
const TARGET: Entry[] = [[DST_HI, 0, 100]];

describe('UD messages', () => {
  /** One datagram with the given 40 bytes in front. */
  function datagram(w: FakeWorld, header: Uint8Array, source: Entry[] = SOURCE, target: Entry[] = TARGET): void {
    const r = w.recv(target);
    const s = w.send(source);
    w.scatter(1, target, header);
    w.scatter(1, target, w.gather(0, source), 40);
    const length = source.reduce((n, e) => n + e[2], 0);
    w.recvDone(r, s, { byteLen: length + 40, flags: WC_FLAG.grh });
    w.sendDone(s);
  }

  it('pass with the header of the sender in front, also split over entries', () => {
    const w = new FakeWorld({}, QP_TYPE.ud);
    datagram(w, ipv4Header(0, 1));
    datagram(
      w,
      ipv4Header(0, 1),
      [[SRC_HI, 100, 60]],
      [
        [DST_HI, 4090, 23],
        [DST_HI, 9000, 77],
      ],
    );
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('pass with an IPv6 header', () => {
    const ipv6 = [0xfd000000, 0, 0, 1];
    const w = new FakeWorld(
      {
        addresses: [
          { ipv4: 0, ipv6 },
          { ipv4: 0, ipv6: [0xfd000000, 0, 0, 2] },
        ],
      },
      QP_TYPE.ud,
    );
    const b = new Uint8Array(40);
    b[0] = 0x60;
    b[6] = 17;
    b[8] = b[24] = 0xfd;
    b[23] = 1;
    b[39] = 2;
    datagram(w, b);
    expect(w.reports).to.deep.equal([]);
    const bad = new FakeWorld({}, QP_TYPE.ud);
    datagram(bad, b);
    expect(bad.ids()).to.deep.equal([SCB.udGrh]);
  });

  it('report a missing header, a wrong protocol and wrong addresses', () => {
    const change = [
      () => new Uint8Array(40),
      (b: Uint8Array) => b.fill(6, 29, 30),
      (b: Uint8Array) => b.fill(9, 35, 36),
      (b: Uint8Array) => b.fill(9, 39, 40),
    ];
    for (const c of change) {
      const w = new FakeWorld({}, QP_TYPE.ud);
      datagram(w, c(ipv4Header(0, 1)));
      w.oracle.finish();
      expect(w.ids()).to.deep.equal([SCB.udGrh]);
    }
  });

  it('report a header that is not that of their packet, once their path is known', () => {
    const path = { ipv6: false, trafficClass: 8, flowLabel: 0, hopLimit: 64 };
    const bytes = [0x45, 8, 0, 20 + 32 + 60, 0x12, 0x34, 0x40, 0, 64, 17];
    const whole = [...bytes, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    let sum = 0;
    for (let i = 0; i < 20; i += 2) sum += ((whole[i] as number) << 8) | (whole[i + 1] as number);
    sum = ~((sum & 0xffff) + (sum >>> 16)) & 0xffff;
    whole[10] = sum >>> 8;
    whole[11] = sum & 255;
    for (let at = -1; at < 20; at++) {
      const w = new FakeWorld({}, QP_TYPE.ud);
      w.oracle.ahMade({ host: 0, index: 0, remoteHost: 1, path });
      const header = Uint8Array.from([...new Array<number>(20).fill(0), ...whole]);
      if (at >= 0) header[20 + at] = (header[20 + at] as number) ^ 4;
      datagram(w, header);
      expect(w.ids(), `byte ${at}`).to.deep.equal(at < 0 ? [] : [SCB.udGrh]);
    }
  });

  it('report an IPv6 header with another path or length', () => {
    const path = { ipv6: true, trafficClass: 0x12, flowLabel: 0x34567, hopLimit: 9 };
    const mapped = (host: number): number[] => [...new Array<number>(10).fill(0), 255, 255, 10, 0, 0, host];
    const right = [0x61, 0x23, 0x45, 0x67, 0, 32 + 60, 17, 9, ...mapped(1), ...mapped(2)];
    for (let at = -1; at < 8; at++) {
      const w = new FakeWorld({}, QP_TYPE.ud);
      w.oracle.ahMade({ host: 0, index: 0, remoteHost: 1, path });
      const header = Uint8Array.from(right);
      if (at >= 0) header[at] = (header[at] as number) ^ 2;
      datagram(w, header);
      expect(w.ids(), `byte ${at}`).to.deep.equal(at < 0 ? [] : [SCB.udGrh]);
    }
  });

  it('are told apart by sender, and by the address in the header where numbers are the same on two hosts', () => {
    const w = new FakeWorld({}, QP_TYPE.ud);
    w.qp(1, QPN[0], QP_TYPE.ud);
    w.qp(0, 20, QP_TYPE.ud);
    const t = [0, 1, 2].map((i): Entry[] => [[DST_HI, i * 200, 100]]);
    const r = t.map((e) => w.recv(e));
    w.send([[SRC_HI, 500, 60]], { host: 1, qpn: QPN[0], remoteQpn: QPN[1], remoteHost: 1 });
    const a = w.send(SOURCE);
    const b = w.send([[SRC_HI, 300, 60]], { qpn: 20 });
    [b, a].forEach((s, i) => {
      w.scatter(1, t[i] as Entry[], ipv4Header(0, 1));
      w.scatter(1, t[i] as Entry[], w.gather(0, s === a ? SOURCE : [[SRC_HI, 300, 60]]), 40);
      w.recvDone(r[i] as never, s, { byteLen: 100, flags: WC_FLAG.grh });
    });
    expect(w.reports).to.deep.equal([]);
  });

  it('are taken for the oldest one when the completion names an unknown sender, which is reported', () => {
    const w = new FakeWorld({}, QP_TYPE.ud);
    const r = w.recv(TARGET);
    const s = w.send(SOURCE);
    w.scatter(1, TARGET, ipv4Header(0, 1));
    w.scatter(1, TARGET, w.gather(0, SOURCE), 40);
    w.recvDone(r, s, { byteLen: 100, flags: WC_FLAG.grh, srcQp: 0 });
    w.sendDone(s);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.remoteQpn]);
  });

  it('must not arrive with a Q_Key that is not that of their receiver, whose receive is for the next one', () => {
    for (const dropped of [true, false]) {
      const w = new FakeWorld({}, QP_TYPE.ud);
      const r = w.recv(TARGET);
      const wrong = w.send([[SRC_HI, 600, 60]], { remoteQkey: 5 });
      const s = w.send(SOURCE, { remoteQkey: 0x80000000 });
      w.scatter(1, TARGET, ipv4Header(0, 1));
      w.scatter(1, TARGET, w.gather(0, dropped ? SOURCE : [[SRC_HI, 600, 60]]), 40);
      w.recvDone(r, s, { byteLen: 100, flags: WC_FLAG.grh });
      w.sendDone(wrong);
      w.sendDone(s);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(dropped ? [] : [SCB.data]);
    }
  });

  it('report one that arrives all the same although no other was sent', () => {
    const w = new FakeWorld({}, QP_TYPE.ud);
    const r = w.recv(TARGET);
    const s = w.send(SOURCE, { remoteQkey: 1 });
    w.recvDone(r, s, { byteLen: 100, flags: WC_FLAG.grh });
    expect(w.ids()).to.deep.equal([SCB.noMessage]);
  });

  it('may be dropped or not while software changes the Q_Key of their receiver', () => {
    for (const [key, arrives] of [
      [0, true],
      [0, false],
      [7, true],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.ud);
      const change = (qkey: number): void => {
        const info = { host: 1, qpn: QPN[1], process: PROCESS, type: QP_TYPE.ud, remoteHost: -1, remoteQpn: -1, qkey };
        const rest = { sendCqn: 0, recvCqn: 0, mtu: 1024, sqPsn: 0, rqPsn: 0, ackTimeout: 0, rnrRetry: 7 };
        w.oracle.qpChanging({ ...info, ...rest, signalAll: true });
        if (key === 7) w.oracle.qpChanged({ ...info, ...rest, signalAll: true });
      };
      const r = w.recv(TARGET);
      if (key === 7) change(7);
      const s = w.send(SOURCE, { remoteQkey: key });
      if (key !== 7) change(7);
      if (arrives) {
        w.scatter(1, TARGET, ipv4Header(0, 1));
        w.scatter(1, TARGET, w.gather(0, SOURCE), 40);
        w.recvDone(r, s, { byteLen: 100, flags: WC_FLAG.grh });
      }
      w.sendDone(s);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal([]);
    }
  });

  it('may be dropped where no receive waits for them, and then are not missed', () => {
    const w = new FakeWorld({}, QP_TYPE.ud);
    w.sendDone(w.send(SOURCE));
    datagram(w, ipv4Header(0, 1), [[SRC_HI, 900, 50]]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('are missed when they have arrived, and not when the link has lost them', () => {
    for (const lost of [false, true]) {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.ud);
      w.recv(TARGET);
      const s = w.send(SOURCE, { unsent: true });
      w.carry(s, () => !lost);
      w.sendDone(s);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(lost ? [] : [SCB.missing]);
    }
  });
});

describe('end of test', () => {
  it('names what is missing', () => {
    const w = new FakeWorld();
    w.recv(TARGET);
    w.send(SOURCE);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.missing, SCB.missing]);
    expect(w.reports[0]?.text).to.match(/host 0 QP 14 .* 1 send completion, first of SEND \(wrId 1001/);
    expect(w.reports[1]?.text).to.match(/host 1 QP 15 .* 1 receive completion .* SEND \(wrId 1001.* of host 0 QP 14/);
  });

  it('reports receives left over unless the scenario says they may be', () => {
    for (const receivesMayRemain of [false, true]) {
      const w = new FakeWorld({ receivesMayRemain });
      w.message(SOURCE, TARGET);
      w.recv([[DST_HI, 500, 60]]);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(receivesMayRemain ? [] : [SCB.leftoverRecv]);
    }
  });

  it('knows a run without a single check', () => {
    const w = new FakeWorld();
    w.allowArea(0, 'icm', 0x1000, 0, 4096);
    w.oracle.writesOf(0).write({ hi: 0x1000, lo: 0, length: 64, data: 0, interrupt: false, place: -1 });
    w.oracle.finish();
    expect(w.oracle.vacuous).to.equal(true);
    w.message(SOURCE, TARGET);
    expect(w.oracle.vacuous).to.equal(false);
  });

  it('shows a limited number of findings of one id and counts the rest', () => {
    const w = new FakeWorld({ maxReportsPerId: 3 });
    const s = w.send(SOURCE);
    for (let i = 0; i < 10; i++) w.sendDone(s, { qpn: 99 });
    expect(w.ids()).to.deep.equal([SCB.qpn, SCB.qpn, SCB.qpn]);
    w.oracle.finish();
    expect(w.reports.at(-1)?.text).to.contain('10 in all');
  });

  it('checks completions alone when asked to', () => {
    const some = new FakeWorld({ level: CHECK_LEVEL.completions });
    const r = some.recv(TARGET);
    const s = some.send(SOURCE);
    some.recvDone(r, s);
    some.sendDone(s, { byteLen: 3 });
    some.oracle.finish();
    expect(some.ids()).to.deep.equal([SCB.byteLen]);
  });
});

describe('UC messages', () => {
  it('may be lost by the link, and the next receive is for the message that did arrive', () => {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    const r = w.recv([[DST_HI, 0, 60]]);
    w.recv([[DST_HI, 60, 60]]);
    const lost = w.send([[SRC_HI, 0, 60]], { unsent: true });
    w.carry(lost, () => false);
    const arrived = w.send([[SRC_HI, 60, 60]]);
    w.scatter(1, [[DST_HI, 0, 60]], w.gather(0, [[SRC_HI, 60, 60]]));
    w.recvDone(r, arrived);
    w.sendDone(lost);
    w.sendDone(arrived);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('are done with when a receive completes with them, also before all packets have come', () => {
    const w = new FakeWorld({}, QP_TYPE.uc);
    const long: [number, number, number][] = [[SRC_HI, 0, 3000]];
    const target: [number, number, number][] = [[DST_HI, 0, 3000]];
    const r = w.recv(target);
    const s = w.send(long, { unsent: true });
    w.carry(s, (packet) => {
      if (packet === 2) {
        w.scatter(1, target, w.gather(0, long));
        w.recvDone(r, s);
        w.sendDone(s);
      }
      return true;
    });
    for (let i = 0; i < 3; i++) w.message([[SRC_HI, 8192, 60]], [[DST_HI, 8192, 60]]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('must arrive in order on a link without faults', () => {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    const r = w.recv([[DST_HI, 0, 60]]);
    w.recv([[DST_HI, 60, 60]]);
    w.send([[SRC_HI, 0, 60]]);
    const second = w.send([[SRC_HI, 60, 60]]);
    w.scatter(1, [[DST_HI, 0, 60]], w.gather(0, [[SRC_HI, 60, 60]]));
    w.recvDone(r, second);
    expect(w.ids()).to.deep.equal([SCB.missing]);
  });

  it('that are dropped are told of by themselves, and the one behind them is judged by what it is', () => {
    for (const type of [QP_TYPE.uc, QP_TYPE.ud]) {
      const head = type === QP_TYPE.ud ? GRH_BYTES : 0;
      const w = new FakeWorld({ receivesMayRemain: true }, type);
      const room: Entry[] = [[DST_HI, 0, 200]];
      const r = w.recv(room);
      w.recv([[DST_HI, 200, 200]]);
      w.send([[SRC_HI, 0, 60]], { wrId: 70 });
      w.send([[SRC_HI, 100, 50]], { wrId: 71 });
      const third = w.send([[SRC_HI, 200, 90]], { wrId: 72, opcode: WR_OPCODE.sendWithImm, imm: 5 });
      const header = type === QP_TYPE.ud ? ipv4Header(0, 1) : [];
      w.scatter(1, room, Uint8Array.from([...header, ...w.gather(0, [[SRC_HI, 200, 90]])]));
      const flags = WC_FLAG.withImm | (type === QP_TYPE.ud ? WC_FLAG.grh : 0);
      w.recvDone(r, third, { byteLen: 90 + head, flags, imm: 5 });
      expect(w.reports.map(({ text }) => text.replace(/ \(.*?arrived whole/, ' arrived whole'))).to.have.length(2);
      for (const [i, { id, text }] of w.reports.entries()) {
        expect(id).to.equal(SCB.missing);
        expect(text).to.match(
          new RegExp(`^SEND \\(wrId ${70 + i},.* fills no receive: RECV .* holds SEND_WITH_IMM \\(wrId 72`),
        );
      }
    }
  });

  it('are not said to be dropped where the completion of the one whose turn it is, tells of it wrongly', () => {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    const room: Entry[] = [[DST_HI, 0, 200]];
    const r = w.recv(room);
    const first = w.send([[SRC_HI, 0, 60]]);
    w.send([[SRC_HI, 100, 50]]);
    w.scatter(1, room, w.gather(0, [[SRC_HI, 0, 60]]));
    w.recvDone(r, first, { byteLen: 50 });
    expect(w.ids()).to.deep.equal([SCB.byteLen]);
  });
});

describe('an unreliable message', () => {
  it('is not awaited at a queue pair that is not ready, even if a receive is posted there', () => {
    for (const ready of [true, false]) {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
      if (!ready) w.oracle.qpGone(1, QPN[1]);
      w.recv(TARGET);
      w.sendDone(w.send(SOURCE));
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(ready ? [SCB.missing] : []);
    }
  });
});

describe('liveness', () => {
  it('names the queue pair that makes no progress for the stall time, once', () => {
    const w = new FakeWorld({ stallTime: STALL_TIME });
    w.recv(TARGET);
    w.send(SOURCE);
    w.clock.now = 0.98 * STALL_TIME;
    w.oracle.checkLiveness();
    expect(w.reports).to.deep.equal([]);
    w.clock.now = 1.02 * STALL_TIME;
    w.oracle.checkLiveness();
    w.oracle.checkLiveness();
    expect(w.ids()).to.deep.equal([SCB.stuck, SCB.stuck]);
    expect(w.reports[0]?.text).to.contain('host 0 QP 14').and.contain('send completion');
    expect(w.oracle.pendingWork()).to.have.length(2);
  });

  it('says of both queue pairs in which state they are, what is outstanding, and how far they have got', () => {
    const wire: WireView = {
      ...NO_WIRE,
      progress: (host) => (host === 0 ? { sent: 0x1ec54, answered: 0x1ec50 } : { sent: -1, answered: -1 }),
    };
    const stateOf = (host: number) => (host === 0 ? QP_STATE.rts : QP_STATE.sqd);
    const w = new FakeWorld({ stallTime: STALL_TIME, wire, stateOf });
    w.recv(TARGET);
    w.send(SOURCE);
    w.clock.now = 5 * MS;
    w.oracle.qpDraining(1, QPN[1]);
    w.clock.now = 2 * STALL_TIME;
    w.oracle.checkLiveness();
    expect(w.reports.find(({ id }) => id === SCB.stuck)?.text).to.contain(
      '; host 0 QP 14 is in RTS with 1 send and 0 receives outstanding, sent up to PSN 0x01ec54, answered up to 0x01ec50; ' +
        'host 1 QP 15 is in SQD, told at 5000000ns to drain and not drained with 0 sends and 1 receive outstanding, has sent no request',
    );
  });

  it('names those that have to send before those that wait for them', () => {
    const w = new FakeWorld({ stallTime: STALL_TIME });
    // The receiver has the lower number here.
    w.recv(TARGET, { host: 0 });
    w.send(SOURCE, { host: 1 });
    w.clock.now = 2 * STALL_TIME;
    w.oracle.checkLiveness();
    expect(w.reports.map(({ text }) => /: (host \d QP \d+)/.exec(text)?.[1])).to.deep.equal([
      'host 1 QP 15',
      'host 0 QP 14',
    ]);
  });

  it('says of a queue pair that its peer does not exist any more', () => {
    const w = new FakeWorld({ stallTime: STALL_TIME });
    w.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite });
    w.oracle.qpGone(1, QPN[1]);
    w.clock.now = 2 * STALL_TIME;
    w.oracle.checkLiveness();
    expect(w.reports[0]?.text).to.match(
      /; host 0 QP 14 with 1 send and 0 receives outstanding; host 1 QP 15 does not exist$/,
    );
  });

  it('says how the receiver of the oldest datagram of a stuck queue pair stands, or that there is none', () => {
    const w = new FakeWorld({ stallTime: STALL_TIME }, QP_TYPE.ud);
    w.recv([[DST_HI, 0, 100]]);
    w.send(SOURCE, { remoteQpn: QPN[1] });
    w.clock.now = 2 * STALL_TIME;
    w.oracle.checkLiveness();
    const texts = w.reports.filter(({ id }) => id === SCB.stuck).map(({ text }) => text);
    expect(texts[0]).to.match(
      /; host 0 QP 14 with 1 send and 0 receives outstanding; host 1 QP 15 with 0 sends and 1 receive outstanding$/,
    );
    const alone = new FakeWorld({ stallTime: STALL_TIME }, QP_TYPE.ud);
    alone.send(SOURCE, { remoteQpn: 99 });
    alone.clock.now = 2 * STALL_TIME;
    alone.oracle.checkLiveness();
    expect(alone.reports.find(({ id }) => id === SCB.stuck)?.text).to.match(/; host 1 QP 99 does not exist$/);
  });

  it('names a queue pair again that has moved and is stuck once more', () => {
    const w = new FakeWorld({ stallTime: STALL_TIME });
    const [first] = [w.recv(TARGET), w.recv([[DST_HI, 200, 60]])];
    const [s] = [w.send(SOURCE), w.send(SOURCE)];
    for (let i = 0; i < 2; i++) {
      w.clock.now += 1.02 * STALL_TIME;
      w.oracle.checkLiveness();
      expect(w.ids()).to.deep.equal(new Array(2 * (i + 1)).fill(SCB.stuck));
      if (i > 0) break;
      w.scatter(1, TARGET, w.gather(0, SOURCE));
      w.recvDone(first, s);
      w.sendDone(s);
    }
  });

  it('counts the time of a receiver from the message on that it waits for', () => {
    const w = new FakeWorld({ stallTime: STALL_TIME });
    w.recv(TARGET);
    w.clock.now = 2 * STALL_TIME;
    w.send(SOURCE);
    w.clock.now = 2.98 * STALL_TIME;
    w.oracle.checkLiveness();
    expect(w.reports).to.deep.equal([]);
  });

  it('does not count time in which new data moved, yet counts time in which the same data moved again', () => {
    for (const fresh of [true, false]) {
      const w = new FakeWorld({ stallTime: 10_000 });
      w.recv([[DST_HI, 0, 100_000]]);
      w.send([[SRC_HI, 0, 100_000]]);
      for (let i = 0; i < 20; i++) {
        w.dma(1, DST_HI, fresh ? i * 1024 : 0, new Uint8Array(1024));
        w.clock.now += 800_000;
      }
      w.oracle.checkLiveness();
      expect(w.ids()).to.deep.equal(fresh ? [] : [SCB.stuck, SCB.stuck]);
    }
  });

  it('does not blame the NIC for a message that waits for software to post a receive', () => {
    const w = new FakeWorld({ stallTime: STALL_TIME });
    w.send(SOURCE);
    w.clock.now = 2 * STALL_TIME;
    w.oracle.checkLiveness();
    expect(w.reports).to.deep.equal([]);
  });

  it('finds a standstill of all queue pairs, and whether software could end it', () => {
    const w = new FakeWorld({ stallTime: STALL_TIME });
    expect(w.oracle.standstill(MS)).to.equal(null);
    w.send(SOURCE);
    w.clock.now = 10 * MS;
    expect(w.oracle.standstill(11 * MS)).to.equal(null);
    expect(w.oracle.standstill(10 * MS)).to.include({ software: true });
    w.recv(TARGET);
    expect(w.oracle.standstill(10 * MS)).to.equal(null);
    w.clock.now = 20 * MS;
    const found = w.oracle.standstill(10 * MS);
    expect(found?.software).to.equal(false);
    expect(found?.lines[0]).to.contain('host 0 QP 14');
  });

  it('blames it for a send completion that is missing although the message was received', () => {
    for (const type of [QP_TYPE.rc, QP_TYPE.uc]) {
      const w = new FakeWorld({}, type);
      const r = w.recv(TARGET);
      const s = w.send(SOURCE);
      w.scatter(1, TARGET, w.gather(0, SOURCE));
      w.recvDone(r, s);
      w.oracle.checkLiveness(true);
      expect(w.ids()).to.deep.equal([SCB.stuck]);
    }
  });
});

/** A packet of host 0's queue pair. */
function request(operation: number, over: Partial<WirePacket> = {}): WirePacket {
  return { ...EMPTY_SEND, opcode: BTH_CLASS.rc | operation, ...over };
}

/** An answer of host 1 that counts `msn` messages. */
function answer(msn: number, over: Partial<WirePacket> = {}): WirePacket {
  return request(BTH_OP.acknowledge, { host: 1, to: 0, destQp: QPN[0] as number, msn, ...over });
}

describe('transmissions', () => {
  it('agree with the completions of a correct run, repeats aside', () => {
    const w = new FakeWorld();
    for (const psn of [0xffffff, 0xffffff, 0]) w.oracle.packet(request(BTH_OP.sendOnly, { psn }));
    w.oracle.packet(answer(2));
    w.oracle.packet(answer(1));
    w.message(SOURCE, TARGET);
    w.message([[SRC_HI, 200, 60]], [[DST_HI, 200, 60]]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('report a completion whose message was never sent, and messages that nobody posted', () => {
    const w = new FakeWorld();
    w.oracle.packet(request(BTH_OP.sendFirst));
    w.oracle.packet(answer(1));
    w.message(SOURCE, TARGET);
    expect(w.ids()).to.deep.equal([SCB.transmissions]);
    const more = new FakeWorld();
    more.oracle.packet(request(BTH_OP.writeLast));
    more.oracle.finish();
    expect(more.ids()).to.deep.equal([SCB.transmissions]);
  });

  it('report a completion that the peer has not acknowledged, on reliable connections', () => {
    const w = new FakeWorld();
    w.oracle.packet(request(BTH_OP.sendOnly));
    w.message(SOURCE, TARGET);
    expect(w.ids()).to.deep.equal([SCB.early]);
    expect(w.reports[0]?.text).to.contain('completion number 1').and.contain('acknowledged only 0 messages');
    const unreliable = new FakeWorld({}, QP_TYPE.uc);
    unreliable.oracle.packet(request(BTH_OP.sendOnly, { opcode: BTH_CLASS.uc | BTH_OP.sendOnly }));
    unreliable.message(SOURCE, TARGET);
    expect(unreliable.ids()).to.deep.equal([]);
  });

  it('expect no message for a request that failed, and one for what an unreliable queue pair completes after it', () => {
    for (const [unsent, found] of [
      [false, []],
      [true, [SCB.transmissions]],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
      w.message(SOURCE, TARGET);
      w.sendDone(w.send([[0x7777, 0, 60]], { unsent: true }), { status: WC_STATUS.locProtErr });
      w.recovers(0, QPN[0]);
      w.sendDone(w.send(SOURCE, { unsent }));
      expect(w.ids()).to.deep.equal(found);
    }
  });

  it('take an acknowledgement by someone else for none', () => {
    const w = new FakeWorld();
    w.oracle.packet(request(BTH_OP.sendOnly));
    w.oracle.packet(answer(1, { host: 2 }));
    w.message(SOURCE, TARGET);
    expect(w.ids()).to.deep.equal([SCB.early]);
  });
});

describe('the flags of requests', () => {
  const { fence, solicited } = SEND_FLAG;
  const write = { opcode: WR_OPCODE.rdmaWrite };

  it('hold a fenced request back until all READs before it have been answered', () => {
    for (const openReads of [0, 2]) {
      const w = new FakeWorld();
      w.send(TARGET, { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 0] });
      w.send(SOURCE, { ...write, flags: SEND_FLAG.signaled | fence });
      w.oracle.packet(request(BTH_OP.readRequest, { psn: 1, dmaLength: 100 }));
      w.oracle.packet(request(BTH_OP.writeFirst, { psn: 2, openReads }));
      w.oracle.packet(request(BTH_OP.writeLast, { psn: 3 }));
      w.oracle.packet(request(BTH_OP.sendOnly, { psn: 4, openReads: 2 }));
      expect(w.ids()).to.deep.equal(openReads === 0 ? [] : [SCB.fence]);
    }
  });

  it('hold back each of several fenced requests that are posted together', () => {
    const w = new FakeWorld();
    w.send(SOURCE, { ...write, flags: SEND_FLAG.signaled | fence });
    w.send(TARGET, { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 0] });
    w.send(SOURCE, { ...write, flags: SEND_FLAG.signaled | fence });
    w.oracle.packet(request(BTH_OP.writeOnly, { psn: 1, openReads: 0 }));
    w.oracle.packet(request(BTH_OP.readRequest, { psn: 2, dmaLength: 100 }));
    w.oracle.packet(request(BTH_OP.writeOnly, { psn: 3, openReads: 1 }));
    expect(w.ids()).to.deep.equal([SCB.fence]);
  });

  it('name the fenced request and the oldest one without an answer, also behind some that are done', () => {
    const w = new FakeWorld();
    const read = { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 0] as const };
    const done = w.send(TARGET, { ...read, wrId: 1 });
    for (const wrId of [2, 3, 4]) w.send([[DST_HI, 4096 * wrId, 100]], { ...read, wrId });
    w.send(SOURCE, { ...write, wrId: 5, flags: SEND_FLAG.signaled | fence });
    for (const psn of [1, 2, 3, 4]) w.oracle.packet(request(BTH_OP.readRequest, { psn, dmaLength: 100 }));
    w.scatter(0, TARGET, w.gather(1, [[SRC_HI, 0, 100]]));
    w.oracle.packet(answer(1));
    w.sendDone(done);
    w.oracle.packet(request(BTH_OP.writeFirst, { psn: 5, openReads: 2 }));
    const { text } = w.reports.find(({ id }) => id === SCB.fence) as { text: string };
    expect(text).to.match(
      /^PSN 0x000005: RDMA_WRITE \(wrId 5, .*is fenced, and leaves before the answer to 2 READs and /,
    );
    expect(text).to.match(/in front of it, first RDMA_READ \(wrId 3, /);
  });

  it('let a request without a fence, and a packet that is sent again, pass open READs', () => {
    const w = new FakeWorld();
    w.send(SOURCE, write);
    w.send(SOURCE, { ...write, flags: SEND_FLAG.signaled | fence });
    w.oracle.packet(request(BTH_OP.writeOnly, { psn: 1, openReads: 1 }));
    w.oracle.packet(request(BTH_OP.writeOnly, { psn: 1, openReads: 1, retransmission: true }));
    w.oracle.packet(request(BTH_OP.writeOnly, { psn: 2 }));
    expect(w.ids()).to.deep.equal([]);
  });

  it('make as many messages solicited as were posted so, repeats aside', () => {
    const w = new FakeWorld({}, QP_TYPE.ud);
    w.carries = false;
    const packet = (psn: number, over: Partial<WirePacket> = {}) =>
      w.oracle.packet(
        request(BTH_OP.sendOnly, { opcode: BTH_CLASS.ud | BTH_OP.sendOnly, sourceQp: QPN[0] as number, psn, ...over }),
      );
    w.send(SOURCE, { flags: SEND_FLAG.signaled | solicited });
    packet(1, { solicited: true });
    packet(1, { solicited: true });
    expect(w.ids()).to.deep.equal([]);
    packet(2, { solicited: true });
    expect(w.ids()).to.deep.equal([SCB.solicited]);
  });

  it('are missed when a solicited message was sent as any other', () => {
    const w = new FakeWorld({ receivesMayRemain: true });
    const r = w.recv(TARGET);
    const s = w.send(SOURCE, { flags: SEND_FLAG.signaled | solicited });
    w.oracle.packet(request(BTH_OP.sendOnly));
    w.oracle.packet(answer(1));
    w.scatter(1, TARGET, w.gather(0, SOURCE));
    w.recvDone(r, s);
    w.sendDone(s);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.solicited]);
  });

  it('count for messages only', () => {
    const w = new FakeWorld();
    w.send(SOURCE, { ...write, flags: SEND_FLAG.signaled | solicited });
    w.oracle.packet(request(BTH_OP.writeOnly));
    w.oracle.finish();
    expect(w.ids()).to.not.include(SCB.solicited);
  });
});

describe('transmissions of READ', () => {
  it('take a request for the rest of an answer as part of the first', () => {
    const w = new FakeWorld();
    for (const psn of [7, 9]) {
      w.oracle.packet(request(BTH_OP.readRequest, { psn, dmaLength: (10 - psn) * 1024 }));
    }
    w.oracle.packet(answer(1, { opcode: BTH_OP.readResponseLast }));
    const target: Entry[] = [[DST_HI, 0, 3072]];
    const s = w.send(target, { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 0] });
    w.scatter(0, target, w.gather(1, [[SRC_HI, 0, 3072]]));
    w.sendDone(s);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });
});

describe('atomics', () => {
  it('complete with 8 bytes and may change both ends', () => {
    const w = new FakeWorld();
    const s = w.send([[DST_HI, 0, 8]], { opcode: WR_OPCODE.atomicFetchAndAdd, rkey: SRC_HI, remote: [SRC_HI, 64] });
    const before = w.gather(1, [[SRC_HI, 64, 8]]);
    // It adds nothing.
    w.dma(1, SRC_HI, 64, before);
    w.dma(0, DST_HI, 0, before);
    w.sendDone(s);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
    expect(w.memory.peek(0, PROCESS, DST_HI, 0, 8)).to.deep.equal(before);
  });
});

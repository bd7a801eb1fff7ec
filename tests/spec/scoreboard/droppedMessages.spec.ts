import { expect } from 'chai';
import type { PostedRecv, PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { GRH_BYTES, QP_TYPE, WC_FLAG, WC_STATUS } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, FakeWorld, ipv4Header, QPN, SRC_HI } from './fakeWorld.ts';

describe('a message of an unreliable service that is longer than its receive', () => {
  const [FIRST, SECOND] = [0x1000, 0x8000];
  type Entry = readonly [number, number, number];
  const room = (lo: number, length: number): Entry[] => [[DST_HI, lo, length]];

  /** Two receives, and a message of 100 bytes behind one of `bytes`; `nic` says what the NIC makes of that. */
  function play(type: number, bytes: number, nic: (w: FakeWorld, p: Played) => void): string[] {
    const w = new FakeWorld({ receivesMayRemain: true }, type);
    const skip = type === QP_TYPE.ud ? GRH_BYTES : 0;
    const receives = [FIRST, SECOND].map((lo) => w.recv(room(lo, 200 + skip)));
    const long: Entry[] = [[SRC_HI, 0x4000, bytes]];
    const short: Entry[] = [[SRC_HI, 0, 100]];
    const sends = [long, short].map((list) => w.send(list));
    for (const s of sends) w.sendDone(s);
    const deliver = (recv: number, message: number, byteLen: number): void => {
      const data = w.gather(0, [long, short][message] as Entry[]);
      const head = skip === 0 ? [] : [...ipv4Header(0, 1)];
      const at = [FIRST, SECOND][recv] as number;
      w.scatter(1, room(at, 200 + skip), Uint8Array.from([...head, ...data]).subarray(0, skip + byteLen));
      const flags = skip === 0 ? 0 : WC_FLAG.grh;
      const [r, s] = [receives[recv], sends[message]] as [PostedRecv, PostedSend];
      w.recvDone(r, s, { byteLen: skip + byteLen, flags });
    };
    nic(w, { deliver });
    w.oracle.finish();
    return w.ids();
  }
  interface Played {
    deliver(recv: number, message: number, byteLen: number): void;
  }

  for (const [name, type] of [
    ['UC', QP_TYPE.uc],
    ['UD', QP_TYPE.ud],
  ] as const) {
    it(`is dropped, and the next one comes to the receive (${name})`, () => {
      expect(play(type, 201, (_w, p) => p.deliver(0, 1, 100))).to.deep.equal([]);
    });

    it(`must not use the receive up, be cut, or arrive as a whole (${name})`, () => {
      expect(play(type, 201, (_w, p) => p.deliver(1, 1, 100))).to.include(SCB.order);
      expect(play(type, 201, (_w, p) => p.deliver(0, 0, 200))).to.include(SCB.byteLen);
      expect(play(type, 201, (_w, p) => p.deliver(0, 0, 201))).to.not.deep.equal([]);
    });

    it(`is awaited where it fits just so (${name})`, () => {
      const both = (_: FakeWorld, p: Played): void => {
        p.deliver(0, 0, 200);
        p.deliver(1, 1, 100);
      };
      expect(play(type, 200, both)).to.deep.equal([]);
      expect(play(type, 200, (_w, p) => p.deliver(0, 1, 100))).to.not.deep.equal([]);
    });
  }

  it('leaves its beginning behind the message that comes to the receive next (UC)', () => {
    const ids = play(QP_TYPE.uc, 201, (w, p) => {
      w.scatter(1, room(FIRST, 200), new Uint8Array(200).fill(7));
      p.deliver(0, 1, 100);
    });
    expect(ids).to.deep.equal([]);
  });

  it('leaves it so where messages in front of it come to receives in between, and until one behind it comes (UC)', () => {
    for (const [later, found] of [
      [0, []],
      [1, [SCB.guard]],
    ] as const) {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
      const from = (i: number, length: number): Entry[] => [[SRC_HI, 0x1000 * i, length]];
      const first = w.send(from(0, 100));
      const cut = w.send(from(1, 150), { lkeys: [0x77] });
      w.sendDone(first);
      w.sendDone(cut, { status: WC_STATUS.locProtErr });
      w.recovers(0, QPN[0]);
      const arrive = (lo: number, i: number, length: number, item = w.send(from(i, length))): void => {
        const recv = w.recv(room(lo, 200));
        if (lo === SECOND + 0x1000 * later) w.scatter(1, room(lo, 150), new Uint8Array(150).fill(7));
        w.scatter(1, room(lo, 200), w.gather(0, from(i, length)));
        if (item !== first) w.sendDone(item);
        w.recvDone(recv, item);
      };
      arrive(FIRST, 0, 100, first);
      arrive(SECOND, 2, 20);
      arrive(SECOND + 0x1000, 3, 20);
      w.oracle.finish();
      expect(w.ids(), `${later} messages later`).to.deep.equal(found);
    }
  });

  it('may arrive where datagrams of others may have taken the short receive before', () => {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.ud);
    w.qp(0, 16, QP_TYPE.ud);
    const small = w.recv(room(FIRST, 140));
    const large = w.recv(room(SECOND, 240));
    const long = w.send([[SRC_HI, 0, 150]]);
    const other = w.send([[SRC_HI, 0x2000, 100]], { qpn: 16 });
    for (const [r, s, lo] of [
      [small, other, 0x2000],
      [large, long, 0],
    ] as const) {
      const bytes = w.gather(0, [[SRC_HI, lo, s === long ? 150 : 100]]);
      const at = r === small ? FIRST : SECOND;
      w.scatter(1, room(at, 240), Uint8Array.from([...ipv4Header(0, 1), ...bytes]));
      w.recvDone(r, s, { byteLen: GRH_BYTES + bytes.length, flags: WC_FLAG.grh });
      w.sendDone(s);
    }
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([]);
  });

  for (const [name, type] of [
    ['UC', QP_TYPE.uc],
    ['UD', QP_TYPE.ud],
  ] as const) {
    const skip = type === QP_TYPE.ud ? GRH_BYTES : 0;

    /** Receives of so many bytes; a message of 50 bytes fails after one of 150 bytes was posted, which is then sent. */
    function behindFailure(...sizes: readonly number[]) {
      const w = new FakeWorld({ receivesMayRemain: true }, type);
      const receives = sizes.map((bytes, i) => w.recv(room([FIRST, SECOND][i] as number, bytes + skip)));
      const failing = w.send([[DST_HI, 0, 50]]);
      const message = w.send([[SRC_HI, 0x4000, 150]]);
      w.oracle.mrDeregistering(0, DST_HI);
      w.oracle.mrDeregistered({ host: 0, key: DST_HI });
      w.sendDone(failing, { status: WC_STATUS.locProtErr });
      w.recovers(0, QPN[0]);
      w.sendDone(message);
      const comes = (send: PostedSend, lo: number, bytes: number): void => {
        const head = skip === 0 ? [] : [...ipv4Header(0, 1)];
        w.scatter(1, room(FIRST, bytes + skip), Uint8Array.from([...head, ...w.gather(0, [[SRC_HI, lo, bytes]])]));
        const flags = skip === 0 ? 0 : WC_FLAG.grh;
        w.recvDone(receives[0] as PostedRecv, send, { byteLen: skip + bytes, flags });
      };
      return { w, message, comes };
    }

    it(`may be dropped where one before it has failed and left it a shorter receive (${name})`, () => {
      const { w, comes } = behindFailure(100, 200);
      const next = w.send([[SRC_HI, 0, 60]]);
      comes(next, 0, 60);
      w.sendDone(next);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal([]);
    });

    it(`may be missing where a key in front of it goes, before its sender says what has failed (${name})`, () => {
      for (const late of [false, true]) {
        const w = new FakeWorld({ receivesMayRemain: true }, type);
        const own = w.recv(room(FIRST, 100 + skip));
        const failing = w.send([[DST_HI, 0, 50]]);
        const flushed = late ? undefined : w.send([[SRC_HI, 0x4000, 60]]);
        w.oracle.mrDeregistering(0, DST_HI);
        const behind = flushed ?? w.send([[SRC_HI, 0x4000, 60]]);
        const next = w.send([[SRC_HI, 0, 70]]);
        const head = skip === 0 ? [] : [...ipv4Header(0, 1)];
        w.scatter(1, room(FIRST, 100 + skip), Uint8Array.from([...head, ...w.gather(0, [[SRC_HI, 0, 70]])]));
        w.recvDone(own, next, { byteLen: skip + 70, flags: skip === 0 ? 0 : WC_FLAG.grh });
        expect(w.ids()).to.deep.equal([]);
        w.sendDone(failing, { status: WC_STATUS.locProtErr });
        w.sendDone(behind, { status: WC_STATUS.wrFlushErr });
        expect(w.ids()).to.deep.equal([]);
      }
    });

    it(`may arrive where one before it has failed and left it a longer receive (${name})`, () => {
      const { w, message, comes } = behindFailure(200, 100);
      comes(message, 0x4000, 150);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal([]);
    });
  }

  for (const length of [500, 60]) {
    it(`is told from the one that has come where another receive has taken the beginning of the buffer (UC, ${length} bytes)`, () => {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
      const from = (i: number): Entry[] => [[SRC_HI, 0x1000 * i, length]];
      const dropped = w.send(from(0));
      const whole = w.recv(room(FIRST, length));
      const beginning = w.recv(room(FIRST - length / 5, length));
      const [third, fourth] = [w.send(from(1)), w.send(from(2))];
      for (const s of [dropped, third, fourth]) w.sendDone(s);
      w.scatter(1, room(FIRST, length), w.gather(0, from(1)));
      w.scatter(1, room(FIRST - length / 5, length), w.gather(0, from(2)));
      w.recvDone(whole, third);
      w.recvDone(beginning, fourth);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal([]);
    });
  }

  it('is not taken for the one that has come because of bytes that are right by chance, a few in a row (UC)', () => {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    const from = (i: number, at = 0, length = 60): Entry => [SRC_HI, 0x1000 * i + at, length];
    // Of every four bytes of the message that never came, three.
    const alike = Array.from({ length: 12 }, (_, k) => [from(0, 4 * k, 3), from(3, 4 * k, 1)]).flat();
    const last = [from(2, 0, 12), ...alike];
    const dropped = w.send([from(0)]);
    const whole = w.recv(room(FIRST, 60));
    const beginning = w.recv(room(FIRST - 12, 60));
    const [third, fourth] = [w.send([from(1)]), w.send(last)];
    for (const s of [dropped, third, fourth]) w.sendDone(s);
    w.scatter(1, room(FIRST, 60), w.gather(0, [from(1)]));
    w.scatter(1, room(FIRST - 12, 60), w.gather(0, last));
    w.recvDone(whole, third);
    w.recvDone(beginning, fourth);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([]);
  });
});

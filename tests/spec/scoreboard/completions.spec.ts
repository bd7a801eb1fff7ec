import { expect } from 'chai';
import { NOT_TOLD, type PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { QP_TYPE, SEND_FLAG, WC_FLAG, WC_OPCODE, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { Entry, SendOptions } from './fakeWorld.ts';
import { DST_HI, FakeWorld, QPN, RECV_CQ, SRC_HI } from './fakeWorld.ts';

const SOURCE: Entry[] = [[SRC_HI, 0, 60]];
const TARGET: Entry[] = [[DST_HI, 0, 60]];

/** A message posted and delivered, its completions left to the caller. */
function delivered(w: FakeWorld, over: SendOptions = {}) {
  const r = w.recv(TARGET);
  const s = w.send(SOURCE, over);
  w.scatter(1, TARGET, w.gather(0, SOURCE));
  return { r, s };
}

describe('completion checks', () => {
  it('pass a correct SEND and count what they judged', () => {
    const w = new FakeWorld();
    w.message(SOURCE, TARGET);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
    expect(w.oracle.checks).to.equal(3);
    expect(w.oracle.outstanding).to.equal(0);
  });

  it('pass SEND with immediate, solicited or inline, and messages without data', () => {
    const w = new FakeWorld();
    w.message(SOURCE, TARGET, { opcode: WR_OPCODE.sendWithImm, imm: 0xdeadbeef });
    w.message([[SRC_HI, 100, 20]], [[DST_HI, 100, 20]], { flags: SEND_FLAG.solicited | SEND_FLAG.inline });
    w.message([], []);
    w.message(
      [
        [SRC_HI, 200, 0],
        [SRC_HI, 300, 7],
      ],
      [
        [DST_HI, 500, 0],
        [DST_HI, 200, 7],
      ],
    );
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  const wrongField: [string, string, (w: FakeWorld) => void][] = [
    [
      SCB.cq,
      'a receive completion in the wrong CQ',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s, { cqn: 300 });
        w.sendDone(s);
      },
    ],
    [
      SCB.cq,
      'a send completion in the CQ of the receives',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s, { cqn: 255 });
      },
    ],
    [
      SCB.opcode,
      'a wrong opcode',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s, { opcode: WC_OPCODE.rdmaRead });
      },
    ],
    [
      SCB.byteLen,
      'a wrong byte count',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s, { byteLen: 59 });
        w.sendDone(s);
      },
    ],
    [
      SCB.byteLen,
      'a SEND of no length',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s, { byteLen: 0 });
      },
    ],
    [
      SCB.remoteQpn,
      'a SEND to nobody',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s, { srcQp: 0 });
      },
    ],
    [
      SCB.imm,
      'wrong immediate data',
      (w) => {
        const { r, s } = delivered(w, { opcode: WR_OPCODE.sendWithImm, imm: 5 });
        w.recvDone(r, s, { imm: 6 });
        w.sendDone(s);
      },
    ],
    [
      SCB.flags,
      'a missing immediate flag',
      (w) => {
        const { r, s } = delivered(w, { opcode: WR_OPCODE.sendWithImm, imm: 5 });
        w.recvDone(r, s, { flags: 0 });
        w.sendDone(s);
      },
    ],
    [
      SCB.flags,
      'a GRH flag on RC',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s, { flags: WC_FLAG.grh });
        w.sendDone(s);
      },
    ],
    [
      SCB.remoteQpn,
      'a wrong remote QPN',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s, { srcQp: 99 });
        w.sendDone(s);
      },
    ],
    [
      SCB.status,
      'an error status',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s, { status: WC_STATUS.retryExcErr });
      },
    ],
    [
      SCB.wrId,
      'an identifier that was never posted',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s, { wrId: 77 });
      },
    ],
    [
      SCB.wrId,
      'the slot of another request',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s, { wqeIndex: 99 });
        w.sendDone(s);
      },
    ],
    [
      SCB.qpn,
      'a queue pair that does not exist',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s);
        w.sendDone(s, { qpn: 4000 });
      },
    ],
    [
      SCB.duplicate,
      'a completion that comes twice',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s);
        w.sendDone(s);
      },
    ],
    [
      SCB.surplus,
      'a completion although nothing is outstanding',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s);
        w.sendDone(s, { wrId: 77 });
      },
    ],
    [
      SCB.noMessage,
      'a receive completion that no message explains',
      (w) => {
        const { r, s } = delivered(w);
        w.recvDone(r, s);
        w.sendDone(s);
        w.recvDone(w.recv(TARGET), s);
      },
    ],
  ];
  for (const [id, what, run] of wrongField) {
    it(`report ${what}`, () => {
      const w = new FakeWorld();
      run(w);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal([id]);
      expect(w.reports[0]?.text).to.match(/host [01].*(QP|CQ) \d/);
    });
  }

  it('report a completion that overtakes, naming both requests, and go on without further findings', () => {
    const w = new FakeWorld();
    const t: Entry[][] = [[[DST_HI, 0, 60]], [[DST_HI, 60, 60]]];
    const r = t.map((e) => w.recv(e));
    const s = t.map((_, i) => w.send([[SRC_HI, i * 60, 60]]));
    for (const e of t) w.scatter(1, e, w.gather(0, [[SRC_HI, (e[0] as Entry)[1], 60]]));
    for (const i of [1, 0]) w.recvDone(r[i] as never, s[i] as never);
    for (const i of [1, 0]) w.sendDone(s[i] as never);
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.order, SCB.order]);
    expect(w.reports[0]?.text).to.contain('wrId 2001').and.contain('wrId 2000');
  });

  it('judge neither length nor remote queue pair of a send where the NIC does not tell', () => {
    const w = new FakeWorld();
    const { r, s } = delivered(w);
    w.recvDone(r, s);
    w.sendDone(s, { byteLen: NOT_TOLD, srcQp: NOT_TOLD });
    expect(w.ids()).to.deep.equal([]);
  });

  it('report a completion that does not come once, and another one that does not come either', () => {
    const w = new FakeWorld();
    const sends = [0, 1, 2, 3, 4, 5].map(() => w.send([[SRC_HI, 0, 60]], { opcode: WR_OPCODE.rdmaWrite }));
    w.scatter(1, [[DST_HI, 0, 60]], w.gather(0, [[SRC_HI, 0, 60]]));
    const ids: string[][] = [];
    for (const i of [1, 2, 4, 5]) {
      w.sendDone(sends[i] as PostedSend);
      ids.push(w.ids());
    }
    expect(ids.map((all) => all.length)).to.deep.equal([1, 1, 2, 2]);
    expect(ids[3]).to.deep.equal([SCB.order, SCB.order]);
    expect(w.reports[1]?.text).to.contain('overtakes 2 requests');
  });

  it('take a signalled completion as the end of the unsignalled requests before it', () => {
    const w = new FakeWorld({}, QP_TYPE.rc, false);
    const items = [0, 1, 2].map((i) => {
      const entry: Entry[] = [[DST_HI, i * 60, 60]];
      const source: Entry[] = [[SRC_HI, i * 60, 60]];
      const r = w.recv(entry);
      const s = w.send(source, { flags: i === 1 ? SEND_FLAG.signaled : 0 });
      w.scatter(1, entry, w.gather(0, source));
      w.recvDone(r, s);
      return s;
    });
    w.sendDone(items[1] as never);
    w.oracle.quiet();
    expect(w.reports).to.deep.equal([]);
    expect(w.oracle.pendingWork()).to.deep.equal([]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('report the completion of an unsignalled request', () => {
    const w = new FakeWorld({}, QP_TYPE.rc, false);
    const { r, s } = delivered(w, { flags: 0 });
    w.recvDone(r, s);
    w.sendDone(s);
    expect(w.ids()).to.deep.equal([SCB.unsignalled]);
  });

  it('permit that a request which asked for no completion is flushed, and those in front of the first that fails have none', () => {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.rc, false);
    const [first, failing, flushed] = [0, 1, 2].map((i) =>
      w.send([[SRC_HI, 0, 60]], { opcode: WR_OPCODE.rdmaWrite, flags: 0, ...(i === 1 ? { rkey: 0x4711 } : {}) }),
    ) as [PostedSend, PostedSend, PostedSend];
    expect(first.wr.flags).to.equal(0);
    w.scatter(1, [[DST_HI, 0, 60]], w.gather(0, [[SRC_HI, 0, 60]]));
    w.sendDone(failing, { status: WC_STATUS.remAccessErr });
    w.sendDone(flushed, { status: WC_STATUS.wrFlushErr });
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([]);
  });

  it('miss the completion of a request that must fail, whether it asked for one or not, and the flush behind one that has', () => {
    const silent = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.rc, false);
    silent.send([[SRC_HI, 0, 60]], { opcode: WR_OPCODE.rdmaWrite, flags: 0, rkey: 0x4711 });
    silent.sendDone(silent.send([[SRC_HI, 0, 0]], { opcode: WR_OPCODE.rdmaWrite, flags: SEND_FLAG.signaled }));
    expect(silent.ids()).to.deep.equal([SCB.status]);
    expect(silent.reports[0]?.text).to.contain('REM_ACCESS_ERR').and.contain('none has come');
    const lost = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.rc, false);
    const failing = { opcode: WR_OPCODE.rdmaWrite, flags: 0, rkey: 0x4711 };
    lost.sendDone(lost.send([[SRC_HI, 0, 60]], failing), { status: WC_STATUS.remAccessErr });
    const behind = [0, 1].map(() => lost.send([[SRC_HI, 0, 60]], { opcode: WR_OPCODE.rdmaWrite, flags: 0 }));
    lost.sendDone(behind[1] as PostedSend, { status: WC_STATUS.wrFlushErr });
    expect(lost.ids()).to.deep.equal([SCB.order]);
  });

  it('expect a remote access error where the key does not cover the range, and nothing to arrive', () => {
    const over = { opcode: WR_OPCODE.rdmaWriteWithImm, rkey: 0x4711 };
    const w = new FakeWorld({ receivesMayRemain: true });
    w.recv([]);
    w.sendDone(w.send(SOURCE, over), { status: WC_STATUS.remAccessErr });
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
    const bad = new FakeWorld();
    bad.sendDone(bad.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 0x10000000 - 59] }));
    expect(bad.ids()).to.deep.equal([SCB.status]);
  });

  it('expect no error of an unreliable WRITE where the remote key does not cover the range', () => {
    const w = new FakeWorld({}, QP_TYPE.uc);
    w.sendDone(w.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite, rkey: 0x4711 }));
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('expect an error where the region is of another protection domain than the queue pair', () => {
    const { remAccessErr, locProtErr } = WC_STATUS;
    for (const [host, status] of [[1, remAccessErr] as const, [0, locProtErr] as const]) {
      const w = new FakeWorld();
      w.qp(host, QPN[host], QP_TYPE.rc, true, 7, 2);
      w.sendDone(w.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite }), { status });
      w.oracle.finish();
      expect(w.reports).to.deep.equal([]);
      const blind = new FakeWorld();
      blind.qp(host, QPN[host], QP_TYPE.rc, true, 7, 2);
      blind.sendDone(blind.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite }));
      expect(blind.ids()).to.deep.equal([SCB.status]);
    }
  });

  it('expect none where both are of the same domain', () => {
    const w = new FakeWorld();
    for (const host of [0, 1]) w.qp(host, QPN[host] as number, QP_TYPE.rc, true, 7, 1);
    w.message(SOURCE, TARGET);
    expect(w.reports).to.deep.equal([]);
  });

  it('expect a local protection error where a local key does not cover its entry', () => {
    const outside: Entry[] = [
      [SRC_HI, 0, 10],
      [SRC_HI, 0x10000000 - 9, 10],
    ];
    for (const opcode of [WR_OPCODE.send, WR_OPCODE.rdmaWrite, WR_OPCODE.rdmaWriteWithImm, WR_OPCODE.rdmaRead]) {
      const w = new FakeWorld({ receivesMayRemain: true });
      w.sendDone(w.send(outside, { opcode }), { status: WC_STATUS.locProtErr });
      w.oracle.finish();
      expect(w.reports).to.deep.equal([]);
      const blind = new FakeWorld();
      blind.sendDone(blind.send(outside, { opcode, rkey: opcode === WR_OPCODE.rdmaRead ? SRC_HI : DST_HI }));
      expect(blind.ids()[0]).to.equal(SCB.status);
    }
  });

  it('expect the error of the other side where both keys of a READ are wrong, of this side where those of a WRITE are', () => {
    const outside: Entry[] = [[SRC_HI, 0x10000000 - 9, 10]];
    const { remAccessErr, locProtErr } = WC_STATUS;
    for (const [opcode, status] of [
      [WR_OPCODE.rdmaRead, remAccessErr],
      [WR_OPCODE.rdmaWrite, locProtErr],
    ] as const) {
      const w = new FakeWorld();
      w.sendDone(w.send(outside, { opcode, rkey: 0x4711 }), { status });
      expect(w.reports).to.deep.equal([]);
    }
  });

  it('expect nothing of the key of an empty entry', () => {
    const w = new FakeWorld();
    const r = w.recv([]);
    const s = w.send([[0x99, 0, 0]]);
    w.recvDone(r, s);
    w.sendDone(s);
    expect(w.reports).to.deep.equal([]);
  });

  it('take the flush of a queue pair that must refuse a request for its consequence', () => {
    for (const bad of [true, false]) {
      const w = new FakeWorld({ receivesMayRemain: true });
      const r = w.recv([]);
      const s = w.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, bad ? 0x10000000 - 59 : 0] });
      if (bad) w.sendDone(s, { status: WC_STATUS.remAccessErr });
      w.recvDone(r, s, { status: WC_STATUS.wrFlushErr });
      expect(w.ids()).to.deep.equal(bad ? [] : [SCB.status]);
    }
  });

  it('report a flush of receives unless software has stopped their queue pair', () => {
    for (const stopped of [false, true]) {
      const w = new FakeWorld({ receivesMayRemain: true });
      const r = w.recv(TARGET);
      if (stopped) w.oracle.qpToErr(1, QPN[1]);
      w.complete(1, RECV_CQ[1], { wrId: r.wr.wrId, qpn: QPN[1], wqeIndex: 0, status: WC_STATUS.wrFlushErr });
      expect(w.ids()).to.deep.equal(stopped ? [] : [SCB.status]);
    }
  });

  it('are no use to receives that a destruction flushes: they are left over, unless they may be', () => {
    for (const receivesMayRemain of [false, true]) {
      const w = new FakeWorld({ receivesMayRemain });
      w.message(SOURCE, TARGET);
      const r = w.recv(TARGET);
      w.oracle.qpDestroying(1, QPN[1]);
      w.complete(1, RECV_CQ[1], { wrId: r.wr.wrId, qpn: QPN[1], wqeIndex: 2, status: WC_STATUS.wrFlushErr });
      w.oracle.qpGone(1, QPN[1]);
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(receivesMayRemain ? [] : [SCB.leftoverRecv]);
    }
  });

  it('may leave receives of a queue pair whose peer has failed, also when that is gone already', () => {
    const w = new FakeWorld();
    w.recv(TARGET);
    w.sendDone(w.send([[0x99, 0, 10]]), { status: WC_STATUS.locProtErr });
    w.oracle.qpDestroying(0, QPN[0]);
    w.oracle.qpGone(0, QPN[0]);
    w.oracle.qpDestroying(1, QPN[1]);
    w.oracle.qpGone(1, QPN[1]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('may leave receives of a queue pair that software took to ERR before it destroys it', () => {
    const w = new FakeWorld();
    const r = w.recv(TARGET);
    w.oracle.qpToErr(1, QPN[1]);
    w.complete(1, RECV_CQ[1], { wrId: r.wr.wrId, qpn: QPN[1], wqeIndex: 0, status: WC_STATUS.wrFlushErr });
    w.recv(TARGET);
    w.oracle.qpDestroying(1, QPN[1]);
    w.oracle.qpGone(1, QPN[1]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('may end with RETRY_EXC_ERR where the link may lose packets, and only there', () => {
    for (const lossAllowed of [false, true]) {
      const w = new FakeWorld({ disturbed: lossAllowed });
      w.recv([[DST_HI, 0, 100]]);
      w.sendDone(w.send([[SRC_HI, 0, 60]]), { status: WC_STATUS.retryExcErr });
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(lossAllowed ? [] : [SCB.status]);
    }
  });

  it('report the first error of a queue pair only, not the flush that follows', () => {
    const w = new FakeWorld();
    const sends = [0, 1, 2].map(() => w.send(SOURCE));
    w.recv(TARGET);
    for (const s of sends) w.sendDone(s, { status: s === sends[0] ? WC_STATUS.retryExcErr : WC_STATUS.wrFlushErr });
    w.oracle.finish();
    expect(w.ids().filter((id) => id !== SCB.leftoverRecv)).to.deep.equal([SCB.status]);
    expect(w.oracle.outstanding).to.equal(0);
  });

  it('report a message that is longer than the receive it completed with success', () => {
    const w = new FakeWorld();
    const r = w.recv([[DST_HI, 0, 50]]);
    const s = w.send(SOURCE);
    w.recvDone(r, s);
    w.sendDone(s);
    expect(w.ids()).to.deep.equal([SCB.recvLen]);
  });

  it('report a request on a queue pair that never became ready', () => {
    const w = new FakeWorld();
    w.send(SOURCE, { qpn: 99 });
    expect(w.ids()).to.deep.equal([SCB.setup]);
  });

  it('take receives that are posted before the queue pair is ready', () => {
    const w = new FakeWorld();
    w.oracle.qpGone(1, QPN[1]);
    const r = w.recv(TARGET);
    w.qp(1, QPN[1]);
    const s = w.send(SOURCE);
    w.scatter(1, TARGET, w.gather(0, SOURCE));
    w.recvDone(r, s);
    w.sendDone(s);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('keep identifiers of up to 53 bits apart', () => {
    const w = new FakeWorld();
    const big = 2 ** 52 + 5;
    const s = [5, big].map((wrId) => w.send([], { wrId, wqe: 1, opcode: WR_OPCODE.rdmaWrite }));
    w.sendDone(s[1] as never);
    expect(w.ids()).to.deep.equal([SCB.order]);
    expect(w.reports[0]?.text).to.contain(`${big}`);
  });
});

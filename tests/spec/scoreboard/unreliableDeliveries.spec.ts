/** What receivers of unreliable services make of packets that come late, or of which it is not known what they belong to. */

import { expect } from 'chai';
import type { PostedRecv, PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { ACCESS, GRH_BYTES, QP_TYPE, WC_FLAG, WC_STATUS, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { DST_HI, FakeWorld, ipv4Header, QPN, SRC_HI } from './fakeWorld.ts';

type Entry = readonly [number, number, number];

describe('a datagram of which it is not known which request it belongs to', () => {
  const room = (i: number): Entry[] => [[DST_HI, 0x1000 * (1 + i), 200]];
  const from = (i: number, length: number): Entry[] => [[SRC_HI, 0x1000 * i, length]];
  let w: FakeWorld;
  let receives: PostedRecv[];
  beforeEach(() => {
    w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.ud);
    receives = [0, 1].map((i) => w.recv(room(i)));
  });

  function fills(i: number, s: PostedSend, entries: readonly Entry[], bytes: number): void {
    const imm = s.wr.opcode === WR_OPCODE.sendWithImm;
    w.scatter(1, room(i), Uint8Array.from([...ipv4Header(0, 1), ...w.gather(0, entries)]));
    const flags = WC_FLAG.grh | (imm ? WC_FLAG.withImm : 0);
    w.recvDone(receives[i] as PostedRecv, s, { byteLen: GRH_BYTES + bytes, flags, imm: s.wr.imm });
  }

  /** A datagram of 60 bytes is late; behind it one of its sender's sends fails, and one of 100 bytes comes before it. */
  function overtakes(told: number, then: () => void = () => {}): void {
    const late = w.send(from(0, 60), { unsent: true });
    w.carry(late, () => {
      w.sendDone(late);
      const failed = w.send(from(1, 20), { lkeys: [0x77], unsent: true });
      w.sendDone(failed, { status: WC_STATUS.locProtErr });
      w.recovers(0, QPN[0]);
      const unknown = w.send(from(2, 100), { opcode: WR_OPCODE.sendWithImm, imm: 7 });
      fills(0, unknown, from(2, 100), told);
      w.sendDone(unknown);
      then();
      return true;
    });
    fills(1, late, from(0, 60), 60);
    w.oracle.finish();
  }

  it('fills a receive with what its packet says, and those of before come all the same', () => {
    overtakes(100);
    expect(w.reports).to.deep.equal([]);
  });

  it('must have the length that came', () => {
    overtakes(90);
    expect(w.ids()).to.include(SCB.byteLen);
  });

  it('comes no more often than its packet does', () => {
    receives.push(w.recv(room(2)));
    overtakes(100, () => {
      const again = w.send(from(3, 80), { unsent: true });
      fills(1, again, from(3, 80), 80);
    });
    expect(w.ids()).to.include(SCB.noMessage);
  });
});

describe('a longer UC message of which it is not known which request it belongs to', () => {
  const target: Entry[] = [[DST_HI, 0x1000, 3000]];

  /** Its first packet has come; `goes` tells whether the key of its receive goes behind that. */
  function play(goes: boolean): string[] {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    const failed = w.send([[SRC_HI, 0, 20]], { lkeys: [0x77], unsent: true });
    w.sendDone(failed, { status: WC_STATUS.locProtErr });
    w.recovers(0, QPN[0]);
    const recv = w.recv(target);
    const long = w.send([[SRC_HI, 0x1000, 3000]], { unsent: true });
    w.carry(long, (packet) => {
      if (packet !== 1) return true;
      if (goes) {
        w.oracle.mrDeregistering(1, DST_HI);
        w.oracle.mrDeregistered({ host: 1, key: DST_HI });
      }
      w.recvDone(recv, long, { status: WC_STATUS.locProtErr });
      return false;
    });
    return w.ids();
  }

  it('ends its receive where the key goes while it is coming', () => {
    expect(play(true)).to.not.include(SCB.status);
  });

  it('has no excuse to end it where all keys stay', () => {
    expect(play(false)).to.include(SCB.status);
  });
});

describe('a longer UC message all packets of which come twice', () => {
  const entries: Entry[] = [[SRC_HI, 0x1000, 2000]];
  const buffers = [0x10000, 0x20000].map((lo): Entry[] => [[DST_HI, lo, 2000]]);

  for (const early of [false, true])
    it(`fills two receives, also where its first packet has come before the last one is sent: ${early}`, () => {
      const w = new FakeWorld({}, QP_TYPE.uc);
      const receives = buffers.map((buffer) => w.recv(buffer));
      const s = w.send(entries, { unsent: true });
      const tags = w.carry(s, () => early, 2);
      for (const [i, recv] of receives.entries()) {
        if (i > 0 || !early) for (const tag of tags) w.arrives(s, tag);
        w.scatter(1, buffers[i] as Entry[], w.gather(0, entries));
        w.recvDone(recv, s);
      }
      w.sendDone(s);
      w.oracle.finish();
      expect(w.reports).to.deep.equal([]);
    });
});

describe('a longer UC message the end of which is lost', () => {
  // What follows it comes into the first entry only.
  const target: Entry[] = [
    [DST_HI, 0x1000, 500],
    [DST_HI, 0x2000, 2500],
  ];

  for (const [bad, found] of [
    [true, []],
    [false, [SCB.status]],
  ] as const)
    it(`${bad ? 'may end a receive whose key is wrong, and' : 'ends no receive whose key is right, nor'} flush the sends of its receiver before that is seen`, () => {
      const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
      w.recv(target, bad ? { lkeys: [DST_HI, 0x77] } : {});
      const long = w.send([[SRC_HI, 0x1000, 3000]], { unsent: true });
      w.carry(long, (packet, of) => packet < of - 1);
      w.sendDone(long);
      const next = w.send([[SRC_HI, 0, 20]], { unsent: true });
      w.carry(next);
      w.sendDone(next);
      const own = w.send([[SRC_HI, 0, 20]], { host: 1, unsent: true });
      w.sendDone(own, { status: WC_STATUS.wrFlushErr });
      expect(w.ids()).to.deep.equal(found);
    });
});

describe('a longer UC message whose first packet comes once more', () => {
  const entries: Entry[] = [[SRC_HI, 0x1000, 3000]];
  const buffers = [0x10000, 0x20000].map((lo): Entry[] => [[DST_HI, lo, 3000]]);

  /** It has filled its receive, and the next one fails. When the key of that goes: before the packet comes again, or behind it. */
  function play(keyGoes: 'before' | 'behind' | 'never'): string[] {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    const [first, next] = buffers.map((buffer) => w.recv(buffer)) as [PostedRecv, PostedRecv];
    const s = w.send(entries, { unsent: true });
    const [firstTag = 0] = w.carry(s, undefined, 2);
    w.scatter(1, buffers[0] as Entry[], w.gather(0, entries));
    w.recvDone(first, s);
    w.sendDone(s);
    if (keyGoes === 'behind') w.arrives(s, firstTag);
    if (keyGoes !== 'never') {
      w.oracle.mrDeregistering(1, DST_HI);
      w.oracle.mrDeregistered({ host: 1, key: DST_HI });
    }
    if (keyGoes !== 'behind') w.arrives(s, firstTag);
    w.recvDone(next, s, { status: WC_STATUS.locProtErr });
    return w.ids();
  }

  it('ends that also where the key goes while it is coming', () => {
    expect(play('behind')).to.not.include(SCB.status);
  });

  it('begins in the next receive, and ends that where its key is void', () => {
    expect(play('before')).to.not.include(SCB.status);
  });

  it('has no excuse to end it where its key is good', () => {
    expect(play('never')).to.include(SCB.status);
  });
});

describe('a WRITE with immediate data of UC that is forbidden when its packets leave', () => {
  const from: Entry[] = [[SRC_HI, 0, 1500]];
  const to: Entry[] = [[DST_HI, 0x2000, 1500]];

  /** It is permitted before it arrives; its receive completes, and its first packet is written once more, that the link may have repeated. */
  function isWrittenTwice(copies: number): readonly string[] {
    const w = new FakeWorld({ receivesMayRemain: true }, QP_TYPE.uc);
    const permit = (access: number): void => {
      const info = w.info(1, QPN[1], QP_TYPE.uc, { access });
      w.oracle.qpChanging(info);
      w.oracle.qpChanged(info);
    };
    permit(ACCESS.remoteRead);
    const recv = w.recv([[DST_HI, 0x8000, 200]]);
    const over = { opcode: WR_OPCODE.rdmaWriteWithImm, imm: 5, remote: [DST_HI, 0x2000] as const, unsent: true };
    const write = w.send(from, over);
    const tags = w.carry(write, () => false, copies);
    permit(ACCESS.remoteRead | ACCESS.remoteWrite);
    for (const tag of tags) w.arrives(write, tag);
    w.scatter(1, to, w.gather(0, from));
    w.recvDone(recv, write);
    w.scatter(1, [[DST_HI, 0x2000, 1024]], w.gather(0, [[SRC_HI, 0, 1024]]));
    return w.ids();
  }

  it('is written as often as its packets come, once it is permitted', () => {
    expect(isWrittenTwice(2)).to.deep.equal([]);
  });

  it('is written once where its packets come once', () => {
    expect(isWrittenTwice(1)).to.deep.equal([SCB.strayWrite]);
  });
});

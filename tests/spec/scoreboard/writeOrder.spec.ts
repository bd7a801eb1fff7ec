import { expect } from 'chai';
import type { PostedSend } from '../../../agents/verbs/verbsItems.ts';
import { QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { Entry } from './fakeWorld.ts';
import { DST_HI, FakeWorld, PROCESS, SRC_HI } from './fakeWorld.ts';

const SOURCE: Entry[] = [
  [SRC_HI, 4090, 60],
  [SRC_HI, 9000, 5000],
];

describe('the data of a WRITE', () => {
  const WRITE = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] as const };
  const BEHIND: Entry[] = [[SRC_HI, 9000, 30]];
  const NOTE: Entry[] = [[DST_HI, 0, 30]];

  /** A WRITE, and a SEND that is received before the data of the WRITE arrive. */
  function overtake(w: FakeWorld, between: (write: PostedSend) => void = () => undefined): PostedSend[] {
    const r = w.recv(NOTE);
    const write = w.send(SOURCE, WRITE);
    between(write);
    const s = w.send(BEHIND);
    w.scatter(1, NOTE, w.gather(0, BEHIND));
    w.recvDone(r, s);
    w.scatter(1, [[DST_HI, 5000, 5060]], w.gather(0, SOURCE));
    return [write, s];
  }

  it('is in place when a message behind it is received; what is not is reported, once', () => {
    for (const done of [false, true]) {
      const w = new FakeWorld();
      const sent = overtake(w, (write) => (done ? w.sendDone(write) : undefined));
      for (const s of sent.slice(done ? 1 : 0)) w.sendDone(s);
      w.message(BEHIND, NOTE);
      w.oracle.quiet();
      expect(w.ids()).to.deep.equal([SCB.overtaken]);
      expect(w.reports[0]?.text).to.contain('overtaken by SEND').and.contain('untouched');
    }
    const w = new FakeWorld();
    const r = w.recv(NOTE);
    const write = w.send(SOURCE, WRITE);
    const s = w.send(BEHIND);
    w.scatter(1, [[DST_HI, 5000, 5060]], w.gather(0, SOURCE));
    w.scatter(1, NOTE, w.gather(0, BEHIND));
    w.recvDone(r, s);
    w.sendDone(write);
    w.sendDone(s);
    w.oracle.quiet();
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([]);
  });

  it('is overtaken also where it has arrived in part, and where older data lie that were right', () => {
    const target: Entry[] = [[DST_HI, 5000, 5060]];
    for (const before of ['nothing', 'a WRITE', 'a WRITE of written memory']) {
      const w = new FakeWorld();
      const old: Entry[] = [[SRC_HI, 40_000, 5060]];
      if (before !== 'nothing') {
        if (before !== 'a WRITE') w.memory.poke(0, PROCESS, SRC_HI, 40_000, new Uint8Array(5060).fill(7));
        const done = w.send(old, WRITE);
        w.scatter(1, target, w.gather(0, old));
        w.sendDone(done);
        w.oracle.quiet();
      }
      const r = w.recv(NOTE);
      w.send(SOURCE, WRITE);
      const s = w.send(BEHIND);
      if (before !== 'a WRITE of written memory') w.scatter(1, [[DST_HI, 5000, 1024]], w.gather(0, SOURCE));
      w.scatter(1, NOTE, w.gather(0, BEHIND));
      w.recvDone(r, s);
      expect(w.ids(), before).to.deep.equal([SCB.overtaken]);
    }
  });

  it('is wrong, and not overtaken, where others lie than before; it is said where those come from', () => {
    for (const [found, hint] of [
      [[SRC_HI, 9400, 5060], /it equals the source from byte 460 on/],
      [[SRC_HI, 4090 + 0x4000, 5060], /the same offset of another page: host 0 process 3 0x0000801c_00004ffa/],
      [[SRC_HI, 0x200_0001, 5060], /found (?:\S\S ){15}\S\S; judged when SEND/],
    ] as const) {
      const w = new FakeWorld();
      // So that the scoreboard knows the page that is taken for another one.
      w.message([[SRC_HI, 0x4000, 8192]], [[DST_HI, 0x20_0000, 8192]]);
      const r = w.recv(NOTE);
      w.send(SOURCE, WRITE);
      const s = w.send(BEHIND);
      w.scatter(1, [[DST_HI, 5000, 5060]], w.gather(0, [found]));
      w.scatter(1, NOTE, w.gather(0, BEHIND));
      w.recvDone(r, s);
      expect(w.ids()).to.deep.equal([SCB.data]);
      expect(w.reports[0]?.text)
        .to.match(hint)
        .and.to.match(/; judged when SEND \(.*\) behind it was done$/);
    }
  });

  it('is not written once more when a message behind it has been received', () => {
    for (const again of ['before', 'after']) {
      const w = new FakeWorld();
      const r = w.recv(NOTE);
      const write = w.send(SOURCE, WRITE);
      const s = w.send(BEHIND);
      const arrives = (): void => w.scatter(1, [[DST_HI, 5000, 5060]], w.gather(0, SOURCE));
      arrives();
      w.scatter(1, NOTE, w.gather(0, BEHIND));
      if (again === 'before') arrives();
      w.recvDone(r, s);
      if (again === 'after') arrives();
      for (const done of [write, s]) w.sendDone(done);
      w.oracle.quiet();
      expect([...new Set(w.ids())]).to.deep.equal(again === 'before' ? [] : [SCB.strayWrite]);
    }
  });

  it('may come later than messages of other queue pairs, on UC, or in front of it', () => {
    const uc = new FakeWorld({}, QP_TYPE.uc);
    overtake(uc);
    const other = new FakeWorld();
    other.qp(0, 20);
    other.send(SOURCE, { ...WRITE, qpn: 20 });
    other.message(BEHIND, NOTE);
    const before = new FakeWorld();
    const r = before.recv(NOTE);
    const s = before.send(BEHIND);
    before.send(SOURCE, WRITE);
    before.scatter(1, NOTE, before.gather(0, BEHIND));
    before.recvDone(r, s);
    for (const w of [uc, other, before]) expect(w.ids()).to.deep.equal([]);
  });

  it('is not judged then where another request may write the same bytes, or the peer may refuse the WRITE', () => {
    const shared = new FakeWorld();
    shared.qp(0, 20);
    overtake(shared, () => shared.send([[SRC_HI, 7000, 10]], { ...WRITE, qpn: 20 }));
    const refused = new FakeWorld();
    const r = refused.recv(NOTE);
    refused.send(SOURCE, { ...WRITE, rkey: 0x77 });
    const s = refused.send(BEHIND);
    refused.scatter(1, NOTE, refused.gather(0, BEHIND));
    refused.recvDone(r, s);
    for (const w of [shared, refused]) expect(w.ids()).to.deep.equal([]);
  });

  it('must be that of the last of several WRITEs to the same bytes', () => {
    for (const last of [0, 1]) {
      const w = new FakeWorld();
      const r = w.recv(NOTE);
      for (const i of [0, 1]) w.send([[SRC_HI, i * 100, 50]], WRITE);
      const s = w.send(BEHIND);
      w.scatter(1, [[DST_HI, 5000, 50]], w.gather(0, [[SRC_HI, last * 100, 50]]));
      w.scatter(1, NOTE, w.gather(0, BEHIND));
      w.recvDone(r, s);
      expect(w.ids()).to.deep.equal(last === 1 ? [] : [SCB.overtaken]);
    }
  });

  it('comes back by a READ behind it; old bytes are reported, whether or not it has arrived by now', () => {
    const back: Entry[] = [[DST_HI, 0, 100]];
    for (const [fresh, arrives, right] of [
      [true, true, true],
      [false, true, false],
      [false, false, false],
    ]) {
      const w = new FakeWorld();
      const source: Entry[] = [[SRC_HI, 40, 100]];
      const write = w.send(source, WRITE);
      const read = w.send(back, { opcode: WR_OPCODE.rdmaRead, remote: [DST_HI, 5000] });
      const old = w.gather(1, [[DST_HI, 5000, 100]]);
      w.sendDone(write);
      if (arrives) w.scatter(1, [[DST_HI, 5000, 5100]], w.gather(0, source));
      w.scatter(0, back, fresh ? w.gather(0, source) : old);
      w.sendDone(read);
      expect(w.ids()).to.deep.equal(right ? [] : [arrives ? SCB.data : SCB.overtaken]);
    }
  });
});

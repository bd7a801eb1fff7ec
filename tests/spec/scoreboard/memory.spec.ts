import { expect } from 'chai';
import fc from 'fast-check';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { Entry } from './fakeWorld.ts';
import { DST_HI, FakeWorld, PROCESS, SRC_HI } from './fakeWorld.ts';

const SOURCE: Entry[] = [
  [SRC_HI, 4090, 60],
  [SRC_HI, 9000, 5000],
];
const TARGET: Entry[] = [
  [DST_HI, 100, 3000],
  [DST_HI, 8190, 2060],
];

/** Message with `change` applied to the data on its way. */
function send(w: FakeWorld, change: (data: Uint8Array) => void, source = SOURCE, target = TARGET): void {
  const r = w.recv(target);
  const s = w.send(source);
  const data = w.gather(0, source);
  change(data);
  w.scatter(1, target, data);
  w.recvDone(r, s);
  w.sendDone(s);
}

describe('memory comparison', () => {
  it('passes any split of a message over entries and pages, and finds any single wrong byte', () => {
    const list = (hi: number) =>
      fc.array(fc.tuple(fc.nat(9000), fc.nat(3000)), { minLength: 1, maxLength: 6 }).map((parts) => {
        let at = 0;
        return parts.map(([gap, n]): Entry => {
          const e: Entry = [hi, at + gap, n];
          at += gap + n;
          return e;
        });
      });
    const total = (e: readonly Entry[]): number => e.reduce((sum, x) => sum + x[2], 0);
    fc.assert(
      fc.property(list(SRC_HI), list(DST_HI), fc.nat(), fc.boolean(), (source, extra, where, good) => {
        const size = total(source);
        const target: Entry[] = [...extra, [DST_HI, 0x100000, Math.max(0, size - total(extra))]];
        const w = new FakeWorld();
        const bad = size === 0 || good ? -1 : where % size;
        send(
          w,
          (d) => {
            if (bad >= 0) d[bad] = (d[bad] as number) ^ 0x40;
          },
          source,
          target,
        );
        expect(w.ids()).to.deep.equal(bad < 0 ? [] : [SCB.data]);
        if (bad >= 0) expect(w.reports[0]?.text).to.contain(`differ at byte ${bad} of ${size}`);
        w.oracle.finish();
        expect(w.ids().filter((id) => id === SCB.reverify)).to.deep.equal([]);
      }),
      { numRuns: 60 },
    );
  });

  it('names host, process, queue pair, entry, offset and both bytes', () => {
    const w = new FakeWorld();
    send(w, (d) => {
      d[3010] = (d[3010] as number) ^ 1;
    });
    const text = w.reports[0]?.text ?? '';
    expect(text).to.match(/SEND \(wrId 1001, WQE 1, 5060 B in 2 SG entries\) of host 0 QP 14 \(process 3, RC\)/);
    expect(text).to.match(/RECV \(wrId 2000.*of host 1 QP 15/);
    expect(text).to.contain('host 1 process 3 0x0000801d_00002008, SG entry 1 offset 10');
    expect(text).to.contain('source host 0 process 3 SG entry 1 offset 2950');
    expect(text).to.match(/expected ([0-9a-f]{2} ){15}[0-9a-f]{2}, found ([0-9a-f]{2} ){15}[0-9a-f]{2}/);
  });

  it('does not report the same bytes again at the end', () => {
    const w = new FakeWorld();
    send(w, (d) => d.fill(3, 10, 20));
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.data]);
  });

  it('hints at an untouched destination', () => {
    const w = new FakeWorld();
    const r = w.recv(TARGET);
    const s = w.send(SOURCE);
    w.recvDone(r, s);
    expect(w.reports[0]?.text).to.contain('untouched');
  });

  it('hints at shifted data, zeros and the data of another entry', () => {
    const shifted = new FakeWorld();
    send(shifted, (d) => d.copyWithin(200, 204));
    expect(shifted.reports[0]?.text).to.contain('equals the source 4 bytes later');
    const zeros = new FakeWorld();
    send(zeros, (d) => d.fill(0, 100));
    expect(zeros.reports[0]?.text).to.contain('holds zeros');
    const entry = new FakeWorld();
    send(entry, (d) => d.set(d.slice(60, 90), 0));
    expect(entry.reports[0]?.text).to.contain('source SG entry 1');
  });

  it('hints at the message whose data was found in place of a lost one', () => {
    const w = new FakeWorld();
    const r = w.recv([[DST_HI, 0, 50]]);
    const [lost] = [0, 1, 2].map((i) => w.send([[SRC_HI, i * 100, 50]], { wrId: 40 + i }));
    w.scatter(1, [[DST_HI, 0, 50]], w.gather(0, [[SRC_HI, 200, 50]]));
    w.recvDone(r, lost as never);
    expect(w.reports[0]?.text).to.contain('it holds what wrId 42 sent; wrId 40 was lost or overtaken');
  });

  it('judges READ at its own completion', () => {
    const w = new FakeWorld();
    const remote: Entry[] = [[SRC_HI, 70, 5060]];
    const s = w.send(TARGET, { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 70] });
    w.scatter(0, TARGET, w.gather(1, remote));
    w.sendDone(s);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
    const bad = new FakeWorld();
    bad.sendDone(bad.send(TARGET, { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 70] }));
    expect(bad.ids()).to.deep.equal([SCB.data]);
  });

  it('judges the READs and WRITEs without a completion of their own with the completion behind them', () => {
    const from: Entry[] = [[SRC_HI, 100, 60]];
    const into: Entry[] = [[SRC_HI, 9000, 50]];
    const read = { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 70], flags: 0 } as const;
    const write = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000], flags: 0 } as const;
    const run = (moved: (w: FakeWorld) => void): string[] => {
      const w = new FakeWorld({}, QP_TYPE.rc, false);
      w.send(from, write);
      w.send(into, read);
      moved(w);
      const last = w.send(from, { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 9000] });
      w.scatter(1, [[DST_HI, 9000, 60]], w.gather(0, from));
      w.sendDone(last);
      w.oracle.quiet();
      return w.ids();
    };
    const written = (w: FakeWorld): void => w.scatter(1, [[DST_HI, 5000, 60]], w.gather(0, from));
    const fetched = (w: FakeWorld): void => w.scatter(0, into, w.gather(1, [[SRC_HI, 70, 50]]));
    expect(run((w) => [written(w), fetched(w)])).to.deep.equal([]);
    expect(run(written)).to.deep.equal([SCB.data]);
    expect(run(fetched)).to.deep.equal([SCB.data]);
  });

  it('judges WRITE with immediate at the completion of the peer', () => {
    const run = (flip: number): FakeWorld => {
      const w = new FakeWorld();
      const r = w.recv([]);
      const s = w.send(SOURCE, { opcode: WR_OPCODE.rdmaWriteWithImm, remote: [DST_HI, 5000], imm: 9 });
      const data = w.gather(0, SOURCE);
      data[17] = (data[17] as number) ^ flip;
      w.scatter(1, [[DST_HI, 5000, 5060]], data);
      w.recvDone(r, s);
      w.sendDone(s);
      w.oracle.finish();
      return w;
    };
    expect(run(0).reports).to.deep.equal([]);
    expect(run(1).ids()).to.include(SCB.data);
  });

  it('lets the data of a plain WRITE land after its completion, up to quiet', () => {
    const w = new FakeWorld();
    const s = w.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] });
    w.sendDone(s);
    w.scatter(1, [[DST_HI, 5000, 5060]], w.gather(0, SOURCE));
    w.oracle.quiet();
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
    const late = new FakeWorld();
    late.sendDone(late.send(SOURCE, { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 5000] }));
    expect(late.ids()).to.deep.equal([]);
    late.oracle.quiet();
    expect(late.ids()).to.deep.equal([SCB.data]);
    expect(late.reports[0]?.text).to.contain('RDMA_WRITE').and.contain('remote buffer').and.contain('untouched');
  });

  it('lets the last of several WRITEs to one buffer win, and still finds a wrong last one', () => {
    const run = (last: number): FakeWorld => {
      const w = new FakeWorld();
      const items = [0, 1, 2].map((i) =>
        w.send([[SRC_HI, i * 100, 50]], { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 0] }),
      );
      for (let i = 0; i <= last; i++) w.scatter(1, [[DST_HI, 0, 50]], w.gather(0, [[SRC_HI, i * 100, 50]]));
      for (const s of items) w.sendDone(s);
      w.oracle.quiet();
      w.oracle.finish();
      return w;
    };
    expect(run(2).reports).to.deep.equal([]);
    expect(run(1).ids()).to.deep.equal([SCB.data]);
  });

  it('does not decide about buffers that two outstanding requests share', () => {
    const w = new FakeWorld();
    const a = w.recv([[DST_HI, 0, 50]]);
    const b = w.recv([[DST_HI, 0, 50]]);
    const s = [0, 1].map((i) => w.send([[SRC_HI, i * 100, 50]]));
    w.scatter(1, [[DST_HI, 0, 50]], w.gather(0, [[SRC_HI, 100, 50]]));
    w.recvDone(a, s[0] as never);
    w.recvDone(b, s[1] as never);
    expect(w.reports).to.deep.equal([]);
    expect(w.oracle.undecided).to.equal(1);
  });

  describe('of WRITEs to the same bytes', () => {
    /** Data of each WRITE: first source byte, first target byte, length. */
    type Write = readonly [from: number, to: number, length: number];
    const LONG: Write = [0, 0, 6000];
    const SHORT: Write = [7000, 1000, 3500];

    function overlap(
      writes: readonly Write[],
      arrival: readonly number[],
      qpns: readonly number[],
      stray = -1,
    ): FakeWorld {
      const w = new FakeWorld();
      w.qp(0, 30);
      const items = writes.map(([from, to, length], i) => {
        const over = { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, to] as const, qpn: qpns[i] ?? 14 };
        return w.send([[SRC_HI, from, length]], over);
      });
      for (const i of arrival) {
        const [from, to, length] = writes[i] as Write;
        w.scatter(1, [[DST_HI, to, length]], w.gather(0, [[SRC_HI, from, length]]));
      }
      if (stray >= 0)
        w.memory.poke(1, PROCESS, DST_HI, stray, [~(w.memory.peek(1, PROCESS, DST_HI, stray, 1)[0] as number)]);
      for (const s of items) w.sendDone(s);
      w.oracle.quiet();
      w.oracle.finish();
      return w;
    }

    it('judges all that one of them wrote alone, and the last of a queue pair', () => {
      for (const writes of [
        [LONG, SHORT],
        [SHORT, LONG],
        [LONG, SHORT, [3, 500, 5000]],
      ] as Write[][]) {
        const order = writes.map((_, i) => i);
        const w = overlap(writes, order, []);
        expect(w.reports).to.deep.equal([]);
        expect(w.oracle.undecided).to.equal(writes[0] === SHORT ? 1 : writes.length - 1);
      }
    });

    it('takes any of several queue pairs for the last', () => {
      for (const arrival of [
        [0, 1],
        [1, 0],
      ])
        expect(overlap([LONG, SHORT], arrival, [14, 30]).reports).to.deep.equal([]);
      const apart = overlap([LONG, [7000, 4000, 5000]], [1, 0], [14, 30]);
      expect(apart.reports).to.deep.equal([]);
      expect(apart.oracle.undecided).to.equal(1);
    });

    it('finds a wrong byte that only one wrote, one in what the last wrote, and one beside them', () => {
      for (const at of [500, 5800]) expect(overlap([LONG, SHORT], [0, 1], [], at).ids()).to.deep.equal([SCB.data]);
      expect(overlap([LONG, SHORT], [0, 1], [], 2000).ids()).to.deep.equal([SCB.data]);
      expect(overlap([LONG, SHORT], [0, 1], [14, 30], 6000).ids()).to.deep.equal([SCB.guard]);
      expect(overlap([LONG, SHORT], [0, 1], [14, 30], 5999).ids()).to.deep.equal([SCB.data]);
    });

    it('finds one in either of them that changes after it has been judged', () => {
      for (const at of [10, 1200, 4499, 5000]) {
        const w = overlap([LONG, SHORT], [0, 1], []);
        w.memory.poke(1, PROCESS, DST_HI, at, [~(w.memory.peek(1, PROCESS, DST_HI, at, 1)[0] as number)]);
        w.oracle.finish();
        expect(w.ids()).to.deep.equal([SCB.reverify]);
      }
    });
  });

  it('does not decide about a READ that races with a WRITE, nor take its bytes for untouched', () => {
    for (const stray of [false, true]) {
      const w = new FakeWorld();
      const read = w.send([[DST_HI, 0, 3000]], { opcode: WR_OPCODE.rdmaRead, remote: [DST_HI, 0] });
      const before = w.gather(1, [[DST_HI, 0, 3000]]);
      const write = w.send([[SRC_HI, 0, 1000]], { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 500], host: 0 });
      w.scatter(1, [[DST_HI, 500, 1000]], w.gather(0, [[SRC_HI, 0, 1000]]));
      if (stray) before[2000] = ~(before[2000] as number);
      w.scatter(0, [[DST_HI, 0, 3000]], before);
      w.sendDone(read);
      w.sendDone(write);
      w.oracle.quiet();
      w.oracle.finish();
      expect(w.ids()).to.deep.equal(stray ? [SCB.data] : []);
      expect(w.oracle.undecided).to.equal(1);
    }
  });

  it('takes inline data as it was at posting', () => {
    const w = new FakeWorld();
    const source: Entry[] = [[SRC_HI, 0, 40]];
    const target: Entry[] = [[DST_HI, 0, 40]];
    w.memory.poke(0, PROCESS, SRC_HI, 0, new Uint8Array(40).fill(1));
    w.hostWrote(0, PROCESS, SRC_HI, 0, 40);
    const r = w.recv(target);
    const s = w.send(source, { flags: SEND_FLAG.inline | SEND_FLAG.signaled });
    const data = w.gather(0, source);
    w.memory.poke(0, PROCESS, SRC_HI, 0, new Uint8Array(40).fill(2));
    w.hostWrote(0, PROCESS, SRC_HI, 0, 40);
    w.scatter(1, target, data);
    w.recvDone(r, s);
    w.sendDone(s);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('adds the base of a zero-based region to remote and local addresses', () => {
    const w = new FakeWorld();
    const base = { process: PROCESS, pd: 1, hi: DST_HI, length: 0x10000, access: 0xf, zeroBased: true };
    w.oracle.mrRegistered({ ...base, host: 1, lo: 0x8000, key: 5 });
    const s = w.send([[SRC_HI, 0, 100]], { opcode: WR_OPCODE.rdmaWrite, rkey: 5, remote: [0, 0x20] });
    w.scatter(1, [[DST_HI, 0x8020, 100]], w.gather(0, [[SRC_HI, 0, 100]]));
    w.sendDone(s);
    w.oracle.quiet();
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });
});

describe('end of test', () => {
  it('finds a verified destination that changed later, in seeded and in stored data', () => {
    const run = (stored: boolean): string[] => {
      const w = new FakeWorld();
      if (stored) {
        w.memory.poke(0, PROCESS, SRC_HI, 4095, [1, 2, 3]);
        w.hostWrote(0, PROCESS, SRC_HI, 4095, 3);
      }
      send(w, () => undefined, [[SRC_HI, 4000, 200]], [[DST_HI, 0, 200]]);
      expect(w.reports).to.deep.equal([]);
      const [old] = w.memory.peek(1, PROCESS, DST_HI, 97, 1);
      w.memory.poke(1, PROCESS, DST_HI, 97, [(old as number) ^ 1]);
      w.oracle.finish();
      return w.ids();
    };
    expect(run(false)).to.deep.equal([SCB.reverify]);
    expect(run(true)).to.deep.equal([SCB.reverify]);
  });

  it('finds a changed source, a changed byte behind a short message and one in an unrelated page', () => {
    const w = new FakeWorld();
    send(w, () => undefined, [[SRC_HI, 0, 200]], [[DST_HI, 0, 300]]);
    for (const [host, hi, lo] of [
      [0, SRC_HI, 10],
      [1, DST_HI, 250],
      [1, 0x9001, 0x777000],
    ] as const) {
      const [old] = w.memory.peek(host, PROCESS, hi, lo, 1);
      w.memory.poke(host, PROCESS, hi, lo, [(old as number) ^ 1]);
    }
    w.oracle.finish();
    expect(w.ids()).to.deep.equal([SCB.guard, SCB.guard, SCB.guard]);
    expect(w.reports[0]?.text).to.contain('0x0003801c').and.contain('expected');
  });

  it('names the region of a changed byte, also when it has been deregistered', () => {
    for (const gone of [false, true]) {
      const w = new FakeWorld();
      w.message([[SRC_HI, 0, 200]], [[DST_HI, 0, 200]]);
      w.memory.poke(1, PROCESS, DST_HI, 0x999000, [1, 2, 3, 4]);
      for (const [host, key] of gone ? [0, 1].flatMap((n) => [[n, SRC_HI] as const, [n, DST_HI] as const]) : []) {
        w.oracle.mrDeregistering(host, key);
        w.oracle.mrDeregistered({ host: host, key: key });
      }
      w.oracle.finish();
      const text = w.reports[0]?.text ?? '';
      expect(text).to.contain(`it lies in the region with key 0x801d${gone ? ' (deregistered by now)' : ')'}`);
    }
  });

  it('does not mind software changing data memory that it says it changed', () => {
    const w = new FakeWorld();
    w.memory.poke(0, PROCESS, SRC_HI, 4000, new Uint8Array(300).fill(7));
    w.hostWrote(0, PROCESS, SRC_HI, 4000, 300);
    send(w, () => undefined, [[SRC_HI, 3990, 320]], [[DST_HI, 0, 320]]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });

  it('takes a later legal write in place of an earlier one', () => {
    const w = new FakeWorld();
    send(w, () => undefined, [[SRC_HI, 0, 200]], [[DST_HI, 0, 200]]);
    send(w, () => undefined, [[SRC_HI, 1000, 50]], [[DST_HI, 90, 50]]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
  });
});

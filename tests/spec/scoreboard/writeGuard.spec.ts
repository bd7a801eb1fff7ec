import { expect } from 'chai';
import { WR_OPCODE } from '../../../rdma/verbs.ts';
import { CHECK_LEVEL } from '../../../scoreboard/model/options.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import type { Entry } from './fakeWorld.ts';
import { DST_HI, FakeWorld, PROCESS, QPN, SRC_HI } from './fakeWorld.ts';

const DATA = new Uint8Array(8);
const CQ_HI = 0x30002;
const CQ_LO = 0x0fe00000;

/** A write of the NIC to a physical address outside data memory. */
function control(w: FakeWorld, hi: number, lo: number, length: number, interrupt = false): void {
  w.oracle.writesOf(1).write({ hi, lo, length, data: 0, interrupt, place: -1 });
}

/** Text of the only finding, after its id was compared. */
function stray(w: FakeWorld): string {
  expect(w.ids()).to.deep.equal([SCB.strayWrite]);
  return w.reports[0]?.text ?? '';
}

describe('write guard', () => {
  const target: Entry[] = [
    [DST_HI, 4000, 60],
    [DST_HI, 4060, 60],
    [DST_HI, 9000, 60],
  ];

  it('lets the NIC write receive buffers over adjacent entries and pages, from posting to completion', () => {
    const w = new FakeWorld();
    w.message([[SRC_HI, 0, 180]], target);
    expect(w.reports).to.deep.equal([]);
  });

  it('reports a write to a buffer whose receive has completed', () => {
    const w = new FakeWorld();
    w.message([[SRC_HI, 0, 180]], target);
    w.clock.now = 90_500;
    w.dma(1, DST_HI, 4000, DATA);
    expect(stray(w)).to.contain('SG entry 0, of completed RECV (wrId 2000').and.contain('of host 1 QP 15');
    expect(stray(w))
      .to.match(/completed by 0ns$/)
      .and.contain('virtual 0x0000801d_00000fa0 of process 3');
  });

  it('names the request that completed last of several with the same buffer, and only its host when all are forgotten', () => {
    const w = new FakeWorld();
    const receives = [w.recv([[DST_HI, 20000, 8]]), w.recv([[DST_HI, 20000, 8]])];
    for (const receive of receives) {
      const s = w.send([[SRC_HI, 0, 8]]);
      w.scatter(1, [[DST_HI, 20000, 8]], w.gather(0, [[SRC_HI, 0, 8]]));
      w.recvDone(receive, s);
      w.sendDone(s);
    }
    w.dma(1, DST_HI, 20000, DATA);
    expect(stray(w)).to.contain('of completed RECV (wrId 2001');
    const reused = new FakeWorld();
    reused.message([[SRC_HI, 0, 180]], target);
    for (let i = 0; i < 4; i++) reused.recv([[DST_HI, 30000 + 100 * i, 60]]);
    reused.dma(1, DST_HI, 4000, DATA);
    expect(stray(reused)).to.contain('a buffer whose request has completed (its data came from host 0)');
  });

  it('reports a write one byte beyond a buffer, naming the buffer', () => {
    const w = new FakeWorld();
    w.recv(target);
    w.dma(1, DST_HI, 9053, DATA);
    expect(stray(w)).to.contain('SG entry 2').and.contain('RECV (wrId 2000').and.contain('host 1 QP 15');
    expect(stray(w)).to.match(/: the last 1 of its bytes lie beyond its end \(60 B\)$/);
  });

  it('says which bytes lie in front of a buffer, and in whose buffer those lie that run out of it', () => {
    const w = new FakeWorld();
    w.recv([[DST_HI, 9000, 60]]);
    w.dma(1, DST_HI, 8995, DATA);
    expect(stray(w)).to.match(/: the first 5 of its bytes lie before its start$/);
    const two = new FakeWorld();
    two.recv([[DST_HI, 9000, 60]]);
    two.send([[DST_HI, 9060, 60]], { host: 1 });
    two.dma(1, DST_HI, 9055, DATA);
    expect(stray(two)).to.match(
      /the last 3 of its bytes lie beyond its end \(60 B\), and bytes lie in the source buffer/,
    );
  });

  it('does not take a buffer that ends where the write begins for the one that was hit', () => {
    const w = new FakeWorld();
    w.recv([[DST_HI, 9000, 60]]);
    w.dma(1, DST_HI, 9060, DATA);
    expect(stray(w)).to.contain('0 bytes behind the receive buffer, SG entry 0, of outstanding RECV');
    const before = new FakeWorld();
    before.recv([[DST_HI, 9000, 60]]);
    before.dma(1, DST_HI, 8982, DATA);
    expect(stray(before)).to.contain('10 bytes in front of the receive buffer');
  });

  it('reports a write to a source buffer', () => {
    const w = new FakeWorld();
    w.send([[SRC_HI, 100, 60]]);
    w.dma(0, SRC_HI, 130, DATA);
    expect(stray(w)).to.contain('source buffer, SG entry 0').and.contain('SEND (wrId 1000');
    expect(stray(w)).to.match(/, which is a source and must not be written$/);
  });

  it('reports a write to memory that nobody named', () => {
    const w = new FakeWorld();
    w.dma(1, 0x9000, 0x5000, DATA);
    expect(stray(w)).to.contain('outside every buffer');
  });

  it('opens the target of a WRITE from posting to quiet, and only as far as its key allows', () => {
    const w = new FakeWorld();
    const s = w.send([[SRC_HI, 0, 8]], { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 700] });
    w.dma(1, DST_HI, 700, w.gather(0, [[SRC_HI, 0, 8]]));
    w.sendDone(s);
    w.dma(1, DST_HI, 700, w.gather(0, [[SRC_HI, 0, 8]]));
    expect(w.reports).to.deep.equal([]);
    w.oracle.quiet();
    w.dma(1, DST_HI, 700, DATA);
    expect(w.ids()).to.deep.equal([SCB.strayWrite]);
    const bad = new FakeWorld();
    bad.send([[SRC_HI, 0, 8]], { opcode: WR_OPCODE.rdmaWrite, remote: [DST_HI, 700], rkey: 0x999 });
    bad.dma(1, DST_HI, 700, DATA);
    expect(stray(bad)).to.contain('the target of RDMA_WRITE (wrId 1000').and.contain('of host 0 QP 14');
    expect(stray(bad)).to.match(/which its remote key does not open; it lies in the region with key 0x801d$/);
  });

  it('opens the local entries of a READ until its completion', () => {
    const w = new FakeWorld();
    const s = w.send([[DST_HI, 0, 8]], { opcode: WR_OPCODE.rdmaRead, rkey: SRC_HI, remote: [SRC_HI, 0] });
    w.dma(0, DST_HI, 0, w.gather(1, [[SRC_HI, 0, 8]]));
    w.sendDone(s);
    expect(w.reports).to.deep.equal([]);
    w.dma(0, DST_HI, 0, DATA);
    expect(w.ids()).to.deep.equal([SCB.strayWrite]);
  });

  it('takes ranges across the 4 GiB boundary of an address', () => {
    const w = new FakeWorld();
    const wide: Entry[] = [[DST_HI, -100, 200]];
    w.recv(wide);
    w.dma(1, DST_HI, -100, new Uint8Array(100));
    w.dma(1, DST_HI + 1, 0, new Uint8Array(100));
    expect(w.reports).to.deep.equal([]);
    w.dma(1, DST_HI + 1, 99, DATA);
    expect(w.ids()).to.deep.equal([SCB.strayWrite]);
  });

  it('closes everything of a destroyed queue pair', () => {
    const w = new FakeWorld();
    w.recv(target);
    w.dma(1, DST_HI, 9000, DATA);
    w.oracle.qpGone(1, QPN[1]);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
    w.dma(1, DST_HI, 9000, DATA);
    expect(w.ids()).to.deep.equal([SCB.strayWrite]);
  });

  it('lets completion entries go to the next slot of their ring, also over pages and around its end', () => {
    const w = new FakeWorld();
    w.allowArea(1, 'cq', CQ_HI, CQ_LO, 4096, 254, 0, 8192, 32);
    w.allowArea(1, 'cq', CQ_HI, CQ_LO + 0x5000, 4096, 254, 4096, 8192, 32);
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 256; i++) control(w, CQ_HI, CQ_LO + (i < 128 ? i * 32 : 0x5000 + (i - 128) * 32), 32);
    }
    expect(w.reports).to.deep.equal([]);
  });

  it('reports a completion entry in the wrong slot, and one of the wrong size', () => {
    const w = new FakeWorld();
    w.allowArea(1, 'cq', CQ_HI, CQ_LO, 2048, 254, 0, 2048, 32);
    control(w, CQ_HI, CQ_LO, 32);
    control(w, CQ_HI, CQ_LO + 64, 32);
    expect(w.ids()).to.deep.equal([SCB.cqeAddr]);
    expect(w.reports[0]?.text).to.contain('slot 1 of 64');
    control(w, CQ_HI, CQ_LO + 96, 16);
    expect(w.ids()).to.deep.equal([SCB.cqeAddr, SCB.cqeAddr]);
    const b = new FakeWorld();
    b.allowArea(1, 'cq', CQ_HI, CQ_LO, 2048, 254, 0, 2048, 32);
    control(b, CQ_HI, CQ_LO + 2048, 32);
    expect(b.ids()).to.deep.equal([SCB.strayWrite]);
  });

  it('says how far a write runs out of an area, also of one that ends in the next 4 GiB', () => {
    const w = new FakeWorld();
    w.allowArea(1, 'icm', CQ_HI, 0xffff_f000 | 0, 4096 + 100);
    control(w, CQ_HI + 1, 90, 32);
    expect(stray(w)).to.contain('the icm area of 4196 B').and.contain('the last 22 of its bytes lie beyond its end');
  });

  it('names the nearest region and how far it is, in front and behind', () => {
    for (const [hi, lo, away] of [
      [DST_HI, 0x10000100, 256],
      [SRC_HI - 1, 0xffff_ff00 | 0, 255],
      [0x9000, 0x3010, 16],
      [0x9000, 0x1ff0, 15],
    ] as const) {
      const w = new FakeWorld();
      const region = { host: 1, process: PROCESS, pd: 1, hi: 0x9000, lo: 0x2000, length: 0x1000, access: 0xf };
      w.oracle.mrRegistered({ ...region, key: 77, zeroBased: false });
      w.dma(1, hi, lo, DATA);
      expect(stray(w)).to.contain(`is ${away} bytes away`);
    }
  });

  it('takes the size of a completion entry from whoever opens the queue, each queue for itself', () => {
    const w = new FakeWorld();
    w.allowArea(1, 'cq', CQ_HI, CQ_LO, 2048, 254, 0, 2048, 64);
    w.allowArea(1, 'cq', CQ_HI, CQ_LO + 0x5000, 2048, 255, 0, 2048);
    for (const at of [0, 64, 128]) control(w, CQ_HI, CQ_LO + at, 64);
    for (const [at, length] of [
      [0, 20],
      [20, 8],
    ] as const)
      control(w, CQ_HI, CQ_LO + 0x5000 + at, length);
    expect(w.reports).to.deep.equal([]);
    control(w, CQ_HI, CQ_LO + 192, 32);
    expect(w.ids()).to.deep.equal([SCB.cqeAddr]);
    expect(w.reports[0]?.text).to.contain('whole entries of 64 bytes at offset 192 (slot 3 of 32)');
  });

  it('lets ICM, event queue, outbox and MSI-X be written only while they are open, work queues never', () => {
    const w = new FakeWorld();
    w.allowArea(1, 'icm', 0x1000, 0, 8192);
    w.allowArea(1, 'outbox', 0, 0x12342000, 4096);
    w.allowArea(1, 'msix', 0, 0xfee00000 | 0, 512);
    w.allowArea(1, 'queue', 0x30040, 0x0e000000, 4096);
    control(w, 0x1000, 4000, 200);
    control(w, 0, 0x12342000, 192);
    control(w, 0, 0xfee00010 | 0, 4, true);
    expect(w.reports).to.deep.equal([]);
    w.forbidArea(1, 0, 0x12342000, 4096);
    control(w, 0, 0x12342000, 192);
    control(w, 0x30040, 0x0e000010, 16);
    control(w, 0x1000, 0, 4, true);
    expect(w.ids()).to.deep.equal([SCB.strayWrite, SCB.strayWrite, SCB.strayWrite]);
    expect(w.reports[1]?.text).to.contain('the queue area of 4096 B').and.contain('which the NIC may only read');
  });

  it('does nothing below the full level', () => {
    const w = new FakeWorld({ level: CHECK_LEVEL.memory });
    w.message([[SRC_HI, 0, 180]], target);
    w.dma(1, 0x9000, 0x5000, DATA);
    w.oracle.finish();
    expect(w.reports).to.deep.equal([]);
    expect(w.oracle.checks).to.equal(3);
  });
});

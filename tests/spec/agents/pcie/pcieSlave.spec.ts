import { expect } from 'chai';
import fc from 'fast-check';
import { CPL_STATUS } from '../../../../dut-model/nic.ts';
import { PcieBench } from '../support/pcieBench.ts';

describe('PcieSlave', () => {
  it('applies a write after its time on the wire and the latency', () => {
    const b = new PcieBench();
    let seen = -1;
    b.agent.writes.connect(() => {
      seen = b.run.scheduler.now;
      expect(b.bytesAt(0x100, 4)).to.deep.equal([1, 2, 3, 4]);
    });
    b.write(0x100, 4);
    b.settle();
    // (4 + 16 header bytes) * 62.5 ps + 200 ns
    expect(seen).to.equal(201_250);
    expect(b.blocks.inUse).to.equal(0);
    expect(b.agent.inFlight).to.equal(0);
  });

  it('does not put a write on the wire before it is ready', () => {
    const b = new PcieBench();
    b.write(0x100, 4, (t) => {
      t.readyAt = 1_000_000;
    });
    b.settle();
    expect(b.run.scheduler.now).to.equal(1_201_250);
  });

  it('answers a read with the bytes in memory after the round trip', () => {
    const b = new PcieBench();
    b.read(0x203, 61, 5);
    b.settle();
    expect(b.answer(0, 61)).to.deep.equal(b.bytesAt(0x203, 61));
    expect(b.nic.completions).to.have.length(1);
    const [c] = b.nic.completions;
    expect(c).to.include({ tag: 5, from: 0, count: 61, remaining: 0, status: CPL_STATUS.success, poisoned: false });
    expect(c?.time).to.equal(1_000 + 200_000 + Math.ceil((61 + 16) * 62.5) + 200_000);
  });

  it('lets no read pass an earlier write, even when writes are slow', () => {
    const b = new PcieBench({ upLatency: 900_000, downLatency: 0 });
    b.agent.slave.faults = {
      judge: (_host, tlp, verdict) => {
        if (tlp.kind === 1) verdict.delay = 5_000_000;
      },
    };
    b.write(0x300, 8);
    b.read(0x300, 8);
    b.settle();
    expect(b.answer(0, 8)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(b.ids()).to.deep.equal({});
  });

  it('applies writes in the order sent, whatever their sizes and delays', () => {
    const b = new PcieBench();
    const delays = [3_000_000, 0, 700, 0, 2_000_000];
    let n = 0;
    b.agent.slave.faults = {
      judge: (_host, _tlp, verdict) => {
        verdict.delay = delays[n++] as number;
      },
    };
    for (const [i, length] of [4096, 1, 128, 4, 2048].entries()) b.write(i * 4096, length);
    b.settle();
    expect(b.memory.log).to.deep.equal(['0+4096', '4096+1', '8192+128', '12288+4', '16384+2048']);
  });

  it('answers a flush read of no bytes after the writes before it', () => {
    const b = new PcieBench();
    b.write(0x100, 64);
    b.read(0x100, 0);
    b.settle();
    expect(b.nic.completions).to.have.length(1);
    expect(b.nic.completions[0]).to.include({ from: 0, count: 0, remaining: 0, status: CPL_STATUS.success });
    expect(b.memory.log).to.deep.equal(['256+64']);
    expect(b.ids()).to.deep.equal({});
  });

  it('writes only the bytes that are enabled', () => {
    const b = new PcieBench();
    const before = b.bytesAt(0x100, 8);
    b.write(0x100, 4, (t) => {
      t.firstBe = 0b1001;
      t.lastBe = 0;
    });
    b.settle();
    expect(b.bytesAt(0x100, 8)).to.deep.equal([1, ...before.slice(1, 3), 4, ...before.slice(4)]);
  });

  it('writes partial first and last dwords', () => {
    const b = new PcieBench();
    const before = b.bytesAt(0x100, 16);
    b.write(0x103, 10, (t) => {
      t.firstBe = 0b1000;
      t.lastBe = 0b0001;
    });
    b.settle();
    expect(b.bytesAt(0x100, 16)).to.deep.equal([
      ...before.slice(0, 3),
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      ...before.slice(13),
    ]);
    expect(b.ids()).to.deep.equal({});
  });

  it('publishes an MSI-X message and keeps it out of memory', () => {
    const b = new PcieBench();
    const seen: number[][] = [];
    let inWrites = 0;
    b.agent.interrupts.connect((m) => seen.push([m.host, m.offset, m.data]));
    b.agent.writes.connect((t) => {
      if (t.interrupt) inWrites++;
    });
    b.write(0xfee0_0010 | 0, 4);
    b.settle();
    expect(seen).to.deep.equal([[3, 0x10, 0x0403_0201]]);
    expect(inWrites).to.equal(1);
    expect(b.memory.log).to.deep.equal([]);
    expect(b.ids()).to.deep.equal({});
  });

  it('carries out what fault rules want: status, poison, loss', () => {
    const b = new PcieBench();
    const wishes = [{ status: CPL_STATUS.completerAbort }, { poison: true }, { lose: true }, { poison: true }];
    b.agent.setFaults({
      judge: (_host, tlp, verdict) => {
        Object.assign(verdict, wishes[tlp.ownerArg]);
      },
    });
    for (let i = 0; i < 3; i++) {
      b.read(0x100, 8, i, 64 * i, (t) => {
        t.ownerArg = i;
      });
    }
    b.write(0x200, 4, (t) => {
      t.ownerArg = 3;
    });
    b.settle();
    expect(b.nic.completions.map((c) => [c.tag, c.count, c.status, c.poisoned])).to.deep.equal([
      [0, 0, CPL_STATUS.completerAbort, false],
      [1, 8, CPL_STATUS.success, true],
    ]);
    expect(b.memory.log).to.deep.equal([]);
    expect(b.ids()).to.deep.equal({});
    b.agent.setFaults(null);
    b.read(0x100, 8, 2);
    b.settle();
    expect(b.ids(), 'a lost tag may be used again').to.deep.equal({});
  });

  it('releases blocks and transactions for reuse', () => {
    const b = new PcieBench();
    for (let i = 0; i < 1000; i++) {
      b.write(0x100, 64);
      b.read(0x100, 64, i & 7);
      b.settle();
    }
    expect(b.blocks.inUse).to.equal(0);
    expect(b.agent.inFlight).to.equal(0);
  });

  it('gives every byte of every read exactly once and in order within a tag, however answers are cut and mixed', () => {
    const size = fc.constantFrom(128, 256, 512, 1024, 2048, 4096);
    const read = fc.record({ lo: fc.nat(0xffff), length: fc.nat(4096) });
    const settings = fc.record({
      maxPayload: size,
      readCompletionBoundary: fc.constantFrom(64, 128),
      splitChance: fc.constantFrom(0, 0.3, 1),
      reorderChance: fc.constantFrom(0, 0.5, 1),
    });
    let mixed = 0;
    fc.assert(
      fc.property(settings, fc.array(read, { minLength: 1, maxLength: 12 }), fc.nat(1000), (s, reads, seed) => {
        const b = new PcieBench(s, seed);
        const legal = reads.map(({ lo, length }) => ({ lo, length: Math.min(length, 4096 - (lo & 4095)) }));
        legal.forEach(({ lo, length }, tag) => {
          b.read(lo, length, tag, tag * 4096);
        });
        b.settle();
        expect(b.ids()).to.deep.equal({
          ...(legal.some((r) => dwords(r) > 4096) ? { PCIE_MRRS: b.ids().PCIE_MRRS } : {}),
        });
        const next = legal.map(() => 0);
        for (const c of b.nic.completions) {
          const { lo, length } = legal[c.tag] as { lo: number; length: number };
          expect(c.from).to.equal(next[c.tag]);
          next[c.tag] = c.from + c.count;
          expect(c.remaining).to.equal(length - c.from - c.count);
          expect(c.count).to.be.at.most(s.maxPayload);
          if (c.remaining > 0) expect((lo + c.from + c.count) % s.readCompletionBoundary).to.equal(0);
        }
        legal.forEach(({ lo, length }, tag) => {
          expect(next[tag]).to.equal(length);
          expect(b.answer(tag * 4096, length)).to.deep.equal(b.bytesAt(lo, length));
        });
        const tags = b.nic.completions.map((c) => c.tag);
        if (tags.some((tag, i) => i > 0 && tag < (tags[i - 1] as number))) mixed++;
      }),
      { numRuns: 60, seed: 7 },
    );
    expect(mixed, 'answers overtook each other in some runs').to.be.greaterThan(8);
  });

  it('keeps answers in request order when the reorder knobs are off', () => {
    const b = new PcieBench({ maxPayload: 128 });
    for (let tag = 0; tag < 8; tag++) b.read(tag * 4096, 64, tag, tag * 4096);
    b.settle();
    expect(b.nic.completions.map((c) => c.tag)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('takes no longer than the wire for many reads in flight', () => {
    const b = new PcieBench({ tags: 1024 });
    for (let tag = 0; tag < 100; tag++) b.read((tag & 7) * 4096, 4096, tag, 0);
    b.settle();
    const wire = 100 * Math.ceil((4096 + 16) * 62.5);
    expect(b.run.scheduler.now).to.be.within(wire, wire + 500_000);
  });

  it('gives the same transcript for the same seed, and another for another', () => {
    const digest = (seed: number) => {
      const b = new PcieBench({ splitChance: 0.5, reorderChance: 0.5, maxPayload: 256 }, seed);
      for (let tag = 0; tag < 20; tag++) b.read(tag * 1000, 96, tag, tag * 4096);
      b.settle();
      return b.run.transcript.digest();
    };
    expect(digest(11)).to.equal(digest(11));
    expect(digest(11)).not.to.equal(digest(12));
  });
});

function dwords({ lo, length }: { lo: number; length: number }): number {
  return ((lo & 3) + length + 3) & ~3;
}

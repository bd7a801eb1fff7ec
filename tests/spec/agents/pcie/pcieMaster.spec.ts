import { expect } from 'chai';
import { CPL_STATUS, type CplStatus, type Tlp } from '../../../../dut-model/nic.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import { PcieBench } from '../support/pcieBench.ts';

describe('PcieMaster', () => {
  it('delivers posted writes in order after the latency, without taking the time of the caller', () => {
    const b = new PcieBench();
    b.agent.master.barWrite(0, 0x10, [0x0403_0201]);
    b.agent.master.barWrite64(2, 0x1000, 0x1111_1111, 0x2222_2222);
    expect(b.run.scheduler.now).to.equal(0);
    b.settle();
    const [first, second] = b.nic.barWrites;
    expect(first).to.deep.include({ bar: 0, offset: 0x10, bytes: [1, 2, 3, 4] });
    expect(second).to.deep.include({ bar: 2, offset: 0x1000 });
    expect(second?.bytes).to.deep.equal([0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22]);
    expect(first?.time).to.be.greaterThan(200_000);
    expect(second?.time).to.be.greaterThan(first?.time as number);
    expect(b.blocks.inUse).to.equal(0);
  });

  it('writes bytes of the byte store', () => {
    const b = new PcieBench();
    b.agent.master.barWriteBytes(1, 8, b.memory.base + 3, 5);
    b.settle();
    expect(b.nic.barWrites[0]?.bytes).to.deep.equal(b.bytesAt(3, 5));
  });

  it('reads registers and gives each process its own answer, in whatever order the NIC answers', () => {
    const b = new PcieBench();
    const got: [number, number, number][] = [];
    const waiting: Tlp[] = [];
    b.nic.onBarRead = (t) => {
      waiting.push(t);
      if (waiting.length < 3) return;
      for (const w of [waiting[2], waiting[0], waiting[1]] as Tlp[]) answer(b, w, 0xabc0_0000 + w.lo);
    };
    for (const offset of [4, 8, 12]) {
      b.run.processes.spawn(
        `reader${offset}`,
        (function* (): Proc<void> {
          const value = yield* b.agent.master.barRead32(0, offset);
          got.push([offset, value, b.run.scheduler.now]);
        })(),
      );
    }
    b.settle();
    expect(got.map(([o, v]) => [o, v]).sort()).to.deep.equal([
      [12, 0xabc0_000c],
      [4, 0xabc0_0004],
      [8, 0xabc0_0008],
    ]);
    expect(got[0]?.[2]).to.be.greaterThan(400_000);
    expect(b.agent.inFlight).to.equal(0);
    expect(b.agent.statistics.barReads).to.equal(3);
  });

  it('never lets a read pass an earlier write to the NIC', () => {
    const b = new PcieBench();
    const order: string[] = [];
    b.nic.onBarRead = (t) => {
      order.push(`read after ${b.nic.barWrites.length} writes`);
      answer(b, t, 0);
    };
    b.agent.master.barWriteBytes(0, 0, b.memory.base, 4096);
    b.run.processes.spawn('reader', discard(b.agent.master.barRead32(0, 0)));
    b.settle();
    expect(order).to.deep.equal(['read after 1 writes']);
  });

  it('brings the answer after every DMA write that the NIC sent before it', () => {
    const b = new PcieBench();
    b.agent.setFaults({
      judge: (_host, _t, verdict) => {
        verdict.delay = 7_000_000;
      },
    });
    b.nic.onBarRead = (t) => {
      b.write(0x100, 4);
      answer(b, t, 1);
    };
    let seen: number[] = [];
    b.run.processes.spawn(
      'reader',
      (function* (): Proc<void> {
        yield* b.agent.master.barRead32(0, 0x18);
        seen = b.bytesAt(0x100, 4);
      })(),
    );
    b.settle();
    expect(seen).to.deep.equal([1, 2, 3, 4]);
  });

  it('reports an answer that is not expected', () => {
    const b = new PcieBench();
    b.nic.onBarRead = (t) => {
      answer(b, t, 5);
      b.agent.upstream.complete(t, CPL_STATUS.success);
    };
    b.run.processes.spawn('reader', discard(b.agent.master.barRead32(0, 0)));
    b.settle();
    expect(b.ids()).to.deep.equal({ PCIE_CPL: 1 });
  });

  it('reads all ones and reports when the NIC refuses, poisons or stays silent', () => {
    const refuse = readOnce((b, t) => answer(b, t, 5, CPL_STATUS.unsupportedRequest));
    expect(refuse).to.deep.equal({ value: 0xffff_ffff, ids: { PCIE_CPL_STATUS: 1 } });
    const poison = readOnce((b, t) => {
      t.poisoned = true;
      answer(b, t, 5);
    });
    expect(poison).to.deep.equal({ value: 5, ids: { PCIE_CPL_POISON: 1 } });
    const silence = readOnce(() => {});
    expect(silence).to.deep.equal({ value: 0xffff_ffff, ids: { PCIE_CPL_TIMEOUT: 1 } });
  });

  it('says of a read without an answer what its reader waits for', () => {
    const b = new PcieBench();
    b.nic.onBarRead = () => {};
    const reader = { barRead: () => {}, describeWait: () => 'host 0 waits for the end of QUERY_ADAPTER since 5ns' };
    b.agent.master.barReadTo(0, 0x18, reader, 0);
    b.settle();
    expect(b.lines.join('\n')).to.match(
      /\[PCIE_CPL_TIMEOUT\] no answer to the read of BAR 0 at 0x18 within \S+; host 0 waits for the end of QUERY_ADAPTER since 5ns/,
    );
  });

  it('gives up every read that stays without an answer, once, whatever became of the others', () => {
    const b = new PcieBench();
    const values: number[] = [];
    b.nic.onBarRead = (t) => {
      if (t.lo % 8 === 0) answer(b, t, t.lo);
    };
    const read = (offset: number): Proc<void> =>
      (function* (): Proc<void> {
        values[offset / 4] = yield* b.agent.master.barRead32(0, offset);
      })();
    for (let offset = 0; offset < 24; offset += 4) b.run.processes.spawn(`reader${offset}`, read(offset));
    b.settle();
    expect(values).to.deep.equal([0, 0xffff_ffff, 8, 0xffff_ffff, 16, 0xffff_ffff]);
    expect(b.ids()).to.deep.equal({ PCIE_CPL_TIMEOUT: 3 });
    expect(b.agent.master.inFlight, 'nobody waits for them').to.equal(0);
    b.run.processes.spawn('later', read(32));
    b.settle();
    expect(values[8]).to.equal(32);
  });

  it('shows twenty findings of an id at most, and how many more there were', () => {
    const b = new PcieBench();
    b.nic.onBarRead = (t) => answer(b, t, 0, CPL_STATUS.unsupportedRequest);
    const reader = function* (): Proc<void> {
      for (let i = 0; i < 25; i++) yield* b.agent.master.barRead32(0, 0);
    };
    b.run.processes.spawn('reader', reader());
    b.settle();
    expect(b.lines).to.have.length(20);
    b.agent.master.preAbort();
    expect(b.ids()).to.deep.equal({ PCIE_CPL_STATUS: 25 });
    expect(b.lines.at(-1)).to.contain('5 more findings of this kind, 25 in all');
  });

  it('delivers a burst word by word, when the last of as many single writes would arrive', () => {
    const single = new PcieBench();
    for (let i = 0; i < 7; i++) single.agent.master.barWrite(0, 4 * i, [i]);
    single.settle();
    const burst = new PcieBench();
    burst.agent.master.barWriteEach(0, 0, [0, 1, 2, 3, 4, 5, 6]);
    burst.settle();
    const words = (b: PcieBench): unknown[] => b.nic.barWrites.map(({ offset, bytes }) => [offset, bytes]);
    expect(words(burst)).to.deep.equal(words(single));
    expect(burst.nic.barWrites[0]?.time).to.equal(single.nic.barWrites[6]?.time);
  });

  it('keeps doorbells, longer writes and reads in order, also on a link that needs no time for headers', () => {
    const b = new PcieBench({ headerBytes: 0 });
    const seen: number[] = [];
    b.nic.onBarRead = (t) => {
      seen.push(t.lo);
      answer(b, t, 0);
    };
    const { master } = b.agent;
    master.barWrite64(2, 0, 1, 2);
    master.barWrite(0, 4, [3]);
    b.run.processes.spawn('reader', discard(master.barRead32(0, 8)));
    b.run.scheduler.run(0);
    master.barWrite(0, 12, [4, 5, 6, 7]);
    master.barWrite64(2, 28, 8, 9);
    expect(b.agent.inFlight).to.equal(5);
    b.settle();
    expect(seen).to.deep.equal([8]);
    expect(b.nic.barWrites.map(({ offset }) => offset)).to.deep.equal([0, 4, 12, 28]);
    const times = b.nic.barWrites.map(({ time }) => time);
    expect(times).to.deep.equal([...new Set(times)].sort((x, y) => x - y));
    expect(b.agent.inFlight).to.equal(0);
  });

  it('survives the death of a reader', () => {
    const b = new PcieBench();
    let asked: Tlp | null = null;
    b.nic.onBarRead = (t) => {
      asked = t;
    };
    const reader = b.run.processes.spawn('reader', discard(b.agent.master.barRead32(0, 0)));
    b.run.scheduler.run(300_000);
    reader.kill();
    answer(b, asked as unknown as Tlp, 5);
    b.settle();
    expect(b.agent.inFlight).to.equal(0);
    expect(b.ids()).to.deep.equal({});
  });

  it('refuses impossible accesses with the value and a remedy', () => {
    const { master } = new PcieBench({ maxPayload: 128 }).agent;
    expect(() => master.barWrite(6, 0, [1])).to.throw(/bar: 6 .*use 0 to 5/);
    expect(() => master.barWrite(0, 2, [1])).to.throw(/offset: 2 .*multiple of 4/);
    expect(() => master.barWrite(0, 0, new Array<number>(40).fill(0))).to.throw(/length: 160 .*128/);
    expect(() => master.barWrite(0, 4092, [1, 2])).to.throw(/length: 8 /);
    expect(() => master.barRead32(0, 1).next()).to.throw(/offset: 1 /);
  });

  it('publishes accesses when they are complete', () => {
    const b = new PcieBench();
    const seen: string[] = [];
    b.agent.barAccesses.connect((t) => seen.push(`${t.kind} ${t.lo} ${b.run.bytes.i32[t.data >>> 2]}`));
    b.nic.onBarRead = (t) => answer(b, t, 77);
    b.agent.master.barWrite(0, 4, [55]);
    b.run.processes.spawn('reader', discard(b.agent.master.barRead32(0, 8)));
    b.settle();
    expect(seen).to.deep.equal(['1 4 55', '0 8 77']);
  });
});

function answer(b: PcieBench, t: Tlp, value: number, status: CplStatus = CPL_STATUS.success): void {
  b.run.bytes.i32[t.data >>> 2] = value;
  b.agent.upstream.complete(t, status);
}

function* discard(proc: Proc<number>): Proc<void> {
  yield* proc;
}

function readOnce(onRead: (b: PcieBench, t: Tlp) => void): { value: number; ids: Record<string, number> } {
  const b = new PcieBench({ barReadTimeout: 5_000_000 });
  let value = -1;
  b.nic.onBarRead = (t) => onRead(b, t);
  b.run.processes.spawn(
    'reader',
    (function* (): Proc<void> {
      value = yield* b.agent.master.barRead32(0, 0);
    })(),
  );
  b.settle();
  return { value, ids: b.ids() };
}

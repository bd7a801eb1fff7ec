import { expect } from 'chai';
import fc from 'fast-check';
import { UNWRITTEN } from '../../../agents/pcie/hostMemoryPort.ts';
import { HostMemory } from '../../../env/memory/hostMemory.ts';
import { ByteStore } from '../../../uvm/bytes/byteStore.ts';

const SCRATCH = 65536;

function make(key = 42): { memory: HostMemory; bytes: ByteStore; a: number; b: number } {
  const bytes = ByteStore.create();
  return { memory: new HostMemory(bytes, key), bytes, a: bytes.alloc(SCRATCH, 16), b: bytes.alloc(SCRATCH, 16) };
}

/** Puts at `dst` what a range holds before anybody writes it. */
function fillUnwritten(memory: HostMemory, hi: number, lo: number, length: number, dst: number): void {
  for (let at = 0; at < length; ) {
    const inPage = (lo + at) & 0xfff;
    const n = Math.min(4096 - inPage, length - at);
    const carry = (lo >>> 0) + at >= 2 ** 32 ? 1 : 0;
    memory.bytes.fillSeeded(memory.pageKey(hi + carry, (lo + at) >>> 12), inPage, dst + at, n);
    at += n;
  }
}

describe('HostMemory', () => {
  it('gives back what was written, over page boundaries and at any address', () => {
    const { memory, bytes, a, b } = make();
    const hi = fc.integer({ min: -0x8000_0000, max: 0x7fff_ffff });
    fc.assert(
      fc.property(hi, hi, fc.integer({ min: 1, max: 20000 }), fc.integer(), (h, lo, length, seed) => {
        bytes.fillSeeded(seed, 0, a, length);
        memory.write(h, lo, length, a);
        memory.read(h, lo, length, b);
        expect(bytes.equal(a, b, length)).to.equal(true);
      }),
    );
  });

  it('agrees with a simple model under any mix of reads and writes', () => {
    const write = fc.record({
      at: fc.nat(3 * 4096),
      n: fc.integer({ min: 0, max: 5000 }),
      fill: fc.integer({ min: 0, max: 255 }),
    });
    fc.assert(
      fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
        const { memory, bytes, a } = make();
        const base = 0xffff_f000 | 0;
        fillUnwritten(memory, 9, base, 5 * 4096, a);
        const model = bytes.u8.slice(a, a + 5 * 4096);
        for (const { at, n, fill } of writes) {
          bytes.u8.fill(fill, a, a + n);
          memory.write(at >= 4096 ? 10 : 9, base + at, n, a);
          model.fill(fill, at, at + n);
        }
        memory.read(9, base, 5 * 4096, a);
        expect(bytes.u8.slice(a, a + 5 * 4096)).to.deep.equal(model);
      }),
      { numRuns: 40 },
    );
  });

  it('reads never-written bytes as a function of key and address, without storing pages', () => {
    const { memory, bytes, a, b } = make();
    memory.read(3, 0x1ff0, 64, a);
    fillUnwritten(memory, 3, 0x1ff0, 64, b);
    expect(bytes.equal(a, b, 64)).to.equal(true);
    expect(memory.pages).to.equal(0);
    expect(memory.readPage(3, 1)).to.equal(-1);
    const other = new HostMemory(bytes, 43);
    other.read(3, 0x1ff0, 64, b);
    expect(bytes.equal(a, b, 64)).to.equal(false);
  });

  it('keeps the bytes around a partial write', () => {
    const { memory, bytes, a, b } = make();
    fillUnwritten(memory, 3, 0x5000, 4096, a);
    bytes.u8.fill(0xee, b, b + 3);
    memory.write(3, 0x5801, 3, b);
    bytes.u8.fill(0xee, a + 0x801, a + 0x804);
    memory.read(3, 0x5000, 4096, b);
    expect(bytes.equal(a, b, 4096)).to.equal(true);
    expect(memory.pages).to.equal(1);
  });

  it('names the place of a range in one page only, and of what is read only when somebody has written it', () => {
    const { memory, bytes, a, b } = make();
    expect(memory.readFrom(3, 0x5801, 3)).to.equal(UNWRITTEN);
    expect(memory.readFrom(3, 0x5fff, 2)).to.equal(-1);
    expect(memory.writeTo(3, 0x5fff, 2)).to.equal(-1);
    expect(memory.writeTo(3, 0x5801, 0)).to.equal(-1);
    expect(memory.pages).to.equal(0);
    const at = memory.writeTo(3, 0x5801, 3);
    bytes.u8.fill(0xee, at, at + 3);
    expect(memory.readFrom(3, 0x5801, 3)).to.equal(at);
    expect(memory.readFrom(3, 0x5fff, 1)).to.equal(at - 0x801 + 0xfff);
    expect(memory.readFrom(3, 0x5fff, 2)).to.equal(-1);
    fillUnwritten(memory, 3, 0x5000, 4096, a);
    bytes.u8.fill(0xee, a + 0x801, a + 0x804);
    memory.read(3, 0x5000, 4096, b);
    expect(bytes.equal(a, b, 4096)).to.equal(true);
  });

  it('finds every page after growing many times', () => {
    const { memory } = make();
    for (let i = 0; i < 5000; i++) memory.write32(i % 7, ((i * 4096) | 0) + 16, i);
    for (let i = 0; i < 5000; i++) expect(memory.read32(i % 7, ((i * 4096) | 0) + 16)).to.equal(i);
    expect(memory.pages).to.equal(5000);
  });

  it('visits every page once, in the order of first writes, also when others take pages between them', () => {
    const bytes = ByteStore.create();
    const memories = [new HostMemory(bytes, 1), new HostMemory(bytes, 2)] as const;
    for (let i = 0; i < 3000; i++) (memories[i & 1] as HostMemory).write32(i % 7, Math.imul(i, 0x9e37_9000), i);
    for (const memory of memories) {
      const values: number[] = [];
      memory.forEachPage((hi, page, offset) => {
        expect(memory.readPage(hi, page)).to.equal(offset);
        values.push(memory.read32(hi, page << 12));
      });
      expect(values.length).to.equal(memory.pages);
      expect(values).to.deep.equal([...values].sort((a, b) => a - b));
    }
    new HostMemory(bytes, 3).forEachPage(() => expect.fail('there is no page'));
  });

  it('sees a page that was looked up before it existed', () => {
    const { memory, a, b, bytes } = make();
    memory.read(1, 0, 8, a);
    bytes.u8.fill(7, a, a + 8);
    memory.write(1, 0, 8, a);
    memory.read(1, 0, 8, b);
    expect(bytes.u8[b]).to.equal(7);
  });
});

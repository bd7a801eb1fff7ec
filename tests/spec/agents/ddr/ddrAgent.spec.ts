import { expect } from 'chai';
import { DdrAgent, type DdrWrite } from '../../../../agents/ddr/ddrAgent.ts';
import { HostMemory } from '../../../../env/memory/hostMemory.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { Run } from '../../../../uvm/run.ts';

/** Chips of four banks of 64 KiB, and what is reported of them. */
function chips(interleave: number) {
  const lines: string[] = [];
  const run = new Run({ seed: 1, testName: 'spec', sink: (text) => lines.push(text), bytes: ByteStore.create() });
  const memory = new HostMemory(run.bytes, 7);
  const ddr = new DdrAgent('ddr', run, { host: 0, memory, geometry: { banks: 4, bankBytes: 65_536, interleave } });
  const writes: Pick<DdrWrite, 'hi' | 'lo' | 'length'>[] = [];
  ddr.writes.connect({ write: ({ hi, lo, length }) => writes.push({ hi, lo, length }) });
  const ids = (): string[] => lines.flatMap((line) => /^UVM_ERROR.*\[(\w+)\]/.exec(line)?.[1] ?? []);
  return { run, ddr, writes, at: run.bytes.alloc(8192, 16), ids };
}

describe('chips on a card', () => {
  it('give back what was written to a bank, and publish each write at its card address', () => {
    const { run, ddr, writes, at } = chips(256);
    run.bytes.u8.set(
      Array.from({ length: 600 }, (_, i) => i & 0xff),
      at,
    );
    ddr.write(2, 200, 600, at);
    ddr.read(2, 200, 600, at + 4096);
    expect(run.bytes.equal(at, at + 4096, 600)).to.equal(true);
    expect(writes).to.deep.equal([
      { hi: 0x4000_0000, lo: 2 * 256 + 200, length: 56 },
      { hi: 0x4000_0000, lo: 6 * 256, length: 256 },
      { hi: 0x4000_0000, lo: 10 * 256, length: 256 },
      { hi: 0x4000_0000, lo: 14 * 256, length: 32 },
    ]);
    expect(ddr.traffic[2]).to.deep.equal({ readBytes: 600, writtenBytes: 600 });
  });

  for (const [id, what, access] of [
    ['DDR_RANGE', 'a burst beyond the end of a bank', (ddr: DdrAgent, at: number) => ddr.read(0, 65_535, 2, at)],
    ['DDR_RANGE', 'a bank that is not there', (ddr: DdrAgent, at: number) => ddr.write(4, 0, 8, at)],
    ['DDR_LENGTH', 'a burst of no bytes', (ddr: DdrAgent, at: number) => ddr.read(0, 0, 0, at)],
    ['DDR_LENGTH', 'a burst of more than a page', (ddr: DdrAgent, at: number) => ddr.write(0, 0, 4097, at)],
  ] as const)
    it(`${id}: report ${what}, which does nothing`, () => {
      const { ddr, writes, at, ids } = chips(0);
      access(ddr, at);
      expect(ids()).to.deep.equal([id]);
      expect(writes).to.deep.equal([]);
    });
});

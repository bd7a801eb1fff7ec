import { expect } from 'chai';
import fc from 'fast-check';
import { SnapshotBlocks } from '../../../scoreboard/memory/snapshotBlocks.ts';
import { ByteStore } from '../../../uvm/bytes/byteStore.ts';

describe('SnapshotBlocks', () => {
  it('gives blocks that do not overlap and have room for what they were taken for', () => {
    const step = fc.record({ length: fc.integer({ min: 1, max: 70_000 }), giveBack: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const blocks = new SnapshotBlocks(ByteStore.create());
        const held: { at: number; length: number }[] = [];
        for (const { length, giveBack } of steps) {
          const old = giveBack ? held.shift() : undefined;
          if (old !== undefined) blocks.give(old.length, old.at);
          held.push({ at: blocks.take(length), length });
        }
        held.sort((a, b) => a.at - b.at);
        held.slice(1).forEach((next, i) => {
          const { at, length } = held[i] as { at: number; length: number };
          expect(at + length).to.be.at.most(next.at);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('gives a block again once it was given back, to whoever needs as much', () => {
    const blocks = new SnapshotBlocks(ByteStore.create());
    const first = blocks.take(5000);
    blocks.give(5000, first);
    expect(blocks.take(8192)).to.equal(first);
    expect(blocks.take(8192)).not.to.equal(first);
  });
});

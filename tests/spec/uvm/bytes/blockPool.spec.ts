import { expect } from 'chai';
import * as fc from 'fast-check';
import { BlockPool, BlockPoolError } from '../../../../uvm/bytes/blockPool.ts';
import { ByteStore } from '../../../../uvm/bytes/byteStore.ts';

describe('BlockPool', () => {
  const make = (blockBytes = 100, initial = 2): BlockPool =>
    new BlockPool(ByteStore.create({ implementation: 'js' }), blockBytes, initial);

  it('hands out blocks that do not overlap, growing as needed', () => {
    const pool = make();
    const ids = Array.from({ length: 100 }, () => pool.acquire());
    const offsets = ids.map((id) => pool.offset(id)).sort((a, b) => a - b);
    for (let i = 1; i < offsets.length; i++) {
      expect((offsets[i] as number) - (offsets[i - 1] as number)).to.be.at.least(100);
    }
    for (const off of offsets) expect(off % 64).to.equal(0);
    expect(pool.inUse).to.equal(100);
  });

  it('keeps a block until its last release', () => {
    const pool = make();
    const id = pool.acquire();
    pool.retain(id);
    pool.release(id);
    expect(pool.references(id)).to.equal(1);
    expect(pool.acquire()).to.not.equal(id);
    pool.release(id);
    expect(pool.references(id)).to.equal(0);
    expect(pool.acquire()).to.equal(id);
  });

  it('refuses to release or retain what is not in use', () => {
    const pool = make();
    const id = pool.acquire();
    pool.release(id);
    expect(() => pool.release(id)).to.throw(BlockPoolError, `release of block ${id}`);
    expect(() => pool.retain(id)).to.throw(BlockPoolError, 'retain');
    expect(() => pool.release(-1)).to.throw(BlockPoolError);
    expect(() => pool.release(99)).to.throw(BlockPoolError);
    expect(pool.inUse).to.equal(0);
  });

  it('agrees with a model of reference counts', () => {
    const step = fc.record({ op: fc.constantFrom('acquire', 'retain', 'release'), pick: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const pool = make(16, 1);
        const model = new Map<number, number>();
        for (const { op, pick } of steps) {
          if (op === 'acquire' || model.size === 0) {
            const id = pool.acquire();
            expect(model.has(id)).to.equal(false);
            model.set(id, 1);
            continue;
          }
          const id = [...model.keys()][pick % model.size] as number;
          const count = (model.get(id) as number) + (op === 'retain' ? 1 : -1);
          if (op === 'retain') pool.retain(id);
          else pool.release(id);
          if (count === 0) model.delete(id);
          else model.set(id, count);
          expect(pool.inUse).to.equal(model.size);
          expect(pool.references(id)).to.equal(count);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('refuses sizes that are not positive integers', () => {
    expect(() => make(0)).to.throw(RangeError, '0 bytes');
    expect(() => make(10, 1.5)).to.throw(RangeError, '1.5 blocks');
  });
});

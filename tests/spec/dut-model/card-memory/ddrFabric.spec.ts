import { expect } from 'chai';
import type { NicContext } from '../../../../dut-model/nic.ts';
import { cardLayoutOf, partKnobs } from '../../../../dut-model/card-memory/layout/knobs.ts';
import { DdrFabric } from '../../../../dut-model/card-memory/model/index.ts';
import { Scheduler } from '../../../../uvm/kernel/scheduler.ts';
import { US } from '../../../../uvm/kernel/time.ts';

/** Reads that never end: whenever one is done, the next one has been asked for. */
class Reader {
  count = 0;
  readonly #fabric: DdrFabric;
  readonly #most: number;

  constructor(fabric: DdrFabric, most: number) {
    this.#fabric = fabric;
    this.#most = most;
  }

  dmaDone(): void {
    if (this.count >= this.#most) return;
    this.count++;
    this.#fabric.read(0, 4096 * this.count, 64, 0, this);
  }
}

describe('Memory on the card', () => {
  it('ends a fence after the accesses in front of it, while others go on behind it', () => {
    const scheduler = new Scheduler();
    const context = { name: 'nic', scheduler, blocks: {}, bytes: {} } as unknown as NicContext;
    const fabric = new DdrFabric(context, partKnobs({}).card, cardLayoutOf({}));
    fabric.connect({ banks: 4, bankBytes: 2 ** 32, read: () => {}, write: () => {} });
    const ended: (readonly [fence: string, reads: number])[] = [];
    const readers = [new Reader(fabric, 20), new Reader(fabric, 20)];
    const fence = (name: string): void =>
      fabric.fence({ dmaDone: () => ended.push([name, readers.reduce((sum, { count }) => sum + count, 0)]) });
    fence('at once');
    for (const reader of readers) reader.dmaDone();
    fence('first');
    fence('second');
    scheduler.run(1000 * US);
    const [, first, second] = ended;
    expect(ended.map(([name]) => name)).to.deep.equal(['at once', 'first', 'second']);
    expect(readers.map(({ count }) => count)).to.deep.equal([20, 20]);
    expect(first?.[1]).to.be.within(2, 10);
    expect(second?.[1]).to.equal(first?.[1]);
  });
});

import { expect } from 'chai';
import { CacheAskers } from '../../../../dut-model/hangu/model/memory/cacheAskers.ts';
import type { Resumable } from '../../../../dut-model/roce/rxPacket.ts';

/** Askers of lines and sets, and who was resumed. */
function bench(): { askers: CacheAskers; log: string[]; asker: (name: string, then?: () => void) => Resumable } {
  const log: string[] = [];
  const asker = (name: string, then?: () => void): Resumable => ({
    resume: () => {
      log.push(name);
      then?.();
    },
  });
  return { askers: new CacheAskers(), log, asker };
}

describe('CacheAskers', () => {
  it('resumes those of a line in the order of asking, once', () => {
    const { askers, log, asker } = bench();
    askers.fetch(1, asker('a'));
    askers.join(1, asker('b'));
    askers.join(1, asker('c'));
    askers.fetch(2, asker('other'));
    askers.arrived(1);
    expect(log).to.deep.equal(['a', 'b', 'c']);
    askers.fetch(1, asker('d'));
    askers.arrived(1);
    expect(log).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('resumes one that asks twice for a line, or for a place, once', () => {
    const { askers, log, asker } = bench();
    const [a, b] = [asker('a'), asker('b')];
    askers.fetch(1, a);
    for (const again of [a, b, b]) askers.join(1, again);
    askers.arrived(1);
    for (const again of [a, b, a]) askers.block(0, again);
    askers.unblock(0);
    expect(log).to.deep.equal(['a', 'b', 'a', 'b']);
  });

  it('lets one that is resumed ask for the same line again', () => {
    const { askers, log, asker } = bench();
    askers.fetch(
      0,
      asker('a', () => askers.fetch(0, asker('again'))),
    );
    askers.arrived(0);
    askers.arrived(0);
    expect(log).to.deep.equal(['a', 'again']);
  });

  it('resumes those without a place when one is free, and those that wait for an unpinned line at the next waking', () => {
    const { askers, log, asker } = bench();
    askers.block(0, asker('a'));
    askers.block(1, asker('b'));
    askers.unblock(0);
    expect(log).to.deep.equal(['a']);
    askers.unpinned(0);
    askers.unpinned(1);
    expect(log).to.deep.equal(['a']);
    askers.wake();
    expect(log).to.deep.equal(['a', 'b']);
    askers.wake();
    expect(log).to.deep.equal(['a', 'b']);
  });

  it('does not wake within a waking, and misses nobody by that', () => {
    const { askers, log, asker } = bench();
    askers.block(
      0,
      asker('a', () => askers.wake()),
    );
    askers.block(1, asker('b'));
    askers.unpinned(0);
    askers.unpinned(1);
    askers.wake();
    expect(log).to.deep.equal(['a', 'b']);
  });

  it('forgets all of them', () => {
    const { askers, log, asker } = bench();
    askers.block(0, asker('a'));
    askers.unpinned(0);
    askers.fetch(3, asker('b'));
    askers.clear();
    askers.unblock(0);
    askers.wake();
    expect(log).to.deep.equal([]);
  });
});

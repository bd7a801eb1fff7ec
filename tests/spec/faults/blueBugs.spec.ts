/** Bugs of blue-rdma that `+DUT_FAULT` offers: each is reported under an id that its entry names, and only then. */
import { expect } from 'chai';
import { BugHunt } from '../../../bin/bugs/bugHunt.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import type { NicEntry } from '../../../env/nicKind.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { isPlayed, NIGHTLY_BUGS } from './nightlyBugs.ts';

const BLUE = NIC_CATALOG.find(({ name }) => name === 'blue') as NicEntry;

describe('planted bugs of blue-rdma', () => {
  let hunt: BugHunt;

  before(async () => {
    hunt = new BugHunt(BLUE, { registry: await loadRegistry(), until: 'named' });
  });

  it('that play nightly exist', () => {
    expect(BLUE.faults.map(({ name }) => name)).to.include.members(Object.keys(NIGHTLY_BUGS['blue'] ?? {}));
  });

  for (const bug of BLUE.faults.filter((each) => isPlayed('blue', each))) {
    it(`${bug.name}: is caught when ${bug.description}`, () => {
      const clean = hunt.playClean(bug);
      expect([clean.first, clean.failure], 'without the bug').to.deep.equal(['', '']);
      const { named, first, failure } = hunt.play(bug);
      expect(bug.caughtBy, `first reported: ${first}${failure}`).to.include(named);
    });
  }
});

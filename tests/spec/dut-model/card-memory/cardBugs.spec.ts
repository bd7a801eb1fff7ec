/** Who checks the checkers of memory on the card: every bug of the card is found, and only it is. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BugHunt } from '../../../../bin/bugs/bugHunt.ts';
import { loadRegistry } from '../../../../bin/registry.ts';
import { ENTRY } from '../../../../dut-model/card-memory/entry.ts';
import { CARD_FAULTS } from '../../../../dut-model/card-memory/bugs/cardFaults.ts';

const CHECKS = readFileSync(new URL('../../../../docs/checks.md', import.meta.url), 'utf8');

describe('planted bugs of the card', function () {
  this.timeout(60_000);
  let hunt: BugHunt;
  before(async () => {
    hunt = new BugHunt(ENTRY, { registry: await loadRegistry(), until: 'named' });
  });

  it('have names of their own, and name checks that there are', () => {
    expect(new Set(CARD_FAULTS.map(({ name }) => name)).size).to.equal(CARD_FAULTS.length);
    for (const { name, caughtBy } of CARD_FAULTS)
      for (const id of caughtBy) expect(CHECKS, name).to.contain(`| \`${id}\` |`);
  });

  for (const fault of CARD_FAULTS) {
    it(`${fault.name}: is caught when ${fault.description}`, () => {
      const clean = hunt.playClean(fault);
      expect([clean.first, clean.failure], 'without the bug').to.deep.equal(['', '']);
      const { named, first, failure } = hunt.play(fault);
      expect(fault.caughtBy, `first reported: ${first}${failure}`).to.include(named);
    });
  }
});

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BLUE_FAULTS } from '../../../dut-model/blue-rdma/bugs/blueFaults.ts';
import { DRIVER_FAULTS } from '../../../dut-model/blue-rdma/bugs/driver/driverFaults.ts';
import { SCENARIOS } from '../support/blueRdma/scenarios.ts';

/** Behaviours of blue-rdma.md section 20. */
const RULES = Array.from({ length: 30 }, (_, i) => `B-${String(i + 1).padStart(3, '0')}`);

describe('the table of rules in docs/blue-rdma.md', () => {
  const text = readFileSync(new URL('../../../docs/blue-rdma.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| (B-\d{3}): [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)];
  const bugs = [...BLUE_FAULTS, ...DRIVER_FAULTS];

  it('has a row for each of the thirty rules', () => {
    expect(rows.map(([, rule]) => rule)).to.deep.equal(RULES);
  });

  it('names all bugs that break a rule, at least one for each, and cases that exist', () => {
    for (const [, rule, cases, named] of rows as unknown as [string, string, string, string][]) {
      const breaking = bugs.filter(({ breaks }) => breaks.includes(rule)).map(({ name }) => `\`${name}\``);
      expect(breaking, rule).to.not.deep.equal([]);
      expect(named.split(', ').sort(), rule).to.deep.equal(breaking.sort());
      for (const one of cases.split(', ')) expect([...Object.keys(SCENARIOS), 'judge'], rule).to.include(one);
    }
  });

  it('counts at least forty bugs in NIC and driver', () => {
    expect(bugs.length).to.be.at.least(40);
  });
});

/** Who checks the checkers: every planted bug is reported under an id that its entry names, and only then. */

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { NIC_CATALOG } from '../../../bin/nicCatalog.ts';
import { loadRegistry, type Registry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/runOne.ts';
import { HANGU_FAULTS } from '../../../dut-model/faults/hanguFaults.ts';
import { ByteStore } from '../../../uvm/bytes/byteStore.ts';

/** A mixed run that most bugs show in; an entry's `needs` replace or add to it. */
const MIXED = readFileSync(new URL('../../../lists/mixed.f', import.meta.url), 'utf8').match(/^\+\S+$/gm) ?? [];
const REPORTED = /^UVM_(?:ERROR|FATAL) @.*?\[([A-Z_0-9]+)\]/gm;

describe('planted bugs', function () {
  this.timeout(60_000);
  const bytes = ByteStore.create();
  const clean = new Map<string, string[]>();
  let registry: Registry;

  before(async () => {
    registry = await loadRegistry();
  });

  function play(plusargs: readonly string[]): string[] {
    const ids = new Set<string>();
    const sink = (text: string): void => {
      for (const match of text.matchAll(REPORTED)) ids.add(match[1] as string);
    };
    const named = plusargs.find((arg) => nameOf(arg) === '+UVM_TESTNAME');
    const testName = named?.split('=')[1] ?? 'test_direct_param';
    runOne({ testName, seed: 1, plusargs: plusargs.filter((arg) => arg !== named) }, registry, { sink }, bytes);
    return [...ids];
  }

  function stimulus(needs: readonly string[]): string[] {
    const replaced = new Set(needs.map(nameOf));
    return [...MIXED.filter((arg) => !replaced.has(nameOf(arg))), ...needs];
  }

  function playClean(needs: readonly string[]): string[] {
    const key = needs.join(' ');
    const known = clean.get(key) ?? play(stimulus(needs));
    clean.set(key, known);
    return known;
  }

  it('are at least 60, have names of their own, and sit in every block', () => {
    expect(HANGU_FAULTS.length).to.be.at.least(60);
    expect(new Set(HANGU_FAULTS.map((f) => f.name)).size).to.equal(HANGU_FAULTS.length);
    expect(new Set(HANGU_FAULTS.map((f) => f.block)).size).to.be.at.least(10);
    expect(NIC_CATALOG[0]?.faults).to.equal(HANGU_FAULTS);
  });

  for (const fault of HANGU_FAULTS) {
    it(`${fault.name}: is caught when ${fault.description}`, () => {
      const needs = fault.needs ?? [];
      expect(playClean(needs), 'without the bug').to.deep.equal([]);
      const ids = play([...stimulus(needs), `+DUT_FAULT=${fault.name}`]);
      const caught = ids.filter((id) => fault.caughtBy.includes(id));
      expect(caught, `reported: ${ids.join(', ')}`).not.to.deep.equal([]);
    });
  }
});

function nameOf(arg: string): string {
  return arg.split('=')[0] as string;
}

/** Who checks the checkers: every planted bug is reported under an id that its entry names, and only then. */

import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { listFaults } from '../../../bin/cli/help/showTables.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import { BugHunt } from '../../../bin/bugs/bugHunt.ts';
import type { NicEntry } from '../../../env/nicKind.ts';
import { ShownPages } from './shownPages.ts';
import { isPlayed, NIGHTLY_BUGS } from './nightlyBugs.ts';
import { loadRegistry } from '../../../bin/registry.ts';
import { HANGU_FAULTS } from '../../../dut-model/hangu/bugs/hanguFaults.ts';

/** A mixed run that most bugs show in; an entry's `needs` replace or add to it. */
const MIXED = readFileSync(new URL('../../../lists/mixed.f', import.meta.url), 'utf8').match(/^\+\S+$/gm) ?? [];
/** Ids that judge no NIC, or that no bug of this model can show, and why. */
const WITHOUT_A_BUG: Readonly<Record<string, string>> = {
  SCB_RECV_LEN: 'what does not fit is seen where it is written first',
  SCB_ATOMIC_FINAL: 'each write of a word is seen first, where DMA is seen',
  SCB_TRANSMISSIONS: 'a consequence of what other ids say',
  SCB_LEFTOVER_RECV: 'judges a scenario',
  SCB_NO_RECEIVE: 'judges a scenario',
  SCB_NOT_RESUMED: 'judges a scenario',
  SCB_VACUOUS: 'judges a run',
  SCB_SETUP: 'judges the environment',
  PCIE_ORDER: 'judges the host',
  PCIE_CPL_ORDER: 'judges the host',
  PCIE_CPL_SIZE: 'judges the host',
  PCIE_RCB: 'judges the host',
  WIRE_PORT: 'this NIC has one port; a NIC of two with a bug is in tests/spec/dut-model/twoPorts.spec.ts',
  WIRE_ACK_ORDER: 'an answer that is left out is asked for again first',
  HCA_LIMITS: 'judges a run',
  PERF_LIMIT:
    'judges the figures of a measurement against what a list asks for; knobs break it in perf/hcaPerf.spec.ts',
  DDR_RANGE:
    'this NIC has no memory on the card; one of a card is in tests/spec/dut-model/card-memory/cardBugs.spec.ts',
  SEQ_APERTURE:
    'this NIC has no memory on the card; those of a card are in tests/spec/dut-model/card-memory/cardBugs.spec.ts',
  HCA_APERTURE:
    'this NIC has no memory on the card; one of a card is in tests/spec/dut-model/card-memory/cardBugs.spec.ts',
  DDR_LENGTH: 'this NIC has no memory on the card; tests/spec/agents/ddr/ddrAgent.spec.ts',
  PERF_IMPOSSIBLE: 'judges how a measurement is made',
  COV_ILLEGAL_BIN: 'judges what a covergroup says is impossible; none of HanGu has such a bin',
  HCA_CQE_UNKNOWN_CQ: 'the addresses of completion queues are those of their regions',
  HCA_CQE_SHAPE: 'entries are written whole',
  HCA_LEAK: 'judges the host',
  HCA_LATE_DMA: 'a run ends with CLOSE_HCA',
  SEQ_NOT_QUIET: 'judges a sequence',
  SEQ_IMM: 'judged by SCB_IMM first',
  SEQ_DEADLOCK: 'judges a sequence',
  SEQ_ENDLESS: 'judges a sequence',
  SEQ_GIVEN_UP: 'judges a scenario',
  SEQ_NOT_BEGUN: 'judges a sequence',
  FAULT_NOT_FIRED: 'judges a fault rule',
  SEQ_MISLED: 'judges nothing: it ends a run whose software was misled',
};
/** Share of pages on which the event that decides may be missing. */
const HIDDEN = 0.05;
/** What this run of the specs plays: bugs that are too dear play nightly. */
const PLAYED = HANGU_FAULTS.filter((bug) => isPlayed('hangu', bug));
const CHECKS = new URL('../../../docs/checks.md', import.meta.url);
/** Rows of the tables of docs/checks.md, which another spec holds against the tables of ids. */
const ROW = /^\| `([A-Z_0-9]+)` \| (.*) \|$/gm;

/** The words of a line as a shell takes them: in quotes, several are one. */
function words(line: string): string[] {
  return (line.match(/(?:'[^']*'|\S)+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

describe('planted bugs', () => {
  let hunt: BugHunt;
  const pages = new ShownPages();

  before(async () => {
    hunt = new BugHunt(NIC_CATALOG[0] as NicEntry, { registry: await loadRegistry(), until: 'named' });
  });

  function stimulus(needs: readonly string[]): string[] {
    const replaced = new Set(needs.map(nameOf));
    return [...MIXED.filter((arg) => !replaced.has(nameOf(arg))), ...needs];
  }

  it('are at least 60, have names of their own, and sit in every block', () => {
    expect(HANGU_FAULTS.length).to.be.at.least(60);
    expect(new Set(HANGU_FAULTS.map((f) => f.name)).size).to.equal(HANGU_FAULTS.length);
    expect(new Set(HANGU_FAULTS.map((f) => f.block)).size).to.be.at.least(10);
    expect(NIC_CATALOG[0]?.faults).to.equal(HANGU_FAULTS);
  });

  it('break every check that judges a NIC, but for those of which it is said why not', () => {
    const caught = new Set(HANGU_FAULTS.flatMap((f) => f.caughtBy));
    const rows = [...readFileSync(CHECKS, 'utf8').matchAll(ROW)];
    // What judges another NIC is shown by the bugs of that one (blueJudge.spec.ts).
    const ours = rows.filter(([, id]) => !String(id).startsWith('BLUE_'));
    const judging = ours.filter(([, , meaning]) => !/\((information|warning)/.test(meaning as string));
    expect(judging).to.have.length.above(120);
    const without = judging.map(([, id]) => id as string).filter((id) => !caught.has(id) && !(id in WITHOUT_A_BUG));
    expect(without).to.deep.equal([]);
  });

  it('are listed with the lines that this spec plays', () => {
    const listed = listFaults(NIC_CATALOG, { withCommands: true }).split('\n');
    for (const { name, needs = [] } of HANGU_FAULTS) {
      const line = listed.find((text) => text.endsWith(` +DUT_FAULT=${name}`));
      expect(line, name).to.match(/^ +\.\/hca_test \+/);
      const [given = '', file = ''] = String(line).trim().split(' -f lists/mixed.f ');
      const typed = [...words(given).slice(1), ...MIXED, ...words(file)];
      const counting = typed.filter((arg, i) => typed.findIndex((other) => nameOf(other) === nameOf(arg)) === i);
      const test = needs.some((arg) => nameOf(arg) === '+UVM_TESTNAME') ? [] : ['+UVM_TESTNAME=test_direct_param'];
      expect(counting).to.have.members([...test, ...stimulus(needs), `+DUT_FAULT=${name}`]);
    }
  });

  it('that play nightly exist', () => {
    const names = HANGU_FAULTS.map(({ name }) => name);
    expect(names).to.include.members(Object.keys(NIGHTLY_BUGS['hangu'] ?? {}));
  });

  for (const fault of PLAYED.filter(({ caughtBy }) => caughtBy.length === 0)) {
    it(`${fault.name}: is seen by no check yet; give its entry the ids once it is`, () => {
      const { first, failure } = hunt.play(fault);
      expect([first, failure]).to.deep.equal(['', '']);
    });
  }

  for (const fault of PLAYED.filter(({ caughtBy }) => caughtBy.length > 0)) {
    it(`${fault.name}: is caught when ${fault.description}`, () => {
      const clean = hunt.playClean(fault);
      expect([clean.first, clean.failure], 'without the bug').to.deep.equal(['', '']);
      const recorder = pages.recorder();
      const { named, first, failure } = hunt.play(fault, undefined, recorder);
      pages.note(fault, recorder);
      expect(fault.caughtBy, `first reported: ${first}${failure}`).to.include(named);
    });
  }

  it('have pages that say what they accuse, and show the event that decides, where their rows name one, on 95 % of them', () => {
    expect(pages.mute).to.deep.equal([]);
    expect(pages.hidden.length, pages.hidden.join(' ')).to.be.at.most(Math.ceil(pages.count * HIDDEN));
  });
});

function nameOf(arg: string): string {
  return arg.split('=')[0] as string;
}

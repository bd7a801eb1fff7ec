import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { BugHunt } from '../../../../bin/bugs/bugHunt.ts';
import { aloneBy, BugMatrix, type BugRow, scoreOf } from '../../../../bin/bugs/bugMatrix.ts';
import { CHECK_FAMILIES, familyOf, isOriginal, neededFamilies } from '../../../../bin/bugs/checkFamilies.ts';
import { playBugs } from '../../../../bin/bugs/playBugs.ts';
import { NIC_CATALOG } from '../../../../dut-model/nicCatalog.ts';
import type { FaultEntry, NicEntry } from '../../../../env/nicKind.ts';
import { loadRegistry, type Registry } from '../../../../bin/registry.ts';
import { SCB_MEANING } from '../../../../scoreboard/report/reportIds.ts';
import { WIRE_REPORT_IDS } from '../../../../agents/wire/wireRules.ts';
import { builtWorkers } from '../../support/bundled.ts';
import { CapturedOutput } from '../../support/capturedOutput.ts';

const HANGU = NIC_CATALOG[0] as NicEntry;
const DIRECT = ['+UVM_TESTNAME=test_direct_param', '+HOST_NUM=2', '+RC_QP_NUM=2', '+DATA_CNT=64'];
const WRITES = { name: 'writes', runs: [{ id: 'w1', argv: [...DIRECT, '+WRITE_WQE_NUM=3', '--seed', '1'] }] };
const SENDS = {
  name: 'sends',
  runs: [
    { id: 's1', argv: [...DIRECT, '+SEND_WQE_NUM=1', '+IMM=0', '--seed', '1'] },
    { id: 's2', argv: [...DIRECT, '+SEND_WQE_NUM=9', '+IMM=100', '--seed', '2'] },
  ],
};

function bug(name: string): FaultEntry {
  return HANGU.faults.find((fault) => fault.name === name) as FaultEntry;
}

describe('A matrix of bugs and tests', () => {
  let registry: Registry;
  before(async () => {
    registry = await loadRegistry();
  });

  function matrix(options = {}): BugMatrix {
    return new BugMatrix(new BugHunt(HANGU, { registry, until: 'end' }), [WRITES, SENDS], options);
  }

  it('tells what finds a bug, after how many runs, and where it never acts', () => {
    const one = matrix();
    expect(one.alarms(bug('cqe_immediate_zero'))).to.deep.equal([]);
    const row = one.play(bug('cqe_immediate_zero'));
    expect(row.cells).to.deep.equal([
      { test: 'writes', state: 'never acted', check: '', runs: 1, run: '' },
      { test: 'sends', state: 'found', check: 'SCB_IMM', runs: 2, run: 's2' },
    ]);
    expect([row.state, row.needs, row.original, one.runs]).to.deep.equal(['found', ['completions'], false, 3]);
  });

  it('stops at the first run of a test that finds it, unless more findings are wanted', () => {
    const name = 'cqe_byte_count';
    expect(matrix().play(bug(name)).findings.length).to.be.at.most(2);
    const more = {
      name: 'more',
      runs: [1, 2, 3, 4].map((n) => ({ id: `m${n}`, argv: [...(SENDS.runs[1]?.argv ?? [])] })),
    };
    const hunt = new BugHunt(HANGU, { registry, until: 'end' });
    expect(new BugMatrix(hunt, [more]).play(bug(name)).findings).to.have.length(1);
    expect(new BugMatrix(hunt, [more], { failing: 3, further: true }).play(bug(name)).findings).to.have.length(3);
  });

  it('is a command with a score for its last line, and a gate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bugs-'));
    try {
      const list = join(folder, 'list.yaml');
      const entry = (name: string, plusargs: string): string =>
        `  - { name: ${name}, test: test_direct_param, plusargs: { HOST_NUM: 2, RC_QP_NUM: 2, DATA_CNT: 64, ${plusargs} } }\n`;
      writeFileSync(
        list,
        `tests:\n${entry('writes', 'WRITE_WQE_NUM: 3')}${entry('sends', 'SEND_WQE_NUM: 9, IMM: 100')}`,
      );
      const [out, err] = [new CapturedOutput(), new CapturedOutput()];
      const asked = [list, '--only', 'cqe_immediate_*', '--goal', '100'];
      expect(await playBugs(asked, out, err, registry), err.text).to.equal(0);
      expect(out.text).to.match(
        /bugs: 2 of 2 found, 100\.00 %, 0 missed, 0 never acted, 0 by the checks of .*; 4 runs, /,
      );
      expect(out.text).to.match(/sends +2 +0 +0 +cqe_immediate_zero, cqe_immediate_shifted/);
      const alone = new CapturedOutput();
      expect(await playBugs([...asked, '-j2'], alone, err, registry, builtWorkers()), err.text).to.equal(0);
      const untimed = ({ text }: CapturedOutput): string => text.replace(/runs, [^\n]*\n?$/, '');
      expect(untimed(alone)).to.equal(untimed(out));
      const [few, why] = [new CapturedOutput(), new CapturedOutput()];
      const writes = [list, '--only', 'cqe_immediate_zero', '--filter', 'writes', '--goal', '100'];
      expect(await playBugs(writes, few, why, registry)).to.equal(4);
      expect(why.text).to.contain('0.00 % of bugs are found, the goal is 100 %');
      expect(few.text).to.contain('1 never acted');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says what is wrong with its command line, all of it', async () => {
    const [out, err] = [new CapturedOutput(), new CapturedOutput()];
    const code = await playBugs(['smoke', '--dut', 'hango', '--goal', '101', '--formt', 'md'], out, err, registry);
    expect(code).to.equal(2);
    expect(err.text).to.match(/--dut hango .*did you mean hangu/);
    expect(err.text).to.match(/--goal 101 .*a number from 0 to 100/);
    expect(err.text).to.match(/--formt.*--format/);
    const [, unknown] = [new CapturedOutput(), new CapturedOutput()];
    expect(await playBugs(['--only', 'gather_shfted'], out, unknown, registry)).to.equal(2);
    expect(unknown.text).to.match(/--only gather_shfted .*did you mean gather_shifted/);
  });
});

describe('Families of checks', () => {
  it('have every finding of scoreboard and wire in one of them that has a name for it', () => {
    const others = CHECK_FAMILIES.at(-1)?.name;
    const known = [...Object.keys(SCB_MEANING), ...Object.keys(WIRE_REPORT_IDS)];
    const unnamed = known.filter((id) => familyOf(id) === others && !/^SCB_(VACUOUS|SETUP)$/.test(id));
    expect(unnamed).to.deep.equal([]);
  });

  it('are needed where no run has a finding of another', () => {
    expect(neededFamilies([['SCB_DATA'], ['SCB_GUARD', 'SCB_DATA']])).to.deep.equal(['data']);
    expect(neededFamilies([['SCB_DATA'], ['SCB_STATUS']])).to.deep.equal([]);
    expect(neededFamilies([['SCB_DATA', 'WIRE_PSN']])).to.deep.equal([]);
    expect(neededFamilies([])).to.deep.equal([]);
    expect([isOriginal('SCB_DATA'), isOriginal('SCB_WIRE_DATA')]).to.deep.equal([true, false]);
  });
});

describe('The score of bugs', () => {
  const row = (name: string, ...states: BugRow['state'][]): BugRow => ({
    bug: name,
    description: '',
    cells: states.map((state, i) => ({ test: `t${i}`, state, check: '', runs: 1, run: '' })),
    state: states.includes('found') ? 'found' : (states[0] as BugRow['state']),
    findings: [],
    needs: [],
    original: name === 'a',
  });

  it('counts bugs by what is the best that any test has done, and names what only one finds', () => {
    const rows = [row('a', 'found', 'missed'), row('b', 'found', 'found'), row('c', 'never acted', 'never acted')];
    expect(scoreOf(rows)).to.deep.equal({ bugs: 3, found: 2, missed: 0, neverActed: 1, notJudged: 0, original: 1 });
    expect([...aloneBy(rows)]).to.deep.equal([['t0', ['a']]]);
  });
});

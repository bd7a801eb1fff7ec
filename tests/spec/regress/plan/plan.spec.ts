import { expect } from 'chai';
import { planNames, planTexts, planFolder } from '../../../../bin/many/planTexts.ts';
import { loadRegistry } from '../../../../bin/registry.ts';
import { coverageTree } from '../../../../regress/coverage/coverageTree.ts';
import { databaseOf } from '../../../../regress/coverage/database.ts';
import { type PlanNames, readPlan } from '../../../../regress/plan/plan.ts';
import { planStatus } from '../../../../regress/plan/planStatus.ts';
import { hitting, runNamed, TRAFFIC } from '../coverage/databases.ts';

const NAMES: PlanNames = {
  tests: new Set(['test_random', 'wrong_keys']),
  covergroups: new Set(['traffic_cg', 'traffic_cg.op']),
  checks: new Set(['SCB_DATA']),
};

const HEAD = 'name: demo\nchecklist: { T-001: first, T-002: second }\ntestpoints:\n';
const point = (name: string, rest: string): string => `  - { name: ${name}, stage: V1, text: t, ${rest} }\n`;
const read = (text: string) => readPlan([{ file: 'plan/demo.yaml', text }], NAMES);

describe('A verification plan', () => {
  const GOOD = `${HEAD}${point('ops', 'tests: [test_random], covergroups: [traffic_cg.op], checks: [SCB_DATA], covers: [T-001]')}  - { name: later, stage: planned, text: t, covers: [T-002] }\n`;

  it('says of each testpoint what is missing, and of which checklist entries there is no evidence', () => {
    const run = runNamed('a', { hits: hitting(TRAFFIC, { 0: 1, 1: 1 }) });
    const database = databaseOf([TRAFFIC], [run]);
    const status = planStatus(read(GOOD), coverageTree(database), database);
    expect(
      status.testpoints.map(({ runs, passed, bins, covered, missing }) => [runs, passed, bins, covered, missing]),
    ).to.deep.equal([
      [1, 1, 4, 2, ''],
      [0, 0, 0, 0, 'planned'],
    ]);
    expect(status.stages[0]).to.deep.equal({ stage: 'V1', testpoints: 1, shown: 1 });
    expect(status.open).to.deep.equal(['T-002']);
  });

  it('does not take a testpoint as shown whose runs fail, or whose bins nobody has hit', () => {
    const missing = (...runs: Parameters<typeof runNamed>[]): string | undefined => {
      const database = databaseOf(
        [TRAFFIC],
        runs.map((run) => runNamed(...run)),
      );
      return planStatus(read(GOOD), coverageTree(database), database).testpoints[0]?.missing;
    };
    expect(missing()).to.equal('none of its tests was run');
    expect(missing(['a', { passed: false }])).to.equal('1 of its runs have not passed');
    expect(missing(['a'])).to.equal('none of its bins was hit');
  });

  const wrong: readonly (readonly [string, string, string])[] = [
    [
      'an unknown test',
      point('p', 'tests: [test_randm], covers: [T-001, T-002]'),
      "plan/demo.yaml:4: p: there is no test or sequence 'test_randm'; did you mean test_random?",
    ],
    [
      'an unknown covergroup',
      point('p', 'covergroups: [trafic_cg], covers: [T-001, T-002]'),
      "plan/demo.yaml:4: p: there is no covergroup or item 'trafic_cg'; did you mean traffic_cg",
    ],
    [
      'an unknown check',
      point('p', 'checks: [SCB_DATE], covers: [T-001, T-002]'),
      "there is no report id 'SCB_DATE'; did you mean SCB_DATA?",
    ],
    ['an unknown entry', point('p', 'covers: [T-001, T-002, T-003]'), "there is no checklist entry 'T-003'"],
    ['an entry that nobody covers', point('p', 'covers: [T-001]'), 'T-002 is covered by no testpoint'],
    [
      'two testpoints of one name',
      point('p', 'covers: [T-001]') + point('p', 'covers: [T-002]'),
      'plan/demo.yaml:5: demo.p is there already, at plan/demo.yaml:4',
    ],
    ['a stage that there is none', '  - { name: p, stage: V9, text: t }\n', 'plan/demo.yaml:4: testpoints.0.stage'],
    ['a key that there is none', '  - { name: p, stage: V1, text: t, test: [x] }\n', 'plan/demo.yaml:4: testpoints.0'],
    ['no YAML', '  - { name: [\n', 'not YAML'],
  ];
  for (const [what, text, message] of wrong) {
    it(`with ${what} is refused with its place`, () => {
      expect(() => read(HEAD + text)).to.throw(message);
    });
  }
});

describe('The verification plan that ships', () => {
  it('resolves, and covers every entry of the transport checklist', async () => {
    const plan = readPlan(planTexts(planFolder()), planNames(await loadRegistry(), []));
    expect([...plan.checklist.keys()]).to.deep.equal(
      Array.from({ length: 98 }, (_, i) => `T-${String(i + 1).padStart(3, '0')}`),
    );
    expect(plan.testpoints.filter(({ stage }) => stage !== 'planned')).to.have.length.above(15);
  });
});

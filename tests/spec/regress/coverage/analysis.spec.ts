import { expect } from 'chai';
import fc from 'fast-check';
import { attributionOf } from '../../../../regress/coverage/attribution.ts';
import { coverageTree } from '../../../../regress/coverage/coverageTree.ts';
import { type CoverageDatabase, databaseOf, runsOf } from '../../../../regress/coverage/database.ts';
import { differenceOf } from '../../../../regress/coverage/difference.ts';
import {
  Exclusions,
  NO_EXCLUSIONS,
  parseExclusions,
  unreachableHits,
} from '../../../../regress/coverage/exclusions.ts';
import { shippedBinsOf, shippedBinsSchema } from '../../../../regress/coverage/shippedBins.ts';
import { holesOf } from '../../../../regress/coverage/holes.ts';
import { rank } from '../../../../regress/coverage/ranking.ts';
import { totalsOf } from '../../../../regress/coverage/totals.ts';
import { anyDatabase, FAULTS, hitting, runNamed, TRAFFIC } from './databases.ts';

const excluding = (text: string, database: CoverageDatabase): Exclusions =>
  new Exclusions(parseExclusions('coverage/plan/unreachable.yaml', text), database);

describe('Ranking of runs', () => {
  it('finds runs that cover all that all of them do, none of which can be spared', () => {
    fc.assert(
      fc.property(anyDatabase(), fc.constantFrom('events', 'cpuMs'), (database, cost) => {
        const { ranked, redundant } = rank(database, cost);
        const kept = new Set(ranked.map(({ run }) => run.id));
        const covered = (ids: ReadonlySet<string>): number =>
          coverageTree(runsOf(database, ({ id }) => ids.has(id))).coverage.covered;
        const all = coverageTree(database).coverage.covered;
        expect(covered(kept)).to.equal(all);
        for (const id of kept) expect(covered(new Set([...kept].filter((other) => other !== id)))).to.be.below(all);
        expect(ranked.length + redundant.length).to.equal(database.runs.length);
        expect(ranked.at(-1)?.covered ?? 0).to.equal(all);
      }),
    );
  });

  it('takes the cheaper of two runs that cover the same, and says what a test may save', () => {
    const both = { 0: 1, 4: 1, 7: 1 };
    const runs = [
      runNamed('dear', { seed: 1, events: 9000, hits: hitting(TRAFFIC, both) }),
      runNamed('cheap', { seed: 2, events: 1000, hits: hitting(TRAFFIC, both) }),
      runNamed('other', { test: 'test_other', events: 500, hits: hitting(TRAFFIC, { 1: 1 }) }),
    ];
    const { ranked, redundant, cost, allCost, tests } = rank(databaseOf([TRAFFIC], runs));
    expect(ranked.map(({ run, gained, covered }) => [run.id, gained, covered])).to.deep.equal([
      ['cheap', 3, 3],
      ['other', 1, 4],
    ]);
    expect([redundant.map(({ id }) => id), cost, allCost]).to.deep.equal([['dear'], 1500, 10500]);
    expect(tests.map(({ test, kept, alone, advice }) => [test, kept, alone, advice])).to.deep.equal([
      ['test_random', 1, 3, 'reseed 1 is enough: 1 of 2 runs add nothing'],
      ['test_other', 1, 1, 'needed'],
    ]);
  });

  it('counts hits of several runs towards a bin that needs more than one', () => {
    const one = (id: string) => runNamed(id, { hits: hitting(FAULTS, { 0: 1 }) });
    const { ranked } = rank(databaseOf([FAULTS], [one('a'), one('b'), one('c')]));
    expect(ranked.map(({ run, gained }) => [run.id, gained])).to.deep.equal([
      ['a', 0],
      ['b', 1],
    ]);
  });
});

describe('The difference of two regressions', () => {
  it('names bins that only one of them covers, with the cheapest run that does', () => {
    const before = databaseOf([TRAFFIC], [runNamed('a', { hits: hitting(TRAFFIC, { 0: 1, 1: 1 }) })]);
    const after = databaseOf(
      [TRAFFIC, FAULTS],
      [
        runNamed('b', { hits: hitting(TRAFFIC, { 1: 1, 2: 4 }) }),
        runNamed('c', { events: 10, hits: hitting(TRAFFIC, { 2: 1 }) }),
      ],
    );
    const { gained, lost, onlyHere, onlyThere } = differenceOf(after, before);
    expect(gained.map(({ path, hits, by }) => [path, hits, by?.id])).to.deep.equal([['traffic_cg.op.op[2]', 5, 'c']]);
    expect(lost.map(({ path }) => path)).to.deep.equal(['traffic_cg.op.op[0]']);
    expect([onlyHere, onlyThere]).to.deep.equal([['faults_cg'], []]);
  });

  it('of a database and itself is nothing', () => {
    fc.assert(
      fc.property(anyDatabase(), (database) => {
        expect(differenceOf(database, database)).to.deep.equal({ gained: [], lost: [], onlyHere: [], onlyThere: [] });
      }),
    );
  });
});

describe('Holes', () => {
  const run = runNamed('a', { hits: hitting(TRAFFIC, { 0: 1, 4: 1, 7: 1 }) });
  const database = databaseOf([TRAFFIC], [run]);
  const holes = holesOf(database, totalsOf(database), NO_EXCLUSIONS);
  const hole = (path: string) => holes.find((h) => h.path === path);

  it('are the bins to be covered that have too few hits', () => {
    expect(holes).to.have.length(4 + 2 + 8 - 3);
    expect(hole('traffic_cg.op.op[0]')).to.equal(undefined);
    expect(hole('traffic_cg.size.other')).to.equal(undefined);
    expect(hole('traffic_cg.op.op[1]')?.comment).to.equal('what was asked for');
  });

  it('come with the arguments that the coverpoint declares, behind the run that came nearest', () => {
    expect(hole('traffic_cg.size.large')).to.include({ command: `${run.replay} +SIZE=large`, why: 'arguments' });
  });

  it('take the place of arguments of the same name in that run', () => {
    const other = runNamed('b', { replay: './hca_test +SIZE=small --seed 7', hits: hitting(TRAFFIC, { 4: 1 }) });
    const only = databaseOf([TRAFFIC], [other]);
    const found = holesOf(only, totalsOf(only), NO_EXCLUSIONS).find(({ path }) => path === 'traffic_cg.size.large');
    expect(found?.command).to.equal('./hca_test --seed 7 +SIZE=large');
  });

  it('of a cross come with the arguments of its bins together', () => {
    expect(hole('traffic_cg.op_x_size.<op[3],large>')?.command).to.match(/ \+OP=3 \+SIZE=large$/);
  });

  it('without declared arguments come with another seed of the run that hit what is beside them', () => {
    const { command, why } = hole('traffic_cg.op.op[1]') ?? {};
    expect([command, why]).to.deep.equal(['./hca_test +UVM_TESTNAME=test_random --seed 8 +RUN=a', 'nearest run']);
  });

  it('of a cross name no run that has not the traffic for them', () => {
    const cross = holes.filter(({ path, why }) => path.includes('op_x_size') && why === 'nearest run');
    const bins = (path: string): readonly string[] => /<(.*)>/.exec(path)?.[1]?.split(',') ?? [];
    const isHit = (name: string): boolean => !holes.some(({ path }) => path.endsWith(`.${name}`));
    expect(cross.every(({ path }) => bins(path).every(isHit))).to.equal(true);
  });

  it('come with the shipped run that hits them, and what it costs', () => {
    const shipped = runNamed('s', {
      plusargs: ['+UVM_TEST_SEQ=sizes'],
      replay: './hca_test +UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=sizes +COV --seed 1',
      hits: hitting(TRAFFIC, { 5: 3 }),
    });
    const index = shippedBinsOf(databaseOf([TRAFFIC], [shipped]));
    expect(shippedBinsSchema.parse(JSON.parse(JSON.stringify(index)))).to.deep.equal(index);
    const found = holesOf(database, totalsOf(database), NO_EXCLUSIONS, index).find(
      ({ path }) => path === Object.keys(index.runs[0]?.bins ?? {})[0],
    );
    expect(found).to.include({
      why: 'shipped',
      command: './hca_test +UVM_TESTNAME=test_sequence +UVM_TEST_SEQ=sizes --seed 1',
    });
    expect(found?.shipped).to.include({ name: 'sizes', hits: 3, events: shipped.events });
  });

  it('that no run came near say so', () => {
    const none = databaseOf([FAULTS], []);
    expect(holesOf(none, totalsOf(none), NO_EXCLUSIONS)[0]).to.include({ command: '', why: 'not known' });
  });
});

describe('The runs that hit a bin', () => {
  it('are named, the cheapest first, for a bin, an item or a group', () => {
    const runs = [
      runNamed('dear', { events: 9, hits: hitting(FAULTS, { 0: 2 }) }),
      runNamed('cheap', { events: 3, hits: hitting(FAULTS, { 0: 1, 1: 1 }) }),
    ];
    const database = databaseOf([FAULTS], runs);
    const [drop] = attributionOf(database, 'faults_cg.kind.drop');
    expect([drop?.hits, drop?.runs.map(({ run }) => run.id)]).to.deep.equal([3, ['cheap', 'dear']]);
    expect(attributionOf(database, 'faults_cg')).to.have.length(2);
    expect(attributionOf(database, '*.de*y').map(({ path }) => path)).to.deep.equal(['faults_cg.kind.delay']);
  });
});

describe('Bins that cannot be reached', () => {
  const database = databaseOf([TRAFFIC], [runNamed('a', { hits: hitting(TRAFFIC, { 0: 1, 7: 1 }) })]);
  const RULE = '- { bins: "traffic_cg.op_x_size.<op[3],*>", reason: not built, reviewed: 2026-11-20 }\n';

  it('count in no percentage and are no holes', () => {
    const exclusions = excluding(RULE, database);
    const tree = coverageTree(database, exclusions);
    expect([tree.coverage.bins, tree.excluded]).to.deep.equal([4 + 2 + 6, 2]);
    const paths = holesOf(database, totalsOf(database), exclusions).map(({ path }) => path);
    expect(paths.filter((path) => path.includes('<op[3]'))).to.deep.equal([]);
    expect(unreachableHits(database, totalsOf(database), exclusions)).to.deep.equal([]);
  });

  it('that are hit prove their rule wrong', () => {
    const text = '\n- bins: traffic_cg.op.op[0]\n  reason: never\n  reviewed: 2026-11-20\n';
    expect(unreachableHits(database, totalsOf(database), excluding(text, database))).to.deep.equal([
      'COV_UNREACHABLE_HIT traffic_cg.op.op[0] was hit 1 times, but coverage/plan/unreachable.yaml:2 says that it cannot be reached: never',
    ]);
  });

  it('are excluded for the NIC that a rule names and for no other', () => {
    const text = '- { bins: traffic_cg.op, nic: other, reason: r, reviewed: x }';
    expect(coverageTree(database, excluding(text, database)).excluded).to.equal(0);
  });

  it('must be there, and rules complete', () => {
    const misspelt =
      '- { bins: "traffic_cg.op.op[3]", reason: r, reviewed: x }\n- { bins: trafic_cg.op, reason: r, reviewed: x }';
    expect(() => excluding(misspelt, database)).to.throw(
      "coverage/plan/unreachable.yaml:2: 'trafic_cg.op' meets no bin that is to be covered; did you mean traffic_cg.op",
    );
    expect(() => excluding('- { bins: traffic_cg.op }', database)).to.throw('coverage/plan/unreachable.yaml:1: reason');
    expect(() => excluding('- bins: [', database)).to.throw('coverage/plan/unreachable.yaml:1: ');
  });
});

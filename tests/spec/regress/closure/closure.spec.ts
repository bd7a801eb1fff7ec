import { expect } from 'chai';
import fc from 'fast-check';
import { HitIndex } from '../../../../regress/closure/hitIndex.ts';
import { type RunTemplate, type SteeredRun, withWords } from '../../../../regress/closure/steeredParameter.ts';
import { Steering } from '../../../../regress/closure/steering.ts';
import { Weights } from '../../../../regress/closure/weights.ts';
import { type CoverageRun, databaseOf } from '../../../../regress/coverage/database.ts';
import { NO_EXCLUSIONS } from '../../../../regress/coverage/exclusions.ts';
import { anyDatabase, FAULTS, hitting, runNamed, TRAFFIC } from '../coverage/databases.ts';

const PLACE = { family: 'all', title: '', cwd: '.', where: 'list.yaml:1:1', timeoutSeconds: 0, runs: 1 };
const TEMPLATE: RunTemplate = {
  ...PLACE,
  argv: ['+UVM_TESTNAME=test_random'],
  parameters: [
    { name: 'A', values: ['0', '1'] },
    { name: 'B', values: ['x', 'y', 'z'] },
  ],
};

function run(name: string, hits: CoverageRun['hits']): CoverageRun {
  return runNamed(name, { name, hits });
}

describe('What closure learns from', () => {
  it('holds a run to be the nearer to what is open, the rarer what it has hit in items with holes', () => {
    const runs = [
      run('common', hitting(TRAFFIC, { 0: 1 })),
      run('rare', hitting(TRAFFIC, { 0: 9, 1: 1 })),
      run('far', {}),
    ];
    const index = new HitIndex(databaseOf([TRAFFIC], runs), NO_EXCLUSIONS);
    const score = Object.fromEntries(index.nearness().map(({ run: { name }, score: s }) => [name, s]));
    expect(score['rare']).to.be.above(score['common'] as number);
    expect(score['common']).to.be.above(0);
    expect(score['far']).to.equal(0);
  });

  it('counts hits of an item that is covered for nothing', () => {
    const runs = [run('a', hitting(FAULTS, { 0: 2, 1: 2 })), run('b', hitting(FAULTS, { 0: 1 }))];
    const index = new HitIndex(databaseOf([FAULTS], runs), NO_EXCLUSIONS);
    expect(index.holes).to.deep.equal([]);
    expect(index.nearness().map(({ score }) => score)).to.deep.equal([0, 0]);
  });

  it('knows as open what the tree of coverage shows as open', () => {
    fc.assert(
      fc.property(anyDatabase(), (database) => {
        const named = databaseOf(
          database.groups,
          database.runs.map((one) => ({ ...one, name: one.id })),
        );
        const index = new HitIndex(named, NO_EXCLUSIONS);
        for (const { group, item, number } of index.holes) {
          const hits = index.runsOf(group, number).length;
          expect(hits === 0 || item.atLeast > 1).to.equal(true);
        }
      }),
    );
  });

  it('names the runs that have hit what a cross combines, the most of it first', () => {
    const runs = [
      run('both', hitting(TRAFFIC, { 1: 1, 5: 1 })),
      run('one', hitting(TRAFFIC, { 1: 1 })),
      run('none', hitting(TRAFFIC, { 0: 1 })),
    ];
    const index = new HitIndex(databaseOf([TRAFFIC], runs), NO_EXCLUSIONS);
    const hole = index.holes.find(({ path }) => path === 'traffic_cg.op_x_size.<op[1],large>');
    expect(index.nearest(hole as (typeof index.holes)[number], 5).map(({ name }) => name)).to.deep.equal([
      'both',
      'one',
    ]);
  });

  it('weighs a value by how near runs with it came, and one that nobody has tried as 1', () => {
    const scored = [4, 4, 4, 0, 0, 0].map((score, i) => ({ run: run(`r${i}`, {}), score }));
    const weights = new Weights(scored, ({ name }) => [name < 'r3' ? '+A=1' : '+A=0']);
    expect(weights.of('+A=1')).to.be.above(1);
    expect(weights.of('+A=0')).to.be.within(0.1, 1);
    expect(weights.of('+B=x')).to.equal(1);
  });
});

describe('Runs that closure draws', () => {
  const runs = [run('g001/0000', hitting(TRAFFIC, { 0: 1, 4: 1, 7: 1 })), run('g001/0001', hitting(TRAFFIC, { 1: 1 }))];
  const index = new HitIndex(databaseOf([TRAFFIC], runs), NO_EXCLUSIONS);

  function draw(seed: number, isLegal: (one: SteeredRun) => boolean = () => true, size = 200): readonly SteeredRun[] {
    const steering = new Steering({ templates: [TEMPLATE], isLegal, seed });
    for (const { name } of runs) steering.remember(name, { template: TEMPLATE, words: [], why: 'plain' });
    return steering.generation(2, index, steering.weights(index), size);
  }

  it('are the same for the same seed and coverage, and others for another seed', () => {
    expect(draw(1)).to.deep.equal(draw(1));
    expect(draw(1)).not.to.deep.equal(draw(2));
  });

  it('do not depend on how many others are drawn', () => {
    expect(draw(3, () => true, 20)).to.deep.equal(draw(3).slice(0, 20));
  });

  it('are for holes, with the arguments that their coverpoints declare, by weights, and some as the list says', () => {
    const drawn = draw(1);
    const plain = drawn.filter(({ why }) => why === 'plain');
    expect(plain.length).to.be.within(5, 45);
    for (const { words } of plain) expect(words).to.deep.equal([]);
    const declared = drawn.filter(({ why }) => why === 'traffic_cg.op.op[3]');
    expect(declared).not.to.deep.equal([]);
    for (const { words } of declared) expect(words).to.include('+OP=3');
    expect(drawn.filter(({ why }) => why === 'weights').length).to.be.above(50);
  });

  it('give up words that exclude each other', () => {
    const legal = ({ words }: SteeredRun): boolean => !words.includes('+B=z');
    for (const { words } of draw(1, legal)) expect(words).not.to.include('+B=z');
  });

  it('never say a plusarg twice', () => {
    for (const { words } of draw(5)) {
      const names = words.map((word) => word.split('=')[0]);
      expect(new Set(names).size).to.equal(names.length);
    }
    expect(withWords(['+A=1'], ['+A=0', '+C=2', '--seed', '7'])).to.deep.equal(['+A=1', '+C=2', '--seed', '7']);
  });
});

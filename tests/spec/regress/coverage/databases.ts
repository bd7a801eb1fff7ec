import fc from 'fast-check';
import {
  type CoverageDatabase,
  type CoverageRun,
  databaseOf,
  groupRef,
} from '../../../../regress/coverage/database.ts';
import { binArray, bins, defaultBin } from '../../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../../uvm/coverage/covergroup.ts';
import { binCount, type GroupModel } from '../../../../uvm/coverage/model.ts';

/** Two coverpoints and their cross: bins 0 .. 3 op, 4 .. 6 size, then <op,size>. */
export const TRAFFIC: GroupModel = covergroup<number>('traffic_cg', { comment: 'what was asked for' }, (g) => {
  const op = g.coverpoint('op', (n) => n, binArray('op', [[0, 3]]), {
    fromBin: (bin) => (bin === 'op[3]' ? '+OP=3' : undefined),
  });
  const size = g.coverpoint('size', (n) => n, [bins('small', 0), bins('large', 1), defaultBin('other')], {
    fromBin: (bin) => `+SIZE=${bin}`,
  });
  g.cross('op_x_size', [op, size]);
}).model;

/** One coverpoint of which a bin needs two hits. */
export const FAULTS: GroupModel = covergroup<number>('faults_cg', {}, (g) => {
  g.coverpoint('kind', (n) => n, [bins('drop', 0), bins('delay', 1)], { atLeast: 2 });
}).model;

/** Called like the one before, with other bins. */
export const OTHER_FAULTS: GroupModel = covergroup<number>('faults_cg', {}, (g) => {
  g.coverpoint('kind', (n) => n, [bins('drop', 0), bins('reorder', 1)]);
}).model;

export function runNamed(id: string, given: Partial<CoverageRun> = {}): CoverageRun {
  return {
    id,
    name: `list/${id}`,
    test: 'test_random',
    seed: 7,
    plusargs: ['+HOST_NUM=2'],
    nic: 'hangu',
    passed: true,
    events: 1000,
    cpuMs: 5,
    replay: `./hca_test +UVM_TESTNAME=test_random --seed 7 +RUN=${id}`,
    hits: {},
    ...given,
  };
}

/** Hits of one group, by bin. */
export function hitting(group: GroupModel, counts: Readonly<Record<number, number>>): CoverageRun['hits'] {
  const list = Object.entries(counts).flatMap(([bin, n]) => [Number(bin), n]);
  return list.length === 0 ? {} : { [groupRef(group)]: list };
}

/** Databases that know some of the groups, with runs out of a few that are the same wherever they turn up, costs apart. */
export function anyDatabase(): fc.Arbitrary<CoverageDatabase> {
  const groups = fc.subarray([TRAFFIC, FAULTS, OTHER_FAULTS, { ...FAULTS, comment: 'said otherwise', goal: 50 }]);
  const run = fc.record({ number: fc.nat(12), cpuMs: fc.nat(3) });
  return fc.tuple(groups, fc.array(run, { maxLength: 8 })).map(([known, runs]) =>
    databaseOf(
      known,
      runs.map(({ number, cpuMs }) => numberedRun(number, cpuMs, known)),
    ),
  );
}

function numberedRun(number: number, cpuMs: number, known: readonly GroupModel[]): CoverageRun {
  const hits = known.map((group) => {
    const list: Record<number, number> = {};
    for (let bin = 0; bin < binCount(group); bin++) {
      const n = (number * 31 + bin * bin * 17 + group.items.length) % 7;
      if (n > 3) list[bin] = n - 3;
    }
    return hitting(group, list);
  });
  const events = 100 + ((number * 37) % 90);
  return runNamed(`r${number}`, {
    cpuMs,
    events,
    seed: number,
    hits: Object.assign({}, ...hits) as CoverageRun['hits'],
  });
}

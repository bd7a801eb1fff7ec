/**
 * Planted bugs × tests: which test finds which bug, by which check, after how many seeds.
 *
 *   runs of a list, by test ─► BugMatrix.play ─► BugRow (a cell a test) ─► score, what only one test finds
 *
 * A test is what tells runs of a list apart for a reader: the sequence that is run, or the entry. Its runs are played one
 * after another until one finds the bug. A run that passes with a bug is compared with the same run without it: where the
 * two are the same, the bug has not acted.
 */

import type { FaultEntry } from '../../env/nicKind.ts';
import type { BugHunt, Sighting } from './bugHunt.ts';
import { isOriginal, neededFamilies } from './checkFamilies.ts';

/** One run of a test. */
export interface PlayableRun {
  /** Of the list: `smoke/rc-0-s1`. */
  readonly id: string;
  /** Arguments of `hca_test`, seed included. */
  readonly argv: readonly string[];
}

export interface PlayableTest {
  readonly name: string;
  readonly runs: readonly PlayableRun[];
}

export type CellState = 'found' | 'missed' | 'never acted' | 'not judged';

/** What became of one bug in one test. */
export interface BugCell {
  readonly test: string;
  readonly state: CellState;
  /** Id of the first finding; what ended a run that is not judged; '' for none. */
  readonly check: string;
  /** Runs that were played. */
  readonly runs: number;
  /** The run that has found it; '' for none. */
  readonly run: string;
}

export interface BugRow {
  readonly bug: string;
  readonly description: string;
  readonly cells: readonly BugCell[];
  /** `found` where any test finds it, else the best that can be said. */
  readonly state: CellState;
  /** Ids of all findings of runs that have found it. */
  readonly findings: readonly (readonly string[])[];
  /** Families of checks without any one of which nothing would have found it. */
  readonly needs: readonly string[];
  /** Whether the checks of the original harness alone would have found it. */
  readonly original: boolean;
}

export interface MatrixOptions {
  /** Most runs that find a bug of which all findings are written down. Default 20. */
  readonly failing?: number;
  /** Play further runs of a test that has found a bug, until there are so many. Default false: one a test. */
  readonly further?: boolean;
}

const BEST: readonly CellState[] = ['found', 'not judged', 'missed', 'never acted'];

export class BugMatrix {
  readonly #hunt: BugHunt;
  readonly #tests: readonly PlayableTest[];
  readonly #failing: number;
  readonly #further: boolean;
  #runs = 0;

  /** @param hunt one that plays runs to their end */
  constructor(hunt: BugHunt, tests: readonly PlayableTest[], { failing = 20, further = false }: MatrixOptions = {}) {
    this.#hunt = hunt;
    this.#tests = tests;
    this.#failing = failing;
    this.#further = further;
  }

  /** Runs played so far. */
  get runs(): number {
    return this.#runs;
  }

  /** @returns what the runs find without any bug: false alarms, with which nothing can be said */
  alarms(bug: FaultEntry): readonly string[] {
    return this.#tests.flatMap(({ runs }) =>
      runs.flatMap(({ id, argv }) => {
        const { first, failure } = this.#hunt.playClean(bug, argv);
        return first + failure === '' ? [] : [`${id}: ${first}${failure}`];
      }),
    );
  }

  play(bug: FaultEntry): BugRow {
    const findings: (readonly string[])[] = [];
    const cells = this.#tests.map((test) => this.#cell(bug, test, findings));
    const state = BEST.find((one) => cells.some((cell) => cell.state === one)) ?? 'never acted';
    return {
      bug: bug.name,
      description: bug.description,
      cells,
      state,
      findings,
      needs: neededFamilies(findings),
      original: findings.some((ids) => ids.some(isOriginal)),
    };
  }

  /** The first run that finds the bug decides. */
  #cell(bug: FaultEntry, { name, runs }: PlayableTest, findings: (readonly string[])[]): BugCell {
    let cell: BugCell = { test: name, state: 'never acted', check: '', runs: runs.length, run: '' };
    for (const [played, { id, argv }] of runs.entries()) {
      const sighting = this.#hunt.play(bug, argv);
      this.#runs++;
      if (sighting.first !== '') {
        if (findings.length < this.#failing) findings.push(sighting.ids);
        if (cell.state !== 'found')
          cell = { test: name, state: 'found', check: sighting.first, runs: played + 1, run: id };
      } else if (cell.state !== 'found') cell = this.#better(cell, this.#stateOf(bug, argv, sighting), sighting);
      if (cell.state === 'found' && !(this.#further && findings.length < this.#failing)) break;
    }
    return cell;
  }

  #better(cell: BugCell, state: CellState, { failure }: Sighting): BugCell {
    return BEST.indexOf(state) < BEST.indexOf(cell.state) ? { ...cell, state, check: failure } : cell;
  }

  #stateOf(bug: FaultEntry, argv: readonly string[], { failure, transcript }: Sighting): CellState {
    if (failure !== '') return 'not judged';
    return this.#hunt.playClean(bug, argv).transcript === transcript ? 'never acted' : 'missed';
  }
}

/** What a matrix comes to. */
export interface BugScore {
  readonly bugs: number;
  readonly found: number;
  readonly missed: number;
  readonly neverActed: number;
  readonly notJudged: number;
  readonly original: number;
}

export function scoreOf(rows: readonly BugRow[]): BugScore {
  const count = (state: CellState): number => rows.filter((row) => row.state === state).length;
  return {
    bugs: rows.length,
    found: count('found'),
    missed: count('missed'),
    neverActed: count('never acted'),
    notJudged: count('not judged'),
    original: rows.filter(({ original }) => original).length,
  };
}

/** Bugs that one test finds and no other, by test. */
export function aloneBy(rows: readonly BugRow[]): ReadonlyMap<string, readonly string[]> {
  const alone = new Map<string, string[]>();
  for (const { bug, cells } of rows) {
    const finders = cells.filter(({ state }) => state === 'found');
    const [only] = finders;
    if (only === undefined || finders.length > 1) continue;
    alone.set(only.test, [...(alone.get(only.test) ?? []), bug]);
  }
  return alone;
}

/** What a goal is, what it is measured with, and what comes of it. */

import { type Direction, holds, type Spread, spreadOf } from './statistics.ts';

/** What all goals of a run share. */
export interface BenchContext {
  /** Rounds of every comparison. */
  readonly rounds: number;
  /** 1, or less for short and rough runs: work of a round is multiplied by it. */
  readonly scale: number;
  /** Folder for everything that is compiled or written; removed at the end. */
  readonly scratch: string;
  /** Receives one line when something takes long. */
  say(text: string): void;
}

/** Value that a goal asks for, and one worth reaching where one is known to be within reach. */
export interface Target {
  readonly direction: Direction;
  readonly target: number;
  readonly stretch?: number;
}

/** One line of the table. A goal has one or two. */
export interface GoalRow {
  /** '1', '5a', '5b', ... */
  readonly id: string;
  readonly title: string;
  /** Medians of what was compared, with unit; '' where nothing was measured. */
  readonly ours: string;
  readonly reference: string;
  /** Undefined where nothing was measured. */
  readonly ratio: Spread | undefined;
  /** The ratio of every round. */
  readonly rounds: readonly number[];
  readonly target: Target;
  /** Undefined where nothing was measured. */
  readonly pass: boolean | undefined;
  /** What a reader of the table should know besides. */
  readonly note: string;
}

/** A goal of section 7 of the performance design. */
export interface Goal {
  readonly number: number;
  readonly title: string;
  measure(context: BenchContext): Promise<readonly GoalRow[]>;
}

/** A row with its ratio and verdict worked out. */
export function measuredRow(
  row: Pick<GoalRow, 'id' | 'title' | 'ours' | 'reference' | 'target' | 'rounds'> & { readonly note?: string },
): GoalRow {
  const { target, direction } = row.target;
  return { note: '', ...row, ratio: spreadOf(row.rounds), pass: holds(row.rounds, target, direction) };
}

/** A row without a measurement; it neither passes nor fails. */
export function unmeasuredRow(id: string, title: string, target: Target, note: string): GoalRow {
  return { id, title, ours: '', reference: '', ratio: undefined, rounds: [], target, pass: undefined, note };
}

/** A row of a goal that is a question of yes or no. */
export function failedRow(id: string, title: string, target: Target, note: string): GoalRow {
  return { ...unmeasuredRow(id, title, target, note), pass: false };
}

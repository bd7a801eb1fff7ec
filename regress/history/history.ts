/**
 * The history of regressions in one file of SQLite. It is made from the summaries that regressions leave, and can be made again
 * from them. Several programs may write at once: each writes a regression in one transaction, and a program that is killed
 * leaves the file as it was before.
 */

import { dirname } from 'node:path';
import { jsonOf } from '../../files/json.ts';
import { makeFolder } from '../makeFolder.ts';
import { HistoryError, migrate } from './historySchema.ts';
import type { SqlDatabase, SqlValue } from './sqlite.ts';
import { sqlite } from './sqlite.ts';
import { type RegressionSummaryFile, summarySchema } from './summaryFile.ts';

/** Time for which one program waits for another (ms). */
const PATIENCE_MS = 20_000;
const TABLES = ['regression', 'test', 'signature', 'run'] as const;

/** Runs with equal arguments and sources that went differently. */
export interface Contradiction {
  readonly id: string;
  readonly seed: number;
  /** In the order of the regressions. */
  readonly statuses: readonly string[];
}

export class History {
  readonly #database: SqlDatabase;

  private constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** @returns undefined where this Node has no database @throws HistoryError */
  static async open(path: string): Promise<History | undefined> {
    const module = await sqlite();
    if (module === undefined) return undefined;
    makeFolder(dirname(path));
    try {
      const database = new module.DatabaseSync(path);
      database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
      migrate(database, path);
      return new History(database);
    } catch (error) {
      if (error instanceof HistoryError) throw error;
      if (!(error instanceof Error) || !('errcode' in error)) throw error;
      throw new HistoryError(`${path}: ${error.message}; it can be made again: hca_regress history import <out>...`);
    }
  }

  /** A regression that is there already is replaced. */
  add(summary: RegressionSummaryFile): void {
    const { id, runs, ...rest } = summary;
    const { source, seed, started, wallMs, exitCode, sources, planned, counts, coverage } = rest;
    const row = [
      source,
      seed,
      started,
      wallMs,
      exitCode,
      sources,
      planned,
      counts['passed'] ?? 0,
      counts['known'] ?? 0,
    ];
    const bins = [coverage?.bins ?? null, coverage?.covered ?? null];
    this.#transaction(() => {
      for (const table of TABLES)
        this.#database
          .prepare(`DELETE FROM ${table} WHERE ${table === 'regression' ? 'id' : 'regression'} = ?`)
          .run(id);
      this.#insert('regression', [[id, ...row, ...bins, JSON.stringify({ id, ...rest, runs: [] })]]);
      this.#insert(
        'test',
        rest.tests.map((t) => [id, t.test, t.runs, t.passed, t.wallMs, t.longestMs]),
      );
      this.#insert(
        'signature',
        rest.signatures.map((s) => [id, s.id, s.text, s.runs, s.known ? 1 : 0, s.smallest, s.replay]),
      );
      this.#insert(
        'run',
        runs.map((run) => [id, run.key, run.id, run.seed, run.status, run.transcript]),
      );
    });
  }

  /** The latest ones of a source, or of all, without their runs; oldest first. */
  summaries(most: number, source?: string): readonly RegressionSummaryFile[] {
    const where = source === undefined ? '' : 'WHERE source = ?';
    const rows = this.#database
      .prepare(`SELECT summary FROM regression ${where} ORDER BY started DESC, id LIMIT ?`)
      .all(...(source === undefined ? [] : [source]), most);
    return rows.map(({ summary }) => jsonOf(String(summary), summarySchema)).toReversed();
  }

  /** Must be none: a run is the same as long as its arguments and its sources are. */
  contradictions(): readonly Contradiction[] {
    const rows = this.#database
      .prepare(
        `SELECT run.key AS key, regression.sources AS sources, MIN(run.id) AS id, MIN(run.seed) AS seed,
           GROUP_CONCAT(run.status, ' ') AS statuses
         FROM run JOIN regression ON regression.id = run.regression
         WHERE regression.sources <> '' AND run.status IN ('passed', 'failed', 'known', 'vacuous', 'nondeterministic')
         GROUP BY run.key, regression.sources
         HAVING COUNT(DISTINCT run.status = 'passed') > 1 OR COUNT(DISTINCT run.transcript) > 1
         ORDER BY id`,
      )
      .all();
    return rows.map(({ id, seed, statuses }) => ({
      id: String(id),
      seed: Number(seed),
      statuses: String(statuses).split(' '),
    }));
  }

  /** All rows of all tables in a fixed order: equal for files that hold the same. */
  dump(): string {
    return TABLES.map((table) =>
      JSON.stringify(this.#database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3`).all()),
    ).join('\n');
  }

  close(): void {
    this.#database.close();
  }

  #insert(table: (typeof TABLES)[number], rows: readonly (readonly SqlValue[])[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const statement = this.#database.prepare(`INSERT INTO ${table} VALUES (${first.map(() => '?').join(', ')})`);
    for (const row of rows) statement.run(...row);
  }

  #transaction(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

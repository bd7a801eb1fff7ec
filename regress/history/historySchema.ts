/** Tables of a history, and what brings those of earlier versions to today's. */

import type { SqlDatabase } from './sqlite.ts';

/** Each step leads from one version to the next; the version is the number of steps that were taken. */
const STEPS: readonly string[] = [
  `CREATE TABLE regression (
     id TEXT PRIMARY KEY, source TEXT NOT NULL, seed INTEGER NOT NULL, started TEXT NOT NULL, wall_ms REAL NOT NULL,
     exit_code INTEGER NOT NULL, sources TEXT NOT NULL, planned INTEGER NOT NULL, passed INTEGER NOT NULL, known INTEGER NOT NULL,
     bins INTEGER, covered INTEGER, summary TEXT NOT NULL);
   CREATE TABLE test (regression TEXT NOT NULL, test TEXT NOT NULL, runs INTEGER NOT NULL, passed INTEGER NOT NULL,
     wall_ms REAL NOT NULL, longest_ms REAL NOT NULL, PRIMARY KEY (regression, test));
   CREATE TABLE signature (regression TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, runs INTEGER NOT NULL,
     known INTEGER NOT NULL, smallest TEXT NOT NULL, replay TEXT NOT NULL, PRIMARY KEY (regression, id, text));`,
  `CREATE TABLE run (regression TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, seed INTEGER NOT NULL, status TEXT NOT NULL,
     transcript TEXT NOT NULL, PRIMARY KEY (regression, id));
   CREATE INDEX run_by_key ON run (key);
   CREATE INDEX regression_by_start ON regression (started);`,
];

/** A file of a later version is left alone: a message for the user. */
export class HistoryError extends Error {}

/** Within a transaction, so that of two programs one waits for the other. @throws HistoryError */
export function migrate(database: SqlDatabase, path: string, steps: readonly string[] = STEPS): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = Number(database.prepare('PRAGMA user_version').all()[0]?.['user_version'] ?? 0);
    if (version > steps.length)
      throw new HistoryError(
        `${path}: was written by a later version (${version}, this one knows ${steps.length}); name another file, or use that version`,
      );
    for (const step of steps.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${steps.length}`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** What a file has that a version before the latest one has left; for specs. */
export const FIRST_STEP: string = STEPS[0] ?? '';

/** The database of Node itself (`node:sqlite`, Node 22.13 or later), as far as histories need it. */

/** Values of columns. */
export type SqlValue = string | number | null;

export interface SqlStatement {
  run(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): readonly Readonly<Record<string, SqlValue>>[];
}

export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

type SqliteModule = { readonly DatabaseSync: new (path: string) => SqlDatabase };

/** What is said where there is none. */
export const NO_SQLITE = `history needs Node 22.13 or later, with its own SQLite; this is Node ${process.versions.node}. Everything else works`;

/** Undefined where this Node has none. */
export async function sqlite(): Promise<SqliteModule | undefined> {
  const { emitWarning } = process;
  // It calls itself experimental, each time.
  process.emitWarning = () => {};
  try {
    return (await import(String('node:sqlite'))) as SqliteModule;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_BUILTIN_MODULE') return undefined;
    throw error;
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The known issues of a regression: of its project, of what lies beside its list, of its kinds of NIC, and of files that are named. */

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkedData } from '../../files/json.ts';
import { DataError } from '../../files/dataError.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { KnownIssue } from '../../regress/known/knownIssue.ts';
import { knownIssueSchema } from '../../regress/known/knownIssueSchema.ts';
import { KNOWN_ISSUES_FILE, readKnownIssues, type ReadKnownIssues } from '../../regress/known/knownIssuesFile.ts';

/** Where they are looked for. */
export interface KnownIssuePlaces {
  /** Files of the command line: they must be there. */
  readonly named: readonly string[];
  /** Lists and scripts that are played. */
  readonly sources: readonly string[];
  readonly nics: readonly NicEntry[];
  readonly cwd: string;
}

/** Each file once, however it is found. */
export function knownIssuesOf({ named, sources, nics, cwd }: KnownIssuePlaces): ReadKnownIssues {
  const beside = [cwd, ...sources.map((source) => dirname(resolve(cwd, source)))];
  const found = beside.map((folder) => join(folder, KNOWN_ISSUES_FILE)).filter((path) => existsSync(path));
  const paths = [...new Set([...named.map((path) => resolve(cwd, path)), ...found])];
  const read = [...paths.map((path) => readKnownIssues(shortened(path, cwd))), ...nics.map(issuesOfKind)];
  return { issues: read.flatMap(({ issues }) => issues), problems: read.flatMap(({ problems }) => problems) };
}

/** As a user would name it. */
function shortened(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

function issuesOfKind({ name, knownIssues = [] }: NicEntry): ReadKnownIssues {
  const issues: KnownIssue[] = [];
  const problems: string[] = [];
  for (const [i, row] of knownIssues.entries()) {
    const where = `entry of ${name}, known issue ${i + 1}`;
    try {
      issues.push(new KnownIssue(checkedData({ ...row, dut: name }, knownIssueSchema), where));
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      problems.push(`${where}: ${error.message}`);
    }
  }
  return { issues, problems };
}

/** The bins that the project says cannot be reached. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CoverageDatabase } from '../../../regress/coverage/database.ts';
import { Exclusions, parseExclusions } from '../../../regress/coverage/exclusions.ts';
import { inputText } from '../../../regress/coverage/inputText.ts';
import { planFolder, UNREACHABLE } from '../planTexts.ts';

/**
 * Rules of the project are about groups of all its tests: a database need not have them all. Those of a file that a user
 * names must meet something.
 * @param file default: that of the project, if there is one
 * @throws CoverageError for mistakes in it
 */
export function exclusionsFor(database: CoverageDatabase, file?: string): Exclusions {
  const shipped = join(planFolder(), UNREACHABLE);
  const read = file ?? (existsSync(shipped) ? shipped : undefined);
  if (read === undefined) return new Exclusions([], database);
  return new Exclusions(parseExclusions(read, inputText(read)), database, file === undefined ? 'ignore' : 'refuse');
}

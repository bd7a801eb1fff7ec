/** What an entry of a list, with its defaults, says twice and differently: as a key, and as an argument of the runs. */

import type { ListDocument } from './listDocument.ts';
import type { ListDefaults, ListEntry } from './listSchema.ts';

type Part = readonly [path: readonly (string | number)[], data: Partial<ListEntry>];

/** One message per contradiction, with file, line and column of the argument. */
export function conflictsOf(entry: ListEntry, index: number, document: ListDocument): string[] {
  const defaults: ListDefaults = document.data.defaults ?? {};
  const parts: Part[] = [
    [['tests', index], entry],
    [['defaults'], defaults],
  ];
  const { test = defaults.test, timeout = defaults.timeout } = entry;
  return parts.flatMap((part) => [...testsIn(part, test, document), ...timeoutsIn(part, timeout, document)]);
}

function testsIn([path, data]: Part, test: string | undefined, document: ListDocument): string[] {
  if (test === undefined) return [];
  const [fixed, swept] = [data.plusargs?.['UVM_TESTNAME'], data.sweep?.['UVM_TESTNAME']];
  const found: string[] = [];
  const say = (where: readonly (string | number)[], what: string): void => {
    found.push(`${document.where([...path, ...where])}: ${what}, and test: says ${test}; keep one of them`);
  };
  if (fixed !== undefined && fixed !== test) say(['plusargs', 'UVM_TESTNAME'], `UVM_TESTNAME is ${fixed}`);
  if (swept !== undefined) say(['sweep', 'UVM_TESTNAME'], 'UVM_TESTNAME is swept');
  return found;
}

function timeoutsIn([path, { flags = [] }]: Part, timeout: number | undefined, document: ListDocument): string[] {
  const at = flags.findIndex((word) => word === '--timeout' || word.startsWith('--timeout='));
  if (at < 0 || timeout === undefined) return [];
  const typed = flags[at] === '--timeout' ? `--timeout ${flags[at + 1] ?? ''}` : flags[at];
  return [`${document.where([...path, 'flags', at])}: ${typed}: timeout: says ${timeout}; keep one of them`];
}

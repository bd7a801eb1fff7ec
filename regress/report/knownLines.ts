/** Known issues, in the lines at the end of a regression. */

import type { KnownEntry } from '../known/knownJudge.ts';
import type { KnownState } from '../known/knownState.ts';

const SAID: Readonly<Record<KnownState, string>> = {
  known: 'known',
  'too broad': 'too broad, so it counts for nothing (narrow it, or add broad: true)',
  expired: 'expired, so it counts for nothing',
  'not seen': 'not seen any more (take it out)',
  'not played': '',
};

/** One line for each issue that has been seen, has expired or is not seen any more. */
export function knownLines(entries: readonly KnownEntry[]): string[] {
  return entries.flatMap(({ where, id, text, owner, link, until, state, runs }) => {
    if (state === 'not played') return [];
    const count = runs.length === 0 ? '' : `, ${runs.length} run${runs.length === 1 ? '' : 's'}, first ${runs[0]}`;
    const what = text === '' ? `[${id}]` : `[${id}] ${text}`;
    return [`known issue ${what}: ${SAID[state]}${count}; ${owner}, ${link}, until ${until} (${where})`];
  });
}

/** The command line of `hca_regress list`. */

import { readFlags } from '../readFlags.ts';
import { didYouMean } from '../../../uvm/cmdline/nearest.ts';
import type { FlagTable } from '../flagTable.ts';
import { patternProblems } from '../flagValues.ts';
import { commandLineTokens } from '../token.ts';

/** What can be listed, in this order. */
const LISTED = ['lists', 'tests', 'sequences', 'faults', 'knobs', 'covergroups'] as const;
export type Listed = (typeof LISTED)[number];

export const LIST_FLAGS = {
  only: {
    group: 'What to list:',
    type: 'string',
    value: 'pattern',
    describe: 'Only names that match (ack*), of planted bugs also checks that find them (WIRE_*)',
  },
  json: { group: 'Output:', type: 'boolean', describe: 'As JSON, with all that is known of each' },
  help: { group: 'Output:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

export interface ListCommand {
  readonly help: boolean;
  readonly json: boolean;
  /** Pattern of names; undefined = all. */
  readonly only: string | undefined;
  /** Everything where none was named. */
  readonly kinds: readonly Listed[];
  /** Folder of further tests, sequences and NIC models; undefined = none. */
  readonly testPath: string | undefined;
  /** One per mistake; empty = nothing speaks against it. */
  readonly problems: readonly string[];
}

const TEST_PATH = '+TEST_PATH=';

/** @param argv words behind `list` */
export function parseListCommand(argv: readonly string[]): ListCommand {
  const checked = readFlags(commandLineTokens(argv), LIST_FLAGS);
  const { flags } = checked;
  const only = flags['only'] as string | undefined;
  const words = checked.positionals.map(({ text }) => text);
  const paths = words.filter((word) => word.startsWith(TEST_PATH));
  const named = words.filter((word) => !word.startsWith(TEST_PATH));
  const isKind = (word: string): word is Listed => (LISTED as readonly string[]).includes(word);
  const wrong = named.filter((word) => !isKind(word));
  const kinds = LISTED.filter((kind) => named.includes(kind));
  return {
    help: flags['help'] === true,
    json: flags['json'] === true,
    only,
    kinds: kinds.length === 0 ? LISTED : kinds,
    testPath: paths[0]?.slice(TEST_PATH.length),
    problems: [
      ...checked.problems,
      ...patternProblems('only', only),
      ...wrong.map(
        (word) => `list ${word}: allowed: ${LISTED.join(', ')}, ${TEST_PATH}<folder>${didYouMean(word, LISTED)}`,
      ),
    ],
  };
}

/** The command line of `hca_regress bugs`. */

import { readFlags } from '../readFlags.ts';
import { formatOf, numberOf, patternProblems, wholeOf } from '../flagValues.ts';
import type { Format } from '../../../regress/coverage/show/render.ts';
import type { FlagTable } from '../flagTable.ts';
import { NO_DEFAULTS, type ProjectDefaults } from '../../project/projectValues.ts';
import { commandLineTokens, emptyWord } from '../token.ts';

const WHAT = 'What to play:';
const OUTPUT = 'Output:';

const MOST_JOBS = 512;

export const BUGS_FLAGS = {
  dut: {
    group: WHAT,
    type: 'string',
    value: 'kind',
    describe: 'Kind of NIC whose bugs are planted (default: the first one)',
  },
  only: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'Only bugs of these names, by pattern (gather_*); may be repeated',
  },
  filter: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'Only runs of the list whose id or title contains this text, or matches a pattern; may be repeated',
  },
  reseed: {
    group: WHAT,
    type: 'string',
    value: 'n',
    alias: 'r',
    describe: 'Seeds per run, instead of the reseed: of the list',
  },
  seed: {
    group: WHAT,
    type: 'string',
    value: 'seed',
    describe: 'Seed from which those of the runs are derived (default 1)',
  },
  failing: {
    group: WHAT,
    type: 'string',
    value: 'n',
    describe:
      'Play on until so many runs have found a bug: what other checks would have found is known the better (default: one a test, at most 20)',
  },
  'max-time': {
    group: WHAT,
    type: 'string',
    value: 'time',
    describe: 'Plant no further bug after this time: seconds, or 90s, 10m, 2h',
  },
  format: { group: OUTPUT, type: 'string', value: 'format', describe: 'text (default), md or json: with every cell' },
  goal: {
    group: OUTPUT,
    type: 'string',
    value: 'percent',
    describe: 'Percent of bugs; exit code 4 when fewer are found',
  },
  jobs: {
    group: WHAT,
    type: 'string',
    alias: 'j',
    value: 'n',
    describe: 'Processes that plant bugs; the output is the same (default 1)',
  },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

export interface BugsCommand {
  readonly help: boolean;
  /** List; '' for the stimulus that each bug's entry names. */
  readonly source: string;
  readonly dut: string | undefined;
  /** Patterns of names; none for all. */
  readonly only: readonly string[];
  /** Words for `parseRegressCommand`: which runs of the list there are. */
  readonly runWords: readonly string[];
  readonly failing: number | undefined;
  /** Processes. */
  readonly jobs: number;
  readonly maxTime: string | undefined;
  readonly format: Format;
  readonly goal: number | undefined;
  readonly problems: readonly string[];
}

/** The kind that a project verifies. */
function dutOf({ plusargs }: ProjectDefaults): string | undefined {
  return plusargs.find(({ text }) => text.startsWith('+DUT='))?.text.slice('+DUT='.length);
}

/** @param argv words behind `bugs` @param defaults of the project; default: there are none */
export function parseBugsCommand(argv: readonly string[], defaults: ProjectDefaults = NO_DEFAULTS): BugsCommand {
  const checked = readFlags(commandLineTokens(argv), BUGS_FLAGS);
  const { flags } = checked;
  const problems = [...checked.problems];
  const text = (name: keyof typeof BUGS_FLAGS): string | undefined => flags[name] as string | undefined;
  const ofProject = defaults.values.get('jobs')?.value.toString();
  const words = checked.positionals.filter((word) => word.text !== '');
  problems.push(...checked.positionals.filter((word) => word.text === '').map(emptyWord));
  const [source, ...rest] = words.filter((word) => !word.text.startsWith('+'));
  for (const word of rest) problems.push(`${word.text} (command line): stands alone; one list at a time`);
  const plusargs = words.filter((word) => word.text.startsWith('+')).map((word) => word.text);
  const asFlag = (name: 'seed' | 'reseed'): readonly string[] =>
    text(name) === undefined ? [] : [`--${name}=${text(name)}`];
  const filters = checked.all('filter').map((filter) => `--filter=${filter}`);
  problems.push(...checked.all('only').flatMap((pattern) => patternProblems('only', pattern)));
  return {
    help: flags['help'] === true,
    source: source?.text ?? '',
    dut: text('dut') ?? dutOf(defaults),
    only: checked.all('only'),
    runWords: [...filters, ...asFlag('seed'), ...asFlag('reseed'), ...plusargs],
    failing: numberOf('failing', text('failing'), 1, 1000, problems),
    jobs: wholeOf('jobs', text('jobs') ?? ofProject, { least: 1, most: MOST_JOBS }, 1, problems),
    maxTime: text('max-time'),
    format: formatOf(text('format'), problems),
    goal: numberOf('goal', text('goal'), 0, 100, problems),
    problems,
  };
}

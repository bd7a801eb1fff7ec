/** The command line of `hca_regress compare`. */

import { readFlags } from '../readFlags.ts';
import type { Format } from '../../../regress/coverage/show/render.ts';
import type { FlagTable } from '../flagTable.ts';
import { formatOf } from '../flagValues.ts';
import { parseSeed } from '../seed.ts';
import { commandLineTokens, emptyWord, type Token } from '../token.ts';

const WHAT = 'What to play:';
const OUTPUT = 'Output:';

export const COMPARE_FLAGS = {
  dut: {
    group: WHAT,
    type: 'string',
    value: 'kinds',
    describe: 'Kinds of NIC, with commas between them: what the first one plays is recorded and played on the others',
  },
  filter: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'Only runs of the list whose id or title contains this text, or matches a pattern; may be repeated',
  },
  exclude: {
    group: WHAT,
    type: 'string',
    value: 'pattern',
    repeatable: true,
    describe: 'All runs but these; may be repeated',
  },
  seed: {
    group: WHAT,
    type: 'string',
    value: 'seed',
    describe: 'Seed of the scenarios (default: those of the list, or 1)',
  },
  out: {
    group: OUTPUT,
    type: 'string',
    value: 'folder',
    describe: 'Folder for the recorded scenarios (default out/compare-<scenario>-<time>-<process id>)',
  },
  format: { group: OUTPUT, type: 'string', value: 'format', describe: 'text (default), md or json' },
  quiet: { group: OUTPUT, type: 'boolean', alias: 'q', describe: 'Print only findings and the statement at the end' },
  help: { group: OUTPUT, type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

/** What is asked for; it may be carried out if there are no problems. */
export interface CompareCommand {
  readonly help: boolean;
  /** Scenario file or list; '' where none was named. */
  readonly source: string;
  /** Names of kinds, the one that is recorded first. */
  readonly duts: readonly string[];
  readonly filters: readonly string[];
  readonly exclusions: readonly string[];
  readonly seed: number | undefined;
  readonly out: string | undefined;
  readonly format: Format;
  readonly quiet: boolean;
  /** Every run gets them in place of its own of the same name. */
  readonly plusargs: readonly string[];
  readonly problems: readonly string[];
}

const OWN = '+DUT (command line): --dut says on which kinds of NIC each scenario is played; leave +DUT out';

/** @param argv words behind `compare` */
export function parseCompareCommand(argv: readonly string[]): CompareCommand {
  const checked = readFlags(commandLineTokens(argv), COMPARE_FLAGS);
  const { flags } = checked;
  const problems = [...checked.problems];
  const text = (name: keyof typeof COMPARE_FLAGS): string | undefined => flags[name] as string | undefined;
  const isPlusarg = (token: Token): boolean => token.text.startsWith('+');
  const plusargs = checked.positionals.filter(isPlusarg).map((token) => token.text);
  const words = checked.positionals.filter((word) => !isPlusarg(word));
  const help = flags['help'] === true;
  const seed = text('seed');
  const given = seed === undefined ? undefined : parseSeed(seed);
  if (given !== undefined && typeof given !== 'number')
    problems.push(`--seed ${seed} (command line): ${given === 'random' ? 'write a number' : given}`);
  if (plusargs.some((word) => /^\+DUT\b(?!_)/.test(word))) problems.push(OWN);
  const duts = (text('dut') ?? '').split(',').map((name) => name.trim());
  if (!help && duts.filter((name) => name !== '').length < 2)
    problems.push('--dut (command line): name two kinds of NIC or more, such as --dut hangu,blue');
  return {
    help,
    source: help ? '' : sourceOf(words, problems),
    duts,
    filters: checked.all('filter'),
    exclusions: checked.all('exclude'),
    seed: typeof given === 'number' ? given : undefined,
    out: text('out'),
    format: formatOf(text('format'), problems),
    quiet: flags['quiet'] === true,
    plusargs,
    problems,
  };
}

function sourceOf(words: readonly Token[], problems: string[]): string {
  problems.push(...words.filter(({ text }) => text === '').map(emptyWord));
  const [source, ...rest] = words.filter(({ text }) => text !== '');
  if (source === undefined) problems.push('compare: needs a scenario file or a list, such as smoke; --help shows how');
  for (const { text } of rest) problems.push(`${text} (command line): stands alone; one scenario or list at a time`);
  return source?.text ?? '';
}

/** Turns the command line of `hca_regress coverage` into what is asked for, collecting every mistake. */

import { readFlags } from '../readFlags.ts';
import { formatOf, numberOf, patternProblems } from '../flagValues.ts';
import type { Format } from '../../../regress/coverage/show/render.ts';
import { COVERAGE_FLAGS } from '../coverageFlags.ts';
import { commandLineTokens, emptyWord } from '../token.ts';

export interface CoverageCommand {
  readonly help: boolean;
  /** Folders of regressions and runs, or stores. */
  readonly sources: readonly string[];
  readonly only: string | undefined;
  readonly tests: string | undefined;
  readonly without: string | undefined;
  readonly withFailed: boolean;
  readonly exclude: string | undefined;
  readonly depth: 'groups' | 'items' | 'bins';
  readonly holes: boolean;
  readonly runHoles: boolean;
  readonly index: string | undefined;
  readonly hits: string | undefined;
  readonly rank: 'events' | 'cpuMs' | undefined;
  readonly against: string | undefined;
  /** File or folder; '' for that of the project. */
  readonly plan: string | undefined;
  readonly trend: boolean;
  readonly top: number;
  readonly format: Format;
  readonly html: string | undefined;
  readonly growth: string | undefined;
  readonly growthCsv: string | undefined;
  readonly openBins: string | undefined;
  readonly ucis: string | undefined;
  readonly merged: string | undefined;
  readonly goal: number | undefined;
  readonly problems: readonly string[];
}

const COSTS: Readonly<Record<string, 'events' | 'cpuMs'>> = { events: 'events', cpu: 'cpuMs' };
const DEFAULT_TOP = 30;

/** @param argv words behind `coverage` */
export function parseCoverageCommand(argv: readonly string[]): CoverageCommand {
  const checked = readFlags(commandLineTokens(argv), COVERAGE_FLAGS);
  const { flags } = checked;
  const problems = [...checked.problems];
  const text = (name: keyof typeof COVERAGE_FLAGS): string | undefined => flags[name] as string | undefined;
  const help = flags['help'] === true;
  const sources = checked.positionals.filter(({ text: word }) => word !== '');
  problems.push(...checked.positionals.filter(({ text: word }) => word === '').map(emptyWord));
  if (sources.length === 0 && !help)
    problems.push('coverage: needs the folder of a regression that was run with --cov, such as out/nightly');
  for (const name of ['only', 'tests', 'without', 'hits'] as const) problems.push(...patternProblems(name, text(name)));
  return {
    help,
    sources: sources.map((word) => word.text),
    only: text('only'),
    tests: text('tests'),
    without: text('without'),
    withFailed: flags['with-failed'] === true,
    exclude: text('exclude'),
    depth: flags['bins'] === true ? 'bins' : flags['items'] === true ? 'items' : 'groups',
    holes: flags['holes'] === true || flags['run-holes'] === true,
    runHoles: flags['run-holes'] === true,
    index: text('index'),
    hits: text('hits'),
    rank: rankOf(flags['rank'] === true, text('cost'), problems),
    against: text('against'),
    plan: text('plan'),
    trend: flags['trend'] === true,
    top: numberOf('top', text('top'), 1, 1_000_000, problems) ?? DEFAULT_TOP,
    format: formatOf(text('format'), problems),
    html: text('html'),
    growth: text('growth'),
    growthCsv: text('growth-csv'),
    openBins: text('open-bins'),
    ucis: text('ucis'),
    merged: text('merged'),
    goal: numberOf('goal', text('goal'), 0, 100, problems),
    problems,
  };
}

function rankOf(asked: boolean, cost: string | undefined, problems: string[]): 'events' | 'cpuMs' | undefined {
  const found = COSTS[cost ?? 'events'];
  if (found === undefined) problems.push(`--cost ${cost} (command line): allowed: ${Object.keys(COSTS).join(', ')}`);
  return asked || cost !== undefined ? (found ?? 'events') : undefined;
}

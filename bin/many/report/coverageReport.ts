/** `hca_regress coverage`: reads what regressions have measured and shows what is asked for. */

import { basename } from 'node:path';
import { writeAtomically } from '../../../regress/atomicFile.ts';
import { type Analysis, analyse } from '../../../regress/coverage/analysis.ts';
import { cheapestRuns } from '../../../regress/coverage/attribution.ts';
import { CoverageError } from '../../../regress/coverage/coverageError.ts';
import { type CoverageDatabase, type CoverageRun, merge, runsOf } from '../../../regress/coverage/database.ts';
import type { Exclusions } from '../../../regress/coverage/exclusions.ts';
import { growthCsv } from '../../../regress/coverage/export/growthTable.ts';
import { openBinsPage } from '../../../regress/coverage/export/openBins.ts';
import { growthPlot } from '../../../regress/coverage/export/growthPlot.ts';
import { coveragePage } from '../../../regress/coverage/export/page.ts';
import { ucisXml } from '../../../regress/coverage/export/ucis.ts';
import { type Growth, growthOf, runOrder } from '../../../regress/coverage/growth.ts';
import { type Hole, holesOf } from '../../../regress/coverage/holes.ts';
import { type ShippedBins, shippedBinsOf } from '../../../regress/coverage/shippedBins.ts';
import { rank } from '../../../regress/coverage/ranking.ts';
import { totalsOf } from '../../../regress/coverage/totals.ts';
import { readStore } from '../../../regress/coverage/readStore.ts';
import { render } from '../../../regress/coverage/show/render.ts';
import { percentText } from '../../../regress/coverage/totalLine.ts';
import { storeText } from '../../../regress/coverage/writeStore.ts';
import type { TrendStep } from '../../../regress/coverage/trend.ts';
import { JournalError } from '../../../regress/readJournal.ts';
import { fileProblem } from '../../../files/fileError.ts';
import { Glob } from '../../../uvm/base/glob.ts';
import { percentOf } from '../../../uvm/coverage/score.ts';
import { regressProgram } from '../../calledAs.ts';
import { type CoverageCommand, parseCoverageCommand } from '../../cli/commands/coverageCommand.ts';
import { COVERAGE_FLAGS } from '../../cli/coverageFlags.ts';
import { commandUsage } from '../../cli/commands/regressCommands.ts';
import { helpText } from '../../cli/helpText.ts';
import { problemReport } from '../../cli/problemReport.ts';
import type { DescriptorOutput } from '../../cli/syncOutput.ts';
import { type Plan, readPlan } from '../../../regress/plan/plan.ts';
import { loadRegistry, type Registry } from '../../registry.ts';
import { EXIT } from '../../run/runSpec.ts';
import { planFolder, planNames, planTexts } from '../planTexts.ts';
import { exclusionsFor } from '../jobs/projectExclusions.ts';
import { currentVersions, projectRoot } from '../../versions.ts';
import { playHoles } from './playHoles.ts';
import { readShippedBins } from './shippedBinIndex.ts';

/** Rows of the lists of a page, at least. */
const PAGE_ROWS = 500;
const EPILOGUE = [
  'Folders are those of regressions that were run with --cov, or of single runs with +COV; runs in several of them count',
  'once. The last line is for CI; gates count bins, the weighted mean stands beside.',
  'Exit codes: 0, 2 usage, 3 a file could not be written, 4 below --goal or a bin was hit that cannot be reached.',
].join('\n');

/** @param argv words behind `coverage` @returns the exit code */
export async function showCoverage(
  argv: readonly string[],
  out: DescriptorOutput,
  err: DescriptorOutput,
  registry: () => Promise<Registry> = loadRegistry,
  run: (argv: readonly string[]) => Promise<number> = () => Promise.resolve(EXIT.usage),
): Promise<number> {
  const command = parseCoverageCommand(argv);
  if (command.help) {
    out.line(await helpText(commandUsage('coverage'), COVERAGE_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  try {
    if (command.problems.length > 0) throw new CoverageError(command.problems);
    const shown = show(command, out, err, command.plan === undefined ? undefined : await registry());
    if (!command.runHoles || shown.code === EXIT.infrastructure) return shown.code;
    const { sources } = command;
    return await playHoles(shown.holes, { sources, run, openIn: (all) => holesIn(all, command) }, out);
  } catch (error) {
    if (!(error instanceof CoverageError)) throw error;
    err.line(problemReport(regressProgram(), error.problems));
    return EXIT.usage;
  }
}

/** How many holes sources have together, of what a command line looks at. @throws CoverageError for what cannot be read */
function holesIn(sources: readonly string[], command: CoverageCommand): number {
  const database = counted(merge(...readAll(sources)), command);
  const exclusions = exclusionsFor(database, command.exclude);
  return analyse(database, exclusions, { only: command.only, holes: true, rank: undefined }).holes?.length ?? 0;
}

/** @throws CoverageError for what cannot be read */
function show(
  command: CoverageCommand,
  out: DescriptorOutput,
  err: DescriptorOutput,
  registry: Registry | undefined,
): { readonly code: number; readonly holes: readonly Hole[] } {
  const parts = readAll(command.sources);
  const all = merge(...parts);
  const database = counted(all, command);
  const plan =
    registry === undefined
      ? undefined
      : { plan: planOf(command, all, registry), all: counted(all, { ...command, withFailed: true }) };
  const exclusions = exclusionsFor(database, command.exclude);
  const { only, holes, hits, rank, depth, top, format } = command;
  const against =
    command.against === undefined
      ? undefined
      : counted(readStore(command.against), { ...command, tests: undefined, without: undefined });
  const trend = command.trend ? parts.map((part, i) => trendStep(command, part, i)) : undefined;
  const index = readShippedBins();
  const analysis = analyse(database, exclusions, { only, holes, index, hits, rank, against, plan, trend });
  if (only !== undefined && analysis.tree.groups.length === 0)
    throw new CoverageError([`--only ${only}: meets nothing`]);
  out.line(render(analysis, format, { depth, top }));
  const curves = (): readonly Growth[] =>
    parts.map((part, i) => growth(command, counted(part, command), database, exclusions, i));
  const lost = writeFiles(command, database, analysis, exclusions, curves, index);
  for (const problem of lost) err.line(`${regressProgram()}: ${problem}`);
  const code = lost.length > 0 ? EXIT.infrastructure : gate(command, analysis, err);
  return { code, holes: analysis.holes ?? [] };
}

/** @throws CoverageError for every mistake in the plan */
function planOf({ plan = '' }: CoverageCommand, { groups }: CoverageDatabase, registry: Registry): Plan {
  return readPlan(planTexts(plan === '' ? planFolder() : plan), planNames(registry, groups));
}

function trendStep(command: CoverageCommand, part: CoverageDatabase, i: number): TrendStep {
  const database = counted(part, command);
  const failed = part.runs.filter(({ passed }) => !passed).length;
  return { name: command.sources[i] as string, database, exclusions: exclusionsFor(database, command.exclude), failed };
}

/** @throws CoverageError where the journal cannot be read, without which nobody knows in which order runs were played */
function growth(
  { sources }: CoverageCommand,
  part: CoverageDatabase,
  all: CoverageDatabase,
  exclusions: Exclusions,
  i: number,
): Growth {
  const folder = sources[i] as string;
  try {
    return growthOf(basename(folder), part, all, runOrder(folder), exclusions);
  } catch (error) {
    if (error instanceof JournalError) throw new CoverageError([`--growth: ${folder}: ${error.message}`]);
    throw error;
  }
}

/** Every folder that cannot be read is named, not only the first. */
function readAll(sources: readonly string[]): readonly CoverageDatabase[] {
  const problems: string[] = [];
  const databases = sources.flatMap((source) => {
    try {
      return [readStore(source)];
    } catch (error) {
      if (!(error instanceof CoverageError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length > 0) throw new CoverageError(problems);
  return databases;
}

/** The runs that count. */
function counted(database: CoverageDatabase, { tests, without, withFailed }: CoverageCommand): CoverageDatabase {
  const wanted = tests === undefined ? undefined : new Glob(tests);
  const left = without === undefined ? undefined : new Glob(without);
  const is = (glob: Glob, { test, name }: CoverageRun): boolean => glob.matches(test) || glob.matches(name);
  return runsOf(
    database,
    (run) =>
      (withFailed || run.passed) && (wanted === undefined || is(wanted, run)) && (left === undefined || !is(left, run)),
  );
}

/** @returns what could not be written */
function writeFiles(
  { sources, html, ucis, merged, growth: plot, growthCsv: csv, openBins, index, top }: CoverageCommand,
  database: CoverageDatabase,
  analysis: Analysis,
  exclusions: Exclusions,
  curves: () => readonly Growth[],
  shipped: ShippedBins,
): readonly string[] {
  const written = new Date();
  const { harness } = currentVersions(projectRoot());
  const title = `Coverage of ${sources.map((source) => basename(source)).join(', ')}`;
  // A page has everything: nobody wants to ask again for its holes.
  const whole = {
    ...analysis,
    holes: analysis.holes ?? holesOf(database, totalsOf(database), exclusions, shipped),
    ranking: analysis.ranking ?? rank(database, 'events', exclusions),
  };
  const files: readonly (readonly [string | undefined, () => string])[] = [
    [merged, () => storeText(database)],
    [index, () => `${JSON.stringify(shippedBinsOf(database), null, 1)}\n`],
    [ucis, () => ucisXml(database, { written, version: harness, exclusions })],
    [plot, () => growthPlot(`Growth of coverage: ${analysis.tree.coverage.bins} bins`, curves())],
    [csv, () => growthCsv(curves())],
    [
      openBins,
      () =>
        openBinsPage(
          sources.map((source) => basename(source)),
          analysis.tree,
          whole.holes,
        ),
    ],
    [html, () => coveragePage(whole, { title, written, top: Math.max(top, PAGE_ROWS), runs: cheapestRuns(database) })],
  ];
  return files.flatMap(([path, text]) =>
    path === undefined ? [] : (fileProblem(path, () => writeAtomically(path, text())) ?? []),
  );
}

function gate({ goal }: CoverageCommand, { tree, warnings }: Analysis, err: DescriptorOutput): number {
  const { covered, bins } = tree.coverage;
  const percent = percentOf(covered, bins);
  if (goal !== undefined && percent < goal) {
    err.line(`${regressProgram()}: ${percentText(percent)} of bins are covered, the goal is ${goal} %`);
    return EXIT.gate;
  }
  return warnings.some((warning) => warning.startsWith('COV_UNREACHABLE_HIT')) ? EXIT.gate : EXIT.passed;
}

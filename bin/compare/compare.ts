/** `hca_regress compare`: the same work on several kinds of NIC, side by side. */

import { basename, join } from 'node:path';
import { lockFolder } from '../../regress/folderLock.ts';
import { markdownTable, textTable } from '../../regress/coverage/show/table.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { commandLine } from '../../uvm/cmdline/shellQuote.ts';
import { counted } from '../../uvm/report/counted.ts';
import { regressProgram, testProgram } from '../calledAs.ts';
import { COMPARE_FLAGS, type CompareCommand, parseCompareCommand } from '../cli/commands/compareCommand.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { type NamedScenario, readScenarios } from '../many/jobs/namedScenarios.ts';
import type { Outputs } from '../many/playRegression.ts';
import { nicNamed } from '../nicEntry.ts';
import type { Registries } from '../registries.ts';
import type { Registry } from '../registry.ts';
import { folderProblems, makeNamedFolder } from '../run/outputPaths.ts';
import { EXIT } from '../run/runSpec.ts';
import { comparedTable, figuresOf } from './comparedTables.ts';
import { type Difference, differencesOf } from './differences.ts';
import { ComparedScenario, type ComparedRun } from './playCompared.ts';

const EPILOGUE = [
  'Records what the first kind of NIC plays, plays it on the others, and shows statuses, bytes, simulated times and frames side',
  'by side. Times and frames may differ. A status, a byte or the order within a queue may where a capability or a field of the',
  'profile says so, which is named; any other difference is a finding. Knobs and bugs (+NIC_<NAME>, +DUT_FAULT) go to the kinds',
  'that have them. Faults, which would fall on other frames, and knobs are drawn where that is asked for only (+DRAW_FAULTS).',
  'Exit codes: 0 nothing differs that must not, 1 findings, 2 usage, 3 nothing could be compared.',
].join('\n');

/** A scenario with what came of it. */
interface Compared {
  readonly scenario: NamedScenario;
  /** Where its work is recorded. */
  readonly path: string;
  readonly runs: readonly ComparedRun[];
  /** Of each kind but the first, against that. */
  readonly differences: readonly (readonly [nic: string, differences: readonly Difference[]])[];
  /** Runs that were judged and failed. */
  readonly failures: readonly string[];
}

/** @param argv words behind `compare` @param open registries, loaded when they are needed @returns the exit code */
export async function compare(
  argv: readonly string[],
  open: () => Promise<Registries>,
  { out, err }: Outputs,
): Promise<number> {
  const command = parseCompareCommand(argv);
  if (command.help) {
    out.line(await helpText(commandUsage('compare'), COMPARE_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const refuse = (problems: readonly string[]): number => {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  };
  const own = [...command.problems, ...(command.out === undefined ? [] : folderProblems(command.out))];
  if (own.length > 0) return refuse(own);
  const registries = await open();
  const [first] = command.duts;
  const asked = { ...command, plusargs: [...command.plusargs.filter((word) => !isOfKind(word)), `+DUT=${first}`] };
  const found = await readScenarios(asked, registries);
  for (const note of found.notes) err.line(`note: ${note}`);
  if (found.problems.length > 0) return refuse(found.problems);
  const folder = command.out ?? defaultFolder(command.source);
  const unmade = makeNamedFolder('--out', folder);
  const lock = unmade.length > 0 ? undefined : lockFolder(folder, '--out');
  if (typeof lock !== 'object') return refuse(lock === undefined ? unmade : [lock]);
  try {
    return await new Comparison(command, folder, registries, { out, err }).play(found.scenarios);
  } catch (error) {
    if (!(error instanceof UnknownKindError)) throw error;
    return refuse([error.message]);
  } finally {
    lock.release();
  }
}

/** Knobs and bugs of which the first kind need not have every one are looked at when a run is played. */
function isOfKind(word: string): boolean {
  return /^\+(NIC_\w+|DUT_FAULT)\b/.test(word);
}

function defaultFolder(source: string): string {
  const name = basename(source).replace(/\.[^.]*$/, '');
  const time = new Date().toISOString().replace(/[-:]|\..*/g, '');
  return join('out', `compare-${name}-${time}-${process.pid}`);
}

class UnknownKindError extends Error {}

class Comparison {
  readonly #command: CompareCommand;
  readonly #folder: string;
  readonly #registries: Registries;
  readonly #outputs: Outputs;
  readonly #compared: Compared[] = [];

  constructor(command: CompareCommand, folder: string, registries: Registries, outputs: Outputs) {
    this.#command = command;
    this.#folder = folder;
    this.#registries = registries;
    this.#outputs = outputs;
  }

  async play(scenarios: readonly NamedScenario[]): Promise<number> {
    const { format, quiet } = this.#command;
    for (const scenario of scenarios) {
      const compared = await this.#compare(scenario);
      this.#compared.push(compared);
      if (format !== 'json' && !(quiet && findingsOf(compared) === 0)) this.#show(compared);
    }
    if (format === 'json') this.#outputs.out.line(JSON.stringify(this.#compared.map(asData), null, 2));
    else this.#outputs.out.line(this.#statement());
    const findings = this.#compared.reduce((sum, each) => sum + findingsOf(each), 0);
    if (findings > 0) return EXIT.failed;
    return this.#compared.some(({ differences }) => differences.length > 0) ? EXIT.passed : EXIT.infrastructure;
  }

  async #compare(scenario: NamedScenario): Promise<Compared> {
    const testPath = scenario.argv.find((word) => word.startsWith('+TEST_PATH='))?.slice('+TEST_PATH='.length);
    const { registry } = await this.#registries.open(testPath, scenario.cwd);
    const [first, ...others] = this.#command.duts.map((name) => kindNamed(registry, name));
    const path = join(this.#folder, `${scenario.name.replaceAll(/[^\w.-]/g, '_')}.json`);
    const argv = [...scenario.argv, ...this.#command.plusargs.filter(isOfKind)];
    const runs = new ComparedScenario({ ...scenario, argv }, path, registry).play([first as NicEntry, ...others]);
    const [one] = runs;
    const differences = runs.slice(1).flatMap((run): [string, readonly Difference[]][] => {
      if (one?.work === undefined || run.work === undefined) return [];
      const { name } = run.nic;
      return [[name, differencesOf({ nic: one.nic, work: one.work }, { nic: run.nic, work: run.work })]];
    });
    const failures = runs.flatMap(({ nic, result }) =>
      result?.verdict === 'failed' ? [`${nic.name} fails by itself: ${result.message}`] : [],
    );
    return { scenario, path, runs, differences, failures };
  }

  #show(compared: Compared): void {
    const { scenario, path, runs, differences, failures } = compared;
    const { out } = this.#outputs;
    const isMarkdown = this.#command.format === 'md';
    out.line(isMarkdown ? `## ${scenario.name}\n` : `\n${scenario.name}`);
    const isPlayed = runs.some(({ work }) => work !== undefined);
    if (isPlayed) out.line((isMarkdown ? markdownTable : textTable)(comparedTable(runs)));
    if (isPlayed && isMarkdown) out.line('');
    const say = (text: string): void => out.line(isMarkdown ? `- ${text}` : `  ${text}`);
    for (const { nic, refusal } of runs)
      if (refusal !== '') say(`${nic.name} was not played: ${refusal.split('\n')[0]}`);
    for (const failure of failures) say(`FINDING verdict: ${failure}`);
    for (const [, each] of differences)
      for (const { kind, where, text, allowedBy } of each)
        say(
          allowedBy === undefined ? `FINDING ${kind}: ${where}: ${text}` : `allowed by ${allowedBy}: ${where}: ${text}`,
        );
    if (findingsOf(compared) === 0) return;
    const [, seed] = scenario.argv.slice(scenario.argv.indexOf('--seed'));
    for (const { nic, work } of runs.slice(1))
      if (work !== undefined)
        say(`again: ${commandLine([testProgram(), `+SCENARIO=${path}`, `+DUT=${nic.name}`, '--seed', `${seed}`])}`);
  }

  /** `compared: 12 of 14 scenarios on hangu, blue; 2 not played; 3 findings, 1 difference that is allowed`. */
  #statement(): string {
    const all = this.#compared;
    const played = all.filter(({ differences }) => differences.length > 0).length;
    const differences = all.flatMap((each) => each.differences.flatMap(([, list]) => list));
    const allowed = differences.filter(({ allowedBy }) => allowedBy !== undefined).length;
    const findings = all.reduce((sum, each) => sum + findingsOf(each), 0);
    const parts = [
      `${played} of ${counted(all.length, 'scenario')} on ${this.#command.duts.join(', ')}`,
      ...(played === all.length ? [] : [`${all.length - played} not played on all of them`]),
      counted(findings, 'finding'),
      `${counted(allowed, 'difference')} that a kind allows`,
    ];
    return `compared: ${parts.join('; ')}; recorded in ${this.#folder}`;
  }
}

function kindNamed({ nics }: Registry, name: string): NicEntry {
  const found = nicNamed(nics, name);
  if (found !== undefined) return found;
  const names = nics.map((nic) => nic.name);
  throw new UnknownKindError(
    `--dut ${name} (command line): there is no such NIC${didYouMean(name, names)}; allowed: ${names.join(', ')}`,
  );
}

function findingsOf({ differences, failures }: Compared): number {
  const findings = differences.flatMap(([, list]) => list.filter(({ allowedBy }) => allowedBy === undefined));
  return findings.length + failures.length;
}

/** For programs. */
function asData({ scenario, path, runs, differences, failures }: Compared): object {
  return {
    scenario: scenario.name,
    recorded: path,
    runs: runs.map(({ nic, refusal, result, work }) => ({
      dut: nic.name,
      verdict: result?.verdict ?? 'not played',
      refusal,
      simulatedTimePs: result?.simulatedTimePs,
      ...(work === undefined ? {} : { figures: figuresOf(work) }),
    })),
    differences: differences.flatMap(([dut, list]) => list.map((difference) => ({ dut, ...difference }))),
    failures,
  };
}

/** `hca_regress bugs`: plants every bug, plays the runs of a list, and shows what finds it. */

import { readJobs } from '../many/jobSource.ts';
import { listPath } from '../many/shippedLists.ts';
import type { Format } from '../../regress/coverage/show/render.ts';
import type { Job } from '../../regress/job.ts';
import { Glob, patternMistake } from '../../uvm/base/glob.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { percentOf } from '../../uvm/coverage/score.ts';
import { regressProgram } from '../calledAs.ts';
import { type BugsCommand, BUGS_FLAGS, parseBugsCommand } from '../cli/commands/bugsCommand.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import { parseRegressCommand } from '../cli/commands/regressCommand.ts';
import { parseSpan } from '../cli/seconds.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { Registries } from '../registries.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { EXIT } from '../run/runSpec.ts';
import { BugHunt } from './bugHunt.ts';
import { BugMatrix, type BugRow, type PlayableTest, scoreOf } from './bugMatrix.ts';
import { bugTables, scoreLine } from './bugTables.ts';
import { ownStimulus } from './ownStimulus.ts';

const EPILOGUE = [
  'A list (smoke, nightly, sequences, lists/*.yaml) says which runs are played; without one, each bug is played with the',
  'stimulus of its own that "./hca_regress list faults --only <name>" shows. Runs of a list are one test where they run one sequence, or are',
  'of one entry; those of a test are played until one finds the bug. A run that passes with a bug and is the same without',
  'it: the bug never acted. All in this process.',
  'Exit codes: 0, 1 runs find something without any bug, 2 usage, 4 below --goal.',
].join('\n');
/** Runs with which a bug is tried that are its own. */
const OWN_SEEDS = 20;
const HEARTBEAT_MS = 10_000;

interface Prepared {
  readonly nic: NicEntry;
  readonly bugs: readonly FaultEntry[];
  /** Undefined: the stimulus of each. */
  readonly tests: readonly PlayableTest[] | undefined;
}

/** @param argv words behind `bugs` @returns the exit code */
export async function playBugs(
  argv: readonly string[],
  out: DescriptorOutput,
  err: DescriptorOutput,
  given?: Registry,
): Promise<number> {
  const command = parseBugsCommand(argv);
  if (command.help) {
    out.line(await helpText(commandUsage('bugs'), BUGS_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const registry = given ?? (await loadRegistry());
  const problems = [...command.problems];
  const maxSeconds = parseSpan('max-time', command.maxTime, problems);
  const prepared = await prepare(command, registry, problems);
  if (prepared === undefined || problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  return new BugSession(prepared, registry, command, maxSeconds, out, err).play();
}

async function prepare(command: BugsCommand, registry: Registry, problems: string[]): Promise<Prepared | undefined> {
  const names = registry.nics.map(({ name }) => name);
  const nic = registry.nics.find(({ name }) => name === (command.dut ?? names[0]));
  if (nic === undefined) {
    problems.push(`--dut ${command.dut} (command line): there is no such NIC${didYouMean(command.dut ?? '', names)}`);
    return undefined;
  }
  const all = nic.faults.map(({ name }) => name);
  const readable = command.only.filter((pattern) => patternMistake(pattern) === undefined);
  const globs = readable.map((pattern) => ({ pattern, glob: new Glob(pattern) }));
  const bugs = nic.faults.filter(({ name }) => globs.length === 0 || globs.some(({ glob }) => glob.matches(name)));
  for (const { pattern, glob } of globs)
    if (!all.some((name) => glob.matches(name)))
      problems.push(`--only ${pattern} (command line): meets no bug of ${nic.name}${didYouMean(pattern, all)}`);
  if (command.source === '') return { nic, bugs, tests: undefined };
  const asked = parseRegressCommand(['run', listPath(command.source), ...command.runWords]);
  const source = await readJobs(asked, new Registries(registry, () => {}));
  problems.push(...asked.problems, ...source.problems);
  return { nic, bugs, tests: testsOf(source.jobs, nic.name) };
}

/** Runs that name another NIC are not among them. */
function testsOf(jobs: readonly Job[], nic: string): readonly PlayableTest[] {
  const tests = new Map<string, { name: string; runs: { id: string; argv: readonly string[] }[] }>();
  for (const { id, family, argv } of jobs) {
    const [dut] = valuesOf(argv, 'DUT');
    if (dut !== undefined && dut !== nic) continue;
    const name = valuesOf(argv, 'UVM_TEST_SEQ')[0] ?? family;
    const test = tests.get(name) ?? { name, runs: [] };
    tests.set(name, test);
    test.runs.push({ id, argv: argv.filter((word) => !word.startsWith('+DUT=')) });
  }
  return [...tests.values()];
}

function valuesOf(argv: readonly string[], name: string): readonly string[] {
  const begin = `+${name}=`;
  return argv.filter((word) => word.startsWith(begin)).map((word) => word.slice(begin.length));
}

class BugSession {
  readonly #prepared: Prepared;
  readonly #command: BugsCommand;
  readonly #hunt: BugHunt;
  readonly #out: DescriptorOutput;
  readonly #err: DescriptorOutput;
  readonly #line = new ProgressLine({ quietMs: 500 });
  readonly #start = performance.now();
  readonly #maxMs: number;
  #heartbeat = performance.now() + HEARTBEAT_MS;

  constructor(
    prepared: Prepared,
    registry: Registry,
    command: BugsCommand,
    maxSeconds: number | undefined,
    out: DescriptorOutput,
    err: DescriptorOutput,
  ) {
    this.#prepared = prepared;
    this.#command = command;
    this.#hunt = new BugHunt(prepared.nic, { registry, until: 'end' });
    this.#out = out;
    this.#err = err;
    this.#maxMs = maxSeconds === undefined ? Number.POSITIVE_INFINITY : maxSeconds * 1000;
  }

  play(): number {
    const { bugs, tests, nic } = this.#prepared;
    const rows: BugRow[] = [];
    let runs = 0;
    if (tests !== undefined && bugs[0] !== undefined) {
      const alarms = new BugMatrix(this.#hunt, tests).alarms(bugs[0]);
      if (alarms.length > 0) return this.#refuse(alarms);
    }
    for (const bug of bugs) {
      if (this.#elapsed >= this.#maxMs) break;
      const of = tests ?? [ownStimulus(nic, bug, this.#command.failing ?? OWN_SEEDS)];
      const { failing } = this.#command;
      const options = failing === undefined ? {} : { failing, further: true };
      const matrix = new BugMatrix(this.#hunt, of, options);
      if (tests === undefined) {
        const alarms = matrix.alarms(bug);
        if (alarms.length > 0) return this.#refuse(alarms);
      }
      rows.push(matrix.play(bug));
      runs += matrix.runs;
      this.#tell(`${rows.length} of ${bugs.length} bugs, ${runs} runs`);
    }
    this.#line.clear();
    this.#show(rows, runs, this.#command.format);
    return this.#gate(rows);
  }

  get #elapsed(): number {
    return performance.now() - this.#start;
  }

  #refuse(alarms: readonly string[]): number {
    this.#line.clear();
    this.#err.line(`${regressProgram()}: runs find something without any bug, so that they tell nothing of bugs:`);
    for (const alarm of alarms) this.#err.line(`  ${alarm}`);
    return EXIT.failed;
  }

  #tell(text: string): void {
    this.#line.update(() => text);
    if (this.#line.enabled || performance.now() < this.#heartbeat) return;
    this.#heartbeat = performance.now() + HEARTBEAT_MS;
    this.#err.line(`playing: ${text}`);
  }

  #show(rows: readonly BugRow[], runs: number, format: Format): void {
    const wallMs = this.#elapsed;
    const rest = this.#prepared.bugs.length - rows.length;
    if (rest > 0) this.#err.line(`note: --max-time ${this.#command.maxTime}: ${rest} bugs were not planted`);
    if (format === 'json') {
      this.#out.line(JSON.stringify({ rows, score: scoreOf(rows), runs, wallMs: Math.round(wallMs) }, null, 2));
      this.#err.line(scoreLine(rows, runs, wallMs));
    } else this.#out.line(bugTables({ rows, runs, wallMs }, format === 'md'));
  }

  #gate(rows: readonly BugRow[]): number {
    const { goal } = this.#command;
    const percent = percentOf(scoreOf(rows).found, rows.length);
    if (goal === undefined || percent >= goal) return EXIT.passed;
    this.#err.line(`${regressProgram()}: ${percent.toFixed(2)} % of bugs are found, the goal is ${goal} %`);
    return EXIT.gate;
  }
}

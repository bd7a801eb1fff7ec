/** `hca_regress bugs`: plants every bug, plays the runs of a list, and shows what finds it. */

import type { Format } from '../../regress/coverage/show/render.ts';
import { percentOf } from '../../uvm/coverage/score.ts';
import { regressProgram } from '../calledAs.ts';
import { type BugsCommand, BUGS_FLAGS, parseBugsCommand } from '../cli/commands/bugsCommand.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import { parseSpan } from '../cli/seconds.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import { projectDefaults } from '../project/projectDefaults.ts';
import type { WorkerPrograms } from '../many/localPool.ts';
import { PoolError } from '../../regress/pool/workerPool.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { EXIT } from '../run/runSpec.ts';
import { type BugRow, scoreOf } from './bugMatrix.ts';
import { bugTables, scoreLine } from './bugTables.ts';
import { type AskedBugs, askedBugs, BugTrials } from './bugTrials.ts';
import { type BugPlaying, bugsHere, BugWorkers } from './bugWorkers.ts';

const EPILOGUE = [
  'A list (smoke, nightly, sequences, lists/*.yaml) says which runs are played; without one, each bug is played with the',
  'stimulus of its own that "./hca_regress list faults --only <name>" shows. Runs of a list are one test where they run one sequence, or are',
  'of one entry; those of a test are played until one finds the bug. A run that passes with a bug and is the same without',
  'it: the bug never acted. With -j bugs are planted in so many processes; what is shown is the same.',
  'Exit codes: 0, 1 runs find something without any bug, 2 usage, 4 below --goal.',
].join('\n');
const HEARTBEAT_MS = 10_000;

/** @param argv words behind `bugs` @returns the exit code */
export async function playBugs(
  argv: readonly string[],
  out: DescriptorOutput,
  err: DescriptorOutput,
  given?: Registry,
  programs: WorkerPrograms = {},
): Promise<number> {
  const defaults = await projectDefaults();
  const command = parseBugsCommand(argv, defaults);
  if (command.help) {
    out.line(await helpText(commandUsage('bugs'), BUGS_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const registry = given ?? (await loadRegistry());
  const problems = [...defaults.problems, ...command.problems];
  const maxSeconds = parseSpan('max-time', command.maxTime, problems);
  const asked = await askedBugs(command, registry, problems);
  if (asked === undefined || problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  const trials = new BugTrials(asked, registry, command);
  const bugs =
    command.jobs === 1
      ? bugsHere(trials)
      : new BugWorkers([...argv, `--dut=${asked.nic.name}`], command.jobs, programs);
  try {
    return await new BugSession(asked, command, bugs, maxSeconds, out, err).play();
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    err.line(`${regressProgram()}: ${error.message}`);
    return EXIT.infrastructure;
  }
}

class BugSession {
  readonly #asked: AskedBugs;
  readonly #command: BugsCommand;
  readonly #bugs: BugPlaying;
  readonly #out: DescriptorOutput;
  readonly #err: DescriptorOutput;
  readonly #line = new ProgressLine({ quietMs: 500 });
  readonly #start = performance.now();
  readonly #maxMs: number;
  #heartbeat = performance.now() + HEARTBEAT_MS;

  constructor(
    asked: AskedBugs,
    command: BugsCommand,
    bugs: BugPlaying,
    maxSeconds: number | undefined,
    out: DescriptorOutput,
    err: DescriptorOutput,
  ) {
    this.#asked = asked;
    this.#command = command;
    this.#bugs = bugs;
    this.#out = out;
    this.#err = err;
    this.#maxMs = maxSeconds === undefined ? Number.POSITIVE_INFINITY : maxSeconds * 1000;
  }

  async play(): Promise<number> {
    const { bugs, tests = [] } = this.#asked;
    const shared = bugs.length === 0 ? [] : await this.#bugs.alarms(tests);
    if (shared.length > 0) return this.#refuse(shared);
    let ended = 0;
    let runs = 0;
    const played = await this.#bugs.play(bugs, (bug) => {
      ended++;
      runs += bug.runs;
      this.#tell(`${ended} of ${bugs.length} bugs, ${runs} runs`);
      return bug.alarms.length === 0 && this.#elapsed < this.#maxMs;
    });
    const alarms = played.find((bug) => bug.alarms.length > 0)?.alarms ?? [];
    if (alarms.length > 0) return this.#refuse(alarms);
    this.#line.clear();
    const rows = played.flatMap(({ row }) => row ?? []);
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
    const rest = this.#asked.bugs.length - rows.length;
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

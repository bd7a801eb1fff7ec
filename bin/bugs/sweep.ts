/**
 * Plays every planted bug with many seeds of each random test: `npm run sweep -- [--seeds 20] [--seed 1] [--part 1/1]`;
 * `--dut hangu` and `--bug name` choose bugs, `--first 6` begins with the sixth seed of each.
 *
 * A bug must be judged, found or not, and must not break what judges it: a run that ends by an exception, goes on for ever
 * or is killed by a limit is shown with the line that repeats it. Hours for all of it; `--part 2/4` is the second quarter
 * of the bugs. Exit code 1 when something is shown.
 */

import { parseArgs } from 'node:util';
import { derivedSeed } from '../../regress/seeds.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { DescriptorOutput } from '../cli/syncOutput.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { NIC_CATALOG } from '../../dut-model/nicCatalog.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { problemsOf, specOf } from '../run/playCommand.ts';
import { runOne } from '../run/runOne.ts';
import { EXIT, type RunResult } from '../run/runSpec.ts';

const TESTS = ['test_random', 'test_random_verbs'];
/** Wall-clock time of one run (ms). */
const LIMIT_MS = 120_000;

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '1' },
    dut: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    bug: { type: 'string', default: '' },
  },
});

/** What has come of the runs so far. */
class Sweep {
  runs = 0;
  failed = 0;
  readonly broken: string[] = [];
  readonly #registry: Registry;
  readonly #bytes = ByteStore.create();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** @returns what is to be shown of the run; undefined when it was judged */
  play(words: readonly string[]): string | undefined {
    const command = loadCommand(parseTestCommand(words), process.cwd());
    // What a kind of NIC cannot play says nothing about its bugs.
    if (problemsOf(command, this.#registry).length > 0) return undefined;
    this.runs++;
    const end = performance.now() + LIMIT_MS;
    const heartbeat = (): string | undefined => (performance.now() < end ? undefined : NO_END);
    const breakOff = { afterMs: LIMIT_MS + 1000, reason: NO_END };
    const result = runOne(specOf(command, ''), this.#registry, { sink: () => {}, heartbeat, breakOff }, this.#bytes);
    if (result.verdict === 'failed') this.failed++;
    const broken = breakOf(result);
    if (broken === undefined) return undefined;
    this.broken.push(broken);
    return `${broken}\n  ./hca_test ${words.join(' ')}`;
  }
}

const NO_END = 'no end';
/** Ends by which a run tells that the harness was broken rather than the NIC found out. */
const BROKEN: ReadonlySet<string> = new Set(['EXCEPTION', 'SEQ_ENDLESS']);

function breakOf({ signature, endedBy, verdict, message }: RunResult): string | undefined {
  for (const end of [signature, endedBy]) {
    if (end !== null && (BROKEN.has(end.id) || end.message.startsWith(NO_END))) return `[${end.id}] ${end.message}`;
  }
  return verdict === 'error' ? message : undefined;
}

function wordsOf({ name: nic }: NicEntry, { name: bug }: FaultEntry, test: string, n: number): readonly string[] {
  const seed = derivedSeed(Number(options.seed), bug, test, n);
  return [`+UVM_TESTNAME=${test}`, `+DUT=${nic}`, `+DUT_FAULT=${bug}`, '--seed', String(seed)];
}

/** @returns the exit code */
async function main(out: DescriptorOutput): Promise<number> {
  const sweep = new Sweep(await loadRegistry());
  const [part = 1, parts = 1] = options.part.split('/').map(Number);
  const kinds = NIC_CATALOG.filter(({ name }) => options.dut === '' || options.dut === name);
  const bugs = kinds
    .flatMap((nic) => nic.faults.map((bug) => ({ nic, bug })))
    .filter((_, i) => i % parts === part - 1)
    .filter(({ bug }) => options.bug === '' || bug.name === options.bug);
  // Seed by seed, so that a sweep that is broken off has seen every bug.
  for (let n = Number(options.first) - 1; n < Number(options.seeds); n++) {
    for (const test of TESTS) {
      for (const { nic, bug } of bugs) {
        const broken = sweep.play(wordsOf(nic, bug, test, n));
        if (broken !== undefined) out.line(broken);
      }
      out.line(`${n + 1} of ${options.seeds} seeds of ${test}: ${sweep.runs} runs`);
    }
  }
  out.line(`sweep: ${sweep.runs} runs, of which ${sweep.failed} found their bug and ${sweep.broken.length} broke`);
  return sweep.broken.length === 0 ? EXIT.passed : EXIT.failed;
}

process.exitCode = await main(new DescriptorOutput(1, 0));

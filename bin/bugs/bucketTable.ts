/**
 * Plays planted bugs with several seeds each and shows into how many buckets the failures of each fall, as a regression makes
 * them: `npm run bucket-table -- [--bugs 40] [--seeds 8] [--seed 1] [--skip 0] [--bug name]`.
 *
 * One bug should be one bucket. A bug of which no seed fails is left out. Exit code 1 when fewer than nine of ten bugs have one.
 */

import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { type JobResult, NOTHING_PLAYED } from '../../regress/job.ts';
import { failureGroups } from '../../regress/report/failureGroups.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { DescriptorOutput } from '../cli/syncOutput.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { specOf } from '../run/playCommand.ts';
import { runOne } from '../run/runOne.ts';
import { EXIT } from '../run/runSpec.ts';
import { projectRoot } from '../versions.ts';
import { bugsNamed, type DrawnBug, drawnBugs } from './drawnBugs.ts';
import { ownStimulus } from './ownStimulus.ts';

const { values: options } = parseArgs({
  options: {
    bugs: { type: 'string', default: '40' },
    skip: { type: 'string', default: '0' },
    seeds: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
    bug: { type: 'string', default: '' },
  },
});

/** Share of bugs of which one bucket is expected. */
const ENOUGH = 0.9;
/** Wall-clock limit of a run (ms). */
const LIMIT_MS = 60_000;
/** A run that goes on from error to error tells nothing new; as in random tests. */
const QUIT_COUNT = '+UVM_MAX_QUIT_COUNT=200';

/** Plays runs in this process, one after the other. */
class Player {
  readonly #registry: Registry;
  readonly #bytes = ByteStore.create();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  play({ nic, bug }: DrawnBug, id: string, argv: readonly string[]): JobResult {
    const words = [QUIT_COUNT, ...argv, `+DUT=${nic.name}`, `+DUT_FAULT=${bug.name}`];
    const root = fileURLToPath(projectRoot());
    const command = loadCommand(parseTestCommand(words, {}, root), root);
    const end = performance.now() + LIMIT_MS;
    const heartbeat = (): string | undefined => (performance.now() < end ? undefined : 'longer than the limit');
    const result = runOne(specOf(command, ''), this.#registry, { sink: () => {}, heartbeat }, this.#bytes);
    const { verdict, signature, message, errorIds = [], simulatedTimePs, findings: found } = result;
    const findings = found && { ...found, dut: nic.name, plusargs: command.plusargs.map(({ text }) => text) };
    const of = { id, family: bug.name, title: '', test: '', seed: 0, attempts: 1, wallMs: 0, replay: '', worker: 0 };
    return { ...NOTHING_PLAYED, ...of, status: verdict, signature, message, errorIds, simulatedTimePs, findings };
  }
}

/** @returns the number of buckets; 0 where no run has failed */
function row(drawn: DrawnBug, player: Player, out: DescriptorOutput): number {
  const { runs } = ownStimulus(drawn.nic, drawn.bug, Number(options.seeds));
  const failed = runs
    .map(({ id, argv }) => player.play(drawn, id, argv))
    .filter(({ status }) => status === 'failed' || status === 'vacuous');
  const buckets = failureGroups(failed);
  const texts = buckets.map(({ id, count, text }) => `${id} (${count})${buckets.length === 1 ? '' : ` ${text}`}`);
  out.line(`| \`${drawn.bug.name}\` | ${failed.length} of ${runs.length} | ${buckets.length} | ${texts.join('; ')} |`);
  return buckets.length;
}

/** @returns the exit code */
async function main(out: DescriptorOutput): Promise<number> {
  const player = new Player(await loadRegistry());
  const { bug, bugs, skip, seed } = options;
  const drawn = bug === '' ? drawnBugs(Number(seed), 'bucket table').slice(Number(skip), Number(bugs)) : bugsNamed(bug);
  out.line('| planted bug | runs that fail | buckets | by |');
  out.line('|---|---|---:|---|');
  const counts: number[] = [];
  for (const each of drawn) {
    counts.push(row(each, player, out));
    out.flush();
  }
  const failing = counts.filter((count) => count > 0).length;
  const one = counts.filter((count) => count === 1).length;
  out.line(`one bucket: ${one} of ${failing} bugs`);
  return one >= ENOUGH * failing ? EXIT.passed : EXIT.failed;
}

process.exitCode = await main(new DescriptorOutput(1, 0));

/**
 * Shrinks the first failure of planted bugs that are drawn at random and shows how far that goes:
 * `npm run shrink-table -- [--bugs 30] [--seed 1] [--seconds 120] [--runs 1500] [--skip 0]`; the draw is the same for any
 * number of bugs, so that `--bugs 4 --skip 2` shows two rows of the table.
 *
 * Each bug is played with the stimulus of its entry, seeds 1 and up until it is found. A row says how many calls and
 * requests the failing run had and how many are left, what that took, whether what is left is 1-minimal, and what says that it is
 * legal. 1-minimal: shrinking has come to its end; with `--proof` each part was then taken out once more by itself, and none of
 * them could be spared. Exit code 1 when fewer than nine of ten are.
 */

import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';
import { callText } from '../../config/scenario/calls/callText.ts';
import { DescriptorOutput } from '../cli/syncOutput.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { NIC_CATALOG } from '../../dut-model/nicCatalog.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { bugStimulus } from '../nicEntry.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { specOf } from '../run/playCommand.ts';
import { EXIT } from '../run/runSpec.ts';
import { ShrinkError, shrinkFailure } from '../shrink/shrinkFailure.ts';
import { projectRoot } from '../versions.ts';

const { values: options } = parseArgs({
  options: {
    bugs: { type: 'string', default: '30' },
    skip: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    runs: { type: 'string', default: '1500' },
    bug: { type: 'string', default: '' },
    show: { type: 'boolean', default: false },
    proof: { type: 'boolean', default: false },
  },
});

/** Seeds that are tried to find a bug. */
const MOST_SEEDS = 3;
/** Of ten. */
const ENOUGH = 0.9;
/** Found by a random test in much traffic, and drawn with the others. */
const ALWAYS = {
  bug: 'refusal_keeps_recvs',
  words: ['+UVM_TESTNAME=test_random_verbs', '+DRAW_FAULTS=0', '+DRAW_WIDE=0', '--seed', '1074777482'],
} as const;

interface Planted {
  readonly nic: NicEntry;
  readonly bug: FaultEntry;
  readonly words: readonly string[] | undefined;
}

function drawn(): Planted[] {
  const all = NIC_CATALOG.flatMap((nic) => nic.faults.map((bug): Planted => ({ nic, bug, words: undefined })));
  if (options.bug !== '') return all.filter(({ bug }) => bug.name === options.bug);
  const random = new RandomStreams(Number(options.seed), 'shrink table').stream('bugs', 'draw');
  random.shuffle(all);
  // What nothing finds cannot be shrunk.
  const found = all.filter(({ bug }) => (bug.caughtBy ?? []).length > 0);
  const first = found.filter(({ bug }) => bug.name === ALWAYS.bug).map((each) => ({ ...each, words: ALWAYS.words }));
  const order = [...first, ...found.filter(({ bug }) => bug.name !== ALWAYS.bug)];
  return order.slice(Number(options.skip), Number(options.bugs));
}

/** @returns whether what is left is 1-minimal */
async function row({ nic, bug, words }: Planted, registry: Registry, out: DescriptorOutput): Promise<boolean> {
  const name = `${bug.name.padEnd(34)}`;
  let why = '';
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const root = fileURLToPath(projectRoot());
    const line = [
      ...(words ?? [...bugStimulus(nic, bug), '--seed', String(seed)]),
      `+DUT=${nic.name}`,
      `+DUT_FAULT=${bug.name}`,
    ];
    const command = loadCommand(parseTestCommand(line, {}, root), root);
    try {
      const budget = { runs: Number(options.runs), seconds: Number(options.seconds) };
      const began = process.cpuUsage();
      const found = await shrinkFailure({ spec: specOf(command, ''), registry, budget, proof: options.proof });
      const { user, system } = process.cpuUsage(began);
      const { before, after, runs, ended, signature, reference } = found;
      const sizes = `${before.calls} ${before.requests} -> ${after.calls} ${after.requests}`.padEnd(24);
      const isMinimal = ended === '' && found.spare.length === 0;
      const end = ended === '' ? `can spare ${found.spare.join(', ')}` : `ended ${ended}`;
      const minimal = isMinimal ? 'yes' : `no, ${end}`;
      out.line(
        `| ${name} | ${signature.split(' ')[0]} | ${sizes} | ${runs} | ${((user + system) / 1e6).toFixed(1)} | ${minimal} | ${reference} |`,
      );
      if (options.show) out.line(callText(found.scenario));
      return isMinimal;
    } catch (error) {
      if (!(error instanceof ShrinkError)) throw error;
      why = error.message;
    }
  }
  out.line(`| ${name} | - | ${why.slice(0, 160)} | | | no | |`);
  return false;
}

/** @returns the exit code */
async function main(out: DescriptorOutput): Promise<number> {
  const registry = await loadRegistry();
  const bugs = drawn();
  out.line(
    '| planted bug | found by | calls, requests: before -> after | runs | processor seconds | 1-minimal | legal |',
  );
  out.line('|---|---|---|---:|---:|---|---|');
  let minimal = 0;
  for (const planted of bugs) {
    if (await row(planted, registry, out)) minimal++;
    out.flush();
  }
  out.line(`${minimal} of ${bugs.length} are 1-minimal`);
  return minimal >= ENOUGH * bugs.length ? EXIT.passed : EXIT.failed;
}

process.exitCode = await main(new DescriptorOutput(1, 0));

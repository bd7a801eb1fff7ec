/**
 * Shrinks the first failure of planted bugs that are drawn at random and shows how far that goes:
 * `npm run shrink-table -- [--bugs 30] [--seed 1] [--processor-seconds 30] [--runs 2000] [--skip 0]`; the draw is the same for
 * any number of bugs, so that `--bugs 4 --skip 2` shows two rows of the table.
 *
 * Each bug is played with the stimulus of its entry, seeds 1 and up until it is found. A row says how many calls and
 * requests the failing run had and how many are left, what that took, whether what is left passes on the same NIC without the
 * bug, and whether shrinking has come to its end. With `--proof` each part is then taken out once more by itself, and a result is
 * 1-minimal where none of them could be spared. Exit code 1 when a result fails on the healthy NIC, or when more than one of ten
 * bugs have more than three requests left.
 */

import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { callText } from '../../config/scenario/calls/callText.ts';
import { DescriptorOutput } from '../cli/syncOutput.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { loadRegistry, type Registry } from '../registry.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { specOf } from '../run/playCommand.ts';
import { EXIT, type RunSpec } from '../run/runSpec.ts';
import { ownPlusargs, ShrinkError, shrinkFailure, type ShrinkResult } from '../shrink/shrinkFailure.ts';
import { Trials } from '../shrink/trial.ts';
import { projectRoot } from '../versions.ts';
import { bugsNamed, type DrawnBug, drawnBugs } from './drawnBugs.ts';
import { ownStimulus } from './ownStimulus.ts';

const { values: options } = parseArgs({
  options: {
    bugs: { type: 'string', default: '30' },
    skip: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    'processor-seconds': { type: 'string', default: '30' },
    runs: { type: 'string', default: '2000' },
    bug: { type: 'string', default: '' },
    show: { type: 'boolean', default: false },
    proof: { type: 'boolean', default: false },
  },
});

/** Seeds that are tried to find a bug. */
const MOST_SEEDS = 3;
/** A scenario with no more requests, posted receives among them, is read at a glance. */
const FEW_REQUESTS = 3;
/** Share of bugs of which a result with few requests is expected. */
const ENOUGH = 0.9;
/** Wall-clock limit of one play on the healthy NIC (ms). */
const HEALTHY_LIMIT_MS = 120_000;
/** Found by a random test in much traffic, and drawn with the others. */
const ALWAYS = {
  bug: 'refusal_keeps_recvs',
  words: ['+UVM_TESTNAME=test_random_verbs', '+DRAW_FAULTS=0', '+DRAW_WIDE=0', '--seed', '1074777482'],
} as const;

interface Planted extends DrawnBug {
  /** Command lines that are tried one after the other until one fails. */
  readonly lines: readonly (readonly string[])[];
}

/** What has come of one bug; of one that cannot be shrunk only why. */
interface Row {
  readonly name: string;
  readonly why: string;
  readonly found?: ShrinkResult;
  readonly seconds?: number;
  readonly isHealthy?: boolean;
}

function drawn(): Planted[] {
  const planted = ({ nic, bug }: DrawnBug): Planted => {
    const lines = ownStimulus(nic, bug, MOST_SEEDS).runs.map(({ argv }) => argv);
    return { nic, bug, lines: bug.name === ALWAYS.bug ? [ALWAYS.words] : lines };
  };
  if (options.bug !== '') return bugsNamed(options.bug).map(planted);
  const isAlways = ({ bug }: DrawnBug): boolean => bug.name === ALWAYS.bug;
  const found = drawnBugs(Number(options.seed), 'shrink table');
  const order = [...found.filter(isAlways), ...found.filter((each) => !isAlways(each))];
  return order.slice(Number(options.skip), Number(options.bugs)).map(planted);
}

/** Processor seconds of this process. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Shrinks the first of the runs of a bug that fails. */
async function rowOf({ nic, bug, lines }: Planted, registry: Registry): Promise<Row> {
  const root = fileURLToPath(projectRoot());
  let why = '';
  for (const line of lines) {
    const words = [...line, `+DUT=${nic.name}`, `+DUT_FAULT=${bug.name}`];
    const spec = specOf(loadCommand(parseTestCommand(words, {}, root), root), '');
    const began = processorSeconds();
    const limit = Number(options['processor-seconds']);
    const stop = (): Promise<string | undefined> =>
      Promise.resolve(processorSeconds() - began < limit ? undefined : `after ${limit} s of processor time`);
    const budget = { runs: Number(options.runs), seconds: Number.POSITIVE_INFINITY };
    try {
      const found = await shrinkFailure({ spec, registry, budget, stop, proof: options.proof });
      const seconds = processorSeconds() - began;
      return { name: bug.name, why: '', found, seconds, isHealthy: isHealthy(found, spec, registry) };
    } catch (error) {
      if (!(error instanceof ShrinkError)) throw error;
      why = error.message;
    }
  }
  return { name: bug.name, why };
}

/** Whether a shrunk scenario passes where the bug is not planted, whatever its shrinking has asked. */
function isHealthy({ scenario }: ShrinkResult, { plusargs }: RunSpec, registry: Registry): boolean {
  const healthy = ownPlusargs(plusargs).filter((arg) => !arg.startsWith('+DUT_FAULT='));
  const { verdict } = new Trials({ registry, plusargs: healthy, limitMs: HEALTHY_LIMIT_MS }).play(scenario).result;
  return verdict === 'passed' || verdict === 'vacuous';
}

function hasFewRequests({ found }: Row): boolean {
  return found !== undefined && found.after.requests <= FEW_REQUESTS;
}

function lineOf({ name, why, found, seconds = 0, isHealthy }: Row): string {
  if (found === undefined) return `| \`${name}\` | - | ${why.slice(0, 160)} | | | | |`;
  const { before, after, runs, signature } = found;
  const check = (signature.split(']')[0] as string).slice(1);
  const sizes = `${before.calls}, ${before.requests} → ${after.calls}, ${after.requests}`;
  const healthy = isHealthy === true ? 'passes' : 'fails';
  return `| \`${name}\` | \`${check}\` | ${sizes} | ${runs} | ${seconds.toFixed(1)} | ${healthy} | ${endOf(found)} |`;
}

/** How shrinking has ended, in words. */
function endOf({ ended, spare }: ShrinkResult): string {
  if (ended !== '') return `ended ${ended}`;
  if (spare.length > 0) return `can spare ${spare.join(', ')}`;
  return options.proof ? '1-minimal' : 'yes';
}

/** Sums behind the table. */
function sumLines(rows: readonly Row[]): string[] {
  const shrunk = rows.filter(({ found }) => found !== undefined);
  const count = (of: (row: Row) => boolean): string => `${rows.filter(of).length} of ${rows.length}`;
  const times = shrunk.map(({ seconds = 0 }) => seconds).sort((a, b) => a - b);
  const median = times[times.length >> 1] ?? 0;
  return [
    `pass on the healthy NIC: ${shrunk.filter(({ isHealthy }) => isHealthy).length} of ${shrunk.length} that were shrunk`,
    `at most ${FEW_REQUESTS} requests: ${count(hasFewRequests)}`,
    `shrunk to the end: ${count(({ found }) => found?.ended === '')}`,
    `processor seconds: median ${median.toFixed(1)}, all ${times.reduce((sum, time) => sum + time, 0).toFixed(0)}`,
  ];
}

/** @returns the exit code */
async function main(out: DescriptorOutput): Promise<number> {
  const registry = await loadRegistry();
  out.line('| planted bug | found by | calls, requests | runs | seconds | healthy NIC | to the end |');
  out.line('|---|---|---|---:|---:|---|---|');
  const rows: Row[] = [];
  for (const planted of drawn()) {
    const row = await rowOf(planted, registry);
    rows.push(row);
    out.line(lineOf(row));
    if (options.show && row.found !== undefined) out.line(callText(row.found.scenario));
    out.flush();
  }
  for (const line of sumLines(rows)) out.line(line);
  const isLegal = rows.every(({ isHealthy }) => isHealthy !== false);
  return isLegal && rows.filter(hasFewRequests).length >= ENOUGH * rows.length ? EXIT.passed : EXIT.failed;
}

process.exitCode = await main(new DescriptorOutput(1, 0));

/** Turns the command line of `hca_perf` into what is measured. Flags are those of perftest, each where perftest has it. */

import { type FlagValues, readFlags } from '../cli/readFlags.ts';
import { availableParallelism } from 'node:os';
import { MOST_PERF_BYTES, PERF_TESTS, type PerfTest } from '../../config/table/perfParameters.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { wholeOf } from '../cli/flagValues.ts';
import { commandLineTokens } from '../cli/token.ts';
import { PERF_FLAGS, type PerfFlag, VALID_FOR } from './perfFlags.ts';

type Service = 'RC' | 'UC' | 'UD';

/** What is to be measured. */
export interface PerfCommand {
  readonly help: boolean;
  readonly test: PerfTest;
  readonly service: Service;
  /** Bytes of a message, one table row each. */
  readonly sizes: readonly number[];
  /** Messages of each queue pair; 0 = by length. */
  readonly iterations: number;
  readonly queuePairs: number;
  readonly mtu: number;
  readonly txDepth: number;
  readonly rxDepth: number;
  readonly inline: number;
  readonly bidirectional: boolean;
  readonly atomic: 'FETCH_AND_ADD' | 'CMP_AND_SWAP';
  readonly gbits: boolean;
  readonly warmUp: boolean;
  readonly seed: string;
  /** Kinds of NIC: the one that is measured first, then the one that it is held against. */
  readonly kinds: readonly string[];
  readonly jobs: string;
  readonly out: string | undefined;
  readonly csv: string | undefined;
  readonly json: string | undefined;
  readonly svg: string | undefined;
  /** Given to every run. */
  readonly plusargs: readonly string[];
  readonly problems: readonly string[];
}

const MTUS = [256, 512, 1024, 2048, 4096];
const DEFAULT_MTU = 1024;
const DEFAULT_BW_BYTES = 65_536;
const DEFAULT_LAT_BYTES = 2;
const LEAST_ITERATIONS = 5;
const MOST_ITERATIONS = 1_000_000;
const MOST_QUEUE_PAIRS = 16_384;
const MOST_TX = 15_000;
const MOST_RX = 16_384;
const MOST_INLINE = 188;
const ALL_FROM = 2;

/** @param argv words behind the program's name */
export function parsePerfCommand(argv: readonly string[]): PerfCommand {
  const checked = readFlags(commandLineTokens(argv), PERF_FLAGS);
  const { flags } = checked;
  const problems = [...checked.problems];
  const words = checked.positionals.map(({ text }) => text);
  const plusargs = words.filter((word) => word.startsWith('+'));
  const named = words.filter((word) => !word.startsWith('+'));
  const help = flags['help'] === true;
  const test = testOf(named, help, problems);
  problems.push(...invalidFlags(test, flags));
  const service = serviceOf(flags, test, problems);
  const whole = (name: PerfFlag, least: number, most: number, fallback: number): number =>
    wholeOf(name, flags[name] as string | undefined, { least, most }, fallback, problems);
  const mtu = whole('mtu', 256, 4096, DEFAULT_MTU);
  if (!MTUS.includes(mtu)) problems.push(`--mtu ${mtu} (command line): allowed: ${MTUS.join(', ')}`);
  const text = (name: PerfFlag): string | undefined => flags[name] as string | undefined;
  const own = plusargs.find((word) => word.startsWith(DUT))?.slice(DUT.length) ?? 'hangu';
  const against = text('against');
  return {
    help,
    test,
    service,
    sizes: sizesOf(flags, { test, service, mtu }, problems),
    iterations: whole('iters', LEAST_ITERATIONS, MOST_ITERATIONS, 0),
    queuePairs: whole('qp', 1, MOST_QUEUE_PAIRS, 1),
    mtu,
    txDepth: whole('tx-depth', 1, MOST_TX, 128),
    rxDepth: whole('rx-depth', 1, MOST_RX, 512),
    inline: whole('inline_size', 0, MOST_INLINE, 0),
    bidirectional: flags['bidirectional'] === true,
    atomic: atomicOf(flags, problems),
    gbits: flags['report_gbits'] === true,
    warmUp: flags['perform_warm_up'] === true,
    seed: text('seed') ?? '1',
    kinds: against === undefined ? [own] : [own, against],
    jobs: text('jobs') ?? String(availableParallelism()),
    out: text('out'),
    csv: text('csv'),
    json: text('json'),
    svg: text('svg'),
    plusargs: plusargs.filter((word) => !word.startsWith(DUT)),
    problems,
  };
}

const DUT = '+DUT=';

function testOf(words: readonly string[], unneeded: boolean, problems: string[]): PerfTest {
  const [name, ...rest] = words;
  for (const word of rest) problems.push(`${word} (command line): stands alone; one measurement at a time`);
  const bare = name?.replace(/^ib_/, '');
  const found = PERF_TESTS.find((test) => test === bare);
  if (found !== undefined || unneeded) return found ?? 'send_bw';
  const all = PERF_TESTS.join(', ');
  if (name === undefined) problems.push(`needs what to measure: ${all}`);
  else problems.push(`${name} (command line): no measurement${didYouMean(name, PERF_TESTS)}; there are ${all}`);
  return 'send_bw';
}

/** Flags that perftest does not have for this measurement. */
function invalidFlags(test: PerfTest, flags: FlagValues): string[] {
  const given = (Object.keys(VALID_FOR) as PerfFlag[]).filter((name) => flags[name] !== undefined);
  return given
    .filter((name) => VALID_FOR[name]?.includes(test) !== true)
    .map((name) => `--${name} (command line): not for ${test}; it is for ${VALID_FOR[name]?.join(', ')}`);
}

/** Services that perftest measures a verb on. */
function serviceOf(flags: FlagValues, test: PerfTest, problems: string[]): Service {
  const allowed = SERVICES[test.split('_')[0] as keyof typeof SERVICES];
  const given = (flags['connection'] as string | undefined)?.toUpperCase() ?? 'RC';
  const found = allowed.find((service) => service === given);
  if (found === undefined) problems.push(`--connection ${given} (command line): ${test} is on ${allowed.join(', ')}`);
  return found ?? 'RC';
}

const SERVICES: Readonly<Record<'send' | 'write' | 'read' | 'atomic', readonly Service[]>> = {
  send: ['RC', 'UC', 'UD'],
  write: ['RC', 'UC'],
  read: ['RC'],
  atomic: ['RC'],
};

interface SizeRules {
  readonly test: PerfTest;
  readonly service: Service;
  readonly mtu: number;
}

function sizesOf(flags: FlagValues, { test, service, mtu }: SizeRules, problems: string[]): number[] {
  if (test.startsWith('atomic')) return [8];
  const most = service === 'UD' ? mtu : MOST_PERF_BYTES;
  if (flags['all'] === true) {
    if (flags['size'] !== undefined) problems.push('--all (command line): has all sizes; leave --size out');
    const sizes: number[] = [];
    for (let size = ALL_FROM; size <= most; size *= 2) sizes.push(size);
    return sizes;
  }
  const usual = test.endsWith('_bw') ? Math.min(most, DEFAULT_BW_BYTES) : DEFAULT_LAT_BYTES;
  return [wholeOf('size', flags['size'] as string | undefined, { least: 1, most }, usual, problems)];
}

function atomicOf(flags: FlagValues, problems: string[]): PerfCommand['atomic'] {
  const given = (flags['atomic_type'] as string | undefined)?.toUpperCase() ?? 'FETCH_AND_ADD';
  if (given === 'FETCH_AND_ADD' || given === 'CMP_AND_SWAP') return given;
  problems.push(`--atomic_type ${given} (command line): allowed: CMP_AND_SWAP, FETCH_AND_ADD`);
  return 'FETCH_AND_ADD';
}

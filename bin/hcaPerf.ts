/**
 * `hca_perf`: measures NICs as perftest does, in simulated time.
 *
 *   flags -> one run of test_perf a size and kind, played and judged like any regression -> records -> table, CSV, JSON, SVG
 */

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PERF_TESTS } from '../config/table/perfParameters.ts';
import { writeAtomically } from '../regress/atomicFile.ts';
import { readRunRecord } from '../regress/readRunRecord.ts';
import { perfProgram } from './calledAs.ts';
import { helpText } from './cli/helpText.ts';
import { problemReport } from './cli/problemReport.ts';
import { DescriptorOutput } from './cli/syncOutput.ts';
import { main as hcaRegress, type RegressMainOptions } from './hcaRegress.ts';
import { PERF_FLAGS } from './perf/perfFlags.ts';
import { type PerfCommand, parsePerfCommand } from './perf/perfCommand.ts';
import { type PerfRow, perfRowOf } from './perf/perfRow.ts';
import { perfCsv, perfHead, perfJson, perfSvg, perfTable } from './perf/perfTexts.ts';
import { EXIT } from './run/runSpec.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** Data of a queue pair where the number of messages is not given. */
const USUAL_BYTES = 2 ** 24;
const USUAL_ITERATIONS = 1000;
const FEWEST = 8;
const EPILOGUE = [
  'Plusargs go to every run: +DUT=blue, +LINK_GBPS=200, +PCIE_GBPS=256, +NET_FAULT="drop probability=0.001", +NIC_<knob>=...',
  'Bandwidth counts messages; MB = 2^20 bytes, Gb = 10^9 bits. Latency of SEND and WRITE is half the round trip.',
  'Exit codes: 0 all runs passed, 1 a run failed, 2 usage, 3 infrastructure.',
].join('\n');

/** @param argv words behind the program's name @returns the exit code */
export async function main(argv: readonly string[], options: RegressMainOptions = {}): Promise<number> {
  const out = options.out ?? new DescriptorOutput(STANDARD_OUTPUT, 0);
  const err = options.err ?? new DescriptorOutput(STANDARD_ERROR, 0);
  const command = parsePerfCommand(argv);
  if (command.help) {
    const usage = `Usage: ${perfProgram()} <${PERF_TESTS.join(' | ')}> [flags] [+NAME=value...]`;
    out.line(await helpText(usage, PERF_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  if (command.problems.length > 0) {
    err.line(problemReport(perfProgram(), command.problems));
    return EXIT.usage;
  }
  const folder = command.out ?? join('out', `perf-${command.test}`);
  const { code, said } = await play(command, folder, options);
  if (code !== EXIT.passed && code !== EXIT.failed) {
    const mistakes = [...new Set([...said.matchAll(/^ +\S+\.sh:\d+: (.*)$/gm)].map(([, mistake]) => mistake ?? ''))];
    err.line(mistakes.length > 0 ? problemReport(perfProgram(), mistakes) : said);
    return mistakes.length > 0 ? EXIT.usage : code;
  }
  report(command, rowsOf(join(folder, 'runs'), command), out);
  if (code === EXIT.failed) out.line(`records of what failed: ${join(folder, 'runs')}`);
  return code;
}

/** Says nothing of its own unless it goes wrong. */
class Kept extends DescriptorOutput {
  text = '';

  constructor() {
    super(-1);
  }

  override line(text: string): void {
    this.text += `${text}\n`;
  }

  override flush(): void {}
}

async function play(
  command: PerfCommand,
  folder: string,
  options: RegressMainOptions,
): Promise<{ readonly code: number; readonly said: string }> {
  const script = `${folder}.sh`;
  mkdirSync(dirname(folder), { recursive: true });
  const calls = command.kinds.flatMap((kind) => command.sizes.map((size) => callFor(command, kind, size)));
  writeAtomically(script, `${calls.join('\n')}\n`);
  const said = new Kept();
  const words = ['run', script, '--keep', 'all', '--out', folder, '--jobs', command.jobs, '--quiet'];
  const code = await hcaRegress(words, { ...options, out: said, err: said });
  return { code, said: said.text.trimEnd() };
}

/** The run of one size, as it would be typed. */
export function callFor(command: PerfCommand, kind: string, size: number): string {
  const { test, service, queuePairs, mtu, txDepth, rxDepth, inline, atomic, seed } = command;
  const iterations = command.iterations > 0 ? command.iterations : usualIterations(size);
  const count = (type: string): number => (type === service ? queuePairs : 0);
  const words = [
    ['UVM_TESTNAME', 'test_perf'],
    ['DUT', kind],
    ['PERF', test],
    ['HOST_NUM', 2],
    ['PROC_NUM', 1],
    ...['RC', 'UC', 'UD'].map((type) => [`${type}_QP_NUM`, count(type)]),
    ['SEQ_COUNT', iterations],
    ['PERF_BYTES', size],
    ['MTU', mtu],
    ['PERF_TX_DEPTH', txDepth],
    ['PERF_RX_DEPTH', rxDepth],
    ['MAX_SEND_WR', Math.max(32, txDepth)],
    ['MAX_RECV_WR', Math.max(31, rxDepth)],
    ['PERF_INLINE', inline],
    ['MAX_INLINE', inline],
    ['PERF_BIDIRECTIONAL', Number(command.bidirectional)],
    ['PERF_ATOMIC', atomic],
    ['PERF_WARM_UP', command.warmUp ? Math.min(txDepth, iterations) : 0],
  ];
  const given = words.map(([name, value]) => `+${name}=${value}`);
  return ['./hca_test', ...command.plusargs.map(quoted), ...given, '--seed', seed].join(' ');
}

function usualIterations(size: number): number {
  return Math.max(FEWEST, Math.min(USUAL_ITERATIONS, Math.floor(USUAL_BYTES / size)));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function rowsOf(runs: string, { kinds }: PerfCommand): PerfRow[] {
  if (!existsSync(runs)) return [];
  const paths = readdirSync(runs).map((name) => join(runs, name, 'run.json'));
  const rows = paths.filter((path) => existsSync(path)).map((path) => perfRowOf(readRunRecord(path)));
  return rows.toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.bytes - b.bytes);
}

function report(command: PerfCommand, rows: readonly PerfRow[], out: DescriptorOutput): void {
  for (const kind of command.kinds) {
    for (const line of perfHead(command, kind)) out.line(line);
    const own = rows.filter((row) => row.kind === kind);
    for (const line of perfTable(own, command.gbits)) out.line(line);
  }
  if (command.csv !== undefined) writeAtomically(command.csv, perfCsv(rows));
  if (command.json !== undefined) writeAtomically(command.json, perfJson(command, rows));
  if (command.svg !== undefined) writeAtomically(command.svg, perfSvg(command, rows));
}

/**
 * `hca_perf`: measures NICs as perftest does, in simulated time.
 *
 *   flags -> one run of test_perf a size and kind, played and judged like any regression -> records -> table, CSV, JSON, SVG
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PERF_TESTS } from '../config/table/perfParameters.ts';
import { writeAtomically } from '../regress/atomicFile.ts';
import { readRunRecord } from '../regress/readRunRecord.ts';
import { perfProgram } from './calledAs.ts';
import { helpText } from './cli/helpText.ts';
import { problemReport } from './cli/problemReport.ts';
import { DescriptorOutput } from './cli/syncOutput.ts';
import type { RegressMainOptions } from './otherCommands.ts';
import { PERF_FLAGS } from './perf/perfFlags.ts';
import { type PerfCommand, parsePerfCommand } from './perf/perfCommand.ts';
import { type PerfRow, perfRowOf } from './perf/perfRow.ts';
import { playPerf, recordsIn } from './perf/perfRuns.ts';
import { perfCsv, perfHead, perfJson, perfSvg, perfTable } from './perf/perfTexts.ts';
import { Registries } from './registries.ts';
import { loadRegistry } from './registry.ts';
import { fileProblems, folderProblems } from './run/outputPaths.ts';
import { EXIT } from './run/runSpec.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
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
  const folder = command.out ?? join('out', `perf-${command.test}`);
  const own = [...command.problems, ...unwritable(command, folder)];
  if (own.length > 0) {
    err.line(problemReport(perfProgram(), own));
    return EXIT.usage;
  }
  const registry = options.registry ?? (await loadRegistry());
  const registries = new Registries(registry, (line) => err.line(`rnic-verify: ${line}`));
  const { code, problems, said } = await playPerf(command, folder, registries, options, argv);
  if (problems.length > 0) err.line(problemReport(perfProgram(), problems));
  else if (code !== EXIT.passed && code !== EXIT.failed) err.line(said);
  else {
    const records = recordsIn(folder);
    report(command, rowsOf(records, command), out);
    if (code === EXIT.failed) out.line(`records of what failed: ${records}`);
  }
  return code;
}

/** What is written when the runs are over is looked at before they begin. */
function unwritable({ csv, json, svg }: PerfCommand, folder: string): readonly string[] {
  const files = [
    ['--csv', csv],
    ['--json', json],
    ['--svg', svg],
  ] as const;
  return [...folderProblems(folder), ...files.flatMap(([flag, path]) => fileProblems(flag, path))];
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

/**
 * Measures the performance goals: `npm run bench`. docs/benchmarks.md says how, and how to read the table.
 *
 * Every figure is a ratio to a reference that is timed in turn with it in the same run, because only those hold on
 * another machine and beside other work.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../bin/run/runSpec.ts';
import { runChild } from './children.ts';
import type { BenchContext, GoalRow } from './goal.ts';
import { GOALS } from './goals.ts';
import { type BenchOptions, DEFAULT_ROUNDS, parseOptions, USAGE } from './options.ts';
import { resultJson, resultLine, resultTable } from './report.ts';

const FAST = 0.2;

/** @returns the exit code */
async function main(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return EXIT.passed;
  }
  const options = parseOptions(
    argv,
    GOALS.map((goal) => goal.number),
  );
  if (typeof options === 'string') {
    process.stderr.write(`bench: ${options}\n${USAGE}\n`);
    return EXIT.usage;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'rnic-verify-bench-'));
  try {
    return await measure(options, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function measure(options: BenchOptions, scratch: string): Promise<number> {
  const context: BenchContext = { rounds: options.rounds, scale: options.fast ? FAST : 1, scratch, say };
  const rows: GoalRow[] = [];
  let broken = false;
  for (const goal of GOALS.filter(({ number }) => options.goals.includes(number))) {
    say(`goal ${goal.number}: ${goal.title}`);
    try {
      const measured = await goal.measure(context);
      rows.push(...measured);
      // A long measurement that is stopped has said what it knows.
      for (const row of measured) say(resultLine(row));
      if (options.json) for (const row of measured) process.stdout.write(`${resultJson(row)}\n`);
    } catch (error) {
      broken = true;
      say(`goal ${goal.number} could not be measured: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (!options.json) process.stdout.write(`${resultTable(rows)}\n${conditions(options)}\n`);
  if (broken) return EXIT.infrastructure;
  return rows.some((row) => row.pass === false) ? EXIT.gate : EXIT.passed;
}

/** What a reader has to know about the run to believe its figures. */
function conditions(options: BenchOptions): string {
  const processors = cpus();
  const load = (loadavg()[0] as number).toFixed(1);
  const machine = `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown processor'}, load ${load}`;
  const rough =
    options.fast || options.rounds < DEFAULT_ROUNDS ? '; too little work or too few rounds for a verdict' : '';
  return `${options.rounds} rounds, Node ${process.version}, ${machine}${rough}`;
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

const [first, name = '', json = ''] = process.argv.slice(2);
if (first === '--child') await runChild(name, json);
else process.exitCode = await main(process.argv.slice(2));

/** `hca_regress loss`: the shipped list of runs under loss, and the table of what they measured. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../../regress/atomicFile.ts';
import { readRunRecord } from '../../regress/readRunRecord.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { readSweepCommand } from '../cli/commands/sweepCommand.ts';
import type { Outputs } from '../many/playRegression.ts';
import { EXIT } from '../run/runSpec.ts';
import { type LossRow, lossRowOf, sorted } from './lossRow.ts';
import { lossCsv, lossTable } from './lossTexts.ts';

const LOSS_FLAGS = {
  long: { group: 'What to run:', type: 'boolean', describe: 'Also 0.01 % of loss, with as many packets as that takes' },
  seed: {
    group: 'What to run:',
    type: 'string',
    value: 'seed',
    describe: 'Seed from which those of the runs are derived',
  },
  reseed: { group: 'What to run:', type: 'string', value: 'n', alias: 'r', describe: 'Seeds of each run (default 1)' },
  jobs: {
    group: 'How:',
    type: 'string',
    value: 'n',
    alias: 'j',
    describe: 'Worker processes (default: one per processor)',
  },
  out: {
    group: 'Output:',
    type: 'string',
    value: 'folder',
    describe: 'Folder for records and loss.csv (default out/loss)',
  },
  csv: {
    group: 'Output:',
    type: 'string',
    value: 'file',
    describe: 'File for the CSV (default loss.csv in the folder)',
  },
  help: { group: 'Output:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

/** Flags that the regression takes as they are. */
const PASSED_ON = ['seed', 'reseed', 'jobs'] as const;
/** Runs of the list that take long. */
const LONG = 'long/';
const EPILOGUE =
  'Each cell of the table has the goodput in Gb/s and the median time from a lost packet to its acknowledgement. See docs/faults.md.';

/** @param argv words behind `loss` @param regress plays a regression @returns the exit code */
export async function lossSweep(
  argv: readonly string[],
  regress: (argv: readonly string[]) => Promise<number>,
  outputs: Outputs,
): Promise<number> {
  const command = await readSweepCommand({ name: 'loss', table: LOSS_FLAGS, epilogue: EPILOGUE }, argv, outputs);
  if (typeof command === 'number') return command;
  const { flags, plusargs } = command;
  const folder = (flags['out'] as string | undefined) ?? join('out', 'loss');
  const passedOn = PASSED_ON.flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, String(flags[name])]));
  const chosen = flags['long'] === true ? [] : ['--exclude', LONG];
  const words = ['run', 'loss', '--keep', 'all', '--out', folder, ...chosen, ...passedOn, ...plusargs];
  const code = await regress(words);
  if (code === EXIT.usage || code > EXIT.gate) return code;
  const rows = sorted(rowsOf(join(folder, 'runs')));
  const csv = (flags['csv'] as string | undefined) ?? join(folder, 'loss.csv');
  writeAtomically(csv, lossCsv(rows));
  for (const line of lossTable(rows)) outputs.out.line(line);
  outputs.out.line(`each run in ${csv}`);
  return code;
}

function rowsOf(runs: string): LossRow[] {
  if (!existsSync(runs)) return [];
  const paths = readdirSync(runs).map((name) => join(runs, name, 'run.json'));
  return paths.filter((path) => existsSync(path)).map((path) => lossRowOf(readRunRecord(path)));
}

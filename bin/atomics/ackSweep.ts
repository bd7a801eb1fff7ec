/** `hca_regress atomics`: what repeats of atomics cost by depth and groups of the ACK queue, as table, CSV and drawing. */

import { join } from 'node:path';
import { writeAtomically } from '../../regress/atomicFile.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { DescriptorOutput } from '../cli/syncOutput.ts';
import { readSweepCommand } from '../cli/commands/sweepCommand.ts';
import { main as runTest } from '../hcaTest.ts';
import type { Outputs } from '../many/playRegression.ts';
import { EXIT } from '../run/runSpec.ts';
import { type AckRow, ackRowOf } from './ackRow.ts';
import { ackCsv, ackPlot, ackTable } from './ackTexts.ts';

const ACK_FLAGS = {
  out: {
    group: 'Output:',
    type: 'string',
    value: 'folder',
    describe: 'Folder for records, ack_queue.csv and .svg (default out/atomics)',
  },
  help: { group: 'Output:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const DEPTHS = [16, 32, 64, 128, 256, 512, 1024] as const;
/** The last one is without groups, whatever the depth. */
const GROUPS = [16, 64, 1024] as const;
const EPILOGUE =
  'Each cell has the bytes and reads of host memory and the latency of a repeat, means and the worst. See docs/atomics.md.';

/** What a run says, kept. */
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

/** @param argv words behind `atomics` @returns the exit code */
export async function ackSweep(argv: readonly string[], outputs: Outputs): Promise<number> {
  const command = await readSweepCommand({ name: 'atomics', table: ACK_FLAGS, epilogue: EPILOGUE }, argv, outputs);
  if (typeof command === 'number') return command;
  const { flags, plusargs } = command;
  const folder = (flags['out'] as string | undefined) ?? join('out', 'atomics');
  const rows: AckRow[] = [];
  for (const group of GROUPS) {
    for (const depth of DEPTHS) {
      // Groups that are as large as the queue are none.
      if (group < Math.max(...GROUPS) && group > depth) continue;
      rows.push(await measure(depth, group, folder, plusargs));
    }
  }
  writeAtomically(join(folder, 'ack_queue.csv'), ackCsv(rows));
  writeAtomically(join(folder, 'ack_queue.svg'), ackPlot(rows));
  for (const line of ackTable(rows)) outputs.out.line(line);
  outputs.out.line(`each row in ${join(folder, 'ack_queue.csv')}, drawn in ${join(folder, 'ack_queue.svg')}`);
  return rows.every(({ problem }) => problem === '') ? EXIT.passed : EXIT.failed;
}

async function measure(depth: number, group: number, folder: string, more: readonly string[]): Promise<AckRow> {
  const output = new Kept();
  const argv = [
    ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=ack_queue_depths', '+RC_QP_NUM=1', `+SEQ_COUNT=${depth}`],
    ...[`+NIC_AQ_DEPTH=${depth}`, `+NIC_AQ_GROUP=${group}`, '--out', join(folder, 'runs', `d${depth}-g${group}`)],
    ...more,
  ];
  await runTest(argv, { out: output, err: output, env: {} });
  return ackRowOf(depth, group, output.text);
}

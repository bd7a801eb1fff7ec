/** Repeats a recorded run and compares what crossed the ports of the DUT. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readRunRecord } from '../regress/readRunRecord.ts';
import type { RunRecord } from '../regress/runRecord.ts';
import { RunRecordError } from '../regress/runRecordError.ts';
import type { TestCommand } from './cli/testCommand.ts';

/**
 * The command that repeats a record: test, seed, plusargs and scenario from the record, outputs and additional
 * plusargs (more verbosity, a capture) from the command line. A plusarg given now comes first and so wins.
 * @throws RunRecordError when the record cannot be used
 */
export function replayCommand(path: string, command: TestCommand): { command: TestCommand; record: RunRecord } {
  const record = readRunRecord(path);
  const recorded = record.plusargs.map((text) => ({ text, where: path }));
  const file = record.scenario.kind === 'file' ? record.scenario.path : undefined;
  if (file !== undefined) requireUnchanged(path, file, record.scenario.sha256);
  const plusargs = [...command.plusargs, ...recorded];
  const replayed = { ...command, testName: record.test, seed: record.seed, plusargs, scenario: file };
  return { command: replayed, record };
}

function requireUnchanged(record: string, file: string, sha256: string): void {
  let text: Buffer;
  try {
    text = readFileSync(file);
  } catch {
    throw new RunRecordError(`${record}: the recorded run played the scenario ${file}, which cannot be read now`);
  }
  if (createHash('sha256').update(text).digest('hex') === sha256) return;
  throw new RunRecordError(`${record}: the scenario ${file} has changed since; play it with --scenario ${file}`);
}

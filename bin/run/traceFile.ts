/** `trace.json`: what happened in a run, for viewers of traces. */

import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { traceEvents, traceLine } from '../../env/trace/chromeTrace.ts';
import type { LoggedEvent } from '../../env/trace/eventLog.ts';
import { makeFolder } from '../../regress/makeFolder.ts';
import { writeFully } from '../cli/syncOutput.ts';

/** Events that are written at once. */
const BATCH = 10_000;

/** Writes the events of a run; the file is there whole or not at all. */
export function writeTrace(path: string, events: readonly LoggedEvent[]): void {
  makeFolder(dirname(path));
  const part = `${path}.${process.pid}.part`;
  const file = openSync(part, 'w');
  try {
    const lines = traceEvents(events);
    writeFully(file, '{"displayTimeUnit":"ns","traceEvents":[\n');
    for (let at = 0; at < lines.length; at += BATCH) {
      const text = lines
        .slice(at, at + BATCH)
        .map(traceLine)
        .join(',\n');
      writeFully(file, at + BATCH < lines.length ? `${text},\n` : `${text}\n`);
    }
    writeFully(file, ']}\n');
    closeSync(file);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

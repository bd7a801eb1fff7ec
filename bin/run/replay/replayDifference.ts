/** Where a replay parts from the run that it repeats, by the checkpoints of both transcripts. */

import type { RunRecord } from '../../../regress/runRecord.ts';
import type { Checkpoint } from '../../../uvm/bytes/checkpoints.ts';
import { formatTime } from '../../../uvm/kernel/time.ts';

/** As a record holds it. */
export function writtenCheckpoint({ events, time, hash }: Checkpoint): string {
  return `${events} ${time} ${hash}`;
}

/** In one line; none where the record has no checkpoints, or where the runs have none in common. */
export function whereDifferent(before: RunRecord, after: RunRecord): readonly string[] {
  const now = new Map(checkpointsOf(after).map(({ events, hash }) => [events, hash]));
  const common = checkpointsOf(before).filter(({ events }) => now.has(events));
  const first = common.find(({ events, hash }) => now.get(events) !== hash);
  const equal = common.filter(({ events }) => first === undefined || events < first.events).at(-1);
  if (equal === undefined) return first === undefined ? [] : [`they part before ${pointText(first)}`];
  const end = formatTime(Math.min(before.simulatedTimePs, after.simulatedTimePs));
  const parted = first === undefined ? `behind that, the shorter one ends at ${end}` : `before ${pointText(first)}`;
  return [`both are equal up to ${pointText(equal)}, and part ${parted}`];
}

function pointText({ events, time }: Checkpoint): string {
  return `event ${events} (${formatTime(time)})`;
}

function checkpointsOf({ transcript }: RunRecord): Checkpoint[] {
  return transcript.checkpoints.map((text) => {
    const [events, time, hash = ''] = text.split(' ');
    return { events: Number(events), time: Number(time), hash };
  });
}

/**
 * Finds queue pairs that have work and make no useful progress. Time in which the system usefully served others does
 * not count, so that a long backlog is no stall; repeated transmissions of the same data are no progress.
 */

import type { Subject } from '../../rdma/subject.ts';
import type { QueuePair } from '../model/work.ts';
import type { OracleState } from '../model/oracleState.ts';
import { isAlive, pendingOf, softwareOwes, unflushedOf, whatWaits } from '../report/pending.ts';
import { waitingTime } from '../rules/giveUps.ts';
import { SCB } from '../report/reportIds.ts';
import { standingOf } from '../model/standing.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { aMoment } from '../../rdma/subjectParts.ts';

/**
 * Reports every queue pair that has been stuck for the stall time and was not reported since it last moved: those that
 * have to send first, since the others mostly wait for them.
 * @param dead nothing is scheduled any more, so that waiting longer is of no use: the stall time counts as over
 */
export function checkLiveness(s: OracleState, dead: boolean): void {
  if (s.outstanding === 0) return;
  for (const sends of [true, false]) {
    for (const q of s.qps.all) {
      if (hasSends(q) === sends) checkQueuePair(s, q, dead);
    }
  }
}

function checkQueuePair(s: OracleState, q: QueuePair, dead: boolean): void {
  if (!hasSends(q) && !q.inbound.head.exists && !q.rq.head.exists) return;
  if (q.stuck || !(dead || isIdle(s, q, s.options.stallTime))) return;
  if (isAlive(q)) report(s, q, dead);
  reportUnflushed(s, q);
}

function hasSends(q: QueuePair): boolean {
  return q.sq.head.exists;
}

/** Why a run should be given up in which no queue pair gets on any more. */
export interface Standstill {
  /** Software could go on, and no NIC. */
  readonly software: boolean;
  /** What it must do then, `OWES` bits. */
  readonly owes: number;
  /** What each queue pair waits for. */
  readonly lines: readonly string[];
  /** The first of them. */
  readonly about: Subject;
}

/** Set when there is work and no queue pair that has some has made useful progress for `limit` (ps), or may wait longer. */
export function standstill(s: OracleState, limit: number): Standstill | null {
  if (s.outstanding === 0) return null;
  const lines: string[] = [];
  let about: Subject | undefined;
  let software = true;
  let owes = 0;
  for (const q of s.qps.all) {
    const pending = pendingOf(s, q);
    if (pending.length === 0) continue;
    if (!isIdle(s, q, limit)) return null;
    const owed = softwareOwes(s, q);
    software &&= owed !== 0;
    owes |= owed;
    lines.push(...pending);
    about ??= whatWaits(q);
  }
  return about === undefined ? null : { software, owes, lines, about };
}

/** Whether a queue pair has made no progress for `limit` (ps), and for as long as it may wait for an answer. */
function isIdle(s: OracleState, q: QueuePair, limit: number): boolean {
  const idle = idleTime(s, q);
  return idle >= limit && idle >= waitingTime(s, q);
}

/** Time (ps) since the last progress of a queue pair, less what useful work for others accounts for. */
export function idleTime(s: OracleState, q: QueuePair): number {
  const since = s.clock.now - q.progressAt;
  return since - (s.service - q.progressService);
}

function reportUnflushed(s: OracleState, q: QueuePair): void {
  const line = unflushedOf(s, q);
  if (line === undefined) return;
  q.stuck = true;
  s.reporter.error(SCB.missing, () => line, whatWaits(q));
}

function report(s: OracleState, q: QueuePair, dead: boolean): void {
  const lines = pendingOf(s, q);
  if (lines.length === 0 || softwareOwes(s, q) !== 0) return;
  q.stuck = true;
  const last = logTime(q.progressAt);
  const what = dead
    ? 'nothing can happen any more'
    : `no useful progress for ${formatTime(Math.max(s.options.stallTime, waitingTime(s, q)))}`;
  const text = (): string => `${what} (last progress at ${last}): ${lines.join('; ')}; ${standingOf(s, q)}`;
  s.reporter.error(SCB.stuck, text, [...whatWaits(q), aMoment(q.progressAt)]);
}

/**
 * Finds queue pairs that have work and make no useful progress. Time in which the system usefully served others does
 * not count, so that a long backlog is no stall; repeated transmissions of the same data are no progress.
 */

import type { OracleState } from '../model/oracleState.ts';
import { isAlive, pendingOf, softwareOwes, unflushedOf } from '../report/pending.ts';
import { waitingTime } from '../rules/giveUps.ts';
import { NONE, Q_FLAGS, Q_IN_HEAD, Q_RQ_HEAD, Q_SQ_HEAD, Q_TIMES, QF_STUCK } from '../model/qps.ts';
import { SCB } from '../report/reportIds.ts';
import { standingOf } from '../model/standing.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';

/**
 * Reports every queue pair that has been stuck for the stall time and was not reported since it last moved: those that
 * have to send first, since the others mostly wait for them.
 * @param dead nothing is scheduled any more, so that waiting longer is of no use: the stall time counts as over
 */
export function checkLiveness(s: OracleState, dead: boolean): void {
  if (s.outstanding === 0) return;
  for (const sends of [true, false]) {
    for (let i = 0; i < s.qps.count; i++) {
      const q = s.qps.at(i);
      if (hasSends(s, q) === sends) checkQueuePair(s, q, dead);
    }
  }
}

function checkQueuePair(s: OracleState, q: number, dead: boolean): void {
  const w = s.qps.words;
  if (!hasSends(s, q) && w[q + Q_IN_HEAD] === NONE && w[q + Q_RQ_HEAD] === NONE) return;
  if (((w[q + Q_FLAGS] as number) & QF_STUCK) !== 0 || !(dead || isIdle(s, q, s.options.stallTime))) return;
  if (isAlive(s, q)) report(s, q, dead);
  reportUnflushed(s, q);
}

function hasSends(s: OracleState, q: number): boolean {
  return s.qps.words[q + Q_SQ_HEAD] !== NONE;
}

/** Why a run should be given up in which no queue pair gets on any more. */
export interface Standstill {
  /** Software could go on, and no NIC. */
  readonly software: boolean;
  /** What it must do then, `OWES` bits. */
  readonly owes: number;
  /** What each queue pair waits for. */
  readonly lines: readonly string[];
}

/** Set when there is work and no queue pair that has some has made useful progress for `limit` (ps), or may wait longer. */
export function standstill(s: OracleState, limit: number): Standstill | null {
  if (s.outstanding === 0) return null;
  const lines: string[] = [];
  let software = true;
  let owes = 0;
  for (let i = 0; i < s.qps.count; i++) {
    const q = s.qps.at(i);
    const pending = pendingOf(s, q);
    if (pending.length === 0) continue;
    if (!isIdle(s, q, limit)) return null;
    const owed = softwareOwes(s, q);
    software &&= owed !== 0;
    owes |= owed;
    lines.push(...pending);
  }
  return lines.length === 0 ? null : { software, owes, lines };
}

/** Whether a queue pair has made no progress for `limit` (ps), and for as long as it may wait for an answer. */
function isIdle(s: OracleState, q: number, limit: number): boolean {
  const idle = idleTime(s, q);
  return idle >= limit && idle >= waitingTime(s, q);
}

/** Time (ps) since the last progress of a queue pair, less what useful work for others accounts for. */
export function idleTime(s: OracleState, q: number): number {
  const t = s.qps.words[q + Q_TIMES] as number;
  const since = s.clock.now - (s.qps.times[t] as number);
  return since - (s.service - (s.qps.times[t + 1] as number));
}

function reportUnflushed(s: OracleState, q: number): void {
  const line = unflushedOf(s, q);
  if (line === undefined) return;
  s.qps.words[q + Q_FLAGS] = (s.qps.words[q + Q_FLAGS] as number) | QF_STUCK;
  s.reporter.error(SCB.missing, () => line);
}

function report(s: OracleState, q: number, dead: boolean): void {
  const lines = pendingOf(s, q);
  if (lines.length === 0 || softwareOwes(s, q) !== 0) return;
  s.qps.words[q + Q_FLAGS] = (s.qps.words[q + Q_FLAGS] as number) | QF_STUCK;
  const t = s.qps.words[q + Q_TIMES] as number;
  const last = logTime(s.qps.times[t] as number);
  const what = dead
    ? 'nothing can happen any more'
    : `no useful progress for ${formatTime(Math.max(s.options.stallTime, waitingTime(s, q)))}`;
  s.reporter.error(SCB.stuck, () => `${what} (last progress at ${last}): ${lines.join('; ')}; ${standingOf(s, q)}`);
}

/**
 * Requesters that give up for want of an answer (RETRY_EXC_ERR, roce-transport.md 3.8): whether they had tried as often
 * and waited as long as they had to, and whether no answer could have reached them in that time.
 */

import type { QueuePair } from '../model/work.ts';
import type { Attempt } from '../reference/attempts.ts';
import type { OracleState } from '../model/oracleState.ts';
import { mayHaveMissed } from '../model/peers.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { refusedFor } from './refusals.ts';
import { formatTime, MS } from '../../uvm/kernel/time.ts';

/** `sentAt` of an attempt that is not known. */
const NOT_KNOWN = -1;

/** Whether queue pair `q`, a request of which has just ended so, had the right to give up. */
export function mayGiveUp(s: OracleState, q: QueuePair): boolean {
  const attempt = attemptOf(s, q);
  const excused = linkExcuses(s, q) || mayHaveMissed(s, q, attempt?.sentAt ?? NOT_KNOWN);
  if (attempt === undefined) return excused || isImpatient(s, q);
  if (attempt.made < attempt.wanted || isTooSoon(s, q, attempt)) return false;
  return excused || isTooSlow(s, q, attempt);
}

/** Whether the link may have kept all answers from a queue pair, its tries counted where that is for the rules of its kind to do. */
function linkExcuses(s: OracleState, q: QueuePair): boolean {
  return s.disturbances.has(q) && s.linkTries.mayHaveSpoilt(q.host, q.qpn, q.attributes.leastRetries);
}

/** Whether a queue pair of which nobody sees what it sends gives up sooner than it may hear of what its peer has done. */
function isImpatient({ options: { wire, profiles } }: OracleState, q: QueuePair): boolean {
  const { retryTime } = q.attributes;
  return !wire.watches && retryTime > 0 && retryTime < profiles.of(q.host).answerTime;
}

/** What is wrong with a request that ended so all the same. */
export function giveUpReason(s: OracleState, q: QueuePair): string {
  const attempt = attemptOf(s, q);
  if (attempt === undefined) return '';
  const { made, wanted, until } = attempt;
  if (made < wanted) return `: tried again ${made} times, and ${wanted} are needed to give up`;
  if (isTooSoon(s, q, attempt)) return `: its time-out cannot have expired before ${formatTime(until)}`;
  if (attempt.answered) return ': the peer has answered all that was sent';
  return isRefused(attempt) ? ': the peer has refused what was sent last' : ': the peer has not answered';
}

/**
 * For how long (ps) a queue pair may make no progress because it, or its peer, waits: for answers that may never come, as
 * long as time-out and retries tell it to, or before it tries again what was refused; 0 where answers must come.
 */
export function waitingTime(s: OracleState, q: QueuePair): number {
  if (q.type !== QP_TYPE.rc) return 0;
  const peer = s.qps.peerOf(q);
  return Math.max(retryTimeOf(s, q), !peer.exists ? 0 : retryTimeOf(s, peer));
}

/** A queue pair that is stuck although it was answered must be found some time, however long its time-out: ps. */
const LONGEST_FOR_LOST = 40_000 * MS;

function retryTimeOf(s: OracleState, q: QueuePair): number {
  const refused = refusedFor(s, q);
  // How much later than it was told to a sender may try again is not said: what it sends then is work like any other.
  return Math.max(retryTime(s, q), refused === 0 ? 0 : refused + s.options.stallTime);
}

/**
 * Time until a requester that gets no answer has given up, 0 where answers must come or its timer is off. An answer that
 * was sent may be lost.
 */
function retryTime(s: OracleState, q: QueuePair): number {
  const disturbed = s.disturbances.has(q);
  const attempt = attemptOf(s, q);
  if (!disturbed && !mayHaveMissed(s, q, attempt?.sentAt ?? NOT_KNOWN)) return 0;
  // Where the peer is gone the wire does not know any more what was agreed on.
  const known = attempt !== undefined && attempt.retryTime !== Number.POSITIVE_INFINITY;
  const waits =
    (known ? attempt.retryTime : q.attributes.retryTime) * s.options.profiles.of(q.host).choices.ackTimer[1];
  if (attempt?.answered !== true) return waits;
  return disturbed ? Math.min(waits, LONGEST_FOR_LOST) : 0;
}

function attemptOf(s: OracleState, q: QueuePair): Attempt | undefined {
  const [host, qpn] = [q.host, q.qpn];
  return s.options.wire.attempt(host, qpn, q.remoteHost, q.remoteQpn);
}

/** A NAK may end the last attempt as well, which on a link without losses is wrong by itself. */
function isTooSoon(s: OracleState, q: QueuePair, { until }: Attempt): boolean {
  return !s.disturbances.has(q) && s.clock.now < until;
}

/**
 * Whether answers take longer than the requester may wait. Not where the peer was done with everything and did not
 * answer, nor where the answer had come; nor in a time in which nobody may be stuck.
 */
function isTooSlow(s: OracleState, q: QueuePair, attempt: Attempt): boolean {
  const { wire, stallTime } = s.options;
  if (attempt.retryTime >= stallTime) return false;
  const { answered, answeredAt, refusedAt, sentAt, until, left } = attempt;
  const host = q.host;
  if (!answered && !isRefused(attempt)) return !wire.hasRested(q.remoteHost, sentAt);
  // It gave up some time before that is seen, when the answer may still have been on its way.
  const spare = until < 0 ? left : until - (answered ? answeredAt : refusedAt);
  return spare < wire.hearingTime(host) || !wire.hasHeardAll(host);
}

/** Whether the answer to what was sent last was a refusal. */
function isRefused({ refusedAt, sentAt }: Attempt): boolean {
  return sentAt >= 0 && refusedAt >= sentAt;
}

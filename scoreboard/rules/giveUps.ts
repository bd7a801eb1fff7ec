/**
 * Requesters that give up for want of an answer (RETRY_EXC_ERR, roce-transport.md 3.8): whether they had tried as often
 * and waited as long as they had to, and whether no answer could have reached them in that time.
 */

import type { QueuePair } from '../model/work.ts';
import { psnText } from '../../rdma/psnText.ts';
import type { Attempt, GivenUp } from '../reference/attempts.ts';
import type { OracleState } from '../model/oracleState.ts';
import { mayHaveMissed } from '../model/peers.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { refusedFor } from './refusals.ts';
import { counted } from '../../uvm/report/counted.ts';
import { formatTime, MS } from '../../uvm/kernel/time.ts';

/** `sentAt` of an attempt that is not known. */
const NOT_KNOWN = -1;

/**
 * Whether queue pair `q`, a request of which has just ended so, had the right to give up: it may have tried one packet as
 * often as it must, the time-out after the last try may have expired, and no answer had reached it in time.
 */
export function mayGiveUp(s: OracleState, q: QueuePair): boolean {
  const attempt = attemptOf(s, q);
  if (attempt === undefined) return linkExcuses(s, q) || mayHaveMissed(s, q, NOT_KNOWN) || isImpatient(s, q);
  return attempt.givenUp?.some((given) => objectionTo(s, q, attempt, given) === '') ?? true;
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
  const [oldest] = attempt.givenUp ?? [];
  return oldest === undefined ? ': the peer has answered all that was sent' : `: ${objectionTo(s, q, attempt, oldest)}`;
}

/** Why it cannot have given up for a packet; '' where it can. */
function objectionTo(s: OracleState, q: QueuePair, { wanted, owedSince }: Attempt, given: GivenUp): string {
  const { psn, made, times, until, repliedAt } = given;
  const packet = `the packet with PSN ${psnText(psn)}`;
  if (made < wanted) {
    const when = times.length === 0 ? '' : ` (at ${times.map(formatTime).join(', ')})`;
    return `${packet} was sent again ${counted(times.length, 'time')}${when}, and ${wanted} are needed to give up`;
  }
  if (s.clock.now < until) return `its time-out for ${packet} cannot have expired before ${formatTime(until)}`;
  const { wire } = s.options;
  // It gives up some time before that is seen, when the answer may still have been in its NIC.
  const isHeard = repliedAt >= 0 && until - repliedAt >= wire.hearingTime(q.host) && wire.hasHeardAll(q.host);
  if (isHeard) return `an answer to ${packet} had arrived at ${formatTime(repliedAt)}`;
  const isOwed = owedSince >= 0 && wire.hasRested(q.remoteHost, owedSince) && !mayHaveMissed(s, q, owedSince);
  return isOwed ? `the peer has not answered what reached it at ${formatTime(owedSince)}` : '';
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

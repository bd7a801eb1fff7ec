/** What software knows of a queue pair that QUERY_QP must agree with: its state, and where sequence numbers cannot be. */

import { psnText } from '../rdma/psnText.ts';
import { ACCESS, QP_STATE, QP_STATE_NAME, QP_TYPE } from '../rdma/verbs.ts';
import type { QpState } from '../rdma/verbs.ts';
import { hex } from '../uvm/report/hexTexts.ts';
import type { AddressVector, QpAttributes } from './qpAttributes.ts';
import type { Qp } from './verbsObjects.ts';

const PSN_MASK = 0xff_ffff;
const HALF_PSNS = 0x80_0000;
const REMOTE_RIGHTS = ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;
/** What only a reliable connection has. */
const RELIABLE = ['timeout', 'retryCnt', 'rnrRetry', 'minRnrTimer', 'maxRdAtomic', 'maxDestRdAtomic'] as const;

const PATH = ['remoteHost', 'ipv6', 'serviceLevel', 'trafficClass', 'flowLabel', 'hopLimit'] as const;

/** What is known of a queue pair at one moment. */
export interface KnownQp {
  readonly state: QpState;
  readonly sqPosted: number;
  readonly sqFreed: number;
  readonly sqFailed: number;
  readonly rqFreed: number;
  readonly changes: number;
}

/** To be taken before the command. */
export function knownOf({ state, sqPosted, sqFreed, sqFailed, rqFreed, changes }: Qp): KnownQp {
  return { state, sqPosted, sqFreed, sqFailed, rqFreed, changes };
}

/** Whether a NIC may be in state `said` when software knows of `known`: it breaks queue pairs, and mends none. */
export function mayBeIn(qp: Qp, known: QpState, said: QpState): boolean {
  if (said === known) return true;
  if (known < QP_STATE.rtr || known === QP_STATE.err) return false;
  return said === QP_STATE.err || (said === QP_STATE.sqe && known >= QP_STATE.rts && qp.type !== QP_TYPE.rc);
}

/** Whether an answer may say `said` that was asked for when software knew of `before`: it may have learnt of more since. */
export function mayBeSaid(qp: Qp, before: QpState, said: QpState): boolean {
  return mayBeIn(qp, before, said) || mayBeIn(qp, qp.state, said);
}

/**
 * What is wrong with an answer of QUERY_QP, as clauses.
 * @param before what was known when the command was given; the queue pair has what is known now
 * @param next PSN behind the newest request that its peer has sent; -1 when that is not known
 */
export function queryProblems(qp: Qp, before: KnownQp, attr: QpAttributes, next = -1): readonly string[] {
  const { state } = attr;
  if (!mayBeSaid(qp, before.state, state)) {
    return [`state: ${nameOf(state)} was returned, but it is in ${nameOf(qp.state)}`];
  }
  // What was flushed has no sequence numbers.
  if (before.state < QP_STATE.rts || state !== before.state || state > QP_STATE.sqd) return [];
  const problems = before.changes === qp.changes && qp.changes % 2 === 0 ? changedProblems(qp, attr) : [];
  const sent = distance(qp.sqPsn, attr.sqPsn);
  // What failed may have no sequence number.
  const done = before.sqFreed - before.sqFailed;
  if (sent < done) problems.push(psnProblem('sq_psn', attr.sqPsn, qp.sqPsn, `${done} requests done`));
  else if (sent > 0 && qp.sqPosted === 0) problems.push(psnProblem('sq_psn', attr.sqPsn, qp.sqPsn, 'nothing posted'));
  return [...problems, ...receivedProblems(qp, before, attr, next)];
}

/** A responder expects what lies behind all that it has received, and at most what its peer will send next. */
function receivedProblems(qp: Qp, { rqFreed }: KnownQp, { rqPsn }: QpAttributes, next: number): string[] {
  if (qp.type === QP_TYPE.ud) return [];
  if (distance(qp.rqPsn, rqPsn) < rqFreed)
    return [psnProblem('rq_psn', rqPsn, qp.rqPsn, `${rqFreed} messages received`)];
  if (next < 0 || distance(next, rqPsn ?? next) <= 0) return [];
  return [`rq_psn: ${psnText(rqPsn ?? next)} was returned, and the next request has ${psnText(next)}`];
}

/** Attributes that software may have changed of a working queue pair, where the NIC says something else. */
function changedProblems(qp: Qp, attr: QpAttributes): string[] {
  const wrong = (qp.type === QP_TYPE.rc ? RELIABLE : []).filter(
    (name) => attr[name] !== undefined && attr[name] !== qp[name],
  );
  const problems = wrong.map((name) => `${name}: ${attr[name]} was returned, but ${qp[name]} was written`);
  const rights = ((attr.accessFlags ?? qp.accessFlags) ^ qp.accessFlags) & REMOTE_RIGHTS;
  if (qp.type !== QP_TYPE.ud && rights !== 0)
    problems.push(`accessFlags: ${attr.accessFlags} was returned, but ${qp.accessFlags} was written`);
  if (qp.type === QP_TYPE.ud && attr.qkey !== undefined && (attr.qkey ^ qp.qkey) !== 0)
    problems.push(`qkey: ${hex(attr.qkey)} was returned, but ${hex(qp.qkey)} was written`);
  return [...problems, ...(qp.type === QP_TYPE.ud ? [] : pathProblems(qp, attr.av ?? {}))];
}

/** Where the NIC says that another path is taken than software has written. */
function pathProblems(qp: Qp, path: Partial<AddressVector>): string[] {
  return PATH.filter((name) => path[name] !== undefined && path[name] !== qp[name]).map(
    (name) => `${name} of the path: ${path[name]} was returned, but ${qp[name]} was written`,
  );
}

/** How far a PSN has come from where it began; negative for one behind it. */
function distance(first: number, psn: number | undefined): number {
  const d = ((psn ?? first) - first) & PSN_MASK;
  return d < HALF_PSNS ? d : d - PSN_MASK - 1;
}

function nameOf(state: number): string {
  return QP_STATE_NAME[state] ?? `code ${state}`;
}

function psnProblem(field: string, psn: number | undefined, first: number, why: string): string {
  return `${field}: ${psnText(psn ?? first)} was returned; it began with ${psnText(first)}, with ${why}`;
}

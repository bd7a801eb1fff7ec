/** What software knows of a queue pair that QUERY_QP must agree with: its state, what was written, and where sequence numbers cannot be. */

import type { KnownQp, QpQuery, QueriedAttributes, QueriedPath, WrittenQp } from '../../agents/verbs/qpQuery.ts';
import { psnText } from '../../rdma/psnText.ts';
import { ACCESS, QP_STATE, QP_STATE_NAME, QP_TYPE } from '../../rdma/verbs.ts';
import type { QpState } from '../../rdma/verbs.ts';
import { hex } from '../../uvm/report/hexTexts.ts';

const PSN_MASK = 0xff_ffff;
const HALF_PSNS = 0x80_0000;
const REMOTE_RIGHTS = ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;
/** What all have from INIT on. */
const ALL = ['pkeyIndex', 'port'] as const;
/** What connections have from RTR on; what only reliable ones have, and of that, what they have from RTS on. */
const CONNECTED = ['destQpn', 'pathMtu'] as const;
const RESPONDER = ['minRnrTimer', 'maxDestRdAtomic'] as const;
const REQUESTER = ['timeout', 'retryCnt', 'rnrRetry', 'maxRdAtomic'] as const;

type PlainName = (typeof ALL | typeof CONNECTED | typeof RESPONDER | typeof REQUESTER)[number];

const PATH = ['remoteHost', 'ipv6', 'serviceLevel', 'trafficClass', 'flowLabel', 'hopLimit'] as const;

/**
 * PSNs behind the newest requests of a connected queue pair and of its peer; -1 where that is not known, or where they
 * have come more than half round: what a PSN says of the first one is ambiguous then.
 */
export interface WirePsns {
  readonly sent: number;
  readonly received: number;
  /** Its NIC succeeds with datagrams that it does not send (roce-transport.md 11). */
  readonly unsentSucceed?: boolean;
}

/** Nobody looks at the wire. */
const NO_WIRE_PSNS: WirePsns = { sent: -1, received: -1 };

/** Whether a NIC may be in state `said` when software knows of `known`: it breaks queue pairs, and mends none. */
function mayBeIn(type: number, known: QpState, said: QpState): boolean {
  if (said === known) return true;
  if (known < QP_STATE.rtr || known === QP_STATE.err) return false;
  return said === QP_STATE.err || (said === QP_STATE.sqe && known >= QP_STATE.rts && type !== QP_TYPE.rc);
}

/**
 * What is wrong with an answer of QUERY_QP, as clauses (roce-transport.md 6.2).
 * @param wire what has been seen since the command, so that nothing that the NIC had sent when it answered is missing
 */
export function queryProblems(
  { before, now: qp, said: attr }: QpQuery,
  wire: WirePsns = NO_WIRE_PSNS,
): readonly string[] {
  const { state } = attr;
  // Software may have learnt of more since it asked.
  if (!mayBeIn(qp.type, before.state, state) && !mayBeIn(qp.type, qp.state, state)) {
    return [`state: ${nameOf(state)} was returned, but it is in ${nameOf(qp.state)}`];
  }
  // What was flushed has no sequence numbers.
  if (state !== before.state || state === QP_STATE.reset || state > QP_STATE.sqd) return [];
  const problems = before.changes === qp.changes && qp.changes % 2 === 0 ? attributeProblems(qp, state, attr) : [];
  if (state >= QP_STATE.rts) problems.push(...sentProblems(qp, before, attr, wire));
  if (state >= QP_STATE.rtr) problems.push(...receivedProblems(qp, before, attr, wire.received));
  return problems;
}

/** The next PSN lies behind all requests that are done; a datagram takes one, other requests nobody knows how many. */
function sentProblems(
  qp: WrittenQp,
  before: KnownQp,
  { sqPsn = qp.sqPsn }: QueriedAttributes,
  { sent: next, unsentSucceed = false }: WirePsns,
): string[] {
  // What failed, or was not sent, may have no sequence number.
  const done = unsentSucceed && qp.type === QP_TYPE.ud ? 0 : before.sqFreed - before.sqFailed - qp.sqSilent;
  const problem = (why: string): string[] => [psnProblem('sq_psn', sqPsn, qp.sqPsn, why)];
  if (qp.sqPosted === 0) return distance(qp.sqPsn, sqPsn) === 0 ? [] : problem('nothing posted');
  if (qp.type === QP_TYPE.ud) {
    const ahead = (sqPsn - qp.sqPsn - done) & PSN_MASK;
    return ahead <= qp.sqPosted - done ? [] : problem(`${done} requests done of ${qp.sqPosted} posted`);
  }
  return next >= 0 && come(qp.sqPsn, next, sqPsn) < done ? problem(`${done} requests done`) : [];
}

/** A responder expects what lies behind all that it has received, and at most what its peer will send next. */
function receivedProblems(qp: WrittenQp, { rqFreed }: KnownQp, { rqPsn }: QueriedAttributes, next: number): string[] {
  if (qp.type === QP_TYPE.ud || next < 0 || rqPsn === undefined) return [];
  if (come(qp.rqPsn, next, rqPsn) < rqFreed) {
    return [psnProblem('rq_psn', rqPsn, qp.rqPsn, `${rqFreed} messages received`)];
  }
  if (distance(next, rqPsn) <= 0) return [];
  return [`rq_psn: ${psnText(rqPsn)} was returned, and the next request has ${psnText(next)}`];
}

/** Attributes that a queue pair has in a state, where the NIC says something else than software has written. */
function attributeProblems(qp: WrittenQp, state: QpState, attr: QueriedAttributes): string[] {
  const wrong = namesOf(qp, state).filter((name) => attr[name] !== undefined && attr[name] !== qp[name]);
  const problems = wrong.map((name) => `${name}: ${attr[name]} was returned, but ${qp[name]} was written`);
  const rights = ((attr.accessFlags ?? qp.accessFlags) ^ qp.accessFlags) & REMOTE_RIGHTS;
  if (qp.type !== QP_TYPE.ud && rights !== 0)
    problems.push(`accessFlags: ${attr.accessFlags} was returned, but ${qp.accessFlags} was written`);
  if (qp.type === QP_TYPE.ud && attr.qkey !== undefined && (attr.qkey ^ qp.qkey) !== 0)
    problems.push(`qkey: ${hex(attr.qkey)} was returned, but ${hex(qp.qkey)} was written`);
  const hasPath = qp.type !== QP_TYPE.ud && state >= QP_STATE.rtr;
  return [...problems, ...(hasPath ? pathProblems(qp, attr.av ?? {}) : [])];
}

/** Attributes whose values are compared as they are. */
function namesOf({ type }: WrittenQp, state: QpState): readonly PlainName[] {
  if (type === QP_TYPE.ud || state < QP_STATE.rtr) return ALL;
  const connected = [...ALL, ...CONNECTED];
  if (type === QP_TYPE.uc) return connected;
  return [...connected, ...RESPONDER, ...(state < QP_STATE.rts ? [] : REQUESTER)];
}

/** Where the NIC says that another path is taken than software has written. */
function pathProblems(qp: WrittenQp, path: QueriedPath): string[] {
  return PATH.filter((name) => path[name] !== undefined && path[name] !== qp[name]).map(
    (name) => `${name} of the path: ${path[name]} was returned, but ${qp[name]} was written`,
  );
}

/**
 * How far a PSN has come from the first one, of which `next`, the one behind the newest request, is at most half round
 * away; negative for one before the first. A request of the greatest length takes that half by itself, so that only
 * the place by `next` tells what lies before the first one from what lies behind it.
 */
function come(first: number, next: number, psn: number): number {
  return ((next - first) & PSN_MASK) + distance(next, psn);
}

/** From PSN `from` to `psn`, -2^23 .. 2^23 - 1; negative for one before it. */
function distance(from: number, psn: number): number {
  const d = (psn - from) & PSN_MASK;
  return d < HALF_PSNS ? d : d - PSN_MASK - 1;
}

function nameOf(state: number): string {
  return QP_STATE_NAME[state] ?? `code ${state}`;
}

function psnProblem(field: string, psn: number, first: number, why: string): string {
  return `${field}: ${psnText(psn)} was returned; it began with ${psnText(first)}, with ${why}`;
}

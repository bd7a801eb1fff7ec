/** How a queue pair that is stuck and its peer stand, in words: state, what is outstanding, what the wire has seen. Slow path. */

import { psnText } from '../../rdma/psnText.ts';
import { QP_STATE_NAME, QP_TYPE } from '../../rdma/verbs.ts';
import { counted } from '../../uvm/report/counted.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_FLAGS, Q_HOST, Q_IN_HEAD, Q_QPN, Q_REMOTE_HOST, Q_REMOTE_QPN, Q_SQ_HEAD, Q_TYPE } from './qps.ts';
import { sendsOutstanding } from './queues.ts';
import { R_DEST, R_QP } from './requests.ts';

/** For example `host 0 QP 14 is in RTS with 1 send and 0 receives outstanding, sent up to PSN 0x01ec54, ...; host 1 QP 15 ...`. */
export function standingOf(s: OracleState, q: number): string {
  return `${sideOf(s, q)}; ${peerOf(s, q)}`;
}

function peerOf(s: OracleState, q: number): string {
  const w = s.qps.words;
  if (w[q + Q_TYPE] === QP_TYPE.ud) return datagramPeerOf(s, q);
  const host = w[q + Q_REMOTE_HOST] as number;
  const qpn = w[q + Q_REMOTE_QPN] as number;
  const peer = s.qps.peerOf(q);
  if (peer !== NONE) return sideOf(s, peer);
  const state = s.options.stateOf(host, qpn);
  return `host ${host} QP ${qpn} ${state === undefined ? 'does not exist' : `is in ${QP_STATE_NAME[state]}`}`;
}

/** The other end of the oldest datagram that is outstanding. */
function datagramPeerOf(s: OracleState, q: number): string {
  const head = s.qps.words[q + Q_SQ_HEAD] as number;
  const message = s.qps.words[q + Q_IN_HEAD] as number;
  const m = s.requests.words;
  const peer = head !== NONE ? m[head + R_DEST] : message !== NONE ? m[message + R_QP] : NONE;
  return peer === undefined || peer === NONE ? 'its peer is not known' : sideOf(s, peer);
}

function sideOf(s: OracleState, q: number): string {
  const w = s.qps.words;
  const host = w[q + Q_HOST] as number;
  const qpn = w[q + Q_QPN] as number;
  const state = s.options.stateOf(host, qpn);
  // A datagram can name any number: a place is kept for it, but nobody has ever said what it is.
  if (state === undefined && w[q + Q_FLAGS] === 0) return `host ${host} QP ${qpn} does not exist`;
  const inState = state === undefined ? '' : ` is in ${QP_STATE_NAME[state]}`;
  const told = s.draining.get(q);
  const drains = told === undefined ? '' : `, told at ${logTime(told.since)} to drain and not drained`;
  const left = `${counted(sendsOutstanding(s, q), 'send')} and ${counted(s.qps.receives(q), 'receive')} outstanding`;
  return `host ${host} QP ${qpn}${inState}${drains} with ${left}${wireText(s, q)}`;
}

function wireText(s: OracleState, q: number): string {
  const w = s.qps.words;
  const type = w[q + Q_TYPE];
  const peer = { host: w[q + Q_REMOTE_HOST] as number, qpn: w[q + Q_REMOTE_QPN] as number };
  const host = w[q + Q_HOST] as number;
  const seen = s.options.wire?.progress(host, w[q + Q_QPN] as number, type === QP_TYPE.ud ? null : peer);
  if (seen === undefined) return '';
  if (seen.sent < 0) return ', has sent no request';
  if (type !== QP_TYPE.rc) return `, sent up to PSN ${psnText(seen.sent)}`;
  const answered = seen.answered < 0 ? 'none is answered' : `answered up to ${psnText(seen.answered)}`;
  return `, sent up to PSN ${psnText(seen.sent)}, ${answered}`;
}

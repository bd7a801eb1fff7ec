/** How a queue pair that is stuck and its peer stand, in words: state, what is outstanding, what the wire has seen. Slow path. */

import { type QueuePair, NO_QP } from './work.ts';
import { psnText } from '../../rdma/psnText.ts';
import { QP_STATE_NAME, QP_TYPE } from '../../rdma/verbs.ts';
import { counted } from '../../uvm/report/counted.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import type { OracleState } from './oracleState.ts';

/** For example `host 0 QP 14 is in RTS with 1 send and 0 receives outstanding, sent up to PSN 0x01ec54, ...; host 1 QP 15 ...`. */
export function standingOf(s: OracleState, q: QueuePair): string {
  return `${sideOf(s, q)}; ${peerOf(s, q)}`;
}

function peerOf(s: OracleState, q: QueuePair): string {
  if (q.type === QP_TYPE.ud) return datagramPeerOf(s, q);
  const host = q.remoteHost;
  const qpn = q.remoteQpn;
  const peer = s.qps.peerOf(q);
  if (peer.exists) return sideOf(s, peer);
  const state = s.options.stateOf(host, qpn);
  return `host ${host} QP ${qpn} ${state === undefined ? 'does not exist' : `is in ${QP_STATE_NAME[state]}`}`;
}

/** The other end of the oldest datagram that is outstanding. */
function datagramPeerOf(s: OracleState, q: QueuePair): string {
  const head = q.sq.head;
  const message = q.inbound.head;
  const peer = head.exists ? head.dest : message.exists ? message.qp : NO_QP;
  return !peer.exists ? 'its peer is not known' : sideOf(s, peer);
}

function sideOf(s: OracleState, q: QueuePair): string {
  const host = q.host;
  const qpn = q.qpn;
  const state = s.options.stateOf(host, qpn);
  // A datagram can name any number: a place is kept for it, but nobody has ever said what it is.
  if (state === undefined && q.isUnknown) return `host ${host} QP ${qpn} does not exist`;
  const inState = state === undefined ? '' : ` is in ${QP_STATE_NAME[state]}`;
  const told = s.draining.get(q);
  const drains = told === undefined ? '' : `, told at ${logTime(told.since)} to drain and not drained`;
  const left = `${counted(q.sq.length, 'send')} and ${counted(q.rq.waiting, 'receive')} outstanding`;
  return `host ${host} QP ${qpn}${inState}${drains} with ${left}${wireText(s, q)}`;
}

function wireText(s: OracleState, q: QueuePair): string {
  const type = q.type;
  const peer = { host: q.remoteHost, qpn: q.remoteQpn };
  const host = q.host;
  const seen = s.options.wire.progress(host, q.qpn, type === QP_TYPE.ud ? null : peer);
  if (seen === undefined) return '';
  if (seen.sent < 0) return ', has sent no request';
  if (type !== QP_TYPE.rc) return `, sent up to PSN ${psnText(seen.sent)}`;
  const answered = seen.answered < 0 ? 'none is answered' : `answered up to ${psnText(seen.answered)}`;
  return `, sent up to PSN ${psnText(seen.sent)}, ${answered}`;
}

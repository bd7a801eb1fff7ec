/**
 * Responders that ignore a request which they must answer, so that the requester sends it again when its time-out has
 * expired (roce-transport.md 3.3, 3.8). Judged where the request has arrived, and the responder's NIC is at rest: one that is
 * late is not blamed, however short the time-out.
 */

import { qpName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { mayHaveMissed } from '../model/peers.ts';
import { SCB } from '../report/reportIds.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { psnText } from '../../rdma/psnText.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { aMoment, aPsnRange } from '../../rdma/subjectParts.ts';
import { thePacket, theQueuePair } from '../report/subjects.ts';

/** Looks at a packet that is sent again for want of an answer. */
export function checkUnanswered(s: OracleState, p: WirePacket): void {
  const peer = s.qps.find(p.to, p.destQp);
  const q = s.qps.peerOn(p.host, peer);
  const since = p.unansweredSince;
  // What arrived then may have been the last frame on the link.
  const hasRested = since >= 0 && s.options.wire.hasRested(p.to, since - 1);
  if (!q.exists || !hasRested || mayHaveMissed(s, q, since)) return;
  const asked = `PSN ${psnText(p.unansweredPsn)} of ${qpName(q)}, which arrived at ${logTime(since)}`;
  s.reporter.error(
    SCB.unanswered,
    () => `${qpName(peer)} has not answered ${asked}, and its NIC came to rest; PSN ${psnText(p.psn)} is sent again`,
    [aPsnRange(q.host, q.qpn, p.unansweredPsn), theQueuePair(peer), aMoment(since), thePacket(p, q)],
  );
}

/**
 * READs that a responder must refuse as a whole, and begins to answer: the key is held against all that is asked for
 * when the request comes (roce-transport.md 4.4). A key that is not valid any more may have been when it was looked at.
 */

import { NONE } from '../model/work.ts';
import { ACCESS } from '../../rdma/verbs.ts';
import { psnText } from '../../rdma/psnText.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import { NO_REGION } from '../model/mrTable.ts';
import { qpName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { aRegion } from '../../rdma/subjectParts.ts';
import { thePacket } from '../report/subjects.ts';

/** Looks at the first packet of the answer to a READ. */
export function checkAnswer(s: OracleState, p: WirePacket): void {
  const { qps, mrs } = s;
  const asker = qps.find(p.to, p.destQp);
  const found = mrs.find(p.host, p.rkey);
  if (!asker.exists || found === NO_REGION || asker.remoteHost !== p.host) return;
  const region = found;
  if (mrs.isDeregistering(region)) return;
  const responder = qps.peerOf(asker);
  const pd = !responder.exists ? NONE : responder.pd;
  const length = p.dmaLength >>> 0;
  const permitted = mrs.allows(region, pd, ACCESS.remoteRead);
  if (permitted && mrs.holds(region, p.vaHi, p.vaLo, length)) return;
  const why = permitted ? 'not all of that is in the region of its key' : 'its key does not permit that';
  s.reporter.error(
    SCB.answered,
    () =>
      `host ${p.host} answers PSN ${psnText(p.psn)} of ${qpName(asker)}, a READ of ${length} bytes at ` +
      `${hexAddress(p.vaHi, p.vaLo)}: ${why}`,
    [thePacket(p, responder), aRegion(p.host, p.rkey)],
  );
}

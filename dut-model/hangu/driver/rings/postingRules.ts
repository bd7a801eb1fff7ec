/**
 * What the HanGu provider refuses to put into a send queue. An operation that the service type does not have is not
 * refused: the NIC has to complete it with LOC_QP_OP_ERR (roce-transport.md 4.5).
 */

import type { KeyChange, SendWr, Sge } from '../../../../agents/verbs/verbsItems.ts';
import { PAGE_LIST, WQE_UNIT } from '../../layout/queues.ts';
import { QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../../rdma/verbs.ts';
import { HostApiError, type MisuseKind } from '../../../../env/verbs/hostErrors.ts';
import { describe } from '../../../../env/verbs/qpTransitions.ts';
import type { Ah } from '../../../../env/verbs/verbsObjects.ts';
import type { HanguQp } from '../hanguObjects.ts';
import { keyUnits, pagesOf } from './keyWriter.ts';
import { messageLength, sendUnits, WQE_OF_WR } from './wqeWriter.ts';

/** Kind, what is wrong, what to do. */
export type PostingProblem = readonly [kind: MisuseKind, what: string, hint: string];

/** Why a send request cannot be posted, or null. @param ahs address handles by index */
export function postingProblem(qp: HanguQp, wr: SendWr, ahs: readonly Ah[]): PostingProblem | null {
  if (wr.opcode >= WQE_OF_WR.length || wr.opcode < 0) {
    return ['UNSUPPORTED', `opcode ${wr.opcode} does not exist on this NIC`, 'use SEND, WRITE or READ'];
  }
  if (wr.numSge > qp.maxSge)
    return ['TOO_MANY_SGE', `${wr.numSge} entries, maxSge is ${qp.maxSge}`, 'use fewer, or create it with more'];
  for (let g = 0; g < wr.numSge; g++) {
    const length = (wr.sges[g] as Sge).length;
    if ((length | 0) !== length || length < 0)
      return ['TOO_LONG', `entry ${g} has ${length} bytes`, 'use a whole number of bytes, 0 .. 2147483647'];
  }
  if ((wr.flags & SEND_FLAG.inline) !== 0) return inlineProblem(qp, wr);
  const bytes = sendUnits(qp, wr) * WQE_UNIT;
  if (bytes > 1 << qp.sqStrideLog) {
    return ['TOO_LONG', `the entry needs ${bytes} bytes, a slot has ${1 << qp.sqStrideLog}`, 'use fewer entries'];
  }
  if (keyUnits(wr.opcode) > 0 && wr.numSge > 0) return ['TOO_MANY_SGE', 'it moves no data', 'leave its list empty'];
  if (wr.opcode === WR_OPCODE.regMr && pagesOf(wr.change as KeyChange) > PAGE_LIST.mostPages)
    return ['LIMIT', 'more pages than a page list holds', `register ${PAGE_LIST.mostPages} pages at most`];
  if (qp.type === QP_TYPE.ud && (wr.opcode === WR_OPCODE.send || wr.opcode === WR_OPCODE.sendWithImm)) {
    const ah = ahs[wr.ah];
    if (ah?.alive !== true) {
      const what = `address handle ${wr.ah} ${ah === undefined ? 'does not exist' : 'has been destroyed'}`;
      return ['ATTRIBUTE', what, 'use createAh'];
    }
  }
  return null;
}

/** The mistake in request `i` of a posting. */
export function postingError(qp: HanguQp, i: number, [kind, what, hint]: PostingProblem): HostApiError {
  return new HostApiError(kind, describe(qp), `request ${i}: ${what}`, hint).at(i);
}

function inlineProblem(qp: HanguQp, wr: SendWr): PostingProblem | null {
  const length = messageLength(wr);
  if (wr.opcode >= WR_OPCODE.rdmaRead && wr.opcode !== WR_OPCODE.sendWithInv)
    return ['UNSUPPORTED', 'READ and atomics cannot be inline', 'clear the flag'];
  if (length > qp.maxInline) return ['TOO_LONG', `${length} bytes inline, maxInline is ${qp.maxInline}`, 'send fewer'];
  const bytes = sendUnits(qp, wr) * WQE_UNIT;
  if (bytes > 1 << qp.sqStrideLog) return ['TOO_LONG', `the entry needs ${bytes} bytes`, 'raise maxInline at creation'];
  return null;
}

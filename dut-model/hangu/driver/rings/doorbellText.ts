/** Doorbells in words, for logs (hangu-interface.md 7). */

import { TLP_KIND, type Tlp } from '../../../nic.ts';
import { DOORBELL, DOORBELL_PAGE } from '../../layout/addressMap.ts';
import { ARM_DB, SEND_DB, WQE_OPCODE, WQE_UNIT } from '../../layout/queues.ts';

/** What a BAR write rings; undefined when it is no doorbell. @param words the byte store as dwords @param bar that doorbells are in */
export function doorbellText(tlp: Tlp, words: Int32Array, bar: number): string | undefined {
  if (tlp.kind !== TLP_KIND.memWrite || tlp.bar !== bar) return undefined;
  const process = Math.floor(tlp.lo / DOORBELL_PAGE);
  const place = tlp.lo % DOORBELL_PAGE;
  const first = words[tlp.data >>> 2] as number;
  if (place === DOORBELL.send) return `process ${process} ${sendText(first, words[(tlp.data >>> 2) + 1] as number)}`;
  if (place === DOORBELL.armCq) return `process ${process} ${armCqText(first)}`;
  if (place === DOORBELL.cqIndex) return `process ${process} ${cqIndexText(first)}`;
  if (place === DOORBELL.srq)
    return `process ${process} SRQ ${first}: ${words[(tlp.data >>> 2) + 1] as number} receives posted so far`;
  if (place === DOORBELL.armEq) return `arms EQ ${first & ARM_DB.eqnMask}, consumed ${first >>> ARM_DB.consumerShift}`;
  return undefined;
}

function sendText(first: number, second: number): string {
  const opcode = first & SEND_DB.opcodeMask;
  const name = Object.entries(WQE_OPCODE).find(([, code]) => code === opcode)?.[0] ?? `opcode ${opcode}`;
  const fence = (first & SEND_DB.fence) === 0 ? '' : ', fence';
  const offset = (first >>> SEND_DB.offsetShift) * WQE_UNIT;
  const bytes = (second & SEND_DB.sizeMask) * WQE_UNIT;
  return `QP ${second >>> SEND_DB.qpnShift}: send queue from byte ${offset} on, first ${name} of ${bytes} B${fence}`;
}

function cqIndexText(word: number): string {
  const consumed = (word >>> ARM_DB.cqConsumerShift) & ARM_DB.cqConsumerMask;
  return `has taken ${consumed} completions of CQ ${word & ARM_DB.cqnMask}`;
}

function armCqText(word: number): string {
  const consumed = (word >>> ARM_DB.cqConsumerShift) & ARM_DB.cqConsumerMask;
  const solicited = (word & ARM_DB.solicitedOnly) === 0 ? '' : ', solicited only';
  return `arms CQ ${word & ARM_DB.cqnMask}, consumed ${consumed}${solicited}`;
}

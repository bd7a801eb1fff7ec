/** How packets are named, in the trace and in findings alike. Runs only for messages. */

import { BTH_CLASS, BTH_OP, OPCODE_CNP } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { hexDigits } from '../../uvm/report/hexTexts.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import type { DecodedPacket } from './decodedPacket.ts';
import { PROBLEM } from './wireRules.ts';

const CLASS_BITS = 0xe0;
const CLASS_NAME: Readonly<Record<number, string>> = {
  [BTH_CLASS.rc]: 'RC',
  [BTH_CLASS.uc]: 'UC',
  [BTH_CLASS.ud]: 'UD',
};

/**
 * For example `host 0 QP 14 to host 1 QP 15: RC SEND_ONLY, PSN 0x01ec54`.
 * @param sourceQp queue pair that sends it, negative where it is not known
 */
export function packetName(p: DecodedPacket, sourceQp: number): string {
  const from = sourceQp < 0 ? `host ${p.host}` : `host ${p.host} QP ${sourceQp}`;
  const to = p.to < 0 ? 'all' : `host ${p.to}`;
  if (!hasBaseHeader(p)) return `${from} to ${to}: malformed RoCEv2 packet`;
  return `${from} to ${to} QP ${p.destQp}: ${opcodeName(p.opcode)}, PSN ${psnText(p.psn)}`;
}

/** A packet and its frame, in front of what is wrong with it. */
export function packetInFrame(p: DecodedPacket, sourceQp: number): string {
  return `${packetName(p, sourceQp)} (frame of ${p.frameLength} B, on the wire at ${logTime(p.time)})`;
}

/** For example `RC SEND_ONLY`. */
export function opcodeName(opcode: number): string {
  if (opcode === OPCODE_CNP) return 'CNP';
  const name = Object.entries(BTH_OP).find(([, value]) => value === (opcode & ~CLASS_BITS))?.[0];
  const service = CLASS_NAME[opcode & CLASS_BITS];
  if (name === undefined || service === undefined) return `opcode ${hexDigits(opcode, 2)}`;
  return `${service} ${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Whether the decoder came as far as the base transport header. */
function hasBaseHeader(p: DecodedPacket): boolean {
  return p.flags !== 0 || (p.problems & PROBLEM.opcode) !== 0;
}

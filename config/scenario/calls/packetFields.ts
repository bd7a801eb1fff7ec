/** Fields of packets that no NIC has sent, as scenarios of calls write them. */

import { opcodeName } from '../../../agents/wire/packetTexts.ts';

/** Fields that are written as they are. */
export const PACKET_NUMBERS = [
  'port',
  'dmaLength',
  'qkey',
  'sourceQp',
  'version',
  'partitionKey',
  'padCount',
  'syndrome',
  'msn',
  'immediate',
  'trafficClass',
] as const;
export const PACKET_FLAGS = ['solicited', 'ackRequest', 'fecn', 'becn', 'ipv6'] as const;

const ALL = Array.from({ length: 256 }, (_, opcode) => opcodeName(opcode));
/** A number stands for itself. */
const isNamed = (name: string): boolean => !name.startsWith('opcode ');

/** Opcodes that have names. */
export const OPCODE_NAMES: readonly string[] = ALL.filter(isNamed);

/** An opcode by its name, or as a number where it has none. */
export function writtenOpcode(opcode: number): string | number {
  const name = ALL[opcode & 0xff] as string;
  return isNamed(name) ? name : opcode & 0xff;
}

/** Undefined for a name that no opcode has. */
export function opcodeOf(opcode: string | number): number | undefined {
  if (typeof opcode === 'number') return opcode;
  const found = ALL.indexOf(opcode);
  return found < 0 ? undefined : found;
}

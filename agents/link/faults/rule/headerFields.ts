/** Fields of a frame that a rule may change, by name, and where each lies (roce-transport.md 1.2 to 1.5). */

import { OPCODE } from '../../../wire/wireOpcodes.ts';

/** Start of a field: in the IP header by version, behind that header, or in an extended header. */
type Part = 'ip' | 'udp' | 'bth' | 'deth' | 'reth' | 'atomicEth' | 'aeth' | 'immediate' | 'ieth';

/** Where a field lies: bits of a big-endian number of `bytes` bytes at `at` of its part. */
export interface HeaderField {
  readonly part: Part;
  /** Bytes from the start of the part; in an IPv6 header `at6` where that differs, -1 where there is no such field. */
  readonly at: number;
  readonly at6?: number;
  readonly bytes: 1 | 2 | 3 | 4;
  /** Bits of that number that belong to the field. */
  readonly mask: number;
}

/** Every field with a name. */
export const HEADER_FIELDS = {
  tos: { part: 'ip', at: 1, at6: -1, bytes: 1, mask: 0xff },
  ttl: { part: 'ip', at: 8, at6: 7, bytes: 1, mask: 0xff },
  ip_length: { part: 'ip', at: 2, at6: 4, bytes: 2, mask: 0xffff },
  ip_checksum: { part: 'ip', at: 10, at6: -1, bytes: 2, mask: 0xffff },
  udp_source_port: { part: 'udp', at: 0, bytes: 2, mask: 0xffff },
  udp_port: { part: 'udp', at: 2, bytes: 2, mask: 0xffff },
  udp_length: { part: 'udp', at: 4, bytes: 2, mask: 0xffff },
  udp_checksum: { part: 'udp', at: 6, bytes: 2, mask: 0xffff },
  opcode: { part: 'bth', at: 0, bytes: 1, mask: 0xff },
  se: { part: 'bth', at: 1, bytes: 1, mask: 0x80 },
  mig_req: { part: 'bth', at: 1, bytes: 1, mask: 0x40 },
  pad_count: { part: 'bth', at: 1, bytes: 1, mask: 0x30 },
  tver: { part: 'bth', at: 1, bytes: 1, mask: 0x0f },
  p_key: { part: 'bth', at: 2, bytes: 2, mask: 0xffff },
  fecn: { part: 'bth', at: 4, bytes: 1, mask: 0x80 },
  becn: { part: 'bth', at: 4, bytes: 1, mask: 0x40 },
  dest_qp: { part: 'bth', at: 5, bytes: 3, mask: 0xff_ffff },
  ack_req: { part: 'bth', at: 8, bytes: 1, mask: 0x80 },
  psn: { part: 'bth', at: 9, bytes: 3, mask: 0xff_ffff },
  q_key: { part: 'deth', at: 0, bytes: 4, mask: 0xffff_ffff },
  source_qp: { part: 'deth', at: 5, bytes: 3, mask: 0xff_ffff },
  va: { part: 'reth', at: 4, bytes: 4, mask: 0xffff_ffff },
  r_key: { part: 'reth', at: 8, bytes: 4, mask: 0xffff_ffff },
  dma_length: { part: 'reth', at: 12, bytes: 4, mask: 0xffff_ffff },
  syndrome: { part: 'aeth', at: 0, bytes: 1, mask: 0xff },
  msn: { part: 'aeth', at: 1, bytes: 3, mask: 0xff_ffff },
  immediate: { part: 'immediate', at: 0, bytes: 4, mask: 0xffff_ffff },
  invalidated_key: { part: 'ieth', at: 0, bytes: 4, mask: 0xffff_ffff },
} as const satisfies Readonly<Record<string, HeaderField>>;

/** Name of a header field. */
export type HeaderFieldName = keyof typeof HEADER_FIELDS;

/** All that `corrupt` can change: a byte of the payload, of the packet from its base transport header on, the CRC, a field. */
export const HEADER_FIELD_NAMES = [
  'payload',
  'packet',
  'icrc',
  ...(Object.keys(HEADER_FIELDS) as HeaderFieldName[]),
] as const;

/** Extended headers in the order of the wire, with their lengths in bytes, and the bit that says a packet has them. */
const EXTENDED: readonly (readonly [part: Part, bit: number, bytes: number])[] = [
  ['deth', OPCODE.deth, 8],
  ['reth', OPCODE.reth, 16],
  ['atomicEth', OPCODE.atomicEth, 28],
  ['aeth', OPCODE.aeth, 4],
  ['aeth', OPCODE.atomicAckEth, 8],
  ['immediate', OPCODE.immediate, 4],
  ['ieth', OPCODE.ieth, 4],
];

/** Bytes from the base transport header to a part behind it; -1 where the packet has no such header. @param flags `OPCODE` bits */
export function extendedOffset(part: Part, flags: number): number {
  let at = 12;
  for (const [name, bit, bytes] of EXTENDED) {
    if ((flags & bit) === 0) continue;
    if (name === part) return at;
    at += bytes;
  }
  return -1;
}

/** Rules for the frames of one direction of a connection, by a decoder of the specs' own (blue-rdma.md section 8). */
import type { SeenFrame } from './blueLink.ts';

interface Packet {
  readonly opcode: number;
  readonly solicited: boolean;
  readonly retry: boolean;
  readonly ackRequest: boolean;
  readonly msn: number;
  readonly psn: number;
  readonly va: bigint;
  readonly rethLength: number;
  readonly payload: number;
  readonly pad: number;
}

const FIRST = [0x00, 0x06, 0x0d];
const ONLY = [0x04, 0x05, 0x0a, 0x0b, 0x10];
const LAST = [0x02, 0x03, 0x08, 0x09, 0x0f];
const READ_REQUEST = 0x0c;
const ACK = 0x11;
const HEADERS = 96;

function decode({ bytes }: SeenFrame): Packet {
  const v = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const udpEnd = 34 + v.getUint16(38);
  const va = v.getBigUint64(54);
  const pad = udpEnd > HEADERS ? Number(va & 3n) : 0;
  return {
    opcode: v.getUint8(42),
    solicited: (v.getUint8(43) & 0x80) !== 0,
    retry: (v.getUint8(43) & 0x40) !== 0,
    msn: v.getUint16(44),
    ackRequest: (v.getUint8(50) & 0x80) !== 0,
    psn: v.getUint32(50) & 0xff_ffff,
    va,
    rethLength: v.getUint32(66),
    pad,
    payload: udpEnd - HEADERS - pad,
  };
}

/** What is wrong with the frames of host `from`; `mtu` in bytes. */
export function wireProblems(frames: readonly SeenFrame[], from: number, mtu: number): string[] {
  const problems: string[] = [];
  const seen = new Map<number, Packet>();
  let before: Packet | null = null;
  let left = 0;
  for (const frame of frames) {
    if (frame.from !== from || frame.bytes[12] !== 8) continue;
    const p = decode(frame);
    if (p.opcode === ACK || p.opcode >= 0x20) continue;
    const who = `PSN ${p.psn}`;
    const known = seen.get(p.psn);
    if (p.retry !== (known !== undefined)) problems.push(`${who}: is_retry ${p.retry}`);
    if (known !== undefined) {
      if (known.va !== p.va || known.msn !== p.msn || known.payload !== p.payload) problems.push(`${who} differs`);
      continue;
    }
    seen.set(p.psn, p);
    if (!p.ackRequest) problems.push(`${who}: no ack_req`);
    const starts = FIRST.includes(p.opcode) || ONLY.includes(p.opcode) || p.opcode === READ_REQUEST;
    const ends = LAST.includes(p.opcode) || ONLY.includes(p.opcode) || p.opcode === READ_REQUEST;
    const room = mtu - Number(p.va % BigInt(mtu));
    if (before !== null && p.psn !== ((before.psn + 1) & 0xff_ffff)) problems.push(`${who} after ${before.psn}`);
    if (before !== null && p.msn !== ((before.msn + (starts ? 1 : 0)) & 0xffff)) problems.push(`${who}: MSN ${p.msn}`);
    if (starts !== (left === 0)) problems.push(`${who}: opcode ${p.opcode} with ${left} bytes to come`);
    if (starts) left = p.opcode === READ_REQUEST ? 0 : p.rethLength;
    else if (p.rethLength !== p.payload) problems.push(`${who}: RETH of ${p.rethLength} bytes`);
    if (!starts && before !== null && p.va !== before.va + BigInt(before.payload)) problems.push(`${who}: address`);
    if (p.opcode !== READ_REQUEST) {
      if (p.payload !== Math.min(left, room)) problems.push(`${who}: ${p.payload} bytes`);
      left -= p.payload;
      if (ends !== (left === 0)) problems.push(`${who}: opcode ${p.opcode} with ${left} bytes left`);
      if (ends) left = 0;
    }
    before = p;
  }
  return problems;
}

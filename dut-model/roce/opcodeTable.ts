/**
 * What each BTH operation carries and does (roce-transport.md 1.6), as bit masks by opcode. Data of the NIC models; the wire monitor has a table of its own.
 */
import { BTH_CLASS, BTH_OP } from '../../rdma/bth.ts';

/** @public */
export const OP = {
  reth: 1,
  aeth: 2,
  imm: 4,
  atomic: 8,
  atomicAck: 16,
  ieth: 32,
  /** First packet of a message; last packet of a message. */
  start: 64,
  end: 128,
  /** Payload is exactly the path MTU (first, middle). */
  full: 256,
  /** Part of a SEND, of a WRITE. */
  send: 512,
  write: 1024,
  request: 2048,
  response: 4096,
  known: 8192,
} as const;

const FIRST = OP.start | OP.full;
const ONLY = OP.start | OP.end;

/** `OP` bits of each operation of the reliable service. */
const OPERATIONS: readonly (readonly [operation: number, bits: number])[] = [
  [BTH_OP.sendFirst, OP.send | FIRST],
  [BTH_OP.sendMiddle, OP.send | OP.full],
  [BTH_OP.sendLast, OP.send | OP.end],
  [BTH_OP.sendLastImm, OP.send | OP.end | OP.imm],
  [BTH_OP.sendOnly, OP.send | ONLY],
  [BTH_OP.sendOnlyImm, OP.send | ONLY | OP.imm],
  [BTH_OP.writeFirst, OP.write | FIRST | OP.reth],
  [BTH_OP.writeMiddle, OP.write | OP.full],
  [BTH_OP.writeLast, OP.write | OP.end],
  [BTH_OP.writeLastImm, OP.write | OP.end | OP.imm],
  [BTH_OP.writeOnly, OP.write | ONLY | OP.reth],
  [BTH_OP.writeOnlyImm, OP.write | ONLY | OP.reth | OP.imm],
  [BTH_OP.readRequest, ONLY | OP.reth],
  [BTH_OP.readResponseFirst, OP.response | FIRST | OP.aeth],
  [BTH_OP.readResponseMiddle, OP.response | OP.full],
  [BTH_OP.readResponseLast, OP.response | OP.end | OP.aeth],
  [BTH_OP.readResponseOnly, OP.response | ONLY | OP.aeth],
  [BTH_OP.acknowledge, OP.response | ONLY | OP.aeth],
  [BTH_OP.atomicAcknowledge, OP.response | ONLY | OP.aeth | OP.atomicAck],
  [BTH_OP.compareSwap, ONLY | OP.atomic],
  [BTH_OP.fetchAdd, ONLY | OP.atomic],
  [BTH_OP.sendLastInv, OP.send | OP.end | OP.ieth],
  [BTH_OP.sendOnlyInv, OP.send | ONLY | OP.ieth],
];

const OF_UNRELIABLE: readonly number[] = OPERATIONS.map(([operation]) => operation).filter(
  (o) => o <= BTH_OP.writeOnlyImm,
);
const OF_DATAGRAMS: readonly number[] = [BTH_OP.sendOnly, BTH_OP.sendOnlyImm];
const DETH_BYTES = 8;
const OPERATIONS_PER_CLASS = 32;

/**
 * What a packet is by its opcode: `OP` bits, and the bytes of its extended headers from this bit on. Reserved ones of the
 * reliable service are requests that nobody knows, for the responder to refuse (roce-transport.md 4.2 check 2); 0 for others.
 */
export const EXTENDED_SHIFT = 16;
/** @public */
export const OPCODES: Int32Array = table();

function table(): Int32Array {
  const entries = new Int32Array(256);
  entries.fill(OP.request, BTH_CLASS.rc, BTH_CLASS.rc + OPERATIONS_PER_CLASS);
  for (const [operation, flags] of OPERATIONS) {
    const bits = flags | OP.known | (flags & OP.response ? 0 : OP.request);
    const length = extendedHeaderBytes(bits);
    entries[BTH_CLASS.rc | operation] = bits | (length << EXTENDED_SHIFT);
    if (OF_UNRELIABLE.includes(operation)) entries[BTH_CLASS.uc | operation] = bits | (length << EXTENDED_SHIFT);
    if (!OF_DATAGRAMS.includes(operation)) continue;
    entries[BTH_CLASS.ud | operation] = bits | ((length + DETH_BYTES) << EXTENDED_SHIFT);
  }
  return entries;
}

function extendedHeaderBytes(bits: number): number {
  let n = 0;
  if (bits & OP.reth) n += 16;
  if (bits & OP.aeth) n += 4;
  if (bits & (OP.imm | OP.ieth)) n += 4;
  if (bits & OP.atomic) n += 28;
  if (bits & OP.atomicAck) n += 8;
  return n;
}

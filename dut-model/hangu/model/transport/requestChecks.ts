/** What the responder asks of a request packet alone, before it looks at keys and rights (roce-transport.md 4.2). */
import { MAX_MESSAGE } from '../../../../rdma/verbs.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { IN_MESSAGE } from './qpSlot.ts';
import type { QpSlot } from './qpSlot.ts';

type Shape = Pick<RxPacket, 'bits' | 'length' | 'pad' | 'dmaLength'>;

/** Whether the operation may follow the one before it. @param bits `OP` of the packet @param invalidates SENDs may invalidate keys */
export function sequenceLegal(slot: Pick<QpSlot, 'inMessage'>, bits: number, invalidates = false): boolean {
  if (!(bits & OP.known) || (bits & OP.ieth && !invalidates)) return false;
  if (slot.inMessage === IN_MESSAGE.none) return (bits & OP.start) !== 0;
  if (bits & OP.start) return false;
  return (bits & (slot.inMessage === IN_MESSAGE.send ? OP.send : OP.write)) !== 0;
}

/** Whether the operation consumes a receive. @param bits `OP` of the packet */
export function needsReceive(bits: number): boolean {
  return (bits & OP.send) !== 0 || (bits & (OP.write | OP.imm)) === (OP.write | OP.imm);
}

/** Payload length by position, pad, RETH length (roce-transport.md 4.2 no. 6). @param mtu path MTU in bytes */
export function lengthLegal(p: Shape, mtu: number): boolean {
  if (p.pad !== (-p.length & 3)) return false;
  if (p.bits & OP.full) {
    if (p.length !== mtu) return false;
  } else if (p.length > mtu || (p.length === 0 && !(p.bits & OP.start))) return false;
  if (p.bits & OP.atomic) return p.length === 0;
  return !(p.bits & OP.reth) || p.dmaLength <= MAX_MESSAGE;
}

/** Whether a WRITE ends with this packet just when its bytes do (roce-transport.md 4.2 no. 11). @param mtu in bytes */
export function writeFits(slot: Pick<QpSlot, 'writeLeft'>, p: Shape, mtu: number): boolean {
  if (!(p.bits & OP.write)) return true;
  if (p.bits & OP.reth) return p.bits & OP.end ? p.length === p.dmaLength : p.dmaLength > mtu;
  return p.bits & OP.end ? p.length === slot.writeLeft : p.length < slot.writeLeft;
}

/**
 * Packets of the requester: which part of its request each carries, and its headers (roce-transport.md 1.7, 4.1). The
 * payload is left to be gathered.
 */
import { BTH_CLASS, BTH_OP } from '../../../../rdma/bth.ts';
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { UD_SEG, WQE_OPCODE } from '../../layout/queues.ts';
import { swap32 } from '../../../roce/endian.ts';
import { bthWord0, frameData, P_KEY_DEFAULT } from '../../../roce/frameBuilder.ts';
import { IPV4_BYTES, IPV6_BYTES } from '../../../roce/frameLayout.ts';
import { psnAdd } from '../../../roce/psn.ts';
import type { HanguCore } from '../core.ts';
import { handlePath, type HandlePath, writeDatagramTemplate } from '../datagramTemplate.ts';
import { type Gather, NO_NETWORK } from '../memory/gather.ts';
import { bthClass, isUd, qpMtu, qpService, QPC_DW } from '../qpContext.ts';
import type { PacketJob, QpSlot, SendRequest } from './qpSlot.ts';

const ATOMIC_ETH_BYTES = 28;

export class RequestPackets {
  protected readonly core: HanguCore;
  readonly #gather: Gather;

  constructor(core: HanguCore, gather: Gather) {
    this.core = core;
    this.#gather = gather;
  }

  /** Makes `j` the request for what is still missing of a READ. */
  readRequest(j: PacketJob, slot: QpSlot, c: number, r: SendRequest): void {
    const w = this.core.bytes.i32;
    const k = slot.cursorPacket;
    const skip = k * qpMtu(w, c);
    r.readBase = k;
    j.psn = psnAdd(r.firstPsn, k);
    j.last = true;
    j.ackRequest = true;
    const at = this.#begin(j, slot, BTH_OP.readRequest, false, true, 16, 0);
    this.#reth(at, r, skip, r.length - skip);
    j.at = at + 16;
    j.end = j.at;
    j.left = 0;
  }

  /** Makes `j` the packet of an atomic: address, key and operands as the request has them (roce-transport.md 1.5). */
  atomic(j: PacketJob, slot: QpSlot, r: SendRequest): void {
    const w = this.core.bytes.i32;
    j.psn = r.firstPsn;
    j.last = true;
    j.ackRequest = true;
    const operation = r.opcode === WQE_OPCODE.compareSwap ? BTH_OP.compareSwap : BTH_OP.fetchAdd;
    const at = this.#begin(j, slot, operation, false, true, ATOMIC_ETH_BYTES, 0);
    const i = at >> 2;
    w[i] = swap32(r.remoteHi);
    w[i + 1] = swap32(r.remoteLo);
    w[i + 2] = swap32(r.rkey);
    this.operands(i + 3, r);
    j.at = at + ATOMIC_ETH_BYTES;
    j.end = j.at;
    j.left = 0;
  }

  /** Swap or add operand and compare operand of an atomic, at dword `i` of its packet; overridable for planting. */
  protected operands(i: number, r: SendRequest): void {
    const w = this.core.bytes.i32;
    const o = r.operands;
    w[i] = swap32(w[o + 1] as number);
    w[i + 1] = swap32(w[o] as number);
    w[i + 2] = swap32(w[o + 3] as number);
    w[i + 3] = swap32(w[o + 2] as number);
  }

  /** Makes `j` a frame that software has built: nothing is added but what a short one is filled up with. */
  frame(j: PacketJob, r: SendRequest): void {
    j.psn = r.firstPsn;
    j.last = true;
    j.ackRequest = false;
    j.l3Bytes = NO_NETWORK;
    j.sge = 0;
    j.sgeDone = 0;
    j.at = frameData(this.core.blocks.offset((j.frame as { block: number }).block));
    j.end = j.at + r.length;
    j.left = r.length;
  }

  /** Makes `j` the packet of a SEND or WRITE at the cursor of the queue pair, which moves behind it. */
  data(j: PacketJob, slot: QpSlot, c: number, r: SendRequest): void {
    const core = this.core;
    const w = core.bytes.i32;
    const mtu = qpMtu(w, c);
    const k = slot.cursorPacket;
    const offset = k * mtu;
    const length = Math.min(mtu, r.length - offset);
    const service = qpService(w, c);
    this.#seekSegment(r, k, offset);
    j.psn = psnAdd(r.firstPsn, k);
    j.last = k === r.packets - 1;
    j.sge = r.sge;
    j.sgeDone = r.sgeDone;
    const write = r.opcode === WQE_OPCODE.write || r.opcode === WQE_OPCODE.writeImm;
    const imm = j.last && (r.opcode === WQE_OPCODE.sendImm || r.opcode === WQE_OPCODE.writeImm);
    const invalidates = j.last && r.opcode === WQE_OPCODE.sendInv;
    const reth = write && k === 0;
    const ext = (reth ? 16 : 0) + (imm || invalidates ? 4 : 0);
    j.ackRequest = service === QPC_SERVICE.rc && this.wantsAck(j.last, j.psn);
    const operation =
      (invalidates ? this.invalidation(k === 0) : this.operation(write, k === 0, j.last, imm)) | bthClass(w, c);
    const solicited = j.last && r.solicited && (!write || imm);
    let at: number;
    if (isUd(w, c)) at = this.#beginDatagram(j, slot, c, r, operation, solicited, ext, length);
    else at = this.#begin(j, slot, operation, solicited, j.ackRequest, ext, length);
    if (reth) {
      this.#reth(at, r, 0, r.length);
      at += 16;
    }
    if (imm || invalidates) {
      core.bytes.i32[at >> 2] = swap32(invalidates ? this.invalidatedKey(r) : r.imm);
      at += 4;
    }
    j.at = at;
    j.end = at + length;
    j.left = length;
    if (!j.last) this.#gather.advance(r, length);
    r.sgePacket = k + 1;
    slot.cursorPacket = k + 1;
  }

  /** Operation code of the packet that ends a SEND with invalidate; overridable for planting. */
  protected invalidation(first: boolean): number {
    return first ? BTH_OP.sendOnlyInv : BTH_OP.sendLastInv;
  }

  /** Key that a SEND with invalidate carries; overridable for planting. */
  protected invalidatedKey(r: SendRequest): number {
    return r.imm;
  }

  /** Every packet that ends a message asks for an ACK, and some of a long one; overridable for planting. */
  protected wantsAck(last: boolean, psn: number): boolean {
    return last || psn % this.core.config.ackInterval === 0;
  }

  /** Operation code of a SEND or WRITE packet; overridable for planting. */
  protected operation(write: boolean, first: boolean, last: boolean, imm: boolean): number {
    const base = write ? BTH_OP.writeFirst : BTH_OP.sendFirst;
    if (!last) return first ? base : base + 1;
    return base + (first ? 4 : 2) + (imm ? 1 : 0);
  }

  /** Source position of packet `k`: where the one before ended, or counted from the start after a retransmission. */
  #seekSegment(r: SendRequest, k: number, offset: number): void {
    if (k !== 0 && r.sgePacket === k) return;
    r.sge = 0;
    r.sgeDone = 0;
    if (offset > 0) this.#gather.advance(r, offset);
  }

  #begin(
    j: PacketJob,
    slot: QpSlot,
    operation: number,
    solicited: boolean,
    ack: boolean,
    ext: number,
    length: number,
  ): number {
    const core = this.core;
    const block = core.blocks.offset((j.frame as { block: number }).block);
    j.l3Bytes = slot.l3Bytes;
    const b0 = bthWord0(operation, solicited, P_KEY_DEFAULT);
    const b2 = (ack ? 0x8000_0000 : 0) | j.psn;
    return core.builder.begin(block, slot.template, slot.l3Bytes, b0, slot.remoteQpn, b2, ext, length);
  }

  /** UD: addresses come from the request (hangu-interface.md 6.3); the DETH follows the BTH. */
  #beginDatagram(
    j: PacketJob,
    slot: QpSlot,
    c: number,
    r: SendRequest,
    operation: number,
    solicited: boolean,
    ext: number,
    length: number,
  ): number {
    const core = this.core;
    const w = core.bytes.i32;
    const u = r.udSegment;
    writeDatagramTemplate(core, slot.qpn, c, u, this.pathOf(w, u));
    j.l3Bytes = (w[u] as number) & UD_SEG.ipv6Flag ? IPV6_BYTES : IPV4_BYTES;
    const block = core.blocks.offset((j.frame as { block: number }).block);
    const qpn = (w[u + (UD_SEG.qpn >> 2)] as number) & 0xffffff;
    const b0 = bthWord0(operation | BTH_CLASS.ud, solicited, P_KEY_DEFAULT);
    const at = core.builder.begin(block, core.udTemplate, j.l3Bytes, b0, qpn, j.psn, ext + 8, length);
    const given = w[u + (UD_SEG.qkey >> 2)] as number;
    // Bit 31 of the request's Q_Key asks for the sending queue pair's own (roce-transport.md 4.3).
    w[at >> 2] = swap32(given < 0 ? (w[c + QPC_DW.qkey] as number) : given);
    w[(at >> 2) + 1] = swap32(slot.qpn);
    return at + 8;
  }

  /** The path of a datagram; overridable for planting. @param u dword of its UD segment */
  protected pathOf(w: Int32Array, u: number): HandlePath {
    return handlePath(w, u);
  }

  #reth(at: number, r: SendRequest, skip: number, length: number): void {
    const w = this.core.bytes.i32;
    const lo = (r.remoteLo >>> 0) + skip;
    const i = at >> 2;
    w[i] = swap32(lo > 0xffff_ffff ? r.remoteHi + 1 : r.remoteHi);
    w[i + 1] = swap32(lo | 0);
    w[i + 2] = swap32(r.rkey);
    w[i + 3] = swap32(length);
  }
}

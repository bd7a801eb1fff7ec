/**
 * Frames of software (hangu-verbs.md, "Frames of software and management"): what comes to the port, is no RoCEv2, and is for the
 * port or for all, goes as it is into the next receive of the port's raw packet queue pair. Without one, or into one that is too
 * short, it is dropped and counted. Packets of others never wait for it.
 */
import { UDP_PORT_ROCE } from '../../../../rdma/bth.ts';
import type { Frame } from '../../../nic.ts';
import {
  ETHERNET_BYTES,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_VLAN,
  IP_PROTOCOL_UDP,
  IPV4_BYTES,
  IPV6_BYTES,
} from '../../../roce/frameLayout.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { QPC_STATE } from '../../layout/contexts.ts';
import { CQE_RECV_OPCODE, CQE_SYNDROME } from '../../layout/queues.ts';
import type { HanguCore } from '../core.ts';
import { NO_CONTEXT, WAIT } from '../core.ts';
import { NO_NETWORK } from '../memory/gather.ts';
import type { PayloadWriter } from '../memory/payloadWriter.ts';
import { XLATE } from '../memory/translation.ts';
import { QPC_DW, qpState, setQpState } from '../qpContext.ts';
import type { CompletionUnit } from '../queues/completionUnit.ts';
import type { ReceiveQueue } from '../queues/receiveQueue.ts';
import { RECV } from '../queues/receives.ts';
import type { QpSlot } from './qpSlot.ts';
import type { ReceiveFlush } from './receiveFlush.ts';

const FRAGMENT_OFFSET = 0x1fff;
const BROADCAST = 0xff;

export class FrameReceiver {
  protected readonly core: HanguCore;
  readonly #receiveQueue: ReceiveQueue;
  readonly #payload: PayloadWriter;
  readonly #completions: CompletionUnit;
  readonly #flush: ReceiveFlush;

  constructor(
    core: HanguCore,
    receiveQueue: ReceiveQueue,
    payload: PayloadWriter,
    completions: CompletionUnit,
    flush: ReceiveFlush,
  ) {
    this.core = core;
    this.#receiveQueue = receiveQueue;
    this.#payload = payload;
    this.#completions = completions;
    this.#flush = flush;
  }

  /** Whether a frame is software's. */
  accepts({ data, length, fcsError }: Frame): boolean {
    return this.core.rawQpn >= 0 && !fcsError && !isRoce(this.core.bytes.u8, data, length);
  }

  /** Makes `p` the frame, for the queue pair that takes those of the port. */
  load(p: RxPacket, { data, length }: Frame): void {
    p.destQpn = this.core.rawQpn;
    p.bits = 0;
    p.l3Bytes = NO_NETWORK;
    p.marked = false;
    p.payload = data;
    p.length = length;
  }

  /** @returns false when it has to wait and will be resumed */
  handle(slot: QpSlot, p: RxPacket): boolean {
    const { core } = this;
    const c = core.contextOf(slot, p);
    if (c === WAIT) return false;
    if (c === NO_CONTEXT) return this.#dropped();
    const state = qpState(core.bytes.i32, c);
    if (state < QPC_STATE.rtr || state === QPC_STATE.err) return this.#dropped();
    if (p.stage === 0) {
      if (!this.isForPort(c, p)) return this.#dropped();
      const taken = this.#receiveQueue.take(slot, c, p);
      if (taken === RECV.wait) return false;
      if (taken !== RECV.taken) return this.#dropped();
      if (!this.hasRoom(slot, p)) {
        this.#receiveQueue.giveBack(slot);
        return this.#dropped();
      }
      p.stage = 1;
    }
    const result = this.#payload.scatter(slot, c, p);
    if (result === XLATE.wait) return false;
    if (result !== XLATE.ok) return this.#fail(slot, c, p);
    if (slot.rxWrites !== null) {
      if (!slot.rxWrites.haveEnded(p)) return false;
      if (slot.rxWrites.takeFailure()) return this.#fail(slot, c, p);
    }
    this.#complete(slot, c, this.bytesOf(p), 0);
    return true;
  }

  /** Whether a frame is for this port or for all; there is no way to subscribe to a group. Overridable for planting. */
  protected isForPort(c: number, p: RxPacket): boolean {
    const { u8, i32: w } = this.core.bytes;
    const at = p.payload;
    const high = ((u8[at] as number) << 8) | (u8[at + 1] as number);
    const middle = ((u8[at + 2] as number) << 8) | (u8[at + 3] as number);
    const low = ((u8[at + 4] as number) << 8) | (u8[at + 5] as number);
    const own = w[c + QPC_DW.smacHigh] as number;
    const isOwn =
      high === own >>> 16 && middle === (own & 0xffff) && low === ((w[c + QPC_DW.macLow] as number) & 0xffff);
    return isOwn || (high & middle & low) === ((BROADCAST << 8) | BROADCAST);
  }

  /** Whether it fits into the receive in use; overridable for planting. */
  protected hasRoom(slot: QpSlot, p: RxPacket): boolean {
    return p.length <= slot.recvRoom;
  }

  /** Bytes that its completion tells; overridable for planting. */
  protected bytesOf(p: RxPacket): number {
    return p.length;
  }

  #dropped(): boolean {
    this.core.counters.rawDropped++;
    return true;
  }

  /** The memory of a receive cannot be written: it ends with that, and the queue pair with it. */
  #fail(slot: QpSlot, c: number, p: RxPacket): boolean {
    this.#complete(slot, c, this.bytesOf(p), CQE_SYNDROME.localProtection);
    setQpState(this.core.bytes.i32, c, QPC_STATE.err);
    this.core.touch(slot);
    this.#flush.enterErrorFromReceiver(slot);
    return true;
  }

  #complete(slot: QpSlot, c: number, byteCount: number, syndrome: number): void {
    const e = this.#completions.acquire();
    e.cqn = this.core.bytes.i32[c + QPC_DW.cqnRcv] as number;
    e.qpn = slot.qpn;
    e.remoteQpn = 0;
    e.isSend = false;
    e.opcode = CQE_RECV_OPCODE.sendOnly;
    e.byteCount = byteCount;
    e.wqe = slot.recvOffset;
    e.imm = 0;
    e.grh = false;
    e.solicited = false;
    e.syndrome = syndrome;
    this.#completions.post(e);
    this.#receiveQueue.consume(slot, c);
  }
}

/** For UDP port 4791, over either IP, with a VLAN tag or without: what the transport takes, or drops. */
function isRoce(u8: Uint8Array, data: number, length: number): boolean {
  const end = data + length;
  let l3 = data + ETHERNET_BYTES;
  let type = be16(u8, l3 - 2);
  if (type === ETHERTYPE_VLAN) {
    l3 += 4;
    type = be16(u8, l3 - 2);
  }
  let udp = end;
  if (type === ETHERTYPE_IPV4 && l3 + IPV4_BYTES <= end) {
    const later = (be16(u8, l3 + 6) & FRAGMENT_OFFSET) !== 0;
    if (u8[l3 + 9] === IP_PROTOCOL_UDP && !later) udp = l3 + ((u8[l3] as number) & 15) * 4;
  } else if (type === ETHERTYPE_IPV6 && l3 + IPV6_BYTES <= end && u8[l3 + 6] === IP_PROTOCOL_UDP) udp = l3 + IPV6_BYTES;
  return udp + 4 <= end && be16(u8, udp + 2) === UDP_PORT_ROCE;
}

function be16(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 8) | (u8[at + 1] as number);
}

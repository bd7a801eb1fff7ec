/**
 * Doorbells and send WQEs: takes doorbells per queue pair in order, walks the linked list of WQEs in the send ring,
 * fetches each through the ring's memory region and parses its segments (hangu-interface.md 6, 7;
 * hangu-rtl-facts.md 4.1, 4.2). Offset, size and opcode of a WQE come from the doorbell or from the WQE before it.
 */
import {
  CQE_SYNDROME,
  DATA_SEG_INLINE,
  changesKey,
  isAtomic,
  isFetch,
  NEXT_SEG,
  SEND_DB,
  WQE_OPCODE,
  WQE_UNIT,
} from '../../layout/queues.ts';
import { QPC_SERVICE, QPC_STATE } from '../../layout/contexts.ts';
import { ATOMIC_BYTES, ETHERNET_HEADER_BYTES, MAX_MESSAGE, RAW_FRAME_OVERHEAD } from '../../../../rdma/verbs.ts';
import type { HanguCore } from '../core.ts';
import { NO_CONTEXT, WAIT } from '../core.ts';
import { handleIsOf } from '../datagramTemplate.ts';
import { inlineUnits } from './inlineUnits.ts';
import { mostReads, QPC_DW, qpMtu, qpPd, qpService, qpState, wantsCompletion } from '../qpContext.ts';
import { SendRequest } from '../transport/qpSlot.ts';
import type { QpSlot } from '../transport/qpSlot.ts';
import { XLATE } from '../memory/translation.ts';

/** What the send queue tells the requester. */
export interface SendQueueClient {
  /** A fetch begins or ends: the scheduler counts them. */
  fetching(change: 1 | -1): void;
  /** A request is parsed and in the slot's list. */
  requestReady(slot: QpSlot): void;
  /** A WQE of a queue pair in an error state was fetched: complete it as flushed. */
  requestFlushed(request: SendRequest): void;
}

const NO_NEED = 0;
/** Bytes for the WQE of a request that has not had a longer one. */
const LEAST_ROOM = 128;
/** Reads of one WQE that may fail before what is behind it is given up. */
const MOST_FAILURES = 16;

export class SendQueue {
  protected readonly core: HanguCore;
  readonly #client: SendQueueClient;
  #free: SendRequest | null = null;
  /** Latency in ps from a doorbell to the fetch of its WQE. */
  #doorbellPs = 0;
  /** Requests of one queue pair fetched and not completed. */
  #requestsPerQp = 0;

  constructor(core: HanguCore, client: SendQueueClient) {
    this.core = core;
    this.#doorbellPs = core.cycles(core.config.doorbellCycles);
    this.#requestsPerQp = core.config.requestsPerQp;
    this.#client = client;
  }

  /** A doorbell: two dwords as written to the process's page. @returns its queue pair, or null for a bad number. */
  doorbell(dw0: number, dw1: number): QpSlot | null {
    const qpn = dw1 >>> SEND_DB.qpnShift;
    if (qpn >= this.core.icm.qpc.entries) return null;
    const slot = this.core.slot(qpn);
    if (slot.fetching || this.hasMore(slot)) {
      slot.doorbells ??= [];
      slot.doorbells.push(dw0, dw1);
    } else takeDoorbell(slot, dw0, dw1);
    return slot;
  }

  /** Forgets what has not been fetched. */
  drop(slot: QpSlot): void {
    slot.doorbells = null;
    slot.nextSize = 0;
  }

  /** Starts the fetch of the next WQE when there is one and room for it. */
  fetchMore(slot: QpSlot, c: number): void {
    if (slot.fetching === true || slot.requests >= this.#requestsPerQp) return;
    if (slot.nextSize === 0 && !nextDoorbell(slot)) return;
    slot.fetching = true;
    this.#client.fetching(1);
    slot.requests++;
    this.#start(slot, c);
  }

  /** Whether anything is left that has not been fetched. */
  hasMore(slot: QpSlot): boolean {
    return slot.nextSize !== 0 || (slot.doorbells !== null && slot.doorbells.length > 0);
  }

  /** The request's WQE, or what it waited for, has arrived. */
  proceed(r: SendRequest): void {
    if (r.stage > 0) {
      this.#parse(r);
      return;
    }
    const c = this.core.contextOf(r.slot, r);
    if (c !== WAIT) this.#fetch(r, c);
  }

  fetched(r: SendRequest, ok: boolean): void {
    if (ok !== true) this.unreadable(r);
    if (--r.pendingReads > 0 || r.fetched < r.wqeBytes) return;
    if (r.unread && r.failures <= MOST_FAILURES) {
      // The request fails; where the list goes on stands in its WQE all the same.
      r.unread = false;
      r.fetched = 0;
      this.proceed(r);
      return;
    }
    r.stage = 1;
    this.#parse(r);
  }

  /** Gives a completed request back. */
  release(r: SendRequest): void {
    r.slot.requests--;
    this.core.xlate.drop(r);
    if (r.keyWork !== null) this.core.keys.release(r);
    r.next = this.#free;
    this.#free = r;
  }

  /** Opcode by which a WQE is executed; overridable for planting. */
  protected opcodeOf(slot: QpSlot): number {
    return slot.nextOpcode;
  }

  /** Whether a request completes also when it succeeds; overridable for planting. @param dw2 third dword of its WQE */
  protected isSignalled(w: Int32Array, c: number, dw2: number): boolean {
    return wantsCompletion(w, c, dw2);
  }

  /** A part of a WQE could not be read; overridable for planting. */
  protected unreadable(r: SendRequest): void {
    r.syndrome = CQE_SYNDROME.localQpOperation;
    r.failures++;
    r.unread = true;
  }

  /** Whether a message may be so long, and its packets; overridable for planting. */
  protected checkLength(r: SendRequest, service: number, c: number): void {
    const w = this.core.bytes.i32;
    const mtu = qpMtu(w, c);
    if (r.length > MAX_MESSAGE || (service === QPC_SERVICE.ud && r.length > mtu)) {
      r.syndrome = CQE_SYNDROME.localLength;
    }
    r.packets = r.length <= mtu ? 1 : Math.ceil(r.length / mtu);
    r.psns = r.packets;
    if (isFetch(r.opcode)) {
      r.packets = 1;
      if (isAtomic(r.opcode) && r.length !== ATOMIC_BYTES) r.syndrome = CQE_SYNDROME.localLength;
      if (mostReads(w, c) === 0) r.syndrome = CQE_SYNDROME.localQpOperation;
    }
  }

  #start(slot: QpSlot, c: number): void {
    const r = this.#acquire(slot);
    r.wqeOffset = slot.nextOffset;
    r.wqeBytes = slot.nextSize * WQE_UNIT;
    if (r.wqeBytes > r.room) this.#makeRoom(r);
    // Not before: a store that grows replaces its arrays.
    const w = this.core.bytes.i32;
    r.opcode = slot.nextOpcode;
    r.fence = slot.nextFence;
    r.cqn = w[c + QPC_DW.cqnSnd] as number;
    r.remoteQpn = (w[c + QPC_DW.remoteQpn] as number) & 0xffffff;
    this.#fetch(r, c);
  }

  /** A request stays as large as its longest WQE so far. */
  #makeRoom(r: SendRequest): void {
    r.room = 2 ** Math.ceil(Math.log2(Math.max(r.wqeBytes, LEAST_ROOM)));
    r.wqe = this.core.bytes.alloc(r.room, WQE_UNIT);
  }

  #acquire(slot: QpSlot): SendRequest {
    let r = this.#free;
    if (r === null) r = new SendRequest();
    else this.#free = r.next;
    r.slot = slot;
    r.next = null;
    r.stage = 0;
    r.fetched = 0;
    r.pendingReads = 0;
    r.failures = 0;
    r.unread = false;
    r.syndrome = 0;
    r.udSegment = 0;
    r.length = 0;
    r.firstPsn = -1;
    r.lastPsn = -1;
    r.sge = 0;
    r.sgeDone = 0;
    r.sgePacket = 0;
    r.readBase = 0;
    r.sent = false;
    return r;
  }

  /** Reads the WQE piece by piece: a page end or the end of the ring may lie within it. */
  #fetch(r: SendRequest, c: number): void {
    const core = this.core;
    if (c === NO_CONTEXT) {
      r.syndrome = CQE_SYNDROME.localQpOperation;
      r.fetched = r.wqeBytes;
    }
    const x = core.xlate;
    core.dma.delay = this.#doorbellPs;
    while (r.fetched < r.wqeBytes) {
      const w = core.bytes.i32;
      const ring = w[c + QPC_DW.sqLength] as number;
      let offset = r.wqeOffset + r.fetched;
      if (offset >= ring) offset %= ring;
      let n = Math.min(r.wqeBytes - r.fetched, ring - offset);
      const key = w[c + QPC_DW.sqKey] as number;
      const result = x.translate(key, w[c + QPC_DW.pd] as number, 0, offset, n, NO_NEED, true, r);
      if (result === XLATE.wait) {
        // The context is needed again after the translation, and once more to parse what was fetched.
        core.keepContext(r, r.slot.qpn);
        break;
      }
      if (result !== XLATE.ok) {
        r.syndrome = CQE_SYNDROME.localQpOperation;
        r.fetched = r.wqeBytes;
        break;
      }
      n = Math.min(n, x.available);
      r.pendingReads++;
      core.dma.read(x.paHi, x.paLo, n, r.wqe + r.fetched, r);
      r.fetched += n;
    }
    core.dma.delay = 0;
    if (r.pendingReads === 0 && r.fetched >= r.wqeBytes) {
      r.stage = 1;
      this.#parse(r);
    }
  }

  #parse(r: SendRequest): void {
    const core = this.core;
    const slot = r.slot;
    const c = core.contextOf(slot, r);
    if (c === WAIT) return;
    core.letContextGo(r, slot.qpn);
    const w = core.bytes.i32;
    const d = r.wqe >> 2;
    r.opcode = this.opcodeOf(slot);
    if (c === NO_CONTEXT && slot.lost) this.#putBack(r);
    else if (c === NO_CONTEXT || r.unread || (r.syndrome !== 0 && r.failures === 0)) slot.nextSize = 0;
    else this.#follow(slot, w[d] as number, w[d + 1] as number);
    r.solicited = ((w[d + 2] as number) & NEXT_SEG.solicited) !== 0;
    r.imm = (w[d + 3] as number) >>> 0;
    slot.fetching = false;
    this.#client.fetching(-1);
    r.stage = 2;
    if (c === NO_CONTEXT) {
      this.release(r);
      return;
    }
    r.signalled = this.isSignalled(w, c, w[d + 2] as number);
    if (r.syndrome === 0) this.#segments(r, c);
    const state = qpState(w, c);
    if (state === QPC_STATE.err || state === QPC_STATE.sqe) {
      this.#client.requestFlushed(r);
      return;
    }
    append(slot, r);
    this.#client.requestReady(slot);
  }

  /** It was not carried out, and is fetched again when its queue pair is flushed. */
  #putBack({ slot, wqeOffset, wqeBytes, opcode, fence }: SendRequest): void {
    slot.nextOffset = wqeOffset;
    slot.nextSize = wqeBytes / WQE_UNIT;
    slot.nextOpcode = opcode;
    slot.nextFence = fence;
  }

  /** Where the next WQE is (next segment, DW0 and DW1). */
  #follow(slot: QpSlot, dw0: number, dw1: number): void {
    slot.nextSize = dw1 & NEXT_SEG.sizeMask;
    slot.nextOffset = this.offsetOf(dw0);
    slot.nextOpcode = dw0 & NEXT_SEG.opcodeMask;
    slot.nextFence = (dw1 & NEXT_SEG.fence) !== 0;
  }

  /** Where in its ring (bytes) a next segment says that the next WQE is; overridable for planting. */
  protected offsetOf(dw0: number): number {
    return (dw0 >>> NEXT_SEG.offsetShift) * WQE_UNIT;
  }

  /** Finds the segments behind the next segment and works out length, packets and sequence numbers. */
  #segments(r: SendRequest, c: number): void {
    const w = this.core.bytes.i32;
    const service = qpService(w, c);
    if (!opcodeAllowed(service, r.opcode) || (this.core.xlate.tagBits === 0 && isExtended(r.opcode))) {
      r.syndrome = CQE_SYNDROME.localQpOperation;
      return;
    }
    let d = (r.wqe >> 2) + 4;
    if (changesKey(r.opcode)) {
      r.segments = d;
      r.packets = 0;
      r.psns = 0;
      return;
    }
    if (service === QPC_SERVICE.raw) {
      this.#frame(r, c, d);
      return;
    }
    if (service === QPC_SERVICE.ud) {
      r.udSegment = d;
      d += 12;
    } else if (hasRemote(r.opcode)) {
      r.remoteLo = w[d] as number;
      r.remoteHi = w[d + 1] as number;
      r.rkey = w[d + 2] as number;
      d += 4;
      if (isAtomic(r.opcode)) {
        r.operands = d;
        d += 4;
      }
    }
    r.segments = d;
    const end = (r.wqe + r.wqeBytes) >> 2;
    this.#measure(r, d, end);
    this.checkLength(r, service, c);
    // Last, so that of two mistakes this one is told.
    if (service === QPC_SERVICE.ud && !this.mayUseHandle(w, r.udSegment, qpPd(w, c)))
      r.syndrome = CQE_SYNDROME.localQpOperation;
  }

  /** Whether a datagram may go by its address handle; overridable for planting. @param u dword of its UD segment */
  protected mayUseHandle(w: Int32Array, u: number, pd: number): boolean {
    return handleIsOf(w, u, pd);
  }

  /** A frame as software has built it: data segments, one packet. */
  #frame(r: SendRequest, c: number, d: number): void {
    r.segments = d;
    this.#measure(r, d, (r.wqe + r.wqeBytes) >> 2);
    const most = qpMtu(this.core.bytes.i32, c) + RAW_FRAME_OVERHEAD;
    if (!this.isFrame(r.length, most)) r.syndrome = CQE_SYNDROME.localLength;
    r.packets = 1;
    r.psns = 1;
  }

  /** Whether a frame is so long as a port sends them; overridable for planting. */
  protected isFrame(length: number, most: number): boolean {
    return length >= ETHERNET_HEADER_BYTES && length <= most;
  }

  #measure(r: SendRequest, first: number, end: number): void {
    const w = this.core.bytes.i32;
    let d = first;
    let length = 0;
    while (d < end) {
      const n = w[d] as number;
      if (n & DATA_SEG_INLINE) {
        const bytes = n & 0x7fff_ffff;
        length += bytes;
        d += inlineUnits(bytes) * 4;
      } else {
        length += n;
        d += 4;
      }
    }
    if (d !== end) r.syndrome = CQE_SYNDROME.localQpOperation;
    r.length = length;
  }
}

/** Takes the oldest waiting doorbell. @returns false when there is none, or nothing behind it */
function nextDoorbell(slot: QpSlot): boolean {
  const waiting = slot.doorbells;
  if (waiting === null || waiting.length === 0) return false;
  takeDoorbell(slot, waiting.shift() as number, waiting.shift() as number);
  return slot.nextSize !== 0;
}

function takeDoorbell(slot: QpSlot, dw0: number, dw1: number): void {
  slot.nextOffset = (dw0 >>> SEND_DB.offsetShift) * WQE_UNIT;
  slot.nextSize = dw1 & SEND_DB.sizeMask;
  slot.nextOpcode = dw0 & SEND_DB.opcodeMask;
  slot.nextFence = (dw0 & SEND_DB.fence) !== 0;
}

/** roce-transport.md 4.5: which operations a service has. */
function opcodeAllowed(service: number, opcode: number): boolean {
  switch (opcode) {
    case WQE_OPCODE.send:
      return true;
    case WQE_OPCODE.sendImm:
      return service !== QPC_SERVICE.raw;
    case WQE_OPCODE.write:
    case WQE_OPCODE.writeImm:
    case WQE_OPCODE.bindMw:
    case WQE_OPCODE.regMr:
    case WQE_OPCODE.localInv:
      return service === QPC_SERVICE.rc || service === QPC_SERVICE.uc;
    case WQE_OPCODE.sendInv:
    case WQE_OPCODE.read:
    case WQE_OPCODE.compareSwap:
    case WQE_OPCODE.fetchAdd:
      return service === QPC_SERVICE.rc;
    default:
      return false;
  }
}

/** Requests that need tags of keys. */
function isExtended(opcode: number): boolean {
  return changesKey(opcode) || opcode === WQE_OPCODE.sendInv;
}

/** Whether a request names memory of the other side. */
function hasRemote(opcode: number): boolean {
  return opcode === WQE_OPCODE.write || opcode === WQE_OPCODE.writeImm || isFetch(opcode);
}

function append(slot: QpSlot, r: SendRequest): void {
  if (slot.tail === null) slot.head = r;
  else slot.tail.next = r;
  slot.tail = r;
  if (slot.cursor === null) {
    slot.cursor = r;
    slot.cursorPacket = 0;
  }
}

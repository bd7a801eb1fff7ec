/**
 * Writes work-queue entries straight into the pages of the rings (hangu-interface.md 6, with the corrections of
 * hangu-rtl-facts.md 1). All entries of a posting are linked; the pages of a ring are scattered, entries never cross
 * one. Nothing is copied and nothing allocated: every field is one 32-bit store.
 *
 * A send-queue entry becomes visible by the doorbell. A receive-queue entry becomes visible by its first segment not
 * being zero, so the slot after the last posted one is cleared before every posting.
 */

import { QUEUE_AREA } from '../../layout/addressMap.ts';
import { DATA_SEG_INLINE, NEXT_SEG, UD_SEG, WQE_OPCODE, WQE_UNIT } from '../../layout/queues.ts';
import { QP_TYPE, SEND_FLAG, sendsNothing, WR_OPCODE } from '../../../../rdma/verbs.ts';
import type { RecvWr, SendWr, Sge } from '../../../../agents/verbs/verbsItems.ts';
import type { AddressMap } from '../../../../env/memory/addressMap.ts';
import type { HostMemory } from '../../../../env/memory/hostMemory.ts';
import type { PortAddress } from '../../../../agents/wire/pathChecker.ts';
import type { NetAddresses } from '../../../../env/ports/netAddress.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';
import type { Ah } from '../../../../env/verbs/verbsObjects.ts';
import type { HanguQp } from '../hanguObjects.ts';
import { KeyWriter, keyUnits } from './keyWriter.ts';
import { inlineUnits } from './ringPlan.ts';
import { carried, INDEX_BITS } from '../../../../uvm/bytes/words.ts';

/** WQE opcode of each `WR_OPCODE` that the NIC has. */
export const WQE_OF_WR: readonly number[] = [
  WQE_OPCODE.write,
  WQE_OPCODE.writeImm,
  WQE_OPCODE.send,
  WQE_OPCODE.sendImm,
  WQE_OPCODE.read,
  WQE_OPCODE.compareSwap,
  WQE_OPCODE.fetchAdd,
  WQE_OPCODE.localInv,
  WQE_OPCODE.bindMw,
  WQE_OPCODE.sendInv,
  WQE_OPCODE.regMr,
];

const PAGE_MASK = 0xfff;
/** Dwords of a segment. */
const SEG = 4;
const WQE_UNIT_LOG2 = Math.log2(WQE_UNIT);

export class WqeWriter {
  /** What the doorbell of the posting written last needs: ring offset in bytes, size in units, opcode, fence. */
  firstOffset = 0;
  firstUnits = 0;
  firstOpcode = 0;
  firstFence = false;

  readonly #memory: HostMemory;
  readonly #map: AddressMap;
  /** Address handles by index. */
  readonly #ahs: readonly Ah[];
  readonly #addresses: NetAddresses;
  readonly #keys: KeyWriter;
  /** Dword index in the byte store of the slot found last. */
  #at = 0;
  /** Queue pair and page of its window found last, and where the byte store has that page. Pages never move. */
  #qp: HanguQp | null = null;
  #page = -1;
  #base = 0;

  constructor(host: Pick<ProviderHost, 'memory' | 'map' | 'ahs' | 'addresses' | 'area'>) {
    const { memory, map, ahs, addresses } = host;
    this.#keys = new KeyWriter(host);
    this.#memory = memory;
    this.#map = map;
    this.#ahs = ahs;
    this.#addresses = addresses;
  }

  /** Writes `count` linked send requests from the ring position `qp.sqPosted` on. The caller has checked them. */
  writeSends(qp: HanguQp, wrs: readonly SendWr[], count: number): void {
    const mask = qp.sqSlots - 1;
    const log = qp.sqStrideLog;
    const first = qp.sqPosted;
    let wr = wrs[0] as SendWr;
    let units = sendUnits(qp, wr);
    let opcode = WQE_OF_WR[wr.opcode] as number;
    let offset = (first & mask) << log;
    this.firstOffset = offset;
    this.firstUnits = units;
    this.firstOpcode = opcode;
    this.firstFence = (wr.flags & SEND_FLAG.fence) !== 0;
    for (let i = 1; i <= count; i++) {
      this.#seek(qp, offset);
      const own = wr;
      const ownSize = (opcode << NEXT_SEG.ownOpcodeShift) | (units << NEXT_SEG.ownSizeShift);
      let dw0 = 0;
      let dw1 = 0;
      if (i < count) {
        wr = wrs[i] as SendWr;
        units = sendUnits(qp, wr);
        opcode = WQE_OF_WR[wr.opcode] as number;
        offset = ((first + i) & mask) << log;
        dw0 = ((offset >>> WQE_UNIT_LOG2) << NEXT_SEG.offsetShift) | opcode;
        dw1 = units | ((wr.flags & SEND_FLAG.fence) !== 0 ? NEXT_SEG.fence : 0);
      }
      this.#sendEntry(qp, own, ownSize, dw0, dw1, (first + i - 1) & mask);
    }
  }

  /** Writes `count` linked receive requests from the ring position `qp.rqPosted` on, and clears the slot after them. */
  writeRecvs(qp: HanguQp, wrs: readonly RecvWr[], count: number): void {
    const mask = qp.rqSlots - 1;
    const log = qp.rqStrideLog;
    this.clearRecvSlot(qp, qp.rqPosted + count);
    const first = qp.rqPosted;
    let offset = (first & mask) << log;
    let wr = wrs[0] as RecvWr;
    for (let i = 1; i <= count; i++) {
      this.#seek(qp, QUEUE_AREA.rqOffset + offset);
      const own = wr;
      let dw0: number = NEXT_SEG.filler0;
      let dw1 = 0;
      let filler: number = NEXT_SEG.filler2;
      if (i < count) {
        wr = wrs[i] as RecvWr;
        offset = ((first + i) & mask) << log;
        dw0 = (offset >>> WQE_UNIT_LOG2) << NEXT_SEG.offsetShift;
        dw1 = filledEntries(wr) + 2;
        filler = 0;
      }
      putRecvEntry(this.#memory.bytes.i32, this.#at, own, dw0, dw1, filler);
    }
  }

  /** Makes receive slot `position` (running number) look empty to the NIC. */
  clearRecvSlot(qp: HanguQp, position: number): void {
    this.#seek(qp, QUEUE_AREA.rqOffset + ((position & (qp.rqSlots - 1)) << qp.rqStrideLog));
    zeroSegment(this.#memory.bytes.i32, this.#at);
  }

  /** @param ownSize opcode and size of the entry, as its third dword has them @param slot of it */
  #sendEntry(qp: HanguQp, wr: SendWr, ownSize: number, dw0: number, dw1: number, slot: number): void {
    const w = this.#memory.bytes.i32;
    let at = this.#at;
    const { opcode, flags } = wr;
    w[at] = dw0;
    w[at + 1] = dw1;
    w[at + 2] = ownSize | requestBits(qp, flags);
    w[at + 3] = wr.imm | 0;
    at += SEG;
    if (sendsNothing(opcode)) {
      this.#keys.write(qp, slot, wr, at);
      return;
    }
    if (!isSend(opcode)) at = remoteSegments(w, wr, at);
    else if (qp.type === QP_TYPE.ud) {
      this.#udSegment(qp, wr, at);
      at += 3 * SEG;
    }
    if ((flags & SEND_FLAG.inline) !== 0) this.#inlineSegment(qp, wr, at);
    else dataSegments(w, wr.sges, wr.numSge, at);
  }

  /** The data themselves, gathered at post time: a count with the inline bit, bytes, zeros up to a whole segment. */
  #inlineSegment(qp: HanguQp, wr: SendWr, at: number): void {
    const length = messageLength(wr);
    const memory = this.#memory;
    const start = at * 4;
    memory.bytes.zero(start, WQE_UNIT * inlineUnits(length));
    memory.bytes.i32[at] = DATA_SEG_INLINE | length;
    let to = start + 4;
    for (let g = 0; g < wr.numSge; g++) {
      const sge = wr.sges[g] as Sge;
      for (let done = 0; done < sge.length; ) {
        const at = (sge.lo >>> 0) + done;
        const n = Math.min(4096 - (at & PAGE_MASK), sge.length - done);
        this.#map.translate(qp.process, carried(sge.hi, at), at | 0);
        memory.read(this.#map.physHi, this.#map.physLo, n, to);
        to += n;
        done += n;
      }
    }
  }

  #udSegment(qp: HanguQp, wr: SendWr, at: number): void {
    const w = this.#memory.bytes.i32;
    const ah = this.#ahs[wr.ah] as Ah;
    const own = this.#addresses.of(qp.host, qp.port);
    const to = this.#addresses.of(ah.remoteHost, qp.port);
    w[at] = qp.port | (ah.ipv6 ? UD_SEG.ipv6Flag : 0);
    w[at + 1] = (to.macLow << 16) | (own.macLow & 0xffff);
    w[at + 2] = (own.macHigh << 16) | (own.macLow >>> 16);
    w[at + 3] = (to.macHigh << 16) | (to.macLow >>> 16);
    if (ah.ipv6) udGid(w, at, to.ipv6);
    else {
      w[at + 4] = own.ipv4;
      w[at + 5] = to.ipv4;
      w[at + 6] = 0;
      w[at + 7] = 0;
    }
    w[at + 8] = wr.remoteQpn;
    w[at + 9] = wr.remoteQkey;
    w[at + 10] = 0;
    w[at + 11] = 0;
    if (ah.pd !== qp.pd || !ah.isPlain) handleAttributes(w, at, ah);
  }

  /** Finds the dword of ring byte `offset` of the queue pair's 16 MiB window (receive ring from 8 MiB on). */
  #seek(qp: HanguQp, offset: number): void {
    const page = offset >>> 12;
    if (page !== this.#page || qp !== this.#qp) this.#findPage(qp, page);
    this.#at = (this.#base + (offset & PAGE_MASK)) >>> 2;
  }

  #findPage(qp: HanguQp, page: number): void {
    const map = this.#map;
    map.translate(qp.process, QUEUE_AREA.hi | (qp.qpn >>> 8), (qp.qpn << QUEUE_AREA.qpnShift) | (page << 12));
    this.#base = this.#memory.pageForWrite(map.physHi, map.physLo >>> 12);
    this.#qp = qp;
    this.#page = page;
  }
}

/** Writes a receive at dword `at`, with these fields of its next segment. */
export function putRecvEntry(w: Int32Array, at: number, wr: RecvWr, dw0: number, dw1: number, filler: number): void {
  const filled = filledEntries(wr);
  w[at] = dw0;
  w[at + 1] = dw1;
  w[at + 2] = ((filled + 2) << NEXT_SEG.ownSizeShift) | filler;
  w[at + 3] = 0;
  if (filled === wr.numSge) dataSegments(w, wr.sges, filled, at + SEG);
  else filledSegments(w, wr, at + SEG);
  zeroSegment(w, at + SEG + SEG * filled);
}

function isSend(opcode: number): boolean {
  return opcode === WR_OPCODE.send || opcode === WR_OPCODE.sendWithImm || opcode === WR_OPCODE.sendWithInv;
}

/** Size of a send-queue entry in 16-byte units. */
export function sendUnits(qp: HanguQp, wr: SendWr): number {
  const op = wr.opcode;
  const data = (wr.flags & SEND_FLAG.inline) !== 0 ? inlineUnits(messageLength(wr)) : wr.numSge;
  const keys = keyUnits(op);
  if (keys > 0) return 1 + keys;
  if (isSend(op)) return (qp.type === QP_TYPE.ud ? 4 : 1) + data;
  return (op >= WR_OPCODE.atomicCmpAndSwp ? 3 : 2) + data;
}

/** Bytes of a send request. */
export function messageLength(wr: SendWr): number {
  let length = 0;
  for (let g = 0; g < wr.numSge; g++) length += (wr.sges[g] as Sge).length;
  return length;
}

/**
 * Entries of a receive that the NIC can see, also those of no bytes. Sixteen zero bytes end a list for the NIC: an entry of no bytes
 * under key 0 at address 0 is left out.
 */
function filledEntries(wr: RecvWr): number {
  let filled = 0;
  for (let g = 0; g < wr.numSge; g++) if (!isEndOfList(wr.sges[g] as Sge)) filled++;
  return filled;
}

function isEndOfList({ length, lkey, hi, lo }: Sge): boolean {
  return (length | lkey | hi | lo) === 0;
}

function filledSegments(w: Int32Array, wr: RecvWr, from: number): void {
  const filled = wr.sges.slice(0, wr.numSge).filter((sge) => !isEndOfList(sge));
  dataSegments(w, filled, filled.length, from);
}

/** Solicited event, and the completion request where the queue pair does not complete everything anyway. */
function requestBits(qp: HanguQp, flags: number): number {
  const solicited = (flags & SEND_FLAG.solicited) !== 0 ? NEXT_SEG.solicited : 0;
  return qp.signalAll !== true && (flags & SEND_FLAG.signaled) !== 0 ? solicited | NEXT_SEG.cqUpdate : solicited;
}

/** Remote address, and the operands of an atomic; returns the dword index behind them. */
function remoteSegments(w: Int32Array, wr: SendWr, at: number): number {
  w[at] = wr.remoteLo | 0;
  w[at + 1] = wr.remoteHi | 0;
  w[at + 2] = wr.rkey | 0;
  w[at + 3] = 0;
  if (wr.opcode < WR_OPCODE.atomicCmpAndSwp) return at + SEG;
  const swaps = wr.opcode === WR_OPCODE.atomicCmpAndSwp;
  w[at + 4] = swaps ? wr.swapLo : wr.compareLo;
  w[at + 5] = swaps ? wr.swapHi : wr.compareHi;
  w[at + 6] = swaps ? wr.compareLo : 0;
  w[at + 7] = swaps ? wr.compareHi : 0;
  return at + 2 * SEG;
}

/** "| 0" because compiled code would otherwise store each field by way of floating point. */
function dataSegments(w: Int32Array, sges: readonly Sge[], count: number, from: number): void {
  // Bound by the last dword, so that the engine need not test `at + 3` for overflow.
  const end = (from + count * SEG) & INDEX_BITS;
  for (let g = 0, at = from & INDEX_BITS; at < end; g++, at += SEG) {
    const sge = sges[g] as Sge;
    w[at] = sge.length | 0;
    w[at + 1] = sge.lkey | 0;
    w[at + 2] = sge.lo | 0;
    w[at + 3] = sge.hi | 0;
  }
}

function zeroSegment(w: Int32Array, at: number): void {
  w[at] = 0;
  w[at + 1] = 0;
  w[at + 2] = 0;
  w[at + 3] = 0;
}

/** What of an address handle its datagram does not have anyway. */
function handleAttributes(w: Int32Array, at: number, { gidIndex, pd, path }: Ah): void {
  w[at] = (w[at] as number) | (path.hopLimit << UD_SEG.hopLimitShift) | (gidIndex << UD_SEG.gidIndexShift);
  w[at + (UD_SEG.pd >> 2)] = pd.pdn;
  w[at + (UD_SEG.attributes >> 2)] =
    UD_SEG.attributesFlag | (path.trafficClass << UD_SEG.trafficClassShift) | path.flowLabel;
}

function udGid(w: Int32Array, at: number, words: PortAddress['ipv6']): void {
  w[at + 4] = words[0];
  w[at + 5] = words[1];
  w[at + 6] = words[2];
  w[at + 7] = words[3];
}

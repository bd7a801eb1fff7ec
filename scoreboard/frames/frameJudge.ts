/**
 * The room of frames: what raw packet queue pairs send and receive (IBV_QPT_RAW_PACKET; hangu-verbs.md, "Frames of software and
 * management"). A frame leaves as software has built it, filled up with zeros to 60 bytes, in the order of posting; one that
 * reaches the port, is no RoCEv2 and is for the port or for all goes as it is into the next receive, or is dropped where there
 * is none. Whoever is told here are the oracle, of verbs, and `env/wiring.ts`, of frames on the link.
 */

import type { QueuePairSubject } from '../../rdma/subject.ts';
import type { ArrivalItem, FrameItem } from '../../agents/link/linkItems.ts';
import type { PostedRecv, PostedSend, RawQpInfo, VisibleCompletion } from '../../agents/verbs/verbsItems.ts';
import { isRoceFrame } from '../../agents/wire/roceFrame.ts';
import {
  ACCESS,
  ETHERNET_HEADER_BYTES,
  SEND_FLAG,
  SHORTEST_FRAME,
  WC_OPCODE,
  WC_STATUS,
  WC_STATUS_NAME,
} from '../../rdma/verbs.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import type { WriteGuard } from '../memory/ranges/writeGuard.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';
import { bytesOf, isOpen, piecesOf } from './frameMemory.ts';
import { type ArrivedFrame, type PostedBuffer, type PostedFrame, RawQueue } from './rawQueue.ts';
import { differenceOf } from './frameTexts.ts';
import { aMoment, aQueuePair } from '../../rdma/subjectParts.ts';

const ETHERTYPE_AT = 12;
const ETHERTYPE_IPV4 = 0x0800;
const IPV4_DESTINATION_AT = 30;

export class FrameJudge {
  /** Called when the first raw packet queue pair comes up: from then on it wants to be told of frames on the link. */
  onFirst: () => void = () => {};
  readonly #s: OracleState;
  readonly #guard: WriteGuard;
  #queues: readonly RawQueue[] = [];
  #hasBegun = false;
  /** Hosts of which a read or write has failed: their NICs may lose frames. */
  readonly #failing = new Set<number>();

  constructor(state: OracleState, guard: WriteGuard) {
    this.#s = state;
    this.#guard = guard;
  }

  // ---- verbs

  made(info: RawQpInfo): void {
    this.#queues = [
      ...this.#queues.filter(({ info: old }) => old.host !== info.host || old.qpn !== info.qpn),
      new RawQueue(info),
    ];
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.onFirst();
  }

  opened(host: number, qpn: number): void {
    const q = this.#find(host, qpn);
    if (q !== undefined) q.isOpen = true;
  }

  stopping(host: number, qpn: number): void {
    const q = this.#find(host, qpn);
    if (q === undefined) return;
    q.sendsEnd = true;
    q.receivesEnd = true;
  }

  gone(host: number, qpn: number): void {
    const q = this.#find(host, qpn);
    if (q === undefined) return;
    for (const buffer of q.receives) this.#close(buffer);
    this.#queues = this.#queues.filter((other) => other !== q);
  }

  sendPosted({ host, qpn, wqeIndex, wr }: PostedSend): void {
    const q = this.#find(host, qpn);
    if (q === undefined) return;
    const { process, pd, mostBytes, signalAll } = q.info;
    const silent = !signalAll && (wr.flags & SEND_FLAG.signaled) === 0;
    const bytes = bytesOf(this.#s, host, process, piecesOf(wr.sges, wr.numSge));
    const onWire = new Uint8Array(Math.max(bytes.length, SHORTEST_FRAME));
    onWire.set(bytes);
    const isLong = bytes.length < ETHERNET_HEADER_BYTES || bytes.length > mostBytes;
    const unfit = isLong ? 'length' : isOpen(this.#s, host, pd, wr.sges, wr.numSge, 0) ? '' : 'memory';
    q.sends.push({ wrId: wr.wrId, slot: wqeIndex, bytes: onWire, unfit, silent, left: false, done: false });
  }

  recvPosted({ host, qpn, pd, wqeIndex, wr }: PostedRecv): void {
    const q = this.#find(host, qpn);
    if (q === undefined) return;
    const { process } = q.info;
    const pieces = piecesOf(wr.sges, wr.numSge).filter(({ length }) => length > 0);
    const isFit = isOpen(this.#s, host, pd, wr.sges, wr.numSge, ACCESS.localWrite);
    const before = bytesOf(this.#s, host, process, pieces);
    const blocks = pieces.map(({ hi, lo, length }) => this.#guard.openRange(host, process, hi, lo, length));
    q.receives.push({ wrId: wr.wrId, slot: wqeIndex, pieces, room: before.length, before, isFit, blocks });
  }

  completion({ host, wc }: VisibleCompletion): void {
    const q = this.#find(host, wc.qpn);
    if (q === undefined) return;
    this.#s.checks++;
    if (wc.isSend) this.#sendDone(q, wc);
    else this.#received(q, wc);
  }

  /** A read or write of its NIC has failed. */
  accessFails(host: number): void {
    this.#failing.add(host);
  }

  deviceReset(host: number): void {
    for (const { info } of this.#queues.filter((q) => q.info.host === host)) this.stopping(host, info.qpn);
  }

  // ---- the link

  /** Whether the software of a host has posted frames that have not left: of which the NIC makes no other. */
  isExpected(host: number, port: number): boolean {
    return this.#at(host, port)?.nextToLeave !== undefined;
  }

  /** A frame leaves a NIC. */
  sent({ host, port, data, length }: FrameItem): void {
    const q = this.#at(host, port);
    const { u8 } = this.#s.bytes;
    if (q === undefined || isRoceFrame(u8, data, length)) return;
    const found = u8.subarray(data, data + length);
    const next = q.nextToLeave;
    if (next === undefined) return;
    this.#s.checks++;
    const problem = differenceOf(found, next.bytes);
    const meant = problem === '' ? next : this.#laterOne(q, found);
    if (problem !== '') this.#wrongSent(q, next, meant, problem);
    (meant ?? next).left = true;
    q.forgetDone();
  }

  /** A frame, or a copy of one, reaches a NIC. */
  arrived({ host, port, from, data, length, fcsError }: ArrivalItem): void {
    const q = this.#at(host, port);
    const { u8 } = this.#s.bytes;
    if (q === undefined || fcsError || isRoceFrame(u8, data, length) || !this.#isFor(host, u8, data)) return;
    const waiting = q.arrived.length;
    const room = q.receives.length > waiting && q.receives.every((buffer) => buffer.room >= length && buffer.isFit);
    const backlog = this.#s.options.profiles.of(host).rawBacklog ?? Number.POSITIVE_INFINITY;
    const due = q.isOpen && room && !q.receivesEnd && waiting < backlog && !this.#failing.has(host);
    q.arrived.push({ bytes: u8.slice(data, data + length), at: this.#s.clock.now, from, due });
  }

  // ---- the end

  /** Nothing is in flight any more: what has not come to its end never will. */
  finish(): void {
    for (const q of this.#queues) {
      if (!q.sendsEnd) for (const frame of q.sends) this.#unfinished(q, frame);
      if (q.receivesEnd || this.#failing.has(q.info.host)) continue;
      for (const frame of q.arrived)
        if (frame.due) this.#notReceived(q, frame, 'and no receive has been completed with it');
    }
  }

  #sendDone(q: RawQueue, wc: VisibleCompletion['wc']): void {
    // A completion speaks for those before it that have asked for none.
    for (const earlier of q.sends.filter(({ done }) => !done)) {
      if (!earlier.silent || earlier.wrId === wc.wrId) break;
      earlier.done = true;
    }
    const frame = q.sends.find(({ done }) => !done);
    if (frame === undefined || (wc.wqeIndex >= 0 && wc.wqeIndex !== frame.slot) || wc.wrId !== frame.wrId) {
      const awaited = frame === undefined ? 'none is outstanding' : `request ${frame.wrId} is the oldest`;
      this.#completionError(q, `completion of request ${wc.wrId}; ${awaited}`);
      return;
    }
    frame.done = true;
    const right = q.sendsEnd ? [...statusOf(frame), WC_STATUS.wrFlushErr] : statusOf(frame);
    this.#judgeStatus(q, `frame of ${frame.bytes.length} B, request ${wc.wrId}`, wc.status, right);
    if (wc.status === WC_STATUS.success && wc.opcode !== WC_OPCODE.send)
      this.#completionError(q, `request ${wc.wrId} is a SEND; its completion has opcode ${wc.opcode}`);
    if (wc.status !== WC_STATUS.success) q.sendsEnd = true;
    q.forgetDone();
  }

  #received(q: RawQueue, wc: VisibleCompletion['wc']): void {
    const buffer = q.receives.shift();
    if (buffer === undefined || (wc.wqeIndex >= 0 && wc.wqeIndex !== buffer.slot) || wc.wrId !== buffer.wrId) {
      const awaited = buffer === undefined ? 'none is outstanding' : `receive ${buffer.wrId} is the oldest`;
      this.#completionError(q, `completion of receive ${wc.wrId}; ${awaited}`);
      if (buffer !== undefined) this.#close(buffer);
      return;
    }
    if (wc.status === WC_STATUS.success) this.#compare(q, buffer, wc.byteLen);
    else {
      const right = [buffer.isFit ? -1 : WC_STATUS.locProtErr, q.receivesEnd ? WC_STATUS.wrFlushErr : -1];
      this.#judgeStatus(q, `receive ${wc.wrId}`, wc.status, right);
      if (wc.status !== WC_STATUS.wrFlushErr) q.arrived.shift();
      q.receivesEnd = true;
      q.sendsEnd = true;
    }
    this.#close(buffer);
  }

  /** What is in the memory of a receive must be a frame that has come, the whole of it, and nothing else. */
  #compare(q: RawQueue, buffer: PostedBuffer, byteLen: number): void {
    const { host, process } = q.info;
    const memory = bytesOf(this.#s, host, process, buffer.pieces);
    const found = memory.subarray(0, byteLen);
    const index = q.arrived.findIndex(({ bytes }) => differenceOf(found, bytes) === '');
    if (index < 0) this.#wrongReceived(q, buffer, found);
    else {
      for (const frame of q.arrived.slice(0, index))
        if (frame.due) this.#notReceived(q, frame, 'and one that has come later was received before it');
      q.arrived.splice(0, index + 1);
    }
    const behind = differenceOf(memory.subarray(byteLen), buffer.before.subarray(byteLen));
    if (behind !== '')
      this.#s.reporter.error(
        SCB.rawReceived,
        () => `${q.name}: receive ${buffer.wrId}: behind its frame of ${byteLen} B, ${behind}`,
        [ofRaw(q)],
      );
  }

  #wrongReceived(q: RawQueue, buffer: PostedBuffer, found: Uint8Array): void {
    const next = q.arrived.shift();
    const what =
      next === undefined
        ? `has a frame of ${found.length} B, and none has come`
        : `is not the frame that came from host ${next.from} at ${formatTime(next.at)}: ${differenceOf(found, next.bytes)}`;
    this.#s.reporter.error(SCB.rawReceived, () => `${q.name}: receive ${buffer.wrId} ${what}`, [ofRaw(q)]);
  }

  #wrongSent(q: RawQueue, next: PostedFrame, meant: PostedFrame | undefined, problem: string): void {
    const what =
      meant === undefined
        ? `the frame of request ${next.wrId} leaves otherwise than it was posted: ${problem}`
        : `the frame of request ${meant.wrId} leaves before that of request ${next.wrId}`;
    this.#s.reporter.error(SCB.rawSent, () => `${q.name}: ${what}`, [ofRaw(q)]);
  }

  #laterOne(q: RawQueue, found: Uint8Array): PostedFrame | undefined {
    return q.sends.find(({ left, unfit, bytes }) => !left && unfit === '' && differenceOf(found, bytes) === '');
  }

  #unfinished(q: RawQueue, { wrId, bytes, unfit, silent, left, done }: PostedFrame): void {
    const isMissing = !done && !(silent && unfit === '');
    const lack: string = isMissing ? 'has no completion' : left || unfit !== '' ? '' : 'has never left';
    if (lack === '' || this.#failing.has(q.info.host)) return;
    this.#s.reporter.error(
      SCB.rawMissing,
      () => `${q.name}: the frame of ${bytes.length} B of request ${wrId} ${lack}`,
      [ofRaw(q)],
    );
  }

  #notReceived(q: RawQueue, { bytes, at, from }: ArrivedFrame, what: string): void {
    const text = `a frame of ${bytes.length} B from host ${from} came at ${formatTime(at)}, when a receive was posted, ${what}`;
    this.#s.reporter.error(SCB.rawMissing, () => `${q.name}: ${text}`, [ofRaw(q), aMoment(at)]);
  }

  #judgeStatus(q: RawQueue, what: string, status: number, right: readonly number[]): void {
    if (right.includes(status)) return;
    const names = right.filter((one) => one >= 0).map(statusName);
    this.#completionError(q, `${what} ended with ${statusName(status)}; ${names.join(' or ') || 'SUCCESS'} is right`);
  }

  #completionError(q: RawQueue, text: string): void {
    this.#s.reporter.error(SCB.rawCompletion, () => `${q.name}: ${text}`, [ofRaw(q)]);
  }

  /** For the port itself, or for all; of a NIC that looks at IP addresses, for them as well. */
  #isFor(host: number, u8: Uint8Array, data: number): boolean {
    const own = this.#s.options.addresses[host];
    const high = be16(u8, data);
    const low = be32(u8, data + 2);
    const isBroadcast = high === 0xffff && low === 0xffff_ffff;
    if (!isBroadcast && !(own?.macHigh === high && (own.macLow ?? 0) >>> 0 === low)) return false;
    const filters =
      this.#s.options.profiles.of(host).rawIpFilter === true && be16(u8, data + ETHERTYPE_AT) === ETHERTYPE_IPV4;
    return !filters || be32(u8, data + IPV4_DESTINATION_AT) === (own?.ipv4 ?? 0) >>> 0;
  }

  #close({ blocks }: PostedBuffer): void {
    for (const block of blocks) this.#guard.closeBlock(block);
  }

  #find(host: number, qpn: number): RawQueue | undefined {
    return this.#queues.find(({ info }) => info.host === host && info.qpn === qpn);
  }

  #at(host: number, port: number): RawQueue | undefined {
    return this.#queues.find(({ info }) => info.host === host && info.port === port);
  }
}

/** How a frame that was posted must end, unless it is flushed. */
function statusOf({ unfit }: PostedFrame): number[] {
  if (unfit === '') return [WC_STATUS.success];
  return [unfit === 'length' ? WC_STATUS.locLenErr : WC_STATUS.locProtErr];
}

function be16(u8: Uint8Array, at: number): number {
  return ((u8[at] as number) << 8) | (u8[at + 1] as number);
}

function be32(u8: Uint8Array, at: number): number {
  return ((be16(u8, at) << 16) | be16(u8, at + 2)) >>> 0;
}

function statusName(status: number): string {
  return WC_STATUS_NAME[status] ?? String(status);
}

function ofRaw({ info }: RawQueue): QueuePairSubject {
  return aQueuePair(info.host, info.qpn);
}

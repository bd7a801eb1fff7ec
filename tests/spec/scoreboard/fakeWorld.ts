/**
 * Two hosts, an oracle and a perfect network for specs: posts work, moves data as a right NIC would, completes it.
 * Specs plant their fault by doing one of these steps wrongly.
 */

import { HANGU_PROFILE } from '../../../dut-model/hangu/driver/kind/profile.ts';
import { PostedRecv, PostedSend, type QpInfo, VisibleCompletion } from '../../../agents/verbs/verbsItems.ts';
import type { AreaKind } from '../../../agents/verbs/memoryItems.ts';
import {
  GRH_BYTES,
  QP_TYPE,
  SEND_FLAG,
  WC_FLAG,
  WC_OF_WR,
  WC_OPCODE,
  WC_STATUS,
  WR_OPCODE,
} from '../../../rdma/verbs.ts';
import { DecodedPacket, PACKET, PacketFate, REACH } from '../../../agents/wire/decodedPacket.ts';
import { BTH_CLASS } from '../../../rdma/bth.ts';
import type { ScoreboardOptions } from '../../../scoreboard/model/options.ts';
import { NO_WIRE, type WireView } from '../../../scoreboard/model/wireView.ts';
import { Oracle } from '../../../scoreboard/checks/oracle.ts';
import { SCB } from '../../../scoreboard/report/reportIds.ts';
import { JUDGE_WITHOUT } from '../support/judgeWithout.ts';
import { FakeMemory } from './fakeMemory.ts';

export type Entry = readonly [hi: number, lo: number, length: number];
export const PROCESS = 3;
export const SRC_HI = 0x801c;
export const DST_HI = 0x801d;
/** Queue pair and completion queue numbers of host 0 and host 1. */
export const QPN = [14, 15] as const;
export const SEND_CQ = [254, 256] as const;
export const RECV_CQ = [255, 257] as const;

const OF_PACKETS: readonly string[] = [SCB.wireData, SCB.wireRequest];

const MTU = 1024;

/** What a world is made with: `disturbed` when faults may have changed what arrives. */
export interface WorldOptions extends Partial<ScoreboardOptions> {
  readonly disturbed?: boolean;
  readonly memory?: FakeMemory;
}

/** An oracle whose wire is watched from the first packet that it is told of. */
class FedOracle extends Oracle {
  readonly #wire: { watches: boolean };

  constructor(wire: { watches: boolean }, ...of: ConstructorParameters<typeof Oracle>) {
    super(...of);
    this.#wire = wire;
  }

  override packet(p: DecodedPacket): number {
    this.#wire.watches = true;
    return super.packet(p);
  }
}

export class FakeWorld {
  readonly memory: FakeMemory;
  readonly reports: { id: string; text: string }[] = [];
  readonly clock = { now: 0 };
  readonly oracle: Oracle;
  /** Whether messages of unreliable services are carried to their receivers as they are posted. */
  carries = true;
  /** Whether findings about what packets carry count: those of most specs are outlines. */
  readsPackets = false;
  readonly #type: number;
  /** Next PSN by sending queue pair. */
  readonly #psns = new Map<number, number>();
  /** Posted so far, by queue, to number slots and identifiers. */
  posted = 0;

  constructor(given: WorldOptions = {}, type: number = QP_TYPE.rc, signalAll = true) {
    const { disturbed = false, memory = new FakeMemory(2), ...options } = given;
    this.#type = type;
    this.memory = memory;
    const report = (id: string, text: string): void => {
      if (this.readsPackets || !OF_PACKETS.includes(id)) this.reports.push({ id, text });
    };
    const wire: WireView & { watches: boolean } = Object.create(options.wire ?? NO_WIRE, {
      watches: { value: options.wire?.watches ?? false, writable: true },
    });
    this.oracle = new FedOracle(
      wire,
      {
        hosts: 2,
        memory,
        profile: HANGU_PROFILE,
        addresses: [{ ipv4: 0x0a000001 }, { ipv4: 0x0a000002 }],
        ...options,
        wire,
      },
      { error: report, countError: () => {}, errorNote: report },
      this.clock,
    );
    this.oracle.switchOff(JUDGE_WITHOUT);
    for (const host of [0, 1]) {
      this.qp(host, QPN[host] as number, type, signalAll);
      for (const hi of [SRC_HI, DST_HI]) {
        const info = { host, process: PROCESS, pd: 1, hi, lo: 0, length: 0x10000000, access: 0xf, zeroBased: false };
        this.oracle.mrRegistered({ ...info, key: hi });
      }
    }
    if (disturbed) this.disturb();
  }

  /** A fault rule of the link has delayed a packet from each host to the other. */
  disturb(): void {
    for (const host of [0, 1]) {
      const packet = Object.assign(new DecodedPacket(), {
        host,
        to: 1 - host,
        destQp: QPN[1 - host],
        sourceQp: QPN[host],
      });
      const fate = Object.assign(new PacketFate(), { packet, copies: 1, delayed: true });
      if (this.#type === QP_TYPE.ud) packet.opcode = BTH_CLASS.ud;
      this.oracle.fated(fate);
    }
  }

  qp(
    host: number,
    qpn: number,
    type: number = QP_TYPE.rc,
    signalAll = true,
    rnrRetry = 7,
    pd?: number,
    destReads?: number,
  ): void {
    this.oracle.qpInRts({ ...this.#info(host, qpn, type, signalAll, rnrRetry, pd), maxDestRdAtomic: destReads });
  }

  /** A queue pair reaches RTS, and waits 4.096 us * 2^`ackTimeout` for an answer, `1 + retryCnt` times. */
  waitingQp(host: number, qpn: number, ackTimeout: number, retryCnt: number): void {
    this.oracle.qpInRts({ ...this.#info(host, qpn, QP_TYPE.rc, true, 7), ackTimeout, retryCnt });
  }

  /** A queue pair reaches INIT. */
  made(host: number, qpn: number, type: number = QP_TYPE.rc): void {
    this.oracle.qpInInit(this.#info(host, qpn, type, true, 7));
  }

  /** A queue pair reaches RTR. */
  listening(host: number, qpn: number): void {
    this.oracle.qpToRtr(host, qpn);
    this.oracle.qpInRtr(this.#info(host, qpn, QP_TYPE.rc, true, 7));
  }

  /** What is said of a queue pair in RTS. */
  info(host: number, qpn: number, type: number, over: Partial<QpInfo>): QpInfo {
    return { ...this.#info(host, qpn, type, true, 7), ...over };
  }

  #info(host: number, qpn: number, type: number, signalAll: boolean, rnrRetry: number, pd?: number): QpInfo {
    const connected = type !== QP_TYPE.ud;
    return {
      host,
      qpn,
      process: PROCESS,
      pd,
      type,
      sendCqn: SEND_CQ[host] as number,
      recvCqn: RECV_CQ[host] as number,
      mtu: MTU,
      remoteHost: connected ? 1 - host : -1,
      remoteQpn: connected ? (QPN[1 - host] as number) : 0,
      sqPsn: 0,
      rqPsn: 0,
      qkey: 0,
      ackTimeout: 0,
      rnrRetry,
      signalAll,
    };
  }

  /** Opens an area for the NIC, or names one of kind `queue` or `inbox`. */
  allowArea(
    host: number,
    kind: AreaKind,
    hi: number,
    lo: number,
    length: number,
    id = -1,
    offset = 0,
    ringBytes = length,
    entryBytes = 1,
  ): void {
    this.oracle.areaOpened({
      host,
      kind,
      hi,
      lo,
      length,
      id,
      offset,
      ringBytes,
      entryBytes,
      qpn: -1,
      start: 0,
      continues: false,
    });
  }

  /** Software takes a queue pair from SQE to RTS. */
  recovers(host: number, qpn: number): void {
    this.oracle.qpResuming(host, qpn);
    this.oracle.qpOutOfSqe(host, qpn);
  }

  forbidArea(host: number, hi: number, lo: number, length: number): void {
    this.oracle.areaClosed({ host, hi, lo, length });
  }

  hostWrites(host: number, process: number, hi: number, lo: number, length: number): void {
    this.oracle.dataWriting({ host, process, hi, lo, length });
  }

  hostWrote(host: number, process: number, hi: number, lo: number, length: number): void {
    this.oracle.dataWritten({ host, process, hi, lo, length });
  }

  /** Ids of all findings, in order. */
  ids(): string[] {
    return this.reports.map((r) => r.id);
  }

  /** Posts a send request on host 0 (or `over.host`) and returns a copy of its item. */
  send(entries: readonly Entry[], over: SendOptions = {}): PostedSend {
    const item = new PostedSend();
    const host = over.host ?? 0;
    item.host = host;
    item.qpn = over.qpn ?? (QPN[host] as number);
    item.wqeIndex = over.wqe ?? this.posted;
    item.remoteHost = over.remoteHost ?? 1 - host;
    const wr = item.wr;
    wr.wrId = over.wrId ?? 1000 + this.posted++;
    wr.opcode = over.opcode ?? WR_OPCODE.send;
    wr.flags = over.flags ?? SEND_FLAG.signaled;
    wr.imm = over.imm ?? 0;
    wr.rkey = over.rkey ?? DST_HI;
    wr.remoteHi = over.remote?.[0] ?? DST_HI;
    wr.remoteLo = over.remote?.[1] ?? 0;
    const [compare, swap] = over.operands ?? [0n, 0n];
    [wr.compareHi, wr.compareLo] = halves(compare);
    [wr.swapHi, wr.swapLo] = halves(swap);
    wr.remoteQpn = over.remoteQpn ?? (QPN[1 - host] as number);
    wr.remoteQkey = over.remoteQkey ?? 0;
    fill(wr, entries, over.lkeys);
    this.oracle.postedSend(item);
    if (this.#type !== QP_TYPE.rc && this.carries && over.unsent !== true) this.carry(item);
    return item;
  }

  /**
   * The packets of a message of an unreliable service leave their NIC and reach the other one, `only` some of them.
   * @param copies how often each is to arrive: once now, and again by `arrives` @returns the tags of all
   */
  carry(item: PostedSend, only: (packet: number, of: number) => boolean = () => true, copies = 1): number[] {
    const length = item.wr.sges.slice(0, item.wr.numSge).reduce((sum, s) => sum + s.length, 0);
    const count = this.#type === QP_TYPE.ud ? 1 : Math.max(1, Math.ceil(length / MTU));
    const entries = item.wr.sges.slice(0, item.wr.numSge).map(({ hi, lo, length: n }): Entry => [hi, lo, n]);
    const payload = this.memory.bytes.alloc(16 + length) + 16;
    this.memory.bytes.u8.set(this.gather(item.host, entries), payload);
    const tags: number[] = [];
    for (let i = 0; i < count; i++) {
      const packet = this.#packet(item, length, payload + i * MTU, i, count);
      packet.tag = this.oracle.packet(packet);
      tags.push(packet.tag);
      if (copies > 1) this.oracle.fated(Object.assign(new PacketFate(), { packet, copies }));
      if (only(i, count)) this.arrives(item, packet.tag);
    }
    return tags;
  }

  /** A packet of a message reaches the other NIC. */
  arrives({ host: from, remoteHost: host }: PostedSend, tag: number): void {
    this.oracle.arrived({ host, from, tag, edited: null, injected: false, reach: REACH.nothing });
  }

  #packet(item: PostedSend, length: number, payload: number, i: number, count: number): DecodedPacket {
    const { host, qpn, wr } = item;
    const key = host * 1000 + qpn;
    const psn = this.#psns.get(key) ?? 0;
    this.#psns.set(key, psn + 1);
    const write = wr.opcode === WR_OPCODE.rdmaWrite || wr.opcode === WR_OPCODE.rdmaWriteWithImm;
    const imm = wr.opcode === WR_OPCODE.sendWithImm || wr.opcode === WR_OPCODE.rdmaWriteWithImm;
    const ends = i === count - 1;
    const place = count === 1 ? 4 : i === 0 ? 0 : ends ? 2 : 1;
    const operation = place + (write ? 6 : 0) + (ends && imm ? 1 : 0);
    return Object.assign(new DecodedPacket(), {
      kind: PACKET.roce,
      host,
      to: item.remoteHost,
      opcode: (this.#type === QP_TYPE.ud ? BTH_CLASS.ud : BTH_CLASS.uc) | operation,
      destQp: this.#type === QP_TYPE.ud ? wr.remoteQpn : QPN[item.remoteHost],
      sourceQp: qpn,
      // Bit 31 asks for the key of the sender, which is 0.
      qkey: (wr.remoteQkey | 0) < 0 ? 0 : wr.remoteQkey,
      psn,
      dmaLength: length,
      vaHi: wr.remoteHi,
      vaLo: wr.remoteLo,
      rkey: wr.rkey,
      immediate: wr.imm,
      payload,
      payloadLength: Math.min(MTU, length - i * MTU),
      solicited: ends && (wr.flags & SEND_FLAG.solicited) !== 0,
      time: this.clock.now,
    });
  }

  /** Posts a receive on host 1 (or `over.host`), or to a shared queue there. */
  recv(entries: readonly Entry[], over: SendOptions = {}): PostedRecv {
    const item = new PostedRecv();
    item.host = over.host ?? 1;
    item.srqn = over.srqn ?? -1;
    item.qpn = item.srqn < 0 ? (over.qpn ?? (QPN[item.host] as number)) : -1;
    item.wqeIndex = over.wqe ?? this.posted;
    item.wr.wrId = over.wrId ?? 2000 + this.posted++;
    fill(item.wr, entries, over.lkeys);
    this.oracle.postedRecv(item);
    return item;
  }

  /** Source bytes of a gather list. */
  gather(host: number, entries: readonly Entry[]): Uint8Array {
    const parts = entries.map(([hi, lo, length]) => this.memory.peek(host, PROCESS, hi, lo, length));
    return Uint8Array.from(parts.flatMap((p) => [...p]));
  }

  /** Writes data to a scatter list as the NIC would: by DMA, not across pages, starting `skip` bytes into it. */
  scatter(host: number, entries: readonly Entry[], data: Uint8Array, skip = 0): void {
    let at = -skip;
    for (const [hi, lo, length] of entries) {
      for (let i = 0; i < length; ) {
        const n = Math.min(length - i, 4096 - ((lo + i) & 0xfff), 1024, at < 0 ? -at : data.length - at);
        if (n <= 0) return;
        if (at >= 0) this.dma(host, hi, lo + i, data.subarray(at, at + n));
        i += n;
        at += n;
      }
    }
  }

  /** One DMA write at a virtual address, told to the oracle. */
  dma(host: number, hi: number, lo: number, data: Uint8Array): void {
    this.memory.poke(host, PROCESS, hi, lo, data);
    this.memory.translate(host, PROCESS, hi, lo);
    const { physHi, physLo } = this.memory;
    const inPage = physLo & 4095;
    const whole = inPage + data.length <= 4096;
    const place = whole ? this.memory.page(host, physHi, physLo >>> 12) + inPage : -1;
    const write = { hi: physHi, lo: physLo, length: data.length, data: 0, interrupt: false, place };
    this.oracle.writesOf(host).write(write);
  }

  /** A completion as the oracle expects it for a send. */
  sendDone(item: PostedSend, over: Partial<VisibleCompletion['wc']> & { cqn?: number } = {}): void {
    const length = item.wr.sges.slice(0, item.wr.numSge).reduce((sum, s) => sum + s.length, 0);
    this.complete(item.host, over.cqn ?? (SEND_CQ[item.host] as number), {
      wrId: item.wr.wrId,
      opcode: WC_OF_WR[item.wr.opcode] as number,
      byteLen: length,
      qpn: item.qpn,
      srcQp: item.wr.remoteQpn,
      isSend: true,
      wqeIndex: item.wqeIndex,
      ...over,
    });
  }

  /** A receive that is completed as flushed. */
  flushed({ host, qpn, wr, wqeIndex }: PostedRecv): void {
    const cqn = RECV_CQ[host] as number;
    this.complete(host, cqn, { wrId: wr.wrId, qpn, wqeIndex, status: WC_STATUS.wrFlushErr });
  }

  /** A completion as the oracle expects it for a receive of message `from`. */
  recvDone(item: PostedRecv, from: PostedSend, over: Partial<VisibleCompletion['wc']> & { cqn?: number } = {}): void {
    const length = from.wr.sges.slice(0, from.wr.numSge).reduce((sum, s) => sum + s.length, 0);
    const imm = from.wr.opcode === WR_OPCODE.sendWithImm || from.wr.opcode === WR_OPCODE.rdmaWriteWithImm;
    this.complete(item.host, over.cqn ?? (RECV_CQ[item.host] as number), {
      wrId: item.wr.wrId,
      opcode: from.wr.opcode === WR_OPCODE.rdmaWriteWithImm ? WC_OPCODE.recvRdmaWithImm : WC_OPCODE.recv,
      byteLen: length,
      qpn: item.qpn,
      srcQp: from.qpn,
      imm: imm ? from.wr.imm : 0,
      flags: imm ? WC_FLAG.withImm : 0,
      wqeIndex: item.wqeIndex,
      ...over,
    });
  }

  complete(host: number, cqn: number, fields: Partial<VisibleCompletion['wc']>): void {
    const item = new VisibleCompletion();
    item.host = host;
    item.cqn = cqn;
    Object.assign(item.wc, { wqeIndex: -1 }, fields);
    this.oracle.completion(item);
  }

  /** Post, deliver and complete one message correctly. */
  message(source: readonly Entry[], target: readonly Entry[], over: SendOptions = {}): void {
    const r = this.recv(target, { host: 1 - (over.host ?? 0) });
    const s = this.send(source, over);
    this.scatter(r.host, target, this.gather(s.host, source));
    this.recvDone(r, s);
    this.sendDone(s);
  }
}

export interface SendOptions {
  /** Of unreliable services: no packet of it leaves. */
  unsent?: boolean;
  host?: number;
  qpn?: number;
  /** Of a receive: shared queue to which it is posted. */
  srqn?: number;
  wqe?: number;
  wrId?: number;
  opcode?: number;
  flags?: number;
  imm?: number;
  rkey?: number;
  remote?: readonly [number, number];
  /** Of atomics: what is compared or added, and what is stored. */
  operands?: readonly [bigint, bigint];
  remoteQpn?: number;
  remoteQkey?: number;
  remoteHost?: number;
  /** Keys of the entries, by default those of their areas. */
  lkeys?: readonly number[];
}

/** A 64-bit number as two signed words. */
export function halves(value: bigint): [hi: number, lo: number] {
  return [Number(BigInt.asIntN(32, value >> 32n)), Number(BigInt.asIntN(32, value))];
}

/** The 40 bytes in front of a UD message, with an IPv4 header in the last 20. */
export function ipv4Header(from: number, to: number): Uint8Array {
  const b = new Uint8Array(GRH_BYTES);
  b[20] = 0x45;
  b[29] = 17;
  b.set([10, 0, 0, from + 1, 10, 0, 0, to + 1], 32);
  return b;
}

function fill(wr: PostedSend['wr'] | PostedRecv['wr'], entries: readonly Entry[], lkeys?: readonly number[]): void {
  wr.setNumSge(entries.length);
  for (const [i, [hi, lo, length]] of entries.entries()) {
    Object.assign(wr.sges[i] as object, { hi, lo, length, lkey: lkeys?.[i] ?? hi });
  }
}

import type { TransportChoices } from '../../../../scoreboard/model/transportChoices.ts';
import { Profiles } from '../../../../scoreboard/model/profiles.ts';
import { HANGU_PROFILE } from '../../../../dut-model/hangu/driver/kind/profile.ts';
import type { HeardFrames } from '../../../../scoreboard/reference/heardFrames.ts';
import { TransportMonitor } from '../../../../scoreboard/reference/transportMonitor.ts';
import { ArrivalItem, FrameFate, FrameItem } from '../../../../agents/link/linkItems.ts';
import { DecodedPacket, PacketFate } from '../../../../agents/wire/decodedPacket.ts';
import { OPCODE } from '../../../../agents/wire/wireOpcodes.ts';
import { WireMonitor } from '../../../../agents/wire/wireMonitor.ts';
import type { QpInfo } from '../../../../agents/verbs/verbsItems.ts';
import { Run } from '../../../../uvm/run.ts';
import { JUDGE_WITHOUT } from '../../support/judgeWithout.ts';
import { type RoceFields, roceFrame } from './roceFrame.ts';

const END: QpInfo = {
  host: 0,
  qpn: 0x10,
  process: 1,
  type: 2,
  sendCqn: 0,
  recvCqn: 0,
  mtu: 256,
  remoteHost: 1,
  remoteQpn: 0x11,
  sqPsn: 0x100,
  rqPsn: 0x900,
  qkey: 0,
  // May have expired at any time.
  ackTimeout: 1,
  rnrRetry: 7,
  signalAll: true,
};

/** Nothing has come to the hosts. */
const NOTHING_HEARD: HeardFrames = {
  shortestTrip: 0,
  sentFrames: () => 0,
  hasHeardAll: () => false,
  hasRested: () => false,
  hasIdled: () => false,
};

function peerOf(info: QpInfo): QpInfo {
  const { host, qpn, remoteHost, remoteQpn, sqPsn, rqPsn } = info;
  const peer = { host: remoteHost, qpn: remoteQpn, remoteHost: host, remoteQpn: qpn, sqPsn: rqPsn, rqPsn: sqPsn };
  return { ...info, ...peer };
}

/** A wire monitor fed with frames by hand. Host 0 QP 0x10 and host 1 QP 0x11 belong together. */
export class WireBench {
  readonly run: Run;
  readonly monitor: WireMonitor;
  readonly transport: TransportMonitor;
  readonly lines: string[] = [];
  readonly #item = new FrameItem();
  readonly #at: number;

  readonly #fate = new FrameFate(this.#item);
  readonly #lossless: boolean;

  readonly #arrives: boolean;

  /**
   * @param lossless no fault rule touches a frame; otherwise each is delayed
   * @param arrives each frame reaches its receiver at once; otherwise those that are said to
   * @param choices of both NICs, where they are others than those of HanGu
   */
  constructor(lossless = false, arrives = true, choices: Partial<TransportChoices> = {}) {
    this.#lossless = lossless;
    this.#arrives = arrives;
    this.run = new Run({ seed: 1, testName: 'spec', sink: (text) => this.lines.push(text) });
    this.monitor = new WireMonitor('wire', this.run);
    const profile = { ...HANGU_PROFILE, choices: { ...HANGU_PROFILE.choices, ...choices } };
    this.transport = new TransportMonitor(this.monitor, new Profiles(profile));
    this.#at = this.run.bytes.alloc(8192);
    this.monitor.rules.switchOff(JUDGE_WITHOUT);
  }

  /** Tells the monitor what has come to the hosts, besides what is said here nothing. */
  hears(ports: Partial<HeardFrames>): void {
    this.transport.listenAt({ ...NOTHING_HEARD, ...ports });
  }

  /** Announces both ends of the connection. */
  connect(change: Partial<QpInfo> = {}): this {
    const info: QpInfo = { ...END, ...change };
    this.transport.qpInRts(info);
    if (info.remoteHost >= 0) this.transport.qpInRts(peerOf(info));
    if (!this.#lossless) this.#disturb(info);
    return this;
  }

  /** A fault rule has delayed a request of the queue pair. */
  #disturb({ host, remoteHost, remoteQpn }: QpInfo): void {
    const packet = Object.assign(new DecodedPacket(), {
      host,
      to: remoteHost,
      destQp: remoteQpn,
      flags: OPCODE.request,
    });
    this.monitor.fates.write(Object.assign(new PacketFate(), { packet, copies: 1, delayed: true }));
  }

  /** Announces one queue pair, by default host 0's end. */
  announce(change: Partial<QpInfo>): void {
    this.transport.qpInRts({ ...END, ...change });
  }

  /** Announces host 0's end alone; host 1's is in RTR with RNR timer 3 if it `listens`, and not known otherwise. */
  connectHalf(listens: boolean): this {
    this.transport.qpInRts(END);
    if (listens) this.transport.qpInRtr({ ...peerOf(END), minRnrTimer: 3 });
    return this;
  }

  /** Software changes host 0's end; `meanwhile` happens before the NIC has taken the change. */
  change(change: Partial<QpInfo>, meanwhile: () => void = () => {}): void {
    this.#change({ ...END, ...change }, meanwhile);
  }

  /** Software changes host 1's end. */
  changePeer(change: Partial<QpInfo>, meanwhile: () => void = () => {}): void {
    this.#change(peerOf({ ...END, ...change }), meanwhile);
  }

  /** Lets simulated time pass, in ps. */
  wait(time: number): void {
    this.run.scheduler.schedule(time, { fire() {} }, 0);
    this.run.scheduler.run();
  }

  /** A frame of raw bytes leaves a host. @returns how it arrives */
  raw(bytes: readonly number[], host = 0, to = 1): () => void {
    this.run.bytes.u8.set(bytes, this.#at);
    Object.assign(this.#item, { host, to, data: this.#at, length: bytes.length, time: this.run.scheduler.now });
    this.monitor.write(this.#item);
    this.#fate.delayed = true;
    if (!this.#lossless) this.monitor.fated(this.#fate);
    const { tag, icrc } = this.#item;
    const arrives = (): void => {
      this.run.bytes.u8.set(bytes, this.#at);
      const arrival = { host: to, from: host, data: this.#at, length: bytes.length, tag, sentIcrc: icrc };
      this.monitor.arrived(Object.assign(new ArrivalItem(), arrival));
    };
    if (this.#arrives) arrives();
    return arrives;
  }

  /** The frame that left last reaches its receiver; `edited`: a fault rule has changed it, and repaired its checks. */
  delivers(edited = false): void {
    const { host, to, data, length } = this.#item;
    this.monitor.arrived(Object.assign(new ArrivalItem(), { host: to, from: host, data, length, edited }));
  }

  /** The same; a fault rule has changed no more of it than its invariant CRC leaves out. */
  deliversMarked(): void {
    const { host, to, data, length, icrc } = this.#item;
    const arrival = { host: to, from: host, data, length, edited: true, sentIcrc: icrc };
    this.monitor.arrived(Object.assign(new ArrivalItem(), arrival));
  }

  /** A request goes from host 0 to QP 0x11 of host 1. @returns as `raw` */
  request(f: RoceFields): () => void {
    return this.raw(roceFrame({ destQp: 0x11, ...f }), 0, 1);
  }

  /** A request goes from another host to QP 0x11 of host 1. */
  requestFrom(host: number, f: RoceFields): void {
    this.raw(roceFrame({ destQp: 0x11, from: host, ...f }), host, 1);
  }

  /** A request as above, which the link delivers twice. */
  requestTwice(f: RoceFields): void {
    const arrives = this.request(f);
    this.monitor.fated(Object.assign(this.#fate, { duplicates: 1 }));
    this.#fate.duplicates = 0;
    if (this.#arrives) arrives();
  }

  /** A response goes back to QP 0x10 of host 0. */
  response(f: RoceFields): () => void {
    return this.raw(roceFrame({ destQp: 0x10, from: 1, to: 0, ...f }), 1, 0);
  }

  #change(info: QpInfo, meanwhile: () => void): void {
    this.transport.qpChanging(info);
    meanwhile();
    this.transport.qpChanged(info);
  }

  /** Report ids seen so far, with counts. */
  ids(): Record<string, number> {
    return Object.fromEntries([...this.run.reports.idCounts()].filter(([id]) => id.startsWith('WIRE_')));
  }
}

/**
 * What software sees of a run, by queue: completions in their order, with their bytes and times, and what crosses the wire for
 * them. Queue pairs and requests have names that do not depend on the kind of NIC, so that the same work on another kind can be
 * laid beside it.
 */

import { createHash } from 'node:crypto';
import type { FrameItem } from '../../agents/link/linkItems.ts';
import type {
  MrInfo,
  PostedRecv,
  PostedSend,
  QpInfo,
  RecvWr,
  SendWr,
  VisibleCompletion,
} from '../../agents/verbs/verbsItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import type { HostEnv } from '../../env/hostEnv.ts';
import type { ObservedEnv } from '../../env/observedEnv.ts';
import { RunRecorder } from '../../env/trace/runRecorder.ts';
import { QP_TYPE, QP_TYPE_NAME, WC_FLAG, WC_STATUS, WR_OPCODE } from '../../rdma/verbs.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { KnownContents } from './knownContents.ts';
import { type OpenRange, OpenRanges, type Space } from './openRanges.ts';

/** A completion. */
export interface SeenCompletion {
  readonly wrId: number;
  /** `WC_STATUS`. */
  readonly status: number;
  /** Of a receive: bytes of the message, and its immediate data, undefined for none. */
  readonly byteLen: number | undefined;
  readonly imm: number | undefined;
  /**
   * Of the bytes that a receive or a READ has placed, when it completes, or a WRITE, when the run is over; undefined where it placed none, and where other requests were open for the
   * same bytes, so that nothing says which of them comes last; and in runs with more data than `KnownContents` fills.
   */
  readonly digest: string | undefined;
  /** From posting to completion, ps. */
  readonly latency: SimTime;
}

/** Completions of a send or receive queue. */
export interface SeenQueue {
  /** `host 0 process 1 RC queue pair 2, sends`: the third one that this process has brought to INIT. */
  readonly name: string;
  /** The queue pair alone, and the host that it is on. */
  readonly pair: string;
  readonly host: number;
  /** Queue pair at the other end; '' for datagrams. Known when the run is over. */
  readonly peer: string;
  /** Software has stopped the queue pair, or its peer, while requests were open: how far they came is a matter of time. */
  readonly isStopped: boolean;
  readonly completions: readonly SeenCompletion[];
}

/** What a run showed. */
export interface SeenWork {
  readonly queues: readonly SeenQueue[];
  /** When the first request was posted and the last completion came, ps; -1 for none. */
  readonly firstPost: SimTime;
  readonly lastCompletion: SimTime;
  /** Frames on the wire and their bytes, over all hosts. */
  readonly frames: number;
  readonly frameBytes: number;
}

/** A request that is not completed. */
interface Posted {
  readonly wrId: number;
  readonly at: SimTime;
  /** Where its bytes will be when it succeeds; none for those that place nothing. */
  readonly places: readonly OpenRange[];
  /** They are in the memory of the peer, whose NIC may answer before they are there. */
  readonly isRemote: boolean;
  readonly ranges: readonly OpenRange[];
}

/** A completion with what is asked of memory when the run is over. */
interface KeptCompletion extends SeenCompletion {
  readonly posted: Posted | undefined;
}

interface Queue {
  readonly name: string;
  readonly pair: Pair;
  readonly open: Posted[];
  readonly completions: KeptCompletion[];
  /** What its requests read, as long as that is not shared. */
  readonly all: OpenRange[];
}

interface Pair {
  readonly name: string;
  readonly info: QpInfo;
  peer: string;
  isStopped: boolean;
  readonly sends: Queue;
  readonly receives: Queue;
}

/** The header in front of a datagram holds addresses of the path, and what is behind it is the message. */
const GRH_BYTES = 40;
const ATOMIC_BYTES = 8;
const LO_VALUES = 2 ** 32;

export class WorkObserver extends RunRecorder {
  readonly #pairs: Pair[] = [];
  /** By host and number of the queue pair: the life that it is in. */
  readonly #living = new Map<string, Pair>();
  readonly #made = new Map<string, number>();
  readonly #regions = new Map<string, MrInfo>();
  readonly #shared = new Map<string, Posted[]>();
  readonly #open = new OpenRanges();
  readonly #contents = new KnownContents();
  #hosts: readonly HostEnv[] = [];
  #firstPost = -1;
  #lastCompletion = -1;
  #frames = 0;
  #frameBytes = 0;
  /** Of a page, in the byte store; made for the first read. */
  #scratch = -1;

  constructor() {
    super({ events: 0 });
  }

  /** What has been seen; to be asked when the run is over. */
  get work(): SeenWork {
    const stopped = new Set(this.#pairs.filter(({ isStopped }) => isStopped).map(({ name }) => name));
    const queues = this.#pairs.flatMap((pair) =>
      [pair.sends, pair.receives].map((queue): SeenQueue => {
        const { name, info, peer } = pair;
        const isStopped = stopped.has(name) || stopped.has(peer);
        // Which message a receive holds is not looked for: what any of its peer's was read from is to be known.
        const isKnown = queue === pair.sends || !this.#mayVary(peer);
        const completions = queue.completions.map(({ posted, ...seen }) => ({
          ...seen,
          digest:
            isKnown && !posted?.ranges.some(({ isShared }) => isShared)
              ? this.#lastDigest(seen, posted, pair)
              : undefined,
        }));
        return { name: queue.name, pair: name, host: info.host, peer, isStopped, completions };
      }),
    );
    return {
      queues: queues.filter(({ completions }) => completions.length > 0),
      firstPost: this.#firstPost,
      lastCompletion: this.#lastCompletion,
      frames: this.#frames,
      frameBytes: this.#frameBytes,
    };
  }

  #lastDigest(seen: SeenCompletion, posted: Posted | undefined, pair: Pair): string | undefined {
    if (posted?.isRemote !== true || seen.status !== WC_STATUS.success) return seen.digest;
    return this.#digest(posted, pair, undefined);
  }

  /** Whether what is sent by a queue pair, or by any where that is not known, may have been written while it was read. */
  #mayVary(sender: string): boolean {
    const senders = this.#pairs.filter(({ name }) => sender === '' || name === sender);
    return senders.some(({ sends }) => sends.all.some(({ isShared }) => isShared));
  }

  /** Sees work and frames alone: nobody asks for events. */
  override watch(system: ObservedEnv): void {
    this.#hosts = system.hostEnvs;
    const observer: VerbsObserver = {
      qpInInit: (info) => this.#begins(info),
      qpInRtr: (info) => this.#joins(info),
      qpToErr: (host, qpn) => this.#stops(host, qpn),
      qpToReset: (host, qpn) => this.#stops(host, qpn),
      qpDestroying: (host, qpn) => this.#stops(host, qpn),
      deviceReset: (host, qpns) => {
        for (const qpn of qpns) this.#stops(host, qpn);
      },
      mrRegistered: (info) => this.#registers(info),
      postedSend: (item) => this.#sends(item),
      postedRecv: (item) => this.#receives(item),
      completion: (item) => this.#completes(item),
    };
    for (const { monitor } of system.hostEnvs) monitor.observe(observer);
    system.link.frames.connect({ write: (frame: FrameItem) => this.#frame(frame) });
  }

  #frame({ length }: FrameItem): void {
    this.#frames++;
    this.#frameBytes += length;
  }

  #begins(info: QpInfo): void {
    const { host, process, type } = info;
    const place = `host ${host} process ${process}`;
    const number = this.#made.get(place) ?? 0;
    this.#made.set(place, number + 1);
    const name = `${place} ${QP_TYPE_NAME[type as keyof typeof QP_TYPE_NAME]} queue pair ${number}`;
    const queue = (which: string): Queue => ({ name: `${name}, ${which}`, pair, open: [], completions: [], all: [] });
    const pair = { name, info, peer: '', isStopped: false } as Pair & { sends: Queue; receives: Queue };
    Object.assign(pair, { sends: queue('sends'), receives: queue('receives') });
    this.#pairs.push(pair);
    this.#living.set(`${host} ${info.qpn}`, pair);
  }

  #joins({ host, qpn, remoteHost, remoteQpn }: QpInfo): void {
    const pair = this.#living.get(`${host} ${qpn}`);
    const peer = this.#living.get(`${remoteHost} ${remoteQpn}`);
    if (pair === undefined || peer === undefined) return;
    pair.peer = peer.name;
    peer.peer = pair.name;
  }

  /** What is sent must not depend on where a NIC's software has its data: a region is filled the moment it is there. */
  #registers(info: MrInfo): void {
    const { host, process, hi, lo, length } = info;
    this.#regions.set(`${host} ${info.key}`, info);
    const { verbs } = this.#hosts[host] as HostEnv;
    this.#contents.fill({ host, process }, hi, lo, length, (at, bytes) => {
      verbs.data.write(process, hi + Math.floor(at / LO_VALUES), at | 0, bytes);
    });
  }

  /** Software ends what a queue pair is at, or its NIC is reset. */
  #stops(host: number, qpn: number): void {
    const pair = this.#living.get(`${host} ${qpn}`);
    if (pair === undefined) return;
    const peer = this.#pairs.findLast(({ name }) => name === pair.peer);
    const isOpen = [pair, peer].some((each) => each !== undefined && each.sends.open.length > 0);
    if (isOpen) pair.isStopped = true;
  }

  #sends({ host, qpn, remoteHost, wr }: PostedSend): void {
    const pair = this.#living.get(`${host} ${qpn}`);
    if (pair === undefined) return;
    const { opcode } = wr;
    const isRead = opcode === WR_OPCODE.rdmaRead;
    const isWrite = opcode === WR_OPCODE.rdmaWrite || opcode === WR_OPCODE.rdmaWriteWithImm;
    const isAtomic = opcode === WR_OPCODE.atomicCmpAndSwp || opcode === WR_OPCODE.atomicFetchAndAdd;
    const queue = pair.sends;
    const local = this.#listed(queue, host, pair.info.process, wr, isRead || isAtomic);
    const length = isAtomic ? ATOMIC_BYTES : local.reduce((sum, range) => sum + range.length, 0);
    const remote = isRead || isWrite || isAtomic ? this.#remote(queue, remoteHost, wr, length, !isRead) : undefined;
    // What an atomic returns depends on who comes first, which is the NICs' to choose.
    const places = isRead ? local : isWrite && remote !== undefined ? [remote] : [];
    const ranges = remote === undefined ? local : [...local, remote];
    queue.all.push(...local);
    this.#post(pair.sends.open, { wrId: wr.wrId, at: this.#now, places, isRemote: isWrite, ranges });
  }

  #receives({ host, qpn, srqn, wr }: PostedRecv): void {
    const pair = this.#living.get(`${host} ${qpn}`);
    const process = pair?.info.process ?? this.#processOfShared(host, srqn);
    const queue = pair?.receives ?? this.#sharedOf(host, srqn);
    const local = this.#listed(queue, host, process, wr, true);
    const posted = { wrId: wr.wrId, at: this.#now, places: local, isRemote: false, ranges: local };
    if (pair !== undefined) this.#post(pair.receives.open, posted);
    else this.#post(this.#sharedOf(host, srqn), posted);
  }

  #post(open: Posted[], posted: Posted): void {
    if (this.#firstPost < 0) this.#firstPost = this.#now;
    open.push(posted);
  }

  #completes({ host, wc }: VisibleCompletion): void {
    const pair = this.#living.get(`${host} ${wc.qpn}`);
    if (pair === undefined) return;
    const { isSend, wrId, status } = wc;
    const queue = isSend ? pair.sends : pair.receives;
    const { srqn } = pair.info;
    const posted = taken(isSend || srqn === undefined ? queue.open : this.#sharedOf(host, srqn), wrId, isSend);
    this.#lastCompletion = this.#now;
    const isGood = status === WC_STATUS.success;
    const isMessage = isGood && !isSend;
    const last = posted.at(-1);
    const isRemote = last?.isRemote === true;
    queue.completions.push({
      wrId,
      status,
      byteLen: isMessage ? wc.byteLen : undefined,
      imm: isMessage && (wc.flags & WC_FLAG.withImm) !== 0 ? wc.imm >>> 0 : undefined,
      digest: isGood && !isRemote ? this.#digest(last, pair, isSend ? undefined : wc.byteLen) : undefined,
      posted: last,
      latency: this.#now - (last?.at ?? this.#now),
    });
    for (const { ranges } of posted) for (const range of ranges) range.isOpen = false;
  }

  /** @param byteLen of a receive: only so many bytes are its message */
  #digest(posted: Posted | undefined, { info }: Pair, byteLen: number | undefined): string | undefined {
    if (posted === undefined || posted.places.length === 0 || !this.#contents.isComplete) return undefined;
    const hash = createHash('sha256');
    let skipped = byteLen !== undefined && info.type === QP_TYPE.ud ? GRH_BYTES : 0;
    let left = byteLen ?? Number.POSITIVE_INFINITY;
    for (const { space, hi, lo, length } of posted.places) {
      const used = Math.min(length, left);
      left -= used;
      const skip = Math.min(skipped, used);
      skipped -= skip;
      for (const part of this.#read(space, hi, lo + skip, used - skip)) hash.update(part);
    }
    return hash.digest('hex').slice(0, 12);
  }

  /** Bytes of a virtual range, page by page. */
  *#read({ host, process }: Space, hi: number, lo: number, length: number): Generator<Uint8Array> {
    const { map, memory } = this.#hosts[host] as HostEnv;
    const { bytes } = memory;
    if (this.#scratch < 0) this.#scratch = bytes.alloc(0x1000, 16);
    const scratch = this.#scratch;
    for (let done = 0; done < length; ) {
      const at = (lo >>> 0) + done;
      const count = Math.min(0x1000 - (at & 0xfff), length - done);
      map.translate(process, hi + Math.floor(at / LO_VALUES), at | 0);
      memory.read(map.physHi, map.physLo, count, scratch);
      yield bytes.u8.slice(scratch, scratch + count);
      done += count;
    }
  }

  #listed(queue: object, host: number, process: number, wr: RecvWr, isWritten: boolean): OpenRange[] {
    const space = { host, process };
    const entries = wr.sges.slice(0, wr.numSge).filter(({ length }) => length > 0);
    return entries.map(({ hi, lo, length }) => this.#open.open(queue, space, hi, lo, length, isWritten));
  }

  /** Where a request goes; undefined where its key opens nothing. */
  #remote(queue: object, host: number, wr: SendWr, length: number, isWritten: boolean): OpenRange | undefined {
    const region = this.#regions.get(`${host} ${wr.rkey}`);
    if (region === undefined || length === 0) return undefined;
    const { process, zeroBased } = region;
    const lo = zeroBased ? (region.lo >>> 0) + (wr.remoteLo >>> 0) : wr.remoteLo >>> 0;
    const hi = (zeroBased ? region.hi : wr.remoteHi) + Math.floor(lo / LO_VALUES);
    return this.#open.open(queue, { host, process }, hi, lo | 0, length, isWritten);
  }

  #processOfShared(host: number, srqn: number): number {
    const user = this.#pairs.find(({ info }) => info.host === host && info.srqn === srqn);
    return user?.info.process ?? 1;
  }

  #sharedOf(host: number, srqn: number): Posted[] {
    const key = `${host} ${srqn}`;
    const open = this.#shared.get(key) ?? [];
    this.#shared.set(key, open);
    return open;
  }

  get #now(): SimTime {
    return (this.#hosts[0] as HostEnv).run.scheduler.now;
  }
}

/** Takes a request off its queue; of sends also those before it, which have no completion of their own. @returns it last */
function taken(open: Posted[], wrId: number, isSend: boolean): Posted[] {
  const i = open.findIndex((posted) => posted.wrId === wrId);
  if (i < 0) return [];
  return isSend ? open.splice(0, i + 1) : open.splice(i, 1);
}

/**
 * What the two compact forms share: the queue pairs and completion queues that the parameters ask for, and the
 * regions that follow from the requests.
 */
import { hash32 } from '../../../uvm/random/hash.ts';
import { ACCESS, QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import type { RunConfig } from '../../runConfig.ts';
import { AREA, BRING_UP, type CqPlan, type QpPlan, type ScenarioSource } from '../scenario.ts';
import { PAGE_BYTES } from '../../../uvm/bytes/byteStore.ts';
import { ALL_WORDS, isAtomic, wordsOffset } from './atomicDraws.ts';
import { chooseGranularity } from './granularity.ts';
import { completionsOf } from './memoryBudget.ts';
import { OrderFlags } from './orderFlags.ts';
import { CqPlacement } from './cqPlacement.ts';
import { type QpCounts, peerOf, typeOf } from './pairing.ts';
import { RegionNumbering } from './regionNumbering.ts';
import type { RegionPlan } from '../regionPlan.ts';
import { type PlannedEntry, WorkPlan } from '../workPlan.ts';

const PSN_MASK = 0xff_ffff;
/** How far below 2^24 `+PSN=wrap` starts. */
const WRAP_DISTANCE = 24;

/** Access rights of each use of memory; `area*`: of a whole area. */
export interface AccessRights {
  readonly sendSource: number;
  readonly readDestination: number;
  readonly receive: number;
  readonly writeTarget: number;
  readonly readTarget: number;
  readonly sourceArea: number;
  readonly receiveArea: number;
}

const WORDS_RIGHTS = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead | ACCESS.remoteAtomic;

const EVERYTHING = ACCESS.localWrite | ACCESS.remoteWrite | ACCESS.remoteRead;

/** As published: the same rights for all data (hangu-interface.md 5.3). */
export const PUBLISHED_RIGHTS: AccessRights = {
  sendSource: EVERYTHING,
  readDestination: EVERYTHING,
  receive: EVERYTHING,
  writeTarget: EVERYTHING,
  readTarget: EVERYTHING,
  sourceArea: EVERYTHING,
  receiveArea: EVERYTHING,
};

/** No more than each use needs, so that a NIC that asks for too much is found. */
export const MINIMAL_RIGHTS: AccessRights = {
  sendSource: 0,
  readDestination: ACCESS.localWrite,
  receive: ACCESS.localWrite,
  writeTarget: ACCESS.localWrite | ACCESS.remoteWrite,
  readTarget: ACCESS.remoteRead,
  sourceArea: ACCESS.remoteRead,
  receiveArea: ACCESS.localWrite | ACCESS.remoteWrite,
};

export abstract class CompactSource implements ScenarioSource {
  readonly hosts: number;
  readonly processes: number;
  readonly doorbells: number;
  readonly maxRequests: number;
  readonly maxSge: number;
  readonly regionNumbers: number;
  readonly lastingRegions: number;
  /** As chosen by MR_GRANULARITY; for the log. */
  readonly numbering: RegionNumbering;
  protected readonly config: RunConfig;
  protected readonly counts: QpCounts;
  readonly #cqs: CqPlacement;
  readonly #orderFlags: OrderFlags;
  readonly #rights: AccessRights;
  readonly #areaBytes: number;
  readonly #psnKey: number;
  readonly #scratch: WorkPlan;

  /**
   * @param key key of all draws of this scenario, from the run's random streams
   * @param areaBytes bytes from the start of either area that any doorbell of a queue pair uses
   */
  constructor(config: RunConfig, key: number, rights: AccessRights, areaBytes: number) {
    const v = config.values;
    this.#areaBytes = areaBytes;
    this.config = config;
    this.hosts = v.HOST_NUM;
    this.doorbells = v.DB_NUM;
    this.counts = { rc: v.RC_QP_NUM, uc: v.UC_QP_NUM, ud: v.UD_QP_NUM };
    this.maxRequests = Math.max(1, v.WRITE_WQE_NUM + v.READ_WQE_NUM + v.SEND_WQE_NUM);
    this.maxSge = v.SG_NUM + (v.UD_QP_NUM > 0 ? 1 : 0);
    const granularity = chooseGranularity(v, areaBytes, config.limits).granularity;
    const words = v.ATOMIC_PCT > 0 && this.hasWords();
    this.numbering = new RegionNumbering({ granularity, maxRequests: this.maxRequests, maxSge: v.SG_NUM, words });
    this.regionNumbers = this.numbering.count;
    this.lastingRegions = granularity === 'qp' ? this.numbering.count : words ? 1 : 0;
    this.#cqs = CqPlacement.of(v, config.limits.maxProcesses);
    this.processes = this.#cqs.processes;
    this.#rights = rights;
    this.#psnKey = hash32(key, 0x70736e, 0);
    this.#orderFlags = new OrderFlags(key, v.FENCE, v.SOLICITED, v.UNSIGNALED_PCT);
    this.#scratch = new WorkPlan(this.maxRequests, this.maxSge);
  }

  sends(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    this.addSends(host, qp, doorbell, out);
    if (!this.#orderFlags.any) return;
    this.#orderFlags.mark(out, placeOf(host, qp, doorbell), typeOf(this.counts, qp) === QP_TYPE.rc);
  }

  abstract recvs(host: number, qp: number, doorbell: number, out: WorkPlan): void;
  /** As `sends`, without the flags that the run's parameters give. */
  protected abstract addSends(host: number, qp: number, doorbell: number, out: WorkPlan): void;
  /** Requests that may be outstanding in each send queue, and in each receive queue, when the run does not say. */
  protected abstract readonly usualSendWr: number;
  protected abstract readonly usualRecvWr: number;

  busyQps(host: number): number {
    return this.qpCount(host);
  }

  requestCount(): number {
    let count = 0;
    for (let host = 0; host < this.hosts; host++) {
      for (let qp = 0; qp < this.qpCount(host); qp++) count += this.requestsOf(host, qp);
    }
    return count;
  }

  /** Sources that post some say so. */
  hasInline(): boolean {
    return false;
  }

  hasReads(): boolean {
    return this.counts.rc > 0 && this.config.values.READ_WQE_NUM > 0;
  }

  qpCount(_host: number): number {
    return this.counts.rc + this.counts.uc + this.counts.ud;
  }

  qp(host: number, index: number): QpPlan {
    const type = typeOf(this.counts, index);
    return {
      type,
      process: this.#cqs.process(index),
      sendCq: this.#cqs.sendCq(index),
      recvCq: this.#cqs.recvCq(index),
      peer: peerOf(this.hosts, this.counts, host, index),
      psn: this.#psn(host, index),
      mtu: this.config.values.MTU,
      maxSendWr: this.config.values.MAX_SEND_WR || this.usualSendWr,
      maxRecvWr: this.config.values.MAX_RECV_WR || this.usualRecvWr,
      maxSge: this.config.values.SG_NUM + (type === QP_TYPE.ud ? 1 : 0),
      maxInline: this.config.values.MAX_INLINE,
      signalAll: this.config.values.UNSIGNALED_PCT === 0,
    };
  }

  cqCount(_host: number): number {
    return this.#cqs.count;
  }

  cq(_host: number, index: number): CqPlan {
    return {
      process: this.#cqs.cqProcess(index),
      entries: this.config.values.CQ_ENTRIES || this.#cqs.entries(index, completionsOf(this.config.values)),
    };
  }

  regions(host: number, qp: number, doorbell: number, out: RegionPlan): void {
    out.count = 0;
    if (doorbell === BRING_UP && this.numbering.words >= 0 && this.ownerOf(qp) === qp) this.#words(out);
    if (this.numbering.granularity === 'qp') {
      if (doorbell === BRING_UP) this.#areaRegions(out);
      return;
    }
    if (doorbell === BRING_UP) return;
    const peer = this.peerOf(host, qp);
    if (peer === undefined) return;
    const plan = this.#scratch;
    this.sends(host, qp, doorbell, plan);
    this.#sendRegions(plan, out);
    this.recvs(host, qp, doorbell, plan);
    for (let k = 0; k < plan.count; k++) addSpans(plan, k, this.#rights.receive, out);
    this.sends(peer.host, peer.qp, doorbell, plan);
    this.#remoteRegions(plan, out);
  }

  /** Send-queue requests of a queue pair with all its doorbells; by expansion, unless a source knows better. */
  protected requestsOf(host: number, qp: number): number {
    let count = 0;
    for (let doorbell = 0; doorbell < this.doorbells; doorbell++) {
      this.sends(host, qp, doorbell, this.#scratch);
      count += this.#scratch.count;
    }
    return count;
  }

  /** The peer of a queue pair; undefined where there is none. */
  protected peerOf(host: number, qp: number): { readonly host: number; readonly qp: number } | undefined {
    return peerOf(this.hosts, this.counts, host, qp);
  }

  /** True when queue pairs of this host post send-queue work. */
  protected launches(host: number): boolean {
    return host === 0 || !this.config.values.ONE_SIDE_LAUNCH;
  }

  /** Whether requests work on words that queue pairs share. */
  protected hasWords(): boolean {
    return false;
  }

  /** The queue pair, of the same process, that has the words of one: the first. */
  protected ownerOf(qp: number): number {
    return this.#cqs.process(qp) - 1;
  }

  #words(out: RegionPlan): void {
    out.add(this.numbering.words, AREA.receive, wordsOffset(this.#areaBytes) - PAGE_BYTES, ALL_WORDS, WORDS_RIGHTS);
  }

  #areaRegions(out: RegionPlan): void {
    out.add(AREA.source, AREA.source, 0, this.#areaBytes, this.#rights.sourceArea);
    out.add(AREA.receive, AREA.receive, 0, this.#areaBytes, this.#rights.receiveArea);
  }

  #sendRegions(plan: WorkPlan, out: RegionPlan): void {
    for (let k = 0; k < plan.count; k++) {
      const { opcode } = plan.at(k);
      const read = opcode === WR_OPCODE.rdmaRead || isAtomic(opcode);
      addSpans(plan, k, read ? this.#rights.readDestination : this.#rights.sendSource, out);
    }
  }

  /** What the peer's RDMA requests work on here. */
  #remoteRegions(plan: WorkPlan, out: RegionPlan): void {
    for (let k = 0; k < plan.count; k++) {
      const { opcode, remoteArea, remoteOffset, remoteRegion, total } = plan.at(k);
      const read = opcode === WR_OPCODE.rdmaRead;
      if (!read && opcode !== WR_OPCODE.rdmaWrite && opcode !== WR_OPCODE.rdmaWriteWithImm) continue;
      const access = read ? this.#rights.readTarget : this.#rights.writeTarget;
      out.add(remoteRegion, remoteArea, remoteOffset, total, access);
    }
  }

  #psn(host: number, qp: number): number {
    const random = hash32(this.#psnKey, host, qp);
    const text = this.config.values.PSN;
    if (text !== 'random' && text !== 'wrap') return Number(text);
    const psn = text === 'random' ? random & PSN_MASK : PSN_MASK - (random % WRAP_DISTANCE);
    return psn - (psn % (this.config.limits.psnGranularity ?? 1));
  }
}

/** One region for each run of neighbouring entries with the same region number: from its first to its last byte. */
function addSpans(plan: WorkPlan, k: number, access: number, out: RegionPlan): void {
  const { entries, numSge } = plan.at(k);
  for (let g = 0; g < numSge; ) {
    const { region, offset, area } = entries[g] as PlannedEntry;
    let last = offset;
    for (; g < numSge; g++) {
      const entry = entries[g] as PlannedEntry;
      if (entry.region !== region) break;
      last = Math.max(last, entry.offset + entry.length);
    }
    out.add(region, area, offset, last - offset, access);
  }
}

/** A number for each host, queue pair and doorbell. */
export function placeOf(host: number, qp: number, doorbell: number): number {
  return (host << 24) | (doorbell << 16) | qp;
}

/**
 * The published directed stimulus: equal requests in fixed places (hangu-interface.md 3.4).
 *
 * With B bytes per entry, G entries, D = G * B bytes per request and n = 2S + W + R slots per doorbell, entry g of
 * slot k of doorbell d lies at (d * n + k) * D + g * B. Slots: SENDs 0 .. S-1, RECVs (no data of their own) S .. 2S-1,
 * WRITEs, READs. Source and destination have the same offset; the host, the queue pair and the area differ.
 *
 * Three things go beyond it: UD receives get a GRH entry behind all data, UD messages are cut at the path MTU, and
 * where immediate data is asked for, each WRITE that carries it gets a RECV without entries after those of the SENDs.
 */
import { GRH_BYTES, QP_TYPE, WR_OPCODE } from '../../../rdma/verbs.ts';
import { hash32 } from '../../../uvm/random/hash.ts';
import { type RunConfig, sgBytes } from '../../runConfig.ts';
import { AREA } from '../scenario.ts';
import { CompactSource, PUBLISHED_RIGHTS } from './compactSource.ts';
import { doorbellBytes, directExtent, grhBase, GRH_PITCH } from './directLayout.ts';
import { typeOf } from './pairing.ts';
import type { WorkPlan } from '../workPlan.ts';

/** Requests that give the published rings of 32 slots; a receive ring keeps one slot empty. */
const PUBLISHED_SEND_WR = 32;
const PUBLISHED_RECV_WR = 31;

export class DirectSource extends CompactSource {
  protected readonly usualSendWr = PUBLISHED_SEND_WR;
  protected readonly usualRecvWr = PUBLISHED_RECV_WR;
  readonly #sends: number;
  readonly #writes: number;
  readonly #reads: number;
  readonly #entries: number;
  readonly #entryBytes: number;
  readonly #requestBytes: number;
  readonly #doorbellBytes: number;
  readonly #grhBase: number;
  readonly #immPercent: number;
  readonly #immKey: number;

  /** @param key key of the draws (PSN starts, immediate data) */
  constructor(config: RunConfig, key: number) {
    super(config, key, PUBLISHED_RIGHTS, directExtent(config.values));
    const v = config.values;
    this.#sends = v.SEND_WQE_NUM;
    this.#writes = v.WRITE_WQE_NUM;
    this.#reads = v.READ_WQE_NUM;
    this.#entries = v.SG_NUM;
    this.#entryBytes = sgBytes(v);
    this.#requestBytes = this.#entryBytes * v.SG_NUM;
    this.#doorbellBytes = doorbellBytes(v);
    this.#grhBase = grhBase(v);
    this.#immPercent = v.IMM;
    this.#immKey = hash32(key, 0x696d6d, 0);
  }

  protected override addSends(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    out.count = 0;
    if (!this.launches(host) || this.peerOf(host, qp) === undefined) return;
    const type = typeOf(this.counts, qp);
    const base = doorbell * this.#doorbellBytes;
    this.#addMessages(host, qp, doorbell, type === QP_TYPE.ud, out);
    if (type === QP_TYPE.ud) return;
    const writes = base + 2 * this.#sends * this.#requestBytes;
    for (let i = 0; i < this.#writes; i++) {
      this.#addRdma(out, WR_OPCODE.rdmaWrite, AREA.source, AREA.receive, writes + i * this.#requestBytes);
      this.#addImmediate(host, qp, doorbell, out);
    }
    if (type !== QP_TYPE.rc) return;
    const reads = writes + this.#writes * this.#requestBytes;
    for (let i = 0; i < this.#reads; i++) {
      this.#addRdma(out, WR_OPCODE.rdmaRead, AREA.receive, AREA.source, reads + i * this.#requestBytes);
    }
  }

  recvs(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    out.count = 0;
    const peer = this.peerOf(host, qp);
    if (peer === undefined || !this.launches(peer.host)) return;
    const ud = typeOf(this.counts, qp) === QP_TYPE.ud;
    for (let i = 0; i < this.#sends; i++) {
      const k = out.add(0);
      if (ud) {
        const at = this.#grhBase + (doorbell * this.#sends + i) * GRH_PITCH;
        out.at(k).addSge(AREA.receive, at, GRH_BYTES, this.numbering.grh(k));
      }
      this.#addEntries(out, k, AREA.receive, doorbell * this.#doorbellBytes + i * this.#requestBytes, ud, false);
    }
    if (ud) return;
    for (let i = 0; i < this.#writes; i++) {
      if (this.#hasImmediate(peer.host, peer.qp, doorbell, this.#sends + i)) out.add(0);
    }
  }

  protected override requestsOf(host: number, qp: number): number {
    if (!this.launches(host) || this.peerOf(host, qp) === undefined) return 0;
    const type = typeOf(this.counts, qp);
    const writes = type === QP_TYPE.ud ? 0 : this.#writes;
    return this.doorbells * (this.#sends + writes + (type === QP_TYPE.rc ? this.#reads : 0));
  }

  #addMessages(host: number, qp: number, doorbell: number, capped: boolean, out: WorkPlan): void {
    const base = doorbell * this.#doorbellBytes;
    for (let i = 0; i < this.#sends; i++) {
      const k = out.add(WR_OPCODE.send);
      this.#addEntries(out, k, AREA.source, base + i * this.#requestBytes, capped, true);
      this.#addImmediate(host, qp, doorbell, out);
    }
  }

  #addRdma(out: WorkPlan, opcode: number, localArea: number, remoteArea: number, offset: number): void {
    const k = out.add(opcode);
    this.#addEntries(out, k, localArea, offset, false, true);
    out.setRemote(k, remoteArea, offset, this.numbering.remote(k, remoteArea));
  }

  /** The G equal entries of a request; of a capped one, the first bytes up to the MTU. */
  #addEntries(out: WorkPlan, k: number, area: number, offset: number, capped: boolean, send: boolean): void {
    const bytes = this.#entryBytes;
    const request = out.at(k);
    let room = capped ? this.config.values.MTU : Number.POSITIVE_INFINITY;
    for (let g = 0; g < this.#entries; g++) {
      const length = bytes < room ? bytes : room;
      const region = send ? this.numbering.send(k, g, area) : this.numbering.recv(k, g);
      request.addSge(area, offset + g * bytes, length, region);
      room -= length;
    }
  }

  /** Turns the request added last into its form with immediate data, if it is one of those. */
  #addImmediate(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    const k = out.count - 1;
    if (!this.#hasImmediate(host, qp, doorbell, k)) return;
    const request = out.at(k);
    request.opcode++; // SEND_WITH_IMM and RDMA_WRITE_WITH_IMM follow the plain ones
    request.imm = hash32(this.#immKey ^ 1, (host << 16) | qp, (doorbell << 8) | k);
  }

  #hasImmediate(host: number, qp: number, doorbell: number, k: number): boolean {
    if (this.#immPercent === 0) return false;
    return hash32(this.#immKey, (host << 16) | qp, (doorbell << 8) | k) % 100 < this.#immPercent;
  }
}

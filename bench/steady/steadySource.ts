/**
 * Equal work for as long as it is wanted: every batch gives each queue pair of host 0 whose turn it is the same number
 * of equal requests, at addresses drawn from the seed.
 *
 * Requests of a queue pair go round in places of its areas. The receiving side has one place fewer than the sending
 * side, so that a place never receives from the same source twice in a row: data left over from the round before is
 * wrong data. Where exactly the pieces of a place lie is drawn once for the place, so that what has to be remembered
 * about memory does not grow with the length of the run.
 */

import { WR_OPCODE } from '../../rdma/verbs.ts';
import { AREA, type CqPlan, type QpPlan, type ScenarioSource } from '../../config/scenario/scenario.ts';
import { CounterDraws } from '../../config/scenario/drawn/counterDraws.ts';
import { directExtent } from '../../config/scenario/drawn/directLayout.ts';
import { DirectSource } from '../../config/scenario/drawn/directSource.ts';
import type { RegionPlan } from '../../config/scenario/regionPlan.ts';
import type { WorkPlan } from '../../config/scenario/workPlan.ts';
import type { RunConfig } from '../../config/runConfig.ts';
import { hash32 } from '../../uvm/random/hash.ts';
import type { SteadyWork } from './steadySpec.ts';

const SENDER = 0;
const NOT_NOW = -1;

export class SteadySource implements ScenarioSource {
  readonly hosts: number;
  readonly processes: number;
  readonly maxRequests: number;
  readonly maxSge: number;
  readonly regionNumbers: number;
  readonly lastingRegions: number;
  /** Places of a queue pair's requests in its source area. */
  readonly places: number;
  readonly #topology: DirectSource;
  readonly #work: SteadyWork;
  readonly #draws = new CounterDraws();
  readonly #keys: { readonly source: number; readonly target: number };
  readonly #onBatch: (batch: number) => void;
  #doorbells = Number.POSITIVE_INFINITY;

  /**
   * @param key key of the addresses
   * @param onBatch called when a batch begins and nothing of the one before is left
   */
  constructor(config: RunConfig, key: number, work: SteadyWork, onBatch: (batch: number) => void) {
    const topology = new DirectSource(config, key);
    this.hosts = topology.hosts;
    this.processes = topology.processes;
    this.maxRequests = topology.maxRequests;
    this.maxSge = topology.maxSge;
    this.regionNumbers = topology.regionNumbers;
    this.lastingRegions = topology.lastingRegions;
    this.places = Math.floor(directExtent(config.values) / (work.pieces * work.pitch));
    this.#topology = topology;
    this.#work = work;
    this.#keys = { source: hash32(key, 1, 0), target: hash32(key, 2, 0) };
    this.#onBatch = onBatch;
    if (this.places - 1 < this.maxRequests)
      throw new RangeError(`${this.places} places for ${this.maxRequests} requests`);
  }

  /** Batches; endless until `endAfter`. */
  get doorbells(): number {
    return this.#doorbells;
  }

  /** Makes this batch the last. */
  endAfter(batch: number): void {
    this.#doorbells = batch + 1;
  }

  /** Of both hosts as many: peers differ in bit 0 (env/pairing.ts), and the first of a pair is even. */
  busyQps(): number {
    return this.#work.used + (this.#work.used & 1);
  }

  requestCount(): number {
    return 0;
  }

  hasInline(): boolean {
    return false;
  }

  hasReads(): boolean {
    return false;
  }

  qpCount(host: number): number {
    return this.#topology.qpCount(host);
  }

  qp(host: number, index: number): QpPlan {
    return this.#topology.qp(host, index);
  }

  cqCount(host: number): number {
    return this.#topology.cqCount(host);
  }

  cq(host: number, index: number): CqPlan {
    return this.#topology.cq(host, index);
  }

  regions(host: number, qp: number, doorbell: number, out: RegionPlan): void {
    this.#topology.regions(host, qp, doorbell, out);
  }

  sends(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    out.count = 0;
    const turn = host === SENDER ? this.#turn(qp, doorbell) : NOT_NOW;
    if (turn === NOT_NOW) return;
    const write = this.#work.kind === 'write';
    for (let i = 0; i < this.maxRequests; i++) {
      const n = turn * this.maxRequests + i;
      const k = out.add(write ? WR_OPCODE.rdmaWrite : WR_OPCODE.send);
      this.#addPieces(out, k, AREA.source, qp, n % this.places, this.#topology.numbering.send(k, 0, AREA.source));
      if (write) this.#addTarget(out, k, qp, n % (this.places - 1));
    }
  }

  recvs(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    if (host === SENDER && qp === 0) this.#onBatch(doorbell);
    out.count = 0;
    if (host === SENDER || this.#work.kind === 'write') return;
    // Peers differ in bit 0 (env/pairing.ts).
    const turn = this.#turn(qp ^ 1, doorbell);
    if (turn === NOT_NOW) return;
    for (let i = 0; i < this.maxRequests; i++) {
      const n = turn * this.maxRequests + i;
      const k = out.add(0);
      this.#addPieces(out, k, AREA.receive, qp, n % (this.places - 1), this.#topology.numbering.recv(k, 0));
    }
  }

  /** How often a queue pair of the sender has sent before this batch; `NOT_NOW` when it does not send in it. */
  #turn(qp: number, batch: number): number {
    const { used, atOnce } = this.#work;
    if (qp >= used) return NOT_NOW;
    const groups = used / atOnce;
    return Math.floor(qp / atOnce) === batch % groups ? Math.floor(batch / groups) : NOT_NOW;
  }

  #addPieces(out: WorkPlan, k: number, area: number, qp: number, place: number, region: number): void {
    const { pieces, pieceBytes, pitch } = this.#work;
    const draws = this.#draws;
    const slack = pitch - pieceBytes;
    draws.seek(area === AREA.source ? this.#keys.source : this.#keys.target, (place << 13) | qp);
    const request = out.at(k);
    let start = place * pieces * pitch;
    for (let g = 0; g < pieces; g++, start += pitch)
      request.addSge(area, start + draws.below(slack), pieceBytes, region);
  }

  #addTarget(out: WorkPlan, k: number, qp: number, place: number): void {
    const { pieces, pieceBytes, pitch } = this.#work;
    this.#draws.seek(this.#keys.target, (place << 13) | qp);
    const at = place * pieces * pitch + this.#draws.below(pieces * (pitch - pieceBytes));
    out.setRemote(k, AREA.receive, at, this.#topology.numbering.remote(k, AREA.receive));
  }
}

/** Plays an explicit scenario through the common interface. */
import { ACCESS, QP_TYPE, SEND_FLAG, WR_OPCODE } from '../../../rdma/verbs.ts';
import { AREA, BRING_UP, type CqPlan, type QpPlan, type ScenarioSource } from '../scenario.ts';
import {
  EXPLICIT_FLAGS,
  type ExplicitDoorbell,
  type ExplicitQp,
  type ExplicitRegion,
  type ExplicitScenario,
  type ExplicitSend,
  type ExplicitSge,
} from './explicitScenario.ts';
import type { RegionPlan } from '../regionPlan.ts';
import type { PlannedRequest, WorkPlan } from '../workPlan.ts';

const TYPE_CODE = { RC: QP_TYPE.rc, UC: QP_TYPE.uc, UD: QP_TYPE.ud } as const;
const OPCODE_CODE = {
  SEND: WR_OPCODE.send,
  SEND_WITH_IMM: WR_OPCODE.sendWithImm,
  RDMA_WRITE: WR_OPCODE.rdmaWrite,
  RDMA_WRITE_WITH_IMM: WR_OPCODE.rdmaWriteWithImm,
  RDMA_READ: WR_OPCODE.rdmaRead,
  ATOMIC_CMP_AND_SWP: WR_OPCODE.atomicCmpAndSwp,
  ATOMIC_FETCH_AND_ADD: WR_OPCODE.atomicFetchAndAdd,
} as const;

export class ExplicitSource implements ScenarioSource {
  readonly hosts: number;
  readonly processes: number;
  readonly doorbells: number;
  readonly maxRequests: number;
  readonly maxSge: number;
  readonly regionNumbers: number;
  readonly lastingRegions: number;
  readonly #scenario: ExplicitScenario;
  /** Regions of each queue pair by id. */
  readonly #regions = new Map<ExplicitQp, ReadonlyMap<number, ExplicitRegion>>();

  /** @param scenario as returned by `parseScenario` */
  constructor(scenario: ExplicitScenario) {
    this.#scenario = scenario;
    this.hosts = scenario.hosts.length;
    this.processes = scenario.processes;
    this.doorbells = scenario.doorbells;
    const qps = scenario.hosts.flatMap((h) => h.qps);
    for (const qp of qps) this.#regions.set(qp, new Map(allRegions(qp).map((r) => [r.id, r])));
    const bells = qps.flatMap((qp) => qp.doorbells);
    this.maxRequests = highest(bells.flatMap((d) => [d.sends.length, d.recvs.length]));
    this.maxSge = highest(bells.flatMap((d) => [...d.sends, ...d.recvs].map((w) => w.sges.length)));
    // Ids are unique over all doorbells, so every region keeps its number.
    this.lastingRegions = Number.MAX_SAFE_INTEGER;
    this.regionNumbers = 1 + highest(qps.flatMap((qp) => allRegions(qp).map((r) => r.id)));
  }

  busyQps(host: number): number {
    const qps = this.#scenario.hosts[host]?.qps ?? [];
    return 1 + qps.findLastIndex((qp) => qp.doorbells.some(({ sends, recvs }) => sends.length + recvs.length > 0));
  }

  requestCount(): number {
    return this.#doorbellsOfAll().reduce((sum, d) => sum + d.sends.length, 0);
  }

  hasInline(): boolean {
    return this.#someSend(({ inline }) => inline === true);
  }

  hasReads(): boolean {
    return this.#someSend(({ opcode }) => opcode === 'RDMA_READ');
  }

  qpCount(host: number): number {
    return this.#scenario.hosts[host]?.qps.length ?? 0;
  }

  qp(host: number, index: number): QpPlan {
    const qp = this.#qp(host, index);
    return {
      type: TYPE_CODE[qp.type],
      process: qp.process,
      sendCq: qp.sendCq,
      recvCq: qp.recvCq,
      peer: qp.peer ?? undefined,
      psn: qp.psn,
      mtu: qp.mtu,
      maxSendWr: qp.maxSendWr,
      maxRecvWr: qp.maxRecvWr,
      maxSge: qp.maxSge,
      maxInline: qp.maxInline ?? 0,
      signalAll: qp.signalAll ?? true,
    };
  }

  cqCount(host: number): number {
    return this.#scenario.hosts[host]?.cqs.length ?? 0;
  }

  cq(host: number, index: number): CqPlan {
    return this.#scenario.hosts[host]?.cqs[index] as CqPlan;
  }

  regions(host: number, qp: number, doorbell: number, out: RegionPlan): void {
    out.count = 0;
    const plan = this.#qp(host, qp);
    const list = doorbell === BRING_UP ? plan.regions : (plan.doorbells[doorbell]?.regions ?? []);
    for (const r of list) out.add(r.id, AREA[r.area], r.offset, r.length, accessBits(r));
  }

  sends(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    out.count = 0;
    const plan = this.#qp(host, qp);
    for (const send of plan.doorbells[doorbell]?.sends ?? []) this.#addSend(plan, send, out);
  }

  recvs(host: number, qp: number, doorbell: number, out: WorkPlan): void {
    out.count = 0;
    const plan = this.#qp(host, qp);
    for (const recv of plan.doorbells[doorbell]?.recvs ?? []) this.#addSges(plan, recv.sges, out.at(out.add(0)));
  }

  #addSend(plan: ExplicitQp, send: ExplicitSend, out: WorkPlan): void {
    const k = out.add(OPCODE_CODE[send.opcode]);
    const request = out.at(k);
    request.imm = send.imm ?? 0;
    for (const flag of EXPLICIT_FLAGS) if (send[flag] === true) request.flags |= SEND_FLAG[flag];
    request.signaled = send.unsignaled !== true;
    this.#addSges(plan, send.sges, request);
    if (send.remote === undefined || plan.peer === null) return;
    const { host, qp } = plan.peer;
    const region = this.#region(this.#qp(host, send.remote.qp ?? qp), send.remote.region);
    request.remoteQp = send.remote.qp ?? -1;
    addOperands(send, request);
    out.setRemote(k, AREA[region.area], region.offset + send.remote.at, region.id);
  }

  #addSges(plan: ExplicitQp, sges: readonly ExplicitSge[], request: PlannedRequest): void {
    for (const sge of sges) {
      const region = this.#region(plan, sge.region);
      request.addSge(AREA[region.area], region.offset + sge.at, sge.length, region.id);
    }
  }

  #someSend(is: (send: ExplicitSend) => boolean): boolean {
    return this.#doorbellsOfAll().some(({ sends }) => sends.some(is));
  }

  #doorbellsOfAll(): readonly ExplicitDoorbell[] {
    return this.#scenario.hosts.flatMap((h) => h.qps.flatMap((qp) => qp.doorbells));
  }

  #qp(host: number, index: number): ExplicitQp {
    return this.#scenario.hosts[host]?.qps[index] as ExplicitQp;
  }

  #region(qp: ExplicitQp, id: number): ExplicitRegion {
    return this.#regions.get(qp)?.get(id) as ExplicitRegion;
  }
}

/** Regions of a queue pair, of bring-up and of all doorbells. */
export function allRegions(qp: ExplicitQp): readonly ExplicitRegion[] {
  return [...qp.regions, ...qp.doorbells.flatMap((d) => d.regions)];
}

function addOperands({ compare, add, swap = '0x0' }: ExplicitSend, request: PlannedRequest): void {
  [request.compareHi, request.compareLo] = halvesOf(compare ?? add ?? '0x0');
  [request.swapHi, request.swapLo] = halvesOf(swap);
}

/** Signed halves of a number of up to 64 bits. */
function halvesOf(text: string): [hi: number, lo: number] {
  const value = BigInt(text);
  return [Number(BigInt.asIntN(32, value >> 32n)), Number(BigInt.asIntN(32, value))];
}

function accessBits(region: ExplicitRegion): number {
  return region.access.reduce((bits, name) => bits | ACCESS[name], 0);
}

function highest(values: readonly number[]): number {
  return values.reduce((best, v) => Math.max(best, v), 1);
}

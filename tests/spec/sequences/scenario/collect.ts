import { BRING_UP, type ScenarioSource } from '../../../../config/scenario/scenario.ts';
import { RegionPlan } from '../../../../config/scenario/regionPlan.ts';
import { WorkPlan } from '../../../../config/scenario/workPlan.ts';

/** One entry as plain data. */
export interface SgeData {
  readonly area: number;
  readonly offset: number;
  readonly length: number;
  readonly region: number;
}

export interface WorkData {
  readonly opcode: number;
  /** `SEND_FLAG` bits. */
  readonly flags: number;
  readonly signaled: boolean;
  readonly imm: number;
  readonly sges: readonly SgeData[];
  readonly remote: readonly [area: number, offset: number, region: number];
  /** Whose region that is, if not of the queue pair that it is connected to. */
  readonly remoteQp?: number;
}

/** The content of a plan as plain data. */
function workOf(plan: WorkPlan): WorkData[] {
  return plan.requests.slice(0, plan.count).map((request) => ({
    opcode: request.opcode,
    flags: request.flags,
    signaled: request.signaled,
    imm: request.imm,
    remote: [request.remoteArea, request.remoteOffset, request.remoteRegion],
    ...(request.remoteQp < 0 ? {} : { remoteQp: request.remoteQp }),
    sges: request.entries.slice(0, request.numSge).map((entry) => ({ ...entry })),
  }));
}

export function sendsOf(source: ScenarioSource, host: number, qp: number, doorbell: number): WorkData[] {
  const plan = new WorkPlan(source.maxRequests, source.maxSge);
  source.sends(host, qp, doorbell, plan);
  return workOf(plan);
}

export function recvsOf(source: ScenarioSource, host: number, qp: number, doorbell: number): WorkData[] {
  const plan = new WorkPlan(source.maxRequests, source.maxSge);
  source.recvs(host, qp, doorbell, plan);
  return workOf(plan);
}

export interface RegionData {
  readonly number: number;
  readonly area: number;
  readonly offset: number;
  readonly length: number;
  readonly access: number;
}

export function regionsOf(source: ScenarioSource, host: number, qp: number, doorbell: number): RegionData[] {
  const plan = new RegionPlan();
  source.regions(host, qp, doorbell, plan);
  return Array.from({ length: plan.count }, (_, i) => ({
    number: plan.number[i] as number,
    area: plan.area[i] as number,
    offset: plan.offset[i] as number,
    length: plan.length[i] as number,
    access: plan.access[i] as number,
  }));
}

/** Everything of a scenario as plain data, without region numbers: what two forms of it must agree on. */
export function contentOf(source: ScenarioSource): unknown {
  const hosts = Array.from({ length: source.hosts }, (_, host) => ({
    cqs: Array.from({ length: source.cqCount(host) }, (_, i) => ({ ...source.cq(host, i) })),
    qps: Array.from({ length: source.qpCount(host) }, (_, qp) => {
      return { plan: source.qp(host, qp), work: workOfQp(source, host, qp) };
    }),
  }));
  return { processes: source.processes, requests: source.requestCount(), reads: source.hasReads(), hosts };
}

function workOfQp(source: ScenarioSource, host: number, qp: number): unknown {
  const bare = (work: WorkData[]): unknown =>
    work.map((w) => ({
      opcode: w.opcode,
      flags: w.flags,
      imm: w.imm,
      remote: w.remote.slice(0, 2),
      sges: w.sges.map(({ area, offset, length }) => [area, offset, length]),
    }));
  const ranges = (doorbell: number): unknown =>
    regionsOf(source, host, qp, doorbell).map(({ area, offset, length, access }) => [area, offset, length, access]);
  const bells = Array.from({ length: source.doorbells }, (_, d) => ({
    regions: ranges(d),
    sends: bare(sendsOf(source, host, qp, d)),
    recvs: bare(recvsOf(source, host, qp, d)),
  }));
  return { lasting: ranges(BRING_UP), bells };
}

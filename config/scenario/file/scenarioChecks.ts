/**
 * What every scenario must obey so that a verdict is possible: no destination touches another buffer of the same
 * batch, and nothing leaves its area. Generated scenarios obey it by construction (a spec shows it); for explicit ones
 * it is the answer to "why is this reported as corrupted".
 */
import { WR_OPCODE } from '../../../rdma/verbs.ts';
import { AREA_BYTES, type ScenarioSource } from '../scenario.ts';
import { isAtomic } from '../drawn/atomicDraws.ts';
import { type PlannedEntry, WorkPlan } from '../workPlan.ts';

interface Range {
  readonly area: number;
  readonly start: number;
  readonly end: number;
  readonly written: boolean;
  readonly what: string;
}

/** Texts of all collisions in a scenario, at most `limit`; empty when it is sound. */
export function findCollisions(source: ScenarioSource, limit = 20): string[] {
  const problems: string[] = [];
  const plan = new WorkPlan(source.maxRequests, source.maxSge);
  for (let host = 0; host < source.hosts; host++) {
    for (let qp = 0; qp < source.qpCount(host); qp++) {
      for (let doorbell = 0; doorbell < source.doorbells && problems.length < limit; doorbell++) {
        const where = `host ${host} queue pair ${qp} doorbell ${doorbell}`;
        for (const text of collisions(rangesOf(source, host, qp, doorbell, plan))) problems.push(`${where}: ${text}`);
      }
    }
  }
  return problems.slice(0, limit);
}

/** Everything that one batch reads or writes in the areas of a queue pair. */
function rangesOf(source: ScenarioSource, host: number, qp: number, doorbell: number, plan: WorkPlan): Range[] {
  const ranges: Range[] = [];
  source.sends(host, qp, doorbell, plan);
  for (let k = 0; k < plan.count; k++)
    addEntries(plan, k, plan.at(k).opcode >= WR_OPCODE.rdmaRead, `request ${k}`, ranges);
  source.recvs(host, qp, doorbell, plan);
  for (let k = 0; k < plan.count; k++) addEntries(plan, k, true, `receive ${k}`, ranges);
  const { peer } = source.qp(host, qp);
  if (peer === undefined) return ranges;
  source.sends(peer.host, peer.qp, doorbell, plan);
  for (let k = 0; k < plan.count; k++) addRemote(plan, k, ranges);
  return ranges;
}

function addEntries(plan: WorkPlan, k: number, written: boolean, what: string, ranges: Range[]): void {
  const { entries, numSge } = plan.at(k);
  for (let g = 0; g < numSge; g++) {
    const { area, offset: start, length } = entries[g] as PlannedEntry;
    const end = start + length;
    if (end > start) ranges.push({ area, start, end, written, what: `${what} entry ${g}` });
  }
}

function addRemote(plan: WorkPlan, k: number, ranges: Range[]): void {
  const { opcode, remoteArea: area, remoteOffset: start, total } = plan.at(k);
  // Atomics are there to meet others.
  if (isAtomic(opcode)) return;
  if (opcode === WR_OPCODE.send || opcode === WR_OPCODE.sendWithImm) return;
  const end = start + total;
  const written = opcode !== WR_OPCODE.rdmaRead;
  if (end > start) ranges.push({ area, start, end, written, what: `range of the peer's request ${k}` });
}

function collisions(ranges: Range[]): string[] {
  const problems: string[] = [];
  ranges.sort((a, b) => a.area - b.area || a.start - b.start);
  /** The range that reaches furthest so far, and the one that is written and does. */
  let reach: Range | undefined;
  let write: Range | undefined;
  for (const range of ranges) {
    if (range.start < 0 || range.end > AREA_BYTES) problems.push(`${range.what} leaves its area`);
    if (reach?.area !== range.area) reach = write = undefined;
    const other = range.written ? reach : write;
    if (other !== undefined && other.end > range.start) problems.push(`${range.what} overlaps ${other.what}`);
    if (reach === undefined || range.end > reach.end) reach = range;
    if (range.written && (write === undefined || range.end > write.end)) write = range;
  }
  return problems;
}

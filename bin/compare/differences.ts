/** Holds the work of one run against that of another, queue by queue. */

import { WC_STATUS, WC_STATUS_NAME } from '../../rdma/verbs.ts';
import { counted } from '../../uvm/report/counted.ts';
import { allowanceOf, type Declared, flushAllowance } from './allowances.ts';
import type { SeenCompletion, SeenQueue, SeenWork } from './observedWork.ts';

/** What differs. */
type DifferenceKind = 'status' | 'bytes' | 'order' | 'count';

/** One difference, in words. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** The queue. */
  readonly where: string;
  readonly text: string;
  /** Field of a kind of NIC that allows it; undefined: it is a finding. */
  readonly allowedBy: string | undefined;
}

/** A run, and the kind of NIC that it was played on. */
export interface Side {
  readonly nic: Declared;
  readonly work: SeenWork;
}

/**
 * What two runs of the same work differ in. Simulated times and frames are not compared. Behind a difference of a status
 * nothing more is said of its queue pair and of that one's peer: what follows there follows from it. Where software has stopped
 * a queue pair with requests open, how many of them came to their end is a matter of time.
 */
export function differencesOf(one: Side, other: Side): readonly Difference[] {
  const found: Difference[] = [];
  const apart = new Set<string>();
  const theirs = new Map(other.work.queues.map((queue) => [queue.name, queue]));
  const names = new Set(one.work.queues.map(({ name }) => name));
  const pairs = [
    ...one.work.queues.map((queue): [SeenQueue, SeenQueue] => [queue, theirs.get(queue.name) ?? withoutAny(queue)]),
    ...other.work.queues
      .filter(({ name }) => !names.has(name))
      .map((queue): [SeenQueue, SeenQueue] => [withoutAny(queue), queue]),
  ];
  // Sends first: how a receive ends follows from its message.
  const inOrder = [
    ...pairs.filter(([{ name }]) => name.endsWith('sends')),
    ...pairs.filter(([{ name }]) => !name.endsWith('sends')),
  ];
  for (const [a, b] of inOrder) {
    if (apart.has(a.pair)) continue;
    const differences = queueDifferences(a, b, one, other);
    found.push(...differences);
    if (!differences.some(({ kind }) => kind !== 'bytes')) continue;
    for (const name of [a.pair, a.peer, b.peer]) apart.add(name);
  }
  return found;
}

function withoutAny(queue: SeenQueue): SeenQueue {
  return { ...queue, completions: [] };
}

/** Up to the first that is more than other bytes. */
function queueDifferences(a: SeenQueue, b: SeenQueue, one: Side, other: Side): readonly Difference[] {
  const where = a.name;
  const found: Difference[] = [];
  const isStopped = a.isStopped || b.isStopped;
  const said = (x: string, y: string): string => `${one.nic.name} ${x}, ${other.nic.name} ${y}`;
  const both = Math.min(a.completions.length, b.completions.length);
  for (let i = 0; i < both; i++) {
    const [x, y] = [a.completions[i] as SeenCompletion, b.completions[i] as SeenCompletion];
    const which = `completion ${i}`;
    if (x.wrId !== y.wrId) {
      const text = `${which}: ${said(`has request ${x.wrId}`, `has request ${y.wrId}`)}`;
      return [...found, { kind: 'order', where, text, allowedBy: isStopped ? STOPPED : undefined }];
    }
    if (x.status !== y.status) {
      const allowedBy = allowanceOf(one.nic, x.status, other.nic, y.status) ?? (isStopped ? STOPPED : undefined);
      const text = `${which}, request ${x.wrId}: ${said(statusName(x), statusName(y))}`;
      return [...found, { kind: 'status', where, text, allowedBy }];
    }
    const bytes = bytesDifference(x, y);
    if (bytes !== undefined && found.length === 0)
      found.push({
        kind: 'bytes',
        where,
        text: `${which}, request ${x.wrId}: ${bytes[0]}: ${said(bytes[1], bytes[2])}`,
        allowedBy: undefined,
      });
  }
  const [m, n] = [a.completions.length, b.completions.length];
  if (m === n) return found;
  const text = said(`has ${counted(m, 'completion')}`, `has ${n}`);
  const more = (m > n ? a : b).completions.slice(both);
  const isFlushed = where.endsWith('receives') && more.every(({ status }) => status === WC_STATUS.wrFlushErr);
  const allowedBy = isFlushed ? flushAllowance(one.nic, other.nic) : undefined;
  return [...found, { kind: 'count', where, text, allowedBy: allowedBy ?? (isStopped ? STOPPED : undefined) }];
}

const STOPPED = 'time: software has stopped the queue pair with requests open';

/** What is about the bytes of a message, and what each has. */
function bytesDifference(x: SeenCompletion, y: SeenCompletion): readonly [string, string, string] | undefined {
  if (x.byteLen !== y.byteLen) return ['length', `${x.byteLen}`, `${y.byteLen}`];
  if (x.imm !== y.imm) return ['immediate data', hex(x.imm), hex(y.imm)];
  if (x.digest === undefined || y.digest === undefined || x.digest === y.digest) return undefined;
  return ['bytes in memory (sha256)', x.digest, y.digest];
}

function hex(imm: number | undefined): string {
  return imm === undefined ? 'none' : `0x${imm.toString(16)}`;
}

function statusName({ status }: SeenCompletion): string {
  return WC_STATUS_NAME[status] ?? `status ${status}`;
}

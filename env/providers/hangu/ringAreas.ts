/**
 * Tells the host where rings lie, page by page, as their physical pages are scattered: completion queues are written
 * by the NIC, work queues only read.
 */

import { CQ_AREA, QUEUE_AREA } from '../../../rdma/hangu/addressMap.ts';
import { CQE_BYTES } from '../../../rdma/hangu/queues.ts';
import type { ProviderHost } from '../provider.ts';
import type { HanguCq, HanguQp } from './hanguObjects.ts';

const PAGE = 4096;

/** A virtual range of a process, `id` among its kind. */
interface Ring {
  readonly kind: 'cq' | 'queue';
  readonly id: number;
  readonly process: number;
  readonly hi: number;
  readonly lo: number;
  readonly bytes: number;
}

export function announceCq(host: ProviderHost, cq: HanguCq, allowed: boolean): void {
  const { cqn, process, entries } = cq;
  const place = { hi: CQ_AREA.hi | (cqn >>> 12), lo: cqn << CQ_AREA.cqnShift };
  announce(host, { kind: 'cq', id: cqn, process, ...place, bytes: entries * CQE_BYTES }, allowed);
}

/** Send ring 2 * QPN, receive ring 2 * QPN + 1. */
export function announceRings(host: ProviderHost, qp: HanguQp, allowed: boolean): void {
  const { qpn, process } = qp;
  const hi = QUEUE_AREA.hi | (qpn >>> 8);
  const lo = qpn << QUEUE_AREA.qpnShift;
  const sq = { id: 2 * qpn, lo, bytes: qp.sqSlots << qp.sqStrideLog };
  const rq = { id: 2 * qpn + 1, lo: lo + QUEUE_AREA.rqOffset, bytes: qp.rqSlots << qp.rqStrideLog };
  for (const ring of [sq, rq]) announce(host, { kind: 'queue', process, hi, ...ring }, allowed);
}

function announce(host: ProviderHost, ring: Ring, allowed: boolean): void {
  const { map } = host;
  for (let at = 0; at < ring.bytes; at += PAGE) {
    map.translate(ring.process, ring.hi, ring.lo + at);
    const piece = { id: ring.id, offset: at, bytes: ring.bytes };
    host.area(ring.kind, map.physHi, map.physLo, Math.min(PAGE, ring.bytes - at), allowed, piece);
  }
}

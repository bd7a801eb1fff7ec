/**
 * Tells the host where rings lie, page by page, as their physical pages are scattered: completion queues are written
 * by the NIC, work queues only read. Results of atomics have a part of the memory for ACK queues.
 */

import { AQ_AREA } from '../../layout/ackQueue.ts';
import { CQ_AREA, QPN_LIMIT, QUEUE_AREA } from '../../layout/addressMap.ts';
import { CQE_BYTES } from '../../layout/queues.ts';
import type { ProviderHost, Ring } from '../../../../env/providers/provider.ts';
import { SRQ_AREA } from '../../layout/sharedReceives.ts';
import type { CqPlace, HanguCq, HanguQp, HanguSrq } from '../hanguObjects.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';
import { closeLists } from './keyWriter.ts';
import { QP_TYPE } from '../../../../rdma/verbs.ts';

/**
 * A ring of a completion queue, under its number.
 * @param allowed whether the NIC may write there from now on
 * @param place default: the ring that it has
 */
export function announceCq(host: ProviderHost, cq: HanguCq, allowed: boolean, place: CqPlace = cq): void {
  const { cqn } = cq;
  const bytes = place.entries * CQE_BYTES;
  const start = (cq.first & (place.entries - 1)) * CQE_BYTES;
  const ring = { id: cqn, bytes, entryBytes: CQE_BYTES, continues: place === cq.next, start };
  const lo = (cqn << CQ_AREA.cqnShift) | place.start;
  announce(host, 'cq', cq.process, CQ_AREA.hi | (cqn >>> 12), lo, ring, allowed);
}

/** Send ring 2 * QPN, receive ring 2 * QPN + 1. */
export function announceRings(host: ProviderHost, qp: HanguQp, allowed: boolean): void {
  const { qpn, process } = qp;
  const hi = QUEUE_AREA.hi | (qpn >>> 8);
  const lo = qpn << QUEUE_AREA.qpnShift;
  const sq = { id: 2 * qpn, qpn, bytes: qp.sqSlots << qp.sqStrideLog };
  const rq = { id: 2 * qpn + 1, qpn, bytes: qp.rqSlots << qp.rqStrideLog };
  announce(host, 'queue', process, hi, lo, sq, allowed);
  if (qp.srq === null) announce(host, 'queue', process, hi, lo + QUEUE_AREA.rqOffset, rq, allowed);
  if (!allowed) closeLists(host, qp);
  if (qp.type !== QP_TYPE.rc) return;
  host.area('aq', AQ_AREA.hi, (qpn << AQ_AREA.qpnShift) | 0, AQ_AREA.bytes, allowed);
}

/** Behind the rings of queue pairs. */
export function announceSrq(host: ProviderHost, srq: HanguSrq, allowed: boolean): void {
  const { srqn, process } = srq;
  const ring = { id: 2 * QPN_LIMIT + srqn, bytes: srq.rqSlots << srq.rqStrideLog };
  announce(host, 'queue', process, SRQ_AREA.hi | (srqn >>> 8), srqn << SRQ_AREA.srqnShift, ring, allowed);
}

/** The ring at (hi, lo) of a process. */
function announce(
  host: ProviderHost,
  kind: 'cq' | 'queue',
  process: number,
  hi: number,
  lo: number,
  ring: Ring,
  allowed: boolean,
): void {
  const { map } = host;
  for (let at = 0; at < ring.bytes; at += PAGE_BYTES) {
    map.translate(process, hi, lo + at);
    host.ringPiece(kind, map.physHi, map.physLo, Math.min(PAGE_BYTES, ring.bytes - at), allowed, ring, at);
  }
}

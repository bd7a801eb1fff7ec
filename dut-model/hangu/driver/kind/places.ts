/** What the addresses of a host hold where the software of a HanGu NIC has put things. */

import type { AccessPlace, PlaceFinder } from '../../../../agents/pcie/faults/place/accessPlace.ts';
import { AQ_AREA } from '../../layout/ackQueue.ts';
import {
  EQ_AREA_LO,
  ICM_BASE_HI,
  ICM_PHYSICAL_OFFSET_HI,
  type IcmTable,
  INBOX_LO,
  OUTBOX_LO,
  QUEUE_AREA,
} from '../../layout/addressMap.ts';
import { ICM_ENTRY_BYTES, PAGE_BYTES } from '../../layout/commands.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';
import type { AddressMap } from '../../../../env/memory/addressMap.ts';
import { AREA, areaOf } from './addressMap.ts';

/** Upper halves that one table of ICM may take. */
const TABLE_HI = 0x1000;
const EQ_AREA_BYTES = 0x1000_0000;
const RECEIVE_BIT = QUEUE_AREA.rqOffset;

export function hanguPlaces(map: AddressMap): PlaceFinder {
  return {
    find(hi, lo, length, place) {
      const area = areaOf(hi);
      if (area === AREA.data) place.area = 'data';
      else if (area === AREA.cq) place.area = 'cq';
      else if (area === AREA.queue) findQueue(map, hi, lo, place);
      else if (hi === AQ_AREA.hi) findResults(lo, place);
      else findKernel(hi, lo, length, place);
    },
  };
}

function findQueue(map: AddressMap, hi: number, lo: number, place: AccessPlace): void {
  map.reverse(hi, lo);
  const qpn = ((map.virtHi & 0x3f) << 8) | (map.virtLo >>> QUEUE_AREA.qpnShift);
  place.area = 'queue';
  place.firstQpn = qpn;
  place.lastQpn = qpn;
  place.receives = (map.virtLo & RECEIVE_BIT) !== 0;
}

/** The ACK queue of a queue pair, with its context. */
function findResults(lo: number, place: AccessPlace): void {
  const qpn = lo >>> AQ_AREA.qpnShift;
  place.area = 'results';
  place.firstQpn = qpn;
  place.lastQpn = qpn;
}

/** Memory of the kernel: mailboxes, event queues, and the tables in ICM. */
function findKernel(hi: number, lo: number, length: number, place: AccessPlace): void {
  const address = lo >>> 0;
  if (hi >= ICM_PHYSICAL_OFFSET_HI) findTable(hi - ICM_PHYSICAL_OFFSET_HI, address, length, place);
  else if (address >= INBOX_LO && address < OUTBOX_LO + PAGE_BYTES) place.area = 'command';
  else if (address >= EQ_AREA_LO && address < EQ_AREA_LO + EQ_AREA_BYTES) place.area = 'event';
}

function findTable(hi: number, lo: number, length: number, place: AccessPlace): void {
  const holds = (table: keyof typeof ICM_BASE_HI): boolean =>
    hi >= ICM_BASE_HI[table] && hi < ICM_BASE_HI[table] + TABLE_HI;
  if (holds('mtt') || holds('mpt')) place.area = 'translation';
  else if (holds('eqc')) place.area = 'event';
  else if (holds('cqc')) {
    place.area = 'cq_context';
    [place.firstCqn, place.lastCqn] = entriesAt('cqc', hi, lo, length);
  } else if (holds('qpc')) {
    place.area = 'context';
    [place.firstQpn, place.lastQpn] = entriesAt('qpc', hi, lo, length);
  }
}

/** First and last entry of a table that `length` bytes at an address of ICM touch. */
export function entriesAt(table: IcmTable, hi: number, lo: number, length: number): [first: number, last: number] {
  const at = (hi - ICM_BASE_HI[table]) * TWO_32 + (lo >>> 0);
  const size = ICM_ENTRY_BYTES[table];
  return [Math.floor(at / size), Math.floor((at + Math.max(1, length) - 1) / size)];
}

/** Where else the bytes lie that were found at a destination: in the message, or in another page of the host they came from. */

import { NOT_STORED } from '../memory/dataPages.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_SHIFT } from '../memory/scoreboardMemory.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';

/** Shorter ones may be equal by chance. */
const LEAST = 4;
/** Bytes of a message, and pages of a host, that are searched. */
export const SEARCHED_BYTES = 1 << 16;
const SEARCHED_PAGES = 1 << 14;

/** Position of `found` in the data of a message, not that at which they are expected; -1 = nowhere. */
export function positionIn(data: Uint8Array, found: Uint8Array, expectedAt: number): number {
  if (found.length < LEAST) return -1;
  for (let at = data.indexOf(found[0] as number); at >= 0; at = data.indexOf(found[0] as number, at + 1)) {
    if (at !== expectedAt && found.every((byte, i) => data[at + i] === byte)) return at;
  }
  return -1;
}

/**
 * Another page of `host` that holds `found` at the same offset, as a translation that has gone wrong leaves it; in
 * words, '' = none. `page` is the right one.
 */
export function otherPage(s: OracleState, host: number, page: number, offset: number, found: Uint8Array): string {
  if (found.length < LEAST) return '';
  let searched = 0;
  for (const other of s.pages.of(host)) {
    if (searched++ >= SEARCHED_PAGES) return '';
    if (other === page || !holds(s, other, offset, found)) continue;
    const { memory } = s;
    const address = s.pages.address(other);
    memory.reverse(host, address.hi, address.page << PAGE_SHIFT);
    if (memory.process < 0) return '';
    const virtual = hexAddress(memory.virtHi, (memory.virtLo & -(1 << PAGE_SHIFT)) | offset);
    return `host ${host} process ${memory.process} ${virtual}`;
  }
  return '';
}

function holds(s: OracleState, page: number, offset: number, found: Uint8Array): boolean {
  const { bytes, pages } = s;
  const place = pages.place(page);
  let at = place + offset;
  if (place === NOT_STORED) {
    at = s.scratch;
    bytes.fillSeeded(pages.key(page), offset, at, found.length);
  }
  return found.every((byte, i) => bytes.u8[at + i] === byte);
}

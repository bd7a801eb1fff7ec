/**
 * BAR accesses that must do nothing. Registers and what reads of them answer: hangu-interface.md 4.1, hangu-rtl-facts.md
 * 2.1. No other doorbells than those at three places of a page: hangu-interface.md 7, hangu-rtl-facts.md 2.2. A queue
 * pair in RESET works off nothing (roce-transport.md 6.4), and a number that was never set up is one in RESET.
 */

import { BAR, DOORBELL, DOORBELL_PAGE, MSIX_ENTRY, REG } from '../layout/addressMap.ts';
import { HCR_DWORDS, HCR_POLL_TOKEN } from '../layout/commands.ts';
import { SEGMENT_UNITS, SEND_DB, WQE_OPCODE } from '../layout/queues.ts';
import { QP_STATE, QP_TYPE } from '../../../rdma/verbs.ts';
import { hex } from '../../../uvm/report/hexTexts.ts';
import type { HarmlessAccess } from '../../../env/providers/harmlessAccess.ts';
import type { HanguQp } from './hanguObjects.ts';

const ALL = 0xffff_ffff;
const TOKEN = REG.hcr + 4 * (HCR_DWORDS - 2);
const OPCODE = REG.hcr + 4 * (HCR_DWORDS - 1);
/** Between status and operation modifier: the event bit, which the driver never sets, and two that are always 0. */
const NO_EVENT = 0x0070_0000;
/** Vector control of the last vector, which the driver does not use. Its mask bit is set from reset on (PCI Express, MSI-X table). */
const UNUSED_VECTOR = 63 * MSIX_ENTRY.bytes + MSIX_ENTRY.control;
/** Within what the BAR decodes, and nothing that is known of; whatever a read answers there, it must be answered. */
const UNUSED_REGISTERS: readonly number[] = [0x1c, 0x20, 0x100, 0xf0c, 0xf24, 0xffc];
const MSIX_WORDS: readonly number[] = [0, 4, 8, MSIX_ENTRY.bytes, 63 * MSIX_ENTRY.bytes + 4];
/** One bit from the places of doorbells, and the place of an older revision; no write overlaps those of one word. */
const UNUSED_PLACES: readonly number[] = [0x008, 0x018, 0x028, 0x030, 0x040, 0x080, 0x100, 0x200, 0x400, 0x800, 0xff8];
/** Numbers on the chip have so many bits; a NIC with fewer queue pairs uses fewer. */
const QPN_BITS = 13;

/** What the accesses are made of. */
export interface HarmlessParts {
  readonly qp: HanguQp;
  /** Numbers that queue pairs of this NIC can have. */
  readonly limit: number;
  readonly exists: (qpn: number) => boolean;
  /** The NIC takes doorbells that say what software has taken of completion queues. */
  readonly cqIndices: boolean;
}

/** All of them, in an order that is always the same. The list is out of date as soon as queue pairs come or go. */
export function harmlessAccessesOf(parts: HarmlessParts): readonly HarmlessAccess[] {
  const { qp } = parts;
  const own =
    qp.state === QP_STATE.reset ? [ring(qp, qp.qpn, DOORBELL.send, `${nameOf(qp.qpn)}, which is in RESET`)] : [];
  return [...reads(), readOnly(0), readOnly(ALL), ...misplaced(parts), ...ofNobody(parts), ...own];
}

function reads(): readonly HarmlessAccess[] {
  const { registers: bar } = BAR;
  return [
    { what: 'token of the command register', bar, offset: TOKEN, constant: ALL, value: HCR_POLL_TOKEN },
    { what: 'event bit of the command register', bar, offset: OPCODE, constant: NO_EVENT, value: 0 },
    { what: 'INIT_DONE', bar, offset: REG.initDone, constant: ALL },
    ...MSIX_WORDS.map((at) => ({ what: 'MSI-X table', bar, offset: REG.msix + at, constant: ALL })),
    {
      what: 'mask of an MSI-X vector that is not in use',
      bar,
      offset: REG.msix + UNUSED_VECTOR,
      constant: 1,
      value: 1,
    },
    ...UNUSED_REGISTERS.map((offset) => ({ what: 'unused register', bar, offset })),
  ];
}

function readOnly(word: number): HarmlessAccess {
  return { what: 'write to INIT_DONE', bar: BAR.registers, offset: REG.initDone, words: [word] };
}

/** What would be a doorbell elsewhere. */
function misplaced({ qp, cqIndices }: HarmlessParts): readonly HarmlessAccess[] {
  const places = cqIndices ? UNUSED_PLACES.filter((place) => place !== DOORBELL.cqIndex) : UNUSED_PLACES;
  return places.map((place) => ring(qp, qp.qpn, place, `${nameOf(qp.qpn)} at offset ${hex(place)} of a page`));
}

/** Numbers that differ from one in use in one bit, and the one that is reserved. */
function ofNobody({ qp, limit, exists }: HarmlessParts): readonly HarmlessAccess[] {
  const numbers = Array.from({ length: QPN_BITS }, (_, bit) => qp.qpn ^ (1 << bit));
  const free = [0, ...numbers].filter((n) => n < limit && !exists(n) && !exists(n + (1 << QPN_BITS)));
  return free.map((n) => ring(qp, n, DOORBELL.send, `${nameOf(n)}, which does not exist`));
}

/** A doorbell in the page of a queue pair's process, as for a SEND from the start of its ring. */
function ring(qp: HanguQp, qpn: number, place: number, what: string): HarmlessAccess {
  const { next, data, ud } = SEGMENT_UNITS;
  const units = next + data + (qp.type === QP_TYPE.ud ? ud : 0);
  const words = [WQE_OPCODE.send, ((qpn << SEND_DB.qpnShift) | units) >>> 0];
  return { what, bar: BAR.doorbell, offset: qp.process * DOORBELL_PAGE + place, words };
}

function nameOf(qpn: number): string {
  return `doorbell of queue pair ${qpn}`;
}

/** QUERY_DEV_LIM, QUERY_ADAPTER, INIT_HCA, CLOSE_HCA, MAP_ICM, UNMAP_ICM. */
import {
  BOARD_ID_HI,
  BOARD_ID_LO,
  CMD_STATUS,
  ICM_ENTRY_BYTES,
  MAP_MODULE,
  OUTBOX_BYTES,
  PAGE_BYTES,
} from '../../layout/commands.ts';
import { ADAPTER_FIELD, DEV_LIM_FIELD, INIT_EXT, INIT_HCA_FIELD, MEMORY_EXT } from '../../layout/contexts.ts';
import { HANGU_LIMITS } from '../../layout/limits.ts';
import { AQ_AREA } from '../../layout/ackQueue.ts';
import { ICM_BASE_HI } from '../../layout/addressMap.ts';
import { EXTENDED_LIMITS } from '../../layout/sharedReceives.ts';
import type { CommandContext } from './commandContext.ts';
import type { IcmTableMap } from '../memory/icmMap.ts';
import { readField, readHigh, readLow, writeField } from './mailbox.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';

const log2 = Math.log2;

/** Limits of what software has to ask for; 0 unless it asks for them. */
const EXTENDED = {
  extLogMaxSrqs: log2(HANGU_LIMITS.maxSrqs),
  extLogMaxSrqDepth: log2(HANGU_LIMITS.maxSrqSlots),
  extMemory: MEMORY_EXT.windows1 | MEMORY_EXT.windows2b | MEMORY_EXT.fastRegistration,
  extLogMaxWindows: log2(HANGU_LIMITS.maxWindows),
} as const satisfies Partial<Record<keyof typeof DEV_LIM_FIELD, number>>;

/** What QUERY_DEV_LIM says of this model (hangu-interface.md 4.8). */
const DEV_LIM: Readonly<Record<keyof typeof DEV_LIM_FIELD, number>> = {
  reservedQps: HANGU_LIMITS.reservedQps,
  logMaxQueueDepth: Math.log2(HANGU_LIMITS.maxSendRequests),
  logMaxCqEntries: log2(HANGU_LIMITS.maxCqEntries),
  logMaxQps: log2(HANGU_LIMITS.maxQps) + 1,
  logMaxCqs: log2(HANGU_LIMITS.maxCqs),
  logMaxEqs: log2(HANGU_LIMITS.maxEqs),
  logMaxMpts: log2(HANGU_LIMITS.maxMpts),
  logMaxPds: 12,
  logMaxPkeys: 1,
  maxMttSeg: 3,
  qpcBytes: ICM_ENTRY_BYTES.qpc,
  cqcBytes: ICM_ENTRY_BYTES.cqc,
  eqcBytes: ICM_ENTRY_BYTES.eqc,
  mptBytes: ICM_ENTRY_BYTES.mpt,
  mtuPortWidth: (HANGU_LIMITS.maxMtuCode << 4) | 1,
  vlsPorts: (15 << 4) | 1,
  logMinPage: log2(PAGE_BYTES),
  maxSge: HANGU_LIMITS.maxSge,
  sendWqeBytes: HANGU_LIMITS.maxSendWqeBytes,
  maxSgeRecv: HANGU_LIMITS.maxSge,
  recvWqeBytes: HANGU_LIMITS.maxRecvWqeBytes,
  maxIcmHigh: 0x1234_5678,
  maxIcmLow: 0x8765_0000,
  extLogMaxSrqs: 0,
  extLogMaxSrqDepth: 0,
  extMemory: 0,
  extLogMaxWindows: 0,
};

/** The limits of this model, also before INIT_HCA. */
export function queryDevLim(c: CommandContext): number {
  c.core.bytes.zero(c.outbox, OUTBOX_BYTES.devLim);
  const { mwType2a } = c.core.config;
  const extMemory =
    mwType2a === 0 ? EXTENDED.extMemory : EXTENDED.extMemory ^ MEMORY_EXT.windows2a ^ MEMORY_EXT.windows2b;
  const limits = c.modifier === EXTENDED_LIMITS ? { ...DEV_LIM, ...EXTENDED, extMemory } : DEV_LIM;
  for (const [name, value] of Object.entries(limits)) {
    writeField(c.core.bytes, c.outbox, DEV_LIM_FIELD[name as keyof typeof DEV_LIM_FIELD], value);
  }
  c.outboxBytes = OUTBOX_BYTES.devLim;
  return CMD_STATUS.ok;
}

/** The board id, also before INIT_HCA. */
export function queryAdapter(c: CommandContext): number {
  c.core.bytes.zero(c.outbox, OUTBOX_BYTES.adapter);
  writeField(c.core.bytes, c.outbox, ADAPTER_FIELD.boardIdHigh, BOARD_ID_HI >>> 0);
  writeField(c.core.bytes, c.outbox, ADAPTER_FIELD.boardIdLow, BOARD_ID_LO >>> 0);
  c.outboxBytes = OUTBOX_BYTES.adapter;
  return CMD_STATUS.ok;
}

/** Bases and sizes of the tables; the low byte of a base field is the log of the number of entries. */
export function initHca(c: CommandContext): number {
  const { core, inbox } = c;
  if (core.running) return CMD_STATUS.badSysState;
  const f = INIT_HCA_FIELD;
  const bytes = core.bytes;
  const logs = [f.qpcBase, f.cqcBase, f.eqcBase, f.mptBase].map((x) => readLow(bytes, inbox, x) & 0xff);
  const [qps, cqs, eqs, mpts] = logs as [number, number, number, number];
  const srqs = (readField(bytes, inbox, f.extFlags) >>> INIT_EXT.logSrqsShift) & INIT_EXT.logSrqsMask;
  if (srqs > log2(HANGU_LIMITS.maxSrqs)) return CMD_STATUS.exceedsLimit;
  if (qps > 24 || cqs > 24 || eqs > log2(HANGU_LIMITS.maxEqs) || mpts > log2(HANGU_LIMITS.maxMpts)) {
    return CMD_STATUS.exceedsLimit;
  }
  // Numbers beyond the tables of the chip do not exist, whatever software asks for.
  place(core.icm.qpc, readHigh(bytes, inbox, f.qpcBase), Math.min(2 ** qps, 2 * HANGU_LIMITS.maxQps));
  place(core.icm.cqc, readHigh(bytes, inbox, f.cqcBase), Math.min(2 ** cqs, HANGU_LIMITS.maxCqs));
  place(core.icm.eqc, readHigh(bytes, inbox, f.eqcBase), 2 ** eqs);
  place(core.icm.mpt, readHigh(bytes, inbox, f.mptBase), 2 ** mpts);
  place(core.icm.mtt, readHigh(bytes, inbox, f.mttBase), HANGU_LIMITS.maxMtts);
  place(core.icm.srqc, ICM_BASE_HI.srqc, srqs === 0 ? 0 : 2 ** srqs);
  const [first] = core.portGids as readonly [Int32Array];
  [f.extPortGid0, f.extPortGid1, f.extPortGid2, f.extPortGid3].forEach((field, i) => {
    first[i] = readField(bytes, inbox, field);
  });
  core.ackQueuesHi = readField(bytes, inbox, f.extAckQueues) | 0 || AQ_AREA.hi;
  core.xlate.tagged = (readField(bytes, inbox, f.extFlags) & INIT_EXT.taggedKeys) !== 0;
  core.cqIndices = (readField(bytes, inbox, f.extFlags) & INIT_EXT.cqIndices) !== 0;
  core.running = true;
  return CMD_STATUS.ok;
}

/** Drops all work and contexts; INIT_HCA may follow. */
export function closeHca(c: CommandContext): number {
  c.core.engine.dropAll();
  return CMD_STATUS.ok;
}

/** Chunks of two per 32-byte line: chunk 0 in bytes 16-31, chunk 1 in bytes 0-15 (hangu-rtl-facts.md 2.5). */
export function mapIcm(c: CommandContext): number {
  const count = c.modifier & 0xff;
  if (count === 0 || !isModule(c.opModifier)) return CMD_STATUS.badParam;
  for (let pass = 0; pass < 2; pass++) {
    for (let i = 0; i < count; i++) {
      const status = mapChunk(c, c.inbox + 32 * (i >> 1) + (i & 1 ? 0 : 16), pass === 1);
      if (status !== CMD_STATUS.ok) return status;
    }
  }
  return CMD_STATUS.ok;
}

/** Takes pages from a table, of which the cache gives back what it has changed. */
export function unmapIcm(c: CommandContext): number {
  const table = isModule(c.opModifier) ? tableFor(c, c.inHi) : null;
  if (table === null) return CMD_STATUS.badParam;
  const first = pageOf(table, c.inHi, c.inLo);
  if (!isInside(table, first, c.modifier)) return CMD_STATUS.exceedsLimit;
  const cache = cacheOf(c, table);
  cache?.flushPages(first, c.modifier);
  for (let i = 0; i < c.modifier; i++) table.unmap(first + i);
  return CMD_STATUS.ok;
}

function isInside(table: IcmTableMap, first: number, pages: number): boolean {
  return first >= 0 && first + (pages >>> 0) <= Math.max(1, table.pages);
}

function mapChunk(c: CommandContext, at: number, apply: boolean): number {
  const bytes = c.core.bytes;
  const hi = readHigh(bytes, at, [0, 8]);
  const lo = readLow(bytes, at, [0, 8]);
  const physHi = readHigh(bytes, at, [8, 8]);
  const physLo = readLow(bytes, at, [8, 8]);
  const pages = physLo & 0xfff;
  const table = tableFor(c, hi);
  if (table === null || pages === 0) return CMD_STATUS.badParam;
  const first = pageOf(table, hi, lo);
  if (!isInside(table, first, pages)) return CMD_STATUS.exceedsLimit;
  if (!apply) return CMD_STATUS.ok;
  let pageHi = physHi;
  let pageLo = (physLo & ~0xfff) >>> 0;
  for (let i = 0; i < pages; i++) {
    table.map(first + i, pageHi, pageLo | 0);
    pageLo += PAGE_BYTES;
    if (pageLo < TWO_32) continue;
    pageLo -= TWO_32;
    pageHi = (pageHi + 1) | 0;
  }
  return CMD_STATUS.ok;
}

/** Page number of a virtual address within its table. */
function pageOf(table: IcmTableMap, hi: number, lo: number): number {
  return (hi - table.baseHi) * 0x10_0000 + (lo >>> 12);
}

/** The table that holds the address, if the op_modifier names its module. */
function tableFor(c: CommandContext, hi: number): IcmTableMap | null {
  const table = c.core.icm.tableAt(hi);
  if (table === null) return null;
  const translation = table.name === 'mpt' || table.name === 'mtt';
  return translation === (c.opModifier === MAP_MODULE.translation) ? table : null;
}

function isModule(opModifier: number): boolean {
  return opModifier === MAP_MODULE.context || opModifier === MAP_MODULE.translation;
}

function cacheOf(c: CommandContext, table: IcmTableMap) {
  const name = table.name;
  return name === 'eqc' ? null : c.core[name];
}

function place(table: IcmTableMap, baseHi: number, entries: number): void {
  table.baseHi = baseHi;
  table.entries = entries;
  table.unmapAll();
}

/** QUERY_DEV_LIM, QUERY_ADAPTER, INIT_HCA, CLOSE_HCA, MAP_ICM, UNMAP_ICM. */
import { BOARD_ID_HI, BOARD_ID_LO, CMD_STATUS, MAP_MODULE, OUTBOX_BYTES } from '../../../rdma/hangu/commands.ts';
import { INIT_HCA_FIELD } from '../../../rdma/hangu/contexts.ts';
import { HANGU_LIMITS } from '../../../rdma/hangu/limits.ts';
import type { CommandContext } from '../commandContext.ts';

import type { IcmTableMap } from '../icmMap.ts';
import { readField, readHigh, readLow, writeBytes } from './mailbox.ts';

const log2 = Math.log2;

/** [offset, bytes, value] of hangu-interface.md 4.8 with the values of this model. */
const DEV_LIM: readonly (readonly [number, number, number])[] = [
  [0, 1, HANGU_LIMITS.reservedQps],
  [8, 2, 15],
  [10, 2, log2(HANGU_LIMITS.maxCqEntries)],
  [12, 1, log2(HANGU_LIMITS.maxQps) + 1],
  [13, 1, log2(HANGU_LIMITS.maxCqs)],
  [14, 1, log2(HANGU_LIMITS.maxEqs)],
  [15, 1, log2(HANGU_LIMITS.maxMpts)],
  [16, 1, 12],
  [19, 1, 1],
  [21, 1, 3],
  [24, 2, 256],
  [26, 2, 64],
  [28, 2, 64],
  [30, 2, 64],
  [33, 1, (HANGU_LIMITS.maxMtuCode << 4) | 1],
  [35, 1, 0xf1],
  [37, 1, 12],
  [41, 1, HANGU_LIMITS.maxSge],
  [42, 2, HANGU_LIMITS.maxSendWqeBytes],
  [45, 1, HANGU_LIMITS.maxSge],
  [46, 2, HANGU_LIMITS.maxRecvWqeBytes],
  [48, 4, 0x1234_5678],
  [52, 4, 0x8765_0000],
];

export function queryDevLim(c: CommandContext): number {
  c.core.bytes.zero(c.outbox, OUTBOX_BYTES.devLim);
  for (const [at, n, value] of DEV_LIM) writeBytes(c.core.bytes, c.outbox + at, value, n);
  c.outboxBytes = OUTBOX_BYTES.devLim;
  return CMD_STATUS.ok;
}

export function queryAdapter(c: CommandContext): number {
  c.core.bytes.zero(c.outbox, OUTBOX_BYTES.adapter);
  writeBytes(c.core.bytes, c.outbox + 24, BOARD_ID_HI >>> 0, 4);
  writeBytes(c.core.bytes, c.outbox + 28, BOARD_ID_LO >>> 0, 4);
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
  if (qps > 24 || cqs > 24 || eqs > log2(HANGU_LIMITS.maxEqs) || mpts > log2(HANGU_LIMITS.maxMpts)) {
    return CMD_STATUS.exceedsLimit;
  }
  // Numbers beyond the tables of the chip do not exist, whatever software asks for.
  place(core.icm.qpc, readHigh(bytes, inbox, f.qpcBase), Math.min(2 ** qps, 2 * HANGU_LIMITS.maxQps));
  place(core.icm.cqc, readHigh(bytes, inbox, f.cqcBase), Math.min(2 ** cqs, HANGU_LIMITS.maxCqs));
  place(core.icm.eqc, readHigh(bytes, inbox, f.eqcBase), 2 ** eqs);
  place(core.icm.mpt, readHigh(bytes, inbox, f.mptBase), 2 ** mpts);
  place(core.icm.mtt, readHigh(bytes, inbox, f.mttBase), HANGU_LIMITS.maxMtts);
  const gid = [f.extPortGid0, f.extPortGid1, f.extPortGid2, f.extPortGid3];
  gid.forEach((field, i) => {
    core.portGid[i] = readField(bytes, inbox, field);
  });
  core.running = true;
  return CMD_STATUS.ok;
}

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
  let at_ = (physLo & ~0xfff) >>> 0;
  let high = physHi;
  for (let i = 0; i < pages; i++) {
    table.map(first + i, high, at_ | 0);
    at_ += 4096;
    if (at_ > 0xffff_ffff) {
      at_ -= 0x1_0000_0000;
      high = (high + 1) | 0;
    }
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

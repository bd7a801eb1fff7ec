/** SW2HW_MPT, QUERY_MPT, HW2SW_MPT, WRITE_MTT: of regions, of windows and of regions that requests register. */
import { CMD_STATUS, OUTBOX_BYTES } from '../../layout/commands.ts';
import { type Field, MPT_FIELD, MPT_KIND } from '../../layout/contexts.ts';
import { swap32 } from '../../../roce/endian.ts';
import type { CommandContext } from './commandContext.ts';
import { AGAIN, statusWithout } from './commandContext.ts';
import { MPT_DW, mptMarker } from '../memory/region.ts';
import { readHigh, readLow } from './mailbox.ts';

/** Steps of HW2SW_MPT. */
const WINDOW_GONE = 1;
const REGION_GONE = 2;

/** Index in the table that a command names. */
function indexOf(c: CommandContext): number {
  return c.modifier & (c.core.icm.mpt.entries - 1);
}

/** The entry is handed to the hardware; one that is already there is not replaced silently. */
export function sw2hwMpt(c: CommandContext): number {
  const { core, inbox } = c;
  const bytes = core.bytes;
  const key = readHigh(bytes, inbox, MPT_FIELD.key);
  if (core.xlate.indexOf(key) !== indexOf(c)) return CMD_STATUS.badParam;
  const at = core.mpt.lookup(indexOf(c), c);
  if (at < 0) return statusWithout(at, CMD_STATUS.badResource);
  const w = bytes.i32;
  const e = at >> 2;
  const old = w[e + MPT_DW.key] as number;
  if (w[e + MPT_DW.marker] === mptMarker(old, core.icm.life) && core.xlate.indexOf(old) === indexOf(c)) {
    return CMD_STATUS.badResourceState;
  }
  const flags = readHigh(bytes, inbox, MPT_FIELD.flags);
  if ((flags & MPT_KIND.region) === 0 && !core.keys.windowMade()) return CMD_STATUS.exceedsLimit;
  w[e + MPT_DW.flags] = flags;
  w[e + MPT_DW.pageSize] = readHigh(bytes, inbox, MPT_FIELD.pageSize);
  w[e + MPT_DW.key] = key;
  w[e + MPT_DW.pd] = readHigh(bytes, inbox, MPT_FIELD.pd);
  w[e + MPT_DW.startHi] = readHigh(bytes, inbox, MPT_FIELD.start);
  w[e + MPT_DW.startLo] = readLow(bytes, inbox, MPT_FIELD.start);
  w[e + MPT_DW.lengthHi] = readHigh(bytes, inbox, MPT_FIELD.length);
  w[e + MPT_DW.lengthLo] = readLow(bytes, inbox, MPT_FIELD.length);
  w[e + MPT_DW.mttSeg] = readLow(bytes, inbox, MPT_FIELD.mttSeg);
  w[e + MPT_DW.mttSz] = readHigh(bytes, inbox, MPT_FIELD.mttSz);
  w[e + MPT_DW.windows] = 0;
  w[e + MPT_DW.parent] = 0;
  w[e + MPT_DW.qpn] = readHigh(bytes, inbox, MPT_FIELD.extQpn);
  w[e + MPT_DW.marker] = mptMarker(key, core.icm.life);
  core.mpt.alter(at);
  core.xlate.forget();
  return CMD_STATUS.ok;
}

/** The entry as the hardware has it. BAD_RES_STATE where the hardware has none of this index. */
export function queryMpt(c: CommandContext): number {
  const { bytes, icm, mpt } = c.core;
  const at = mpt.lookup(indexOf(c), c);
  if (at < 0) return statusWithout(at, CMD_STATUS.badIndex);
  const entry = (dw: number): number => bytes.i32[(at >> 2) + dw] as number;
  if (entry(MPT_DW.marker) !== mptMarker(entry(MPT_DW.key), icm.life)) return CMD_STATUS.badResourceState;
  bytes.zero(c.outbox, OUTBOX_BYTES.mpt);
  for (const [[offset], dw] of QUERIED) bytes.i32[(c.outbox + offset) >> 2] = swap32(entry(dw));
  c.outboxBytes = OUTBOX_BYTES.mpt;
  return CMD_STATUS.ok;
}

/** Where the dwords of an entry stand in the answer; of a field of 8 bytes the high half comes first. */
const QUERIED = [
  [MPT_FIELD.flags, MPT_DW.flags],
  [MPT_FIELD.pageSize, MPT_DW.pageSize],
  [MPT_FIELD.key, MPT_DW.key],
  [MPT_FIELD.pd, MPT_DW.pd],
  [MPT_FIELD.start, MPT_DW.startHi],
  [lowHalf(MPT_FIELD.start), MPT_DW.startLo],
  [MPT_FIELD.length, MPT_DW.lengthHi],
  [lowHalf(MPT_FIELD.length), MPT_DW.lengthLo],
  [lowHalf(MPT_FIELD.mttSeg), MPT_DW.mttSeg],
  [MPT_FIELD.mttSz, MPT_DW.mttSz],
] as const satisfies readonly (readonly [Field, number])[];

function lowHalf([offset]: Field): Field {
  return [offset + 4, 4];
}

/** The entry is taken back from the hardware: its key opens nothing from then on. */
export function hw2swMpt(c: CommandContext): number {
  const core = c.core;
  if (c.step !== 0) return afterwards(c);
  const at = core.mpt.lookup(indexOf(c), c);
  if (at < 0) return statusWithout(at, CMD_STATUS.badIndex);
  const w = core.bytes.i32;
  const e = at >> 2;
  if (w[e + MPT_DW.marker] !== mptMarker(w[e + MPT_DW.key] as number, core.icm.life))
    return CMD_STATUS.badResourceState;
  if (!core.keys.mayTakeBack(w, e)) return CMD_STATUS.regionBound;
  const flags = w[e + MPT_DW.flags] as number;
  w[e + MPT_DW.marker] = 0;
  core.mpt.alter(at);
  core.xlate.forget();
  if ((flags & MPT_KIND.region) !== 0) {
    if ((w[e + MPT_DW.windows] as number) === 0) return CMD_STATUS.ok;
    c.step = REGION_GONE;
    c.held = w[e + MPT_DW.key] as number;
  } else {
    core.keys.windowGone();
    if ((flags & MPT_KIND.free) !== 0) return CMD_STATUS.ok;
    c.step = WINDOW_GONE;
    c.held = w[e + MPT_DW.parent] as number;
  }
  return afterwards(c);
}

/** The region of a window that was bound is told; windows of a region are closed. */
function afterwards(c: CommandContext): number {
  const { keys, xlate } = c.core;
  const isDone =
    c.step === REGION_GONE ? keys.regionGone(c.held, c) : keys.unbound(indexOf(c) << xlate.tagBits, c.held, c);
  return isDone ? CMD_STATUS.ok : AGAIN;
}

/** Entry i of line 1 + i/4 sits in bytes 24 - 8 (i mod 4) of its line (hangu-interface.md 4.5). */
export function writeMtt(c: CommandContext): number {
  const { core, inbox } = c;
  const bytes = core.bytes;
  const count = c.modifier & 0xff;
  if (count === 0) return CMD_STATUS.badParam;
  const first = readLow(bytes, inbox + 24, [0, 8]) >>> 0;
  if (first + count > core.icm.mtt.entries) return CMD_STATUS.exceedsLimit;
  while (c.step < count) {
    const index = first + c.step;
    // A line that is overwritten whole need not be fetched.
    const whole = (index & 3) === 0 && c.step + 4 <= count;
    const at = whole ? core.mtt.allocate(index, c) : core.mtt.lookup(index, c);
    if (at < 0) return statusWithout(at, CMD_STATUS.badResource);
    const n = Math.min(4 - (index & 3), count - c.step);
    for (let k = 0; k < n; k++) storeEntry(c, at, index + k, c.step + k);
    core.mtt.alter(at);
    c.step += n;
  }
  return CMD_STATUS.ok;
}

function storeEntry(c: CommandContext, line: number, index: number, i: number): void {
  const bytes = c.core.bytes;
  const from = c.inbox + 32 + 32 * (i >> 2) + 24 - 8 * (i & 3);
  const e = (line >> 2) + (index & 3) * 2;
  const lo = readLow(bytes, from, [0, 8]) & ~0xfff;
  const hi = readHigh(bytes, from, [0, 8]);
  bytes.i32[e] = lo;
  bytes.i32[e + 1] = hi;
}

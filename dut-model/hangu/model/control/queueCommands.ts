/** SW2HW_CQ, HW2SW_CQ, RESIZE_CQ, SW2HW_EQ, HW2SW_EQ, MAP_EQ. */
import { CMD_STATUS, OUTBOX_BYTES } from '../../layout/commands.ts';
import { CQC_FIELD, EQC_FIELD } from '../../layout/contexts.ts';
import { HANGU_LIMITS } from '../../layout/limits.ts';
import { swap32 } from '../../../roce/endian.ts';
import type { CommandContext } from './commandContext.ts';
import { statusWithout } from './commandContext.ts';
import { CQC_DW, cqcMarker } from '../queues/completionUnit.ts';
import { MSIX_VECTORS } from '../queues/eventUnit.ts';
import { readField, writeField } from './mailbox.ts';

/** Hands a completion queue over to the hardware, empty and not armed; software says from where it counts. */
export function sw2hwCq(c: CommandContext): number {
  const { core, inbox } = c;
  const cqn = c.modifier;
  if (cqn >= core.icm.cqc.entries || cqn < 0) return CMD_STATUS.badIndex;
  const image = inbox >> 2;
  if (swap32(core.bytes.i32[image + CQC_DW.logSize] as number) >>> 24 > Math.log2(HANGU_LIMITS.maxCqEntries)) {
    return CMD_STATUS.exceedsLimit;
  }
  const at = core.cqc.lookup(cqn, c);
  if (at < 0) return statusWithout(at, CMD_STATUS.badResource);
  const w = core.bytes.i32;
  const e = at >> 2;
  if (w[e + CQC_DW.marker] === cqcMarker(cqn, core.icm.life)) return CMD_STATUS.badResourceState;
  for (let i = 0; i < 12; i++) w[e + i] = swap32(w[image + i] as number);
  w[e + CQC_DW.producer] = w[e + CQC_DW.firstProducer] as number;
  w[e + CQC_DW.armed] = 0;
  w[e + CQC_DW.solicited] = w[e + CQC_DW.producer] as number;
  w[e + CQC_DW.marker] = cqcMarker(cqn, core.icm.life);
  c.completions.begins(cqn);
  core.cqc.touch(at);
  return CMD_STATUS.ok;
}

/** The context of a completion queue as the hardware has it: status, what has been written, and what software has taken. */
export function queryCq(c: CommandContext): number {
  const core = c.core;
  if (c.modifier >= core.icm.cqc.entries || c.modifier < 0) return CMD_STATUS.badIndex;
  const at = core.cqc.lookup(c.modifier, c);
  if (at < 0) return statusWithout(at, CMD_STATUS.badResourceState);
  const w = core.bytes.i32;
  const e = at >> 2;
  if (w[e + CQC_DW.marker] !== cqcMarker(c.modifier, core.icm.life)) return CMD_STATUS.badResourceState;
  core.bytes.zero(c.outbox, OUTBOX_BYTES.cq);
  const to = c.outbox >> 2;
  for (let i = 0; i < 12; i++) w[to + i] = swap32(w[e + i] as number);
  writeField(core.bytes, c.outbox, CQC_FIELD.solicitedIndex, (w[e + CQC_DW.solicited] as number) >>> 0);
  writeField(core.bytes, c.outbox, CQC_FIELD.producerIndex, (w[e + CQC_DW.producer] as number) >>> 0);
  c.outboxBytes = OUTBOX_BYTES.cq;
  return CMD_STATUS.ok;
}

/** Takes a completion queue back. BAD_RES_STATE where the hardware has none of this number. */
export function hw2swCq(c: CommandContext): number {
  const core = c.core;
  if (c.modifier >= core.icm.cqc.entries || c.modifier < 0) return CMD_STATUS.badIndex;
  const at = core.cqc.lookup(c.modifier, c);
  if (at < 0) return statusWithout(at, CMD_STATUS.badResourceState);
  const w = core.bytes.i32;
  if (w[(at >> 2) + CQC_DW.marker] !== cqcMarker(c.modifier, core.icm.life)) return CMD_STATUS.badResourceState;
  w[(at >> 2) + CQC_DW.marker] = 0;
  core.cqc.alter(at);
  return CMD_STATUS.ok;
}

/**
 * Byte 0 log size, bytes 4-7 new lkey (hangu-rtl-facts.md 2.5). The count of entries goes on: the next one is written to
 * its place in the new ring, and what the old one still holds is for software to bring over.
 */
export function resizeCq(c: CommandContext): number {
  const core = c.core;
  if (c.modifier >= core.icm.cqc.entries || c.modifier < 0) return CMD_STATUS.badIndex;
  const at = core.cqc.lookup(c.modifier, c);
  if (at < 0) return statusWithout(at, CMD_STATUS.badResourceState);
  const w = core.bytes.i32;
  const e = at >> 2;
  if (w[e + CQC_DW.marker] !== cqcMarker(c.modifier, core.icm.life)) return CMD_STATUS.badResourceState;
  const logSize = readField(core.bytes, c.inbox, [0, 1]);
  if (logSize > Math.log2(HANGU_LIMITS.maxCqEntries)) return CMD_STATUS.exceedsLimit;
  w[e + CQC_DW.logSize] = ((w[e + CQC_DW.logSize] as number) & 0xff_ffff) | (logSize << 24);
  w[e + CQC_DW.lkey] = readField(core.bytes, c.inbox, [4, 4]) | 0;
  core.cqc.touch(at);
  return CMD_STATUS.ok;
}

/** Hands an event queue over to the hardware. Its context lies in ICM, which must be mapped. */
export function sw2hwEq(c: CommandContext): number {
  const { core, inbox, events } = c;
  const eqn = c.modifier;
  if (eqn >= core.icm.eqc.entries || eqn < 0) return CMD_STATUS.badIndex;
  if (!core.icm.eqc.isMapped(Math.floor((eqn * core.icm.eqc.entryBytes) / 4096))) return CMD_STATUS.badResource;
  if (events.isValid(eqn)) return CMD_STATUS.badResourceState;
  const field = (f: readonly [number, 1 | 2 | 4 | 8]): number => readField(core.bytes, inbox, f);
  const vector = field(EQC_FIELD.msixVector);
  if (vector >= MSIX_VECTORS) return CMD_STATUS.badParam;
  const pd = field(EQC_FIELD.pd) | 0;
  const lkey = field(EQC_FIELD.lkey) | 0;
  events.open(eqn, field(EQC_FIELD.logSize), vector, pd, lkey, field(EQC_FIELD.producerIndex));
  return CMD_STATUS.ok;
}

/** Takes an event queue back. BAD_RES_STATE where the hardware has none of this number. */
export function hw2swEq(c: CommandContext): number {
  if (!c.events.isValid(c.modifier)) return CMD_STATUS.badResourceState;
  c.events.close(c.modifier);
  return CMD_STATUS.ok;
}

/** in_param is the event mask by value; bit 31 of in_modifier unmaps. */
export function mapEq(c: CommandContext): number {
  const eqn = c.modifier & 0x7fff_ffff;
  if (!c.events.isValid(eqn)) return CMD_STATUS.badIndex;
  c.events.map(c.inHi, c.inLo, eqn, c.modifier < 0);
  return CMD_STATUS.ok;
}

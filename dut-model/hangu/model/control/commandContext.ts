/** What the handlers of HCR commands work on, and how they answer. */
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { CompletionUnit } from '../queues/completionUnit.ts';
import { CMD_STATUS } from '../../layout/commands.ts';
import { FAILED, MISS } from '../memory/entryTable.ts';
import type { HanguCore } from '../core.ts';
import type { EventUnit } from '../queues/eventUnit.ts';
import type { ReceiveFlush } from '../transport/receiveFlush.ts';
import type { SharedReceives } from '../queues/sharedReceives.ts';
import type { SendCompletion } from '../transport/sendCompletion.ts';

/** A handler has to wait for a table entry; the engine calls it again. */
export const AGAIN = -1;

/** What the handlers of commands work on. */
export interface CommandContext extends Resumable {
  readonly core: HanguCore;
  readonly completions: CompletionUnit;
  readonly events: EventUnit;
  readonly sendSide: SendCompletion;
  readonly receiveSide: ReceiveFlush;
  readonly shared: SharedReceives;
  /** Registers as given. `inbox` and `outbox` are byte-store offsets of the engine's buffers. */
  readonly inHi: number;
  readonly inLo: number;
  readonly outHi: number;
  readonly outLo: number;
  readonly modifier: number;
  readonly opModifier: number;
  readonly opcode: number;
  readonly inbox: number;
  readonly outbox: number;
  /** Bytes of the outbox to be written; set by the handler. */
  outboxBytes: number;
  /** Progress of a handler that is called again. */
  step: number;
  /** A key that it has to remember meanwhile. */
  held: number;
}

/** What a command ends with that found no table entry, or `AGAIN`. @param at as `EntryTable.lookup` says @param unmapped where there is none */
export function statusWithout(at: number, unmapped: number): number {
  if (at === MISS) return AGAIN;
  return at === FAILED ? CMD_STATUS.internal : unmapped;
}

/** @returns a `CMD_STATUS`, or `AGAIN` after asking for a table entry. */
export type CommandHandler = (c: CommandContext) => number;

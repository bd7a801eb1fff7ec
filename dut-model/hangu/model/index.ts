/** The HanGu NIC and the blocks it is built from, for kinds that build on it: each block may be replaced by a subclass. */
export { HanguNic } from './hanguNic.ts';
export { HANGU_BLOCKS, type HanguBlocks } from './hanguBlocks.ts';
export { HANGU_DEFAULTS, HANGU_KNOBS, type HanguConfig, resolveHanguConfig } from './hanguConfig.ts';
export {
  CORE_PARTS,
  type CoreParts,
  type CoreTable,
  HanguCore,
  type HanguCounters,
  NO_CONTEXT,
  UNREADABLE,
  WAIT,
} from './core.ts';
export * from './qpContext.ts';
export { CommandEngine } from './control/commandEngine.ts';
export { COMMAND_HANDLERS } from './control/handlers.ts';
export type { CommandContext, CommandHandler } from './control/commandContext.ts';
export { readField, readHigh, readLow, writeField } from './control/mailbox.ts';
export { answerDword, type BarHandler } from './control/bars.ts';
export { DoorbellPages } from './control/doorbellPages.ts';
export { type RegisterActions, Registers } from './control/registers.ts';
export { Gather, type PayloadReader } from './memory/gather.ts';
export { ChipTable } from './memory/chipTable.ts';
export { type EntryTable, FAILED, MISS, UNMAPPED } from './memory/entryTable.ts';
export { IcmCache } from './memory/icmCache.ts';
export { IcmMap, IcmTableMap } from './memory/icmMap.ts';
export { PayloadWriter } from './memory/payloadWriter.ts';
export { MPT_DW, mptMarker, Region } from './memory/region.ts';
export { Translation, XLATE } from './memory/translation.ts';
export { CompletionEntry } from './queues/completionEntry.ts';
export { CompletionUnit } from './queues/completionUnit.ts';
export { EventUnit } from './queues/eventUnit.ts';
export { ReceiveQueue } from './queues/receiveQueue.ts';
export { RECV } from './queues/receives.ts';
export { SendQueue, type SendQueueClient } from './queues/sendQueue.ts';
export { AckQueue } from './transport/ackQueue/ackQueue.ts';
export { AtomicOperation } from './transport/atomics/atomicOperation.ts';
export { ATOMIC, AtomicUnit } from './transport/atomics/atomicUnit.ts';
export { CongestionUnit } from './transport/congestionUnit.ts';
export { PacketJob, QpSlot, ResponseItem, SendRequest } from './transport/qpSlot.ts';
export { ReceiveFlush } from './transport/receiveFlush.ts';
export { Requester } from './transport/requester.ts';
export { RequesterReceive } from './transport/requesterReceive.ts';
export { RequestPackets } from './transport/requestPackets.ts';
export { Responder } from './transport/responder.ts';
export { ResponseUnit } from './transport/responseUnit.ts';
export { SendCompletion } from './transport/sendCompletion.ts';

/** The classes that a HanGu NIC is built from. One with a bug has another one in some place (dut-model/hangu/bugs). */
import { AckQueue } from './transport/ackQueue/ackQueue.ts';
import { AtomicUnit } from './transport/atomics/atomicUnit.ts';
import { CommandEngine } from './control/commandEngine.ts';
import { CompletionUnit } from './queues/completionUnit.ts';
import { CongestionUnit } from './transport/congestionUnit.ts';
import { CORE_PARTS, type CoreParts } from './core.ts';
import { DoorbellPages } from './control/doorbellPages.ts';
import { EventUnit } from './queues/eventUnit.ts';
import { FrameReceiver } from './transport/frameReceiver.ts';
import { Gather } from './memory/gather.ts';
import { MemoryKeys } from './memory/memoryKeys.ts';
import { PayloadWriter } from './memory/payloadWriter.ts';
import { ReceiveFlush } from './transport/receiveFlush.ts';
import { ReceiveQueue } from './queues/receiveQueue.ts';
import { Registers } from './control/registers.ts';
import { RequestPackets } from './transport/requestPackets.ts';
import { Requester } from './transport/requester.ts';
import { RequesterReceive } from './transport/requesterReceive.ts';
import { Responder } from './transport/responder.ts';
import { ResponseUnit } from './transport/responseUnit.ts';
import { SendCompletion } from './transport/sendCompletion.ts';
import { SendQueue } from './queues/sendQueue.ts';
import { SharedReceives } from './queues/sharedReceives.ts';

export interface HanguBlocks extends CoreParts {
  readonly events: typeof EventUnit;
  readonly completions: typeof CompletionUnit;
  readonly receiveQueue: typeof ReceiveQueue;
  readonly sharedReceives: typeof SharedReceives;
  readonly receiveFlush: typeof ReceiveFlush;
  readonly frames: typeof FrameReceiver;
  readonly sendCompletion: typeof SendCompletion;
  readonly gather: typeof Gather;
  readonly requestPackets: typeof RequestPackets;
  readonly requester: typeof Requester;
  readonly requesterReceive: typeof RequesterReceive;
  readonly congestion: typeof CongestionUnit;
  readonly responses: typeof ResponseUnit;
  readonly payload: typeof PayloadWriter;
  readonly atomics: typeof AtomicUnit;
  readonly ackQueue: typeof AckQueue;
  readonly responder: typeof Responder;
  readonly commands: typeof CommandEngine;
  readonly registers: typeof Registers;
  readonly doorbells: typeof DoorbellPages;
  readonly sendQueue: typeof SendQueue;
  readonly keys: typeof MemoryKeys;
}

export const HANGU_BLOCKS: HanguBlocks = {
  ...CORE_PARTS,
  events: EventUnit,
  completions: CompletionUnit,
  receiveQueue: ReceiveQueue,
  sharedReceives: SharedReceives,
  receiveFlush: ReceiveFlush,
  frames: FrameReceiver,
  sendCompletion: SendCompletion,
  gather: Gather,
  requestPackets: RequestPackets,
  requester: Requester,
  requesterReceive: RequesterReceive,
  congestion: CongestionUnit,
  responses: ResponseUnit,
  payload: PayloadWriter,
  atomics: AtomicUnit,
  ackQueue: AckQueue,
  responder: Responder,
  commands: CommandEngine,
  registers: Registers,
  doorbells: DoorbellPages,
  sendQueue: SendQueue,
  keys: MemoryKeys,
};

/**
 * What a kind of NIC is written with, without what it may build on of the kinds that ship: the part of `rnic-verify/dut` that
 * is promised.
 *
 * @packageDocumentation
 */

// The entry.
export type { DisturbedLink, FaultEntry, KnownIssueOfKind, NicEntry, NicKind } from '../env/nicKind.ts';
export { type DeviceLimits, NO_LIMITS } from '../env/deviceLimits.ts';
export type { AddressLayout, AddressMap, MapMode } from '../env/memory/addressMap.ts';
export type { Profile } from '../scoreboard/model/profile.ts';
export type { TransportChoices } from '../scoreboard/model/transportChoices.ts';

// The NIC.
export * from './nic.ts';
export * from './nicKnob.ts';
export { type DmaClient, DmaEngine } from './roce/dmaEngine.ts';
export { Egress, type EgressUser } from './roce/egress.ts';
export { FrameBuilder, frameData, type PathAddresses } from './roce/frameBuilder.ts';
export { FrameParser } from './roce/frameParser.ts';
export { type MemoryClient, type MemoryTarget, WritesUnderWay } from './roce/memoryTarget.ts';
export { OP, OPCODES } from './roce/opcodeTable.ts';
export { psnAdd, psnCmp } from './roce/psn.ts';
export { type Resumable, RxPacket, RxPacketPool } from './roce/rxPacket.ts';

// Its host software.
export type { CommandLog, Provider, ProviderBuilder, ProviderHost } from '../env/providers/provider.ts';
export type { HarmlessAccess } from '../env/providers/harmlessAccess.ts';
export type { ProviderCapabilities } from '../env/verbs/capabilities.ts';
export { DONE } from '../env/verbs/done.ts';
export type { DeviceAttributes, HostApi, MrRequest, VirtualAddress } from '../env/verbs/hostApi.ts';
export { CommandError, DeviceFatalError, DeviceLimitError, HostApiError } from '../env/verbs/hostErrors.ts';
export type { QpAttributes } from '../env/verbs/qpAttributes.ts';
export type { Refusal } from '../env/verbs/refusal.ts';
export { Cq, Mr, Pd, Qp, type QpInit } from '../env/verbs/verbsObjects.ts';

// Rules that only it has.
export type { ObservedEnv } from '../env/observedEnv.ts';
export type { DecodedPacket } from '../agents/wire/decodedPacket.ts';
export type { VerbsObserver } from '../agents/verbs/verbsObserver.ts';
export type { RecvWr, SendWr, WorkCompletion } from '../agents/verbs/verbsItems.ts';
export type { ArrivalItem, FrameFate, FrameItem } from '../agents/link/linkItems.ts';
export type { Subscriber } from '../uvm/tlm/analysisPort.ts';
export { Findings } from '../uvm/report/findings.ts';
export { aFrame, aHost, aMoment, aQueuePair } from '../rdma/subjectParts.ts';
export { Component } from '../uvm/base/component.ts';

// Vocabulary, time and bytes.
export * from '../rdma/verbs.ts';
export type { BlockPool } from '../uvm/bytes/blockPool.ts';
export type { ByteStore } from '../uvm/bytes/byteStore.ts';
export { delay, type Proc } from '../uvm/kernel/process.ts';
export type { EventHandler, Scheduler, SimTime } from '../uvm/kernel/scheduler.ts';
export { MS, NS, PS, SEC, US } from '../uvm/kernel/time.ts';
export type { FastStream } from '../uvm/random/randomStream.ts';

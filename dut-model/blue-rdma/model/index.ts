/** The blue-rdma NIC and the blocks it is built from, for kinds that build on it: each block may be replaced by a subclass. */
export { BlueNic } from './blueNic.ts';
export { BLUE_BLOCKS, type BlueBlocks } from './blueBlocks.ts';
export { ACK_REPORT, BLUE_KNOBS, type BlueConfig, resolveBlueConfig } from './blueConfig.ts';
export { BlueCore } from './core.ts';
export { CommandUnit } from './commandUnit.ts';
export { ControlUnit } from './controlUnit.ts';
export { FetchRing } from './fetchRing.ts';
export { FrameWriter, HeaderFields } from './frameWriter.ts';
export { MrTable as BlueMrTable } from './mrTable.ts';
export { PacketChecks } from './packetChecks.ts';
export { PACKET_KIND, ReceivedPacket } from './receivedPacket.ts';
export { ReceiveUnit } from './receiveUnit.ts';
export { ReportRing } from './reportRing.ts';
export { Reports } from './reports.ts';
export { SendChunk } from './sendChunk.ts';
export { SendQueue as BlueSendQueue } from './sendQueue.ts';
export { SendUnit } from './sendUnit.ts';

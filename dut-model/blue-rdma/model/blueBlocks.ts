/** Classes of the blocks of the NIC: a faulty one has another class in some place. */
import { CommandUnit } from './commandUnit.ts';
import { ControlUnit } from './controlUnit.ts';
import { FetchRing } from './fetchRing.ts';
import { FrameWriter } from './frameWriter.ts';
import { MacReceiver } from './macReceiver.ts';
import { MrTable } from './mrTable.ts';
import { PacketChecks } from './packetChecks.ts';
import { PsnWindows } from './psnWindows.ts';
import { RawUnit } from './rawUnit.ts';
import { ReceiveUnit } from './receiveUnit.ts';
import { ReportRing } from './reportRing.ts';
import { Reports } from './reports.ts';
import { SendQueue } from './sendQueue.ts';
import { SendUnit } from './sendUnit.ts';

export const BLUE_BLOCKS = {
  commands: CommandUnit,
  control: ControlUnit,
  fetchRing: FetchRing,
  writer: FrameWriter,
  mac: MacReceiver,
  mrs: MrTable,
  checks: PacketChecks,
  windows: PsnWindows,
  raw: RawUnit,
  receive: ReceiveUnit,
  reportRing: ReportRing,
  reports: Reports,
  sendQueue: SendQueue,
  send: SendUnit,
};
export type BlueBlocks = typeof BLUE_BLOCKS;

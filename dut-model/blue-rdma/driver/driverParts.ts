/** Classes of the parts of the driver: a faulty one has another class in some place. */
import { CompletionQueues } from './completionQueues.ts';
import { Regions } from './regions.ts';
import { CommandQueue } from './rings/commandQueue.ts';
import { ToCardRing } from './rings/toCardRing.ts';
import { ToHostRing } from './rings/toHostRing.ts';
import { ReceiveTracker } from './tracking/receiveTracker.ts';
import { SendList } from './tracking/sendList.ts';
import { SendTracker } from './tracking/sendTracker.ts';
import { Acknowledger } from './workers/acknowledger.ts';
import { ChunkSender } from './workers/chunkSender.ts';
import { RawFrames } from './workers/rawFrames.ts';
import { ReceiveSide } from './workers/receiveSide.ts';
import { ReportReader } from './workers/reportReader.ts';
import { RequestStarter } from './workers/requestStarter.ts';
import { SendSide } from './workers/sendSide.ts';
import { Timeouts } from './workers/timeouts.ts';

export const DRIVER_PARTS = {
  acknowledger: Acknowledger,
  chunks: ChunkSender,
  commands: CommandQueue,
  completions: CompletionQueues,
  rawFrames: RawFrames,
  receiveSide: ReceiveSide,
  receiveTracker: ReceiveTracker,
  regions: Regions,
  reports: ReportReader,
  sendList: SendList,
  sendSide: SendSide,
  sendTracker: SendTracker,
  starter: RequestStarter,
  timeouts: Timeouts,
  toCardRing: ToCardRing,
  toHostRing: ToHostRing,
};
export type DriverParts = typeof DRIVER_PARTS;

/**
 * What a blue-rdma NIC and its driver do unseen. Workers of the driver take microseconds each, a message passes a handful of
 * them, and the driver of a receiver may hear of buffers only 200 us after they were posted.
 */
import { MODEL_CHOICES } from '../../../../scoreboard/model/transportChoices.ts';
import type { Profile } from '../../../../scoreboard/model/profile.ts';
import { MS, US } from '../../../../uvm/kernel/time.ts';

export const BLUE_PROFILE: Profile = {
  wire: 'private',
  choices: MODEL_CHOICES,
  refusesInSilence: true,
  knowsReceives: true,
  anyDomain: true,
  writesInAnyOrder: true,
  rawBacklog: 8,
  rawIpFilter: true,
  reactionTime: 100 * US,
  readsPerFrame: 8,
  restTime: 400 * US,
  unseenTime: 100 * US,
  answerTime: 2 * MS,
  framesPerTurn: 4096,
  service: { bytePs: 800, piecePs: 0, requestPs: 20 * US },
  readsPerPiece: 4,
  readsPerRequest: 16,
  bytesPerRequest: 2048,
  doorbellBytes: 4,
  doorbellBurst: 32,
};

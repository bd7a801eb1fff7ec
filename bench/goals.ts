/** All goals of section 7 of the performance design, by number. */

import type { Goal } from './goal.ts';
import { MEMORY } from './goals/memory.ts';
import { PACKETS } from './goals/packets.ts';
import { PRICE_OF_CHECKING } from './goals/priceOfChecking.ts';
import { QUEUE_PAIRS } from './goals/queuePairs.ts';
import { RANDOMISATION } from './goals/randomisation.ts';
import { REGRESSION } from './goals/regression.ts';
import { REPLAY } from './goals/replay.ts';
import { SMALL_REQUESTS } from './goals/smallRequests.ts';
import { TRANSACTIONS } from './goals/transactions.ts';
import { VERIFIED_BULK } from './goals/verifiedBulk.ts';

export const GOALS: readonly Goal[] = [
  VERIFIED_BULK,
  SMALL_REQUESTS,
  TRANSACTIONS,
  PACKETS,
  QUEUE_PAIRS,
  MEMORY,
  REGRESSION,
  REPLAY,
  PRICE_OF_CHECKING,
  RANDOMISATION,
];

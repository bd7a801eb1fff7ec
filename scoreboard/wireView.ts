/** What the scoreboard may ask about the ports of NICs and about the wire; given by the environment. */

import type { Attempt } from '../agents/link/attempts.ts';
import type { HeardFrames } from '../agents/link/heardFrames.ts';

export interface WireView extends HeardFrames {
  /**
   * Whether all frames sent until `since` (ps) have arrived, and the NIC of a host came to rest after that: nothing was
   * under way at its ports, and nothing moved there for so long that nothing would. What it had not done by then it would
   * not do by itself. False where that is not known.
   */
  hasRested(host: number, since: number): boolean;
  /** Whether nothing was under way at the ports of a host's NIC after `since` (ps), and nothing moved there for as long as above. */
  hasPaused(host: number, since: number): boolean;
  /** What a reliable queue pair has tried to get an answer from its peer; undefined where that is not known. */
  attempt(host: number, qpn: number, remoteHost: number, remoteQpn: number): Attempt | undefined;
}

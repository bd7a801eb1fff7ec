/** What the scoreboard may ask about the ports of NICs and about the wire; given by the environment. */

import type { Certainty } from './certainty.ts';
import type { Attempt } from '../reference/attempts.ts';
import type { DamagedAnswer } from '../reference/connection.ts';
import type { FlowProgress, QpAddress } from '../reference/flowProgress.ts';
import type { HeardFrames } from '../reference/heardFrames.ts';

export interface WireView extends HeardFrames {
  /** How certain it is what messages must lead to; undefined where arrivals are not followed. */
  readonly certainty?: Certainty | undefined;
  /** Whether packets are told of at all: what was sent is known then. */
  readonly watches: boolean;
  /** Time in ps that a host's NIC may take to deal with a frame that is on its way to it. */
  hearingTime(host: number): number;
  /** The most frames that a NIC can send in `time` ps. */
  mostFrames(time: number): number;
  /**
   * Whether nothing was under way at the ports of a host's NIC after it heard of what software did at `since` (ps), and
   * nothing moved there for as long as that.
   */
  hasPaused(host: number, since: number): boolean;
  /** Messages that a reliable queue pair has sent and of which no answer has reached it; 0 where that is not followed. */
  unanswered(host: number, remoteHost: number, remoteQpn: number): number;
  /** The latest answer with a wrong invariant CRC that has come to a reliable queue pair; null = none, or not followed. */
  damagedAnswer(host: number, remoteHost: number, remoteQpn: number): DamagedAnswer | null;
  /** What a reliable queue pair has tried to get an answer from its peer; undefined where that is not known. */
  attempt(host: number, qpn: number, remoteHost: number, remoteQpn: number): Attempt | undefined;
  /**
   * PSN behind the newest request that a connected queue pair has sent, which began with PSN `first`; -1 where that is not
   * known, or where requests have come more than half round since: what a PSN says of the first one is ambiguous then.
   */
  requestsFrom(host: number, qpn: number, first: number): number;
  /** As `requestsFrom`, of what the peer of the queue pair has sent to it. */
  requestsTo(host: number, qpn: number, first: number): number;
  /** How far a queue pair has got with what it sends to its peer, `remote`, or as datagrams; undefined where that is not known. */
  progress(host: number, qpn: number, remote: QpAddress | null): FlowProgress | undefined;
}

/** Nobody watches ports and wire: no NIC is known to rest or to have sent anything, and nobody is blamed for answers that do not come. */
export const NO_WIRE: WireView = {
  watches: false,
  shortestTrip: 0,
  mostFrames: () => 0,
  hasPaused: () => false,
  attempt: () => undefined,
  unanswered: () => 0,
  damagedAnswer: () => null,
  progress: () => undefined,
  sentFrames: () => 0,
  hasIdled: () => false,
  hasRested: () => false,
  hasHeardAll: () => false,
  hearingTime: () => 0,
  requestsFrom: () => -1,
  requestsTo: () => -1,
};

/** Which rules of the wire a capture can break: by what it says of where its frames were captured, and by what no frame says. */

import type { WireReportId } from '../../agents/wire/wireRules.ts';

/** Rules that need what only the hosts know, and why. */
export const RULES_OF_HOSTS: Readonly<Partial<Record<WireReportId, string>>> = {
  WIRE_FOREIGN: 'other protocols may share a link',
  WIRE_ADDRESS: 'which host has which address',
  WIRE_PATH: 'the address vectors of queue pairs',
  WIRE_READ_LIMIT: 'max_rd_atomic of queue pairs',
  WIRE_ACK_REQUEST: 'which NIC it is: InfiniBand leaves it to the requester when to ask',
  WIRE_CNP_MISSING: 'what has arrived marked, and what the NIC does about it',
  WIRE_CNP_PACE: 'the interval of the NIC',
  WIRE_NAK_IGNORED: 'how long a queue pair waits for an answer',
  WIRE_SILENT: 'when software stops a queue pair',
  WIRE_DRAINED: 'when software is told that a queue is drained',
};

/** Rules of what a NIC may answer to, notify of, or send again, by what has reached it; and of WIRE_NAK that something must be missing. */
export const RULES_OF_CAUSES: readonly WireReportId[] = [
  'WIRE_UNPROVOKED',
  'WIRE_ACK_UNARRIVED',
  'WIRE_RNR',
  'WIRE_CNP_UNMARKED',
];

/** Rules of frames as their sender sends them: behind the sender they may have been lost, doubled or overtaken. */
export const RULES_OF_SENDERS: readonly WireReportId[] = ['WIRE_PSN', 'WIRE_ACK_ORDER', 'WIRE_RESPONSE', 'WIRE_MSN'];

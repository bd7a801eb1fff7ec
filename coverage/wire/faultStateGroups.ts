/** Covergroup of the states in which faults of the link meet a connection: what random traffic alone seldom brings together. */

import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';
import { LINK_FAULT } from './linkFaultGroups.ts';

/** The fault before, if it hit the same connection and has not been got over by time: of the same way, or of the other one. */
export const FAULT_BEFORE = { none: 0, same_way: 1, other_way: 2 } as const;

/** A packet of a connection to which something happens. One object for all: valid while it is sampled. */
export class FaultStateSample {
  /** `LINK_FAULT`. */
  fault = 0;
  /** It is an answer: requests go the other way. */
  isAnswer = false;
  /** The requester sends again what it has sent before. */
  isGoingBack = false;
  /** PSNs wrap within the next or the latest packets. */
  isPsnWrapping = false;
  /** The requests that are outstanding lie on both sides of the end of the send queue. */
  isRingWrapped = false;
  /** Requests of the send queue that are outstanding. */
  outstanding = 0;
  /** `FAULT_BEFORE`. */
  before = 0;
  /** Queue pairs in the error state, or on the way there, on either end. */
  isFailing = false;
}

const NO_YES = [bins('no', 0), bins('yes', 1)];

export const faultStateCg = covergroup<FaultStateSample>(
  'fault_state_cg',
  {
    comment:
      'faults of the link by the state of the connection that they hit: several at once, wraps, packets that are sent again',
  },
  (g) => {
    const fault = g.coverpoint('fault', (s) => s.fault, enumBins(LINK_FAULT));
    const way = g.coverpoint('way', (s) => (s.isAnswer ? 1 : 0), [bins('request', 0), bins('answer', 1)]);
    const again = g.coverpoint('going_back', (s) => (s.isGoingBack ? 1 : 0), NO_YES);
    const psn = g.coverpoint('psn_wraps', (s) => (s.isPsnWrapping ? 1 : 0), NO_YES);
    const ring = g.coverpoint('ring_wraps', (s) => (s.isRingWrapped ? 1 : 0), NO_YES);
    const outstanding = g.coverpoint('outstanding', (s) => s.outstanding, [
      bins('one', [0, 1]),
      bins('few', [2, 4]),
      bins('many', [5, 1 << 20]),
    ]);
    const before = g.coverpoint('fault_before', (s) => s.before, enumBins(FAULT_BEFORE));
    const failing = g.coverpoint('failing', (s) => (s.isFailing ? 1 : 0), NO_YES);
    g.cross('fault_x_way_x_before', [fault, way, before]);
    g.cross('fault_x_way_x_going_back', [fault, way, again]);
    g.cross('fault_x_ring_x_going_back', [fault, ring, again]);
    g.cross('fault_x_psn_x_going_back', [fault, psn, again]);
    g.cross('before_x_going_back_x_outstanding', [before, again, outstanding]);
    g.cross('fault_x_failing', [fault, failing]);
  },
);

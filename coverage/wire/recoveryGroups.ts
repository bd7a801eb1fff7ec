/** Covergroup of what else goes on while a requester sends again: contexts that move, rings and PSNs that wrap, others that do. */

import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';
import { CONTEXT_MOVE } from '../pcie/contextTraffic.ts';
import { PACKET_KIND } from './packetGroups.ts';

/** A request packet of a reliable connection that is sent again. One object for all: valid while it is sampled. */
export class RecoverySample {
  /** `PACKET_KIND`. */
  kind = 0;
  /** How often its sender has gone back to this PSN or to one before it, this time included. */
  round = 0;
  /** `CONTEXT_MOVE` of the NIC that sends it, since the packet before it of this queue pair. */
  own = 0;
  /** The same of the NIC to which it goes. */
  peer = 0;
  /** The requests that are outstanding lie on both sides of the end of the send queue. */
  isRingWrapped = false;
  /** PSNs wrap within the next or the latest packets. */
  isPsnWrapping = false;
  /** Other queue pairs of the NIC that have begun to send again and have not come further than before. */
  others = 0;
  /** Requests of the send queue that are outstanding. */
  outstanding = 0;
}

const NO_YES = [bins('no', 0), bins('yes', 1)];

export const recoveryCg = covergroup<RecoverySample>(
  'recovery_cg',
  {
    comment:
      'requests that are sent again: contexts that either NIC fetches or evicts meanwhile, wraps, other queue pairs that recover',
  },
  (g) => {
    const kind = g.coverpoint('kind', (s) => s.kind, enumBins(PACKET_KIND, ['send', 'write', 'readRequest']));
    const round = g.coverpoint('round', (s) => s.round, [
      bins('first', [0, 1]),
      bins('second', 2),
      bins('later', [3, 1 << 20]),
    ]);
    const own = g.coverpoint('own_contexts', (s) => s.own, enumBins(CONTEXT_MOVE));
    const peer = g.coverpoint('peer_contexts', (s) => s.peer, enumBins(CONTEXT_MOVE));
    const ring = g.coverpoint('ring_wraps', (s) => (s.isRingWrapped ? 1 : 0), NO_YES);
    const psn = g.coverpoint('psn_wraps', (s) => (s.isPsnWrapping ? 1 : 0), NO_YES);
    const others = g.coverpoint('others', (s) => s.others, [
      bins('none', 0),
      bins('one', 1),
      bins('several', [2, 1 << 20]),
    ]);
    const outstanding = g.coverpoint('outstanding', (s) => s.outstanding, [
      bins('one', [0, 1]),
      bins('few', [2, 4]),
      bins('many', [5, 1 << 20]),
    ]);
    g.cross('kind_x_own_x_round', [kind, own, round]);
    g.cross('kind_x_peer_x_round', [kind, peer, round]);
    g.cross('own_x_peer', [own, peer]);
    g.cross('own_x_ring_x_round', [own, ring, round]);
    g.cross('own_x_psn', [own, psn]);
    g.cross('own_x_others_x_outstanding', [own, others, outstanding]);
    g.cross('ring_x_psn_x_others', [ring, psn, others]);
  },
);

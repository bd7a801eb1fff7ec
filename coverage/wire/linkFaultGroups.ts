/** Covergroups of what fault rules of the link do to packets. */

import { bins, enumBins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';
import { where } from '../../uvm/coverage/selection.ts';
import { SERVICE } from '../verbs/queuePairs.ts';
import { PACKET_KIND, POSITION } from './packetGroups.ts';

/** What becomes of a packet. One may be several of them. */
export const LINK_FAULT = { lost: 0, duplicated: 1, delayed: 2, altered: 3 } as const;

/** A packet to which something happens. One object for all: valid while it is sampled. */
export class LinkFaultSample {
  /** `LINK_FAULT`. */
  fault = 0;
  service = 0;
  kind = 0;
  position = 0;
  /** Of a request: how often its sender has gone back to it or to one before it; 0 when it is sent for the first time. */
  round = 0;
}

const ONE_PACKET = ['readRequest', 'acknowledge'];
export const linkFaultCg = covergroup<LinkFaultSample>(
  'link_fault_cg',
  { comment: 'faults of the link: place in the message, kind of fault, round of transmission' },
  (g) => {
    const fault = g.coverpoint('fault', (s) => s.fault, enumBins(LINK_FAULT));
    const service = g.coverpoint('service', (s) => s.service, enumBins(SERVICE));
    const kind = g.coverpoint(
      'kind',
      (s) => s.kind,
      enumBins(PACKET_KIND, ['send', 'write', 'readRequest', 'readResponse', 'acknowledge']),
    );
    const position = g.coverpoint('position', (s) => s.position, enumBins(POSITION));
    const isReliableRequest = (s: LinkFaultSample): boolean =>
      s.service === SERVICE.rc && s.kind <= PACKET_KIND.readRequest;
    const round = g.coverpoint(
      'round',
      (s) => s.round,
      [bins('first', 0), bins('second', 1), bins('later', [2, 1 << 20])],
      { iff: isReliableRequest, comment: 'of requests of reliable connections' },
    );
    g.cross('service_x_fault', [service, fault]);
    g.cross('kind_x_position_x_fault', [kind, position, fault], {
      ignore: { one_packet: where((k, at) => ONE_PACKET.includes(k as string) && at !== 'only') },
    });
    g.cross('position_x_fault_x_round', [position, fault, round]);
  },
);

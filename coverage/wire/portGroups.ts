/**
 * Covergroups of ports and of pairs of NICs: they are there in runs whose NICs have more than one port, or are of different kinds.
 */

import { bins } from '../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../uvm/coverage/covergroup.ts';

const SERVICES = [bins('rc', 0), bins('uc', 1), bins('ud', 3)];

/** A packet that leaves a NIC. One object for all: valid while it is sampled. */
export class PortSample {
  /** From 1. */
  port = 1;
  /** Class of its opcode. */
  service = 0;
  isRequest = false;
  /** The NIC that it goes to is of another kind. */
  isMixed = false;
}

export const nicPortCg = covergroup<PortSample>(
  'nic_port_cg',
  { comment: 'packets by the port that they leave by, of NICs with several' },
  (g) => {
    const port = g.coverpoint('port', (s) => s.port, [bins('one', 1), bins('two', 2), bins('more', [3, 4])]);
    const service = g.coverpoint('service', (s) => s.service, SERVICES);
    const direction = g.coverpoint('direction', (s) => (s.isRequest ? 0 : 1), [bins('request', 0), bins('answer', 1)]);
    g.cross('port_x_service', [port, service]);
    g.cross('port_x_direction', [port, direction]);
  },
);

export const nicPairCg = covergroup<PortSample>(
  'nic_pair_cg',
  { comment: 'packets between NICs of one kind and of two, in runs with several kinds' },
  (g) => {
    const pair = g.coverpoint('pair', (s) => (s.isMixed ? 1 : 0), [bins('same', 0), bins('mixed', 1)]);
    const service = g.coverpoint('service', (s) => s.service, SERVICES);
    const direction = g.coverpoint('direction', (s) => (s.isRequest ? 0 : 1), [bins('request', 0), bins('answer', 1)]);
    g.cross('pair_x_service', [pair, service]);
    g.cross('pair_x_direction', [pair, direction]);
  },
);

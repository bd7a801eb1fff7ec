/** Covergroup of address handles. */
import { bins, enumBins } from '../../../uvm/coverage/binSpec.ts';
import { covergroup } from '../../../uvm/coverage/covergroup.ts';

/** What happens to a handle; `destroyedBusy`: while the queue pair that has used it last has requests without a completion. */
export const HANDLE_STEP = { made: 0, used: 1, destroyedUnused: 2, destroyedIdle: 3, destroyedBusy: 4 } as const;

/** A handle as it is made, used for the first time or destroyed. One object for all: valid while it is sampled. */
export class HandleSample {
  /** `HANDLE_STEP`. */
  step = 0;
  /** It is used by a queue pair of another protection domain. */
  isForeign = false;
  ipv6 = false;
  trafficClass = 0;
  flowLabel = 0;
  hopLimit = 0;
}

export const addressHandleCg = covergroup<HandleSample>(
  'address_handle_cg',
  { comment: 'address handles: attributes, domains, and requests that are outstanding as they go' },
  (g) => {
    const step = g.coverpoint('step', (h) => h.step, enumBins(HANDLE_STEP));
    const domain = g.coverpoint('domain', (h) => (h.isForeign ? 1 : 0), [bins('own', 0), bins('other', 1)], {
      iff: (h) => h.step === HANDLE_STEP.used,
    });
    const family = g.coverpoint('family', (h) => (h.ipv6 ? 1 : 0), [bins('ipv4', 0), bins('ipv6', 1)]);
    const traffic = g.coverpoint('traffic_class', (h) => h.trafficClass, [bins('zero', 0), bins('other', [1, 255])]);
    g.coverpoint('flow_label', (h) => h.flowLabel, [bins('zero', 0), bins('other', [1, 0xf_ffff])]);
    const hops = g.coverpoint('hop_limit', (h) => h.hopLimit, [
      bins('below_usual', [1, 63]),
      bins('usual', 64),
      bins('above_usual', [65, 255]),
    ]);
    g.cross('step_x_family', [step, family]);
    g.cross('domain_x_family', [domain, family]);
    g.cross('family_x_traffic_class', [family, traffic]);
    g.cross('family_x_hop_limit', [family, hops]);
  },
);

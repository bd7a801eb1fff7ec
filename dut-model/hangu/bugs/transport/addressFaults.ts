/** Bugs that show between ports whose addresses have nothing in common. */
import { FrameBuilder } from '../../../roce/frameBuilder.ts';
import type { PathAddresses } from '../../../roce/frameBuilder.ts';
import { faultsOf, planted } from '../fault.ts';
import { ADDRESS_ROWS } from './rows/addressRows.ts';

/** Sends frames with addresses that `change` makes of the right ones. */
function addressed(change: (path: PathAddresses) => Partial<PathAddresses>): typeof FrameBuilder {
  return class extends FrameBuilder {
    override writeTemplate(at: number, path: PathAddresses): void {
      super.writeTemplate(at, { ...path, ...change(path) });
    }
  };
}

/** Keeps the lower half of a MAC address only. */
const SameVendor = addressed(({ smacHigh, smacLow, dmacLow }) => ({
  dmacHigh: smacHigh,
  dmacLow: ((smacLow & 0xff00_0000) | (dmacLow & 0xff_ffff)) >>> 0,
}));

/** Keeps the host's part of an IPv4 address only. */
const SameSubnet = addressed(({ sip, dip }) => ({ dip: ((sip & 0xffff_ff00) | (dip & 0xff)) >>> 0 }));

/** Keeps the interface identifier of a GID only. */
const SamePrefix = addressed(({ sgid, dgid }) => ({ dgid: [sgid[0], sgid[1], dgid[2], dgid[3]] }));

export const ADDRESS_FAULTS = faultsOf(ADDRESS_ROWS, {
  mac_of_same_vendor: planted({ builder: SameVendor }),
  ip_of_same_subnet: planted({ builder: SameSubnet }),
  gid_of_same_prefix: planted({ builder: SamePrefix }),
});

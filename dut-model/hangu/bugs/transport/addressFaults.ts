/** Bugs that show between ports whose addresses have nothing in common. */
import { FrameBuilder } from '../../../roce/frameBuilder.ts';
import type { PathAddresses } from '../../../roce/frameBuilder.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

export const ADDRESS_FAULTS: readonly Fault[] = [
  {
    name: 'mac_of_same_vendor',
    block: 'frame builder',
    description: 'the upper three bytes of a MAC address are those of the own one',
    caughtBy: ['WIRE_ADDRESS'],
    needs: ['+NET_ADDRESSES=any'],
    create: planted({ builder: SameVendor }),
  },
  {
    name: 'ip_of_same_subnet',
    block: 'frame builder',
    description: 'the upper three bytes of an IPv4 address are those of the own one',
    caughtBy: ['WIRE_ADDRESS'],
    needs: ['+NET_ADDRESSES=any'],
    create: planted({ builder: SameSubnet }),
  },
  {
    name: 'gid_of_same_prefix',
    block: 'frame builder',
    description: 'the prefix of a GID is that of the own one',
    caughtBy: ['WIRE_ADDRESS'],
    needs: ['+NET_ADDRESSES=any', '+IPV6=1'],
    create: planted({ builder: SamePrefix }),
  },
];

import type { AhRequest } from '../../../env/verbs/ah/ahAttributes.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';

/** Attributes of an address handle, of which some have their defaults. @param ipv6 whether the NIC can do IPv6 */
export function drawHandle(random: RandomStream, ipv6: boolean): Required<Omit<AhRequest, 'gidIndex'>> {
  return {
    ipv6: ipv6 && random.chance(0.5),
    trafficClass: random.chance(0.5) ? 0 : random.range(1, 0xff),
    flowLabel: random.chance(0.3) ? 0 : random.range(1, 0xf_ffff),
    hopLimit: random.chance(0.5) ? 64 : random.range(1, 0xff),
  };
}

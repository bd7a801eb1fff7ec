/** The calls of the host API that are about address handles. They are software's alone: no NIC is told of one. */
import type { VerbsMonitor } from '../../../agents/verbs/verbsMonitor.ts';
import type { CapabilityChecks } from '../capabilities.ts';
import type { HostObjects } from '../hostObjects.ts';
import { checkRemoteHost } from '../remoteHostCheck.ts';
import { Ah } from '../verbsObjects.ts';
import type { Pd } from '../verbsObjects.ts';
import { type AhAttributes, type AhRequest, ahPath } from './ahAttributes.ts';

/** Parts of the host that it works with. */
export interface AddressHandlesParts {
  readonly host: number;
  /** Hosts of the run. */
  readonly hosts: number;
  readonly objects: HostObjects;
  readonly monitor: VerbsMonitor;
  readonly allows: CapabilityChecks;
}

export class AddressHandles {
  readonly #parts: AddressHandlesParts;

  constructor(parts: AddressHandlesParts) {
    this.#parts = parts;
  }

  create(pd: Pd, remoteHost: number, request: AhRequest): Ah {
    const { host, hosts, objects, monitor, allows } = this.#parts;
    const where = `host ${host}`;
    objects.checkPd(pd);
    checkRemoteHost(where, 'remoteHost of an address handle', remoteHost, host, hosts);
    const { gidIndex, ...path } = ahPath(where, request);
    allows.addressHandle(path.ipv6);
    const ah = new Ah(objects.ahs.length, pd, remoteHost, path, gidIndex);
    objects.ahs.push(ah);
    pd.users++;
    monitor.tell('ahMade', { host, index: ah.index, remoteHost, path, pd: pd.pdn });
    return ah;
  }

  query(ah: Ah): AhAttributes {
    this.#parts.objects.checkAh(ah);
    const { remoteHost, gidIndex, path } = ah;
    const { ipv6, trafficClass, flowLabel, hopLimit } = path;
    return { remoteHost, ipv6, gidIndex, trafficClass, flowLabel, hopLimit };
  }

  destroy(ah: Ah): void {
    const { objects, monitor } = this.#parts;
    objects.checkAh(ah);
    ah.alive = false;
    ah.pd.users--;
    monitor.tell('ahGone', ah.host, ah.index);
  }
}

/** The fault rules of the PCIe ports of an environment: made for the first rule, so that a run without any pays nothing. */

import type { AccessPlace, PlaceFinder } from '../../agents/pcie/faults/place/accessPlace.ts';
import type { FailedAccess } from '../../agents/pcie/faults/failedAccess.ts';
import type { PcieFaultPlan } from '../../agents/pcie/faults/pcieFaultPlan.ts';
import { PcieInjector } from '../../agents/pcie/faults/pcieInjector.ts';
import type { ActivePcieRule } from '../../agents/pcie/faults/play/activePcieRule.ts';
import type { SourcedPcieRule } from '../../agents/pcie/faults/rule/pcieRule.ts';
import type { FastStream } from '../../uvm/random/randomStream.ts';
import type { HostEnv } from '../hostEnv.ts';
import type { AddressMap } from '../memory/addressMap.ts';
import type { NicKind } from '../nicKind.ts';

/** What they work with. */
export interface PcieFaultParts {
  readonly plan: PcieFaultPlan;
  readonly kindOf: (host: number) => Pick<NicKind, 'places'>;
  readonly hosts: readonly HostEnv[];
  readonly scheduler: { readonly now: number };
  readonly random: (purpose: string, ordinal: number) => FastStream;
  /** Told of each request that does not end as it should. */
  readonly failed: (access: FailedAccess) => void;
}

export class PcieFaults {
  readonly #parts: PcieFaultParts;
  #injector: PcieInjector | null = null;

  constructor(parts: PcieFaultParts) {
    this.#parts = parts;
    if (parts.plan.rules.length > 0) this.#ensure();
  }

  /** What plays the rules; null as long as there is none. */
  get injector(): PcieInjector | null {
    return this.#injector;
  }

  /** From now on a rule acts, after all others. */
  add(rule: SourcedPcieRule): ActivePcieRule {
    return this.#ensure().add(rule);
  }

  #ensure(): PcieInjector {
    if (this.#injector !== null) return this.#injector;
    const { plan, kindOf, hosts, scheduler, random, failed } = this.#parts;
    const finders = hosts.map(({ host, map, verbs }): PlaceFinder => {
      const { find } = placeFinder(kindOf(host), map);
      const { provider } = verbs;
      return { find, held: (hi, lo, length) => provider.heldBy?.(hi, lo, length) };
    });
    const injector = new PcieInjector({
      plan,
      scheduler,
      random,
      finderOf: (host) => finders[host] as PlaceFinder,
    });
    injector.failures.connect(failed);
    for (const { agent } of hosts) agent.setFaults(injector);
    this.#injector = injector;
    return injector;
  }
}

/** Finds what the addresses of a host hold. Of a kind of NIC that says nothing of its memory: `data` and `other`. */
export function placeFinder(kind: Pick<NicKind, 'places'>, map: AddressMap): PlaceFinder {
  return (
    kind.places?.(map) ?? {
      find: (hi: number, lo: number, _length: number, place: AccessPlace) => {
        place.area = map.isData(hi, lo) ? 'data' : 'other';
      },
    }
  );
}

import { AccessPlace } from '../agents/pcie/faults/place/accessPlace.ts';
import { TLP_KIND } from '../dut-model/nic.ts';
import type { HcaEnv } from '../env/hcaEnv.ts';
import { placeFinder } from '../env/ports/pcieFaults.ts';
import type { TrafficWatcher } from '../sequences/host/trafficWatcher.ts';

/** Lets somebody look on at the ports of all NICs, from now on. */
export function watchTraffic(env: HcaEnv, watcher: TrafficWatcher): void {
  env.link.arrivals.connect(({ host, data, length }) => watcher.arrived(host, data, length));
  env.link.frames.connect(({ host, data, length, time }) => watcher.sent(host, data, length, time));
  const place = new AccessPlace();
  for (const { host, agent, map } of env.hostEnvs) {
    const finder = placeFinder(env.settings.kindOf(host), map);
    agent.requests.connect(({ kind, hi, lo, length, interrupt }) => {
      if (interrupt) return;
      place.clear();
      finder.find(hi, lo, length, place);
      watcher.accessed(host, kind === TLP_KIND.memWrite, place.area, length);
    });
  }
}

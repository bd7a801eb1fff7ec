import { TLP_KIND } from '../dut-model/nic.ts';
import type { HcaEnv } from '../env/hcaEnv.ts';
import type { TrafficWatcher } from '../sequences/host/trafficWatcher.ts';

/** Lets somebody look on at the ports of all NICs, from now on. */
export function watchTraffic(env: HcaEnv, watcher: TrafficWatcher): void {
  env.link.arrivals.connect(({ host, data, length }) => watcher.arrived(host, data, length));
  env.link.frames.connect(({ host, data, length, time }) => watcher.sent(host, data, length, time));
  for (const { host, agent } of env.hostEnvs) {
    agent.requests.connect(({ kind, hi, lo, length, interrupt }) => {
      if (!interrupt) watcher.accessed(host, kind === TLP_KIND.memWrite, hi, lo, length);
    });
  }
}

/**
 * A second kind of NIC, for specs: HanGu with limits, profile and layout of its own, and with host software that does
 * something by itself. `+DUT=second` is all that a run needs to know of it.
 */

import type { NicEntry } from '../../../env/nicKind.ts';
import { HANGU_KNOBS, resolveHanguConfig } from '../../../dut-model/hangu/model/hanguConfig.ts';
import { HanguNic } from '../../../dut-model/hangu/model/hanguNic.ts';
import { HANGU_KIND } from '../../../dut-model/hangu/driver/kind/hanguKind.ts';
import { US } from '../../../uvm/kernel/time.ts';
import { MovedPages } from './movedPages.ts';
import { type Watch, WatchingProvider } from './watchingProvider.ts';

const { limits, profile, layout } = HANGU_KIND;

/** @param watches gets what the providers of each run share */
export function secondKind(watches: Watch[] = []): NicEntry {
  return {
    name: 'second',
    description: 'HanGu under another profile, layout and limits',
    faults: [
      { name: 'late_watch', description: 'the software goes on by itself for a long time' },
      { name: 'endless_watch', description: 'the software does not stop its process when the device is closed' },
    ],
    knobs: [
      ...HANGU_KNOBS,
      {
        name: 'WATCH_NS',
        description: 'how often the software looks at its NIC, ns',
        default: 9000,
        lowest: 1,
        highest: 1e9,
      },
    ],
    nic: () => (context, knobs) => new HanguNic(context, resolveHanguConfig(ofNic(knobs))),
    provider: (fault) => {
      const watch: Watch = { looks: [], fault };
      watches.push(watch);
      return (host, knobs) => new WatchingProvider(host, watch, (knobs['watch_ns'] ?? 9000) * 1000);
    },
    limits: { ...limits, maxQps: 12, maxSge: 3, maxInline: 28, maxRegions: 900, maxProcesses: 3, areaBytes: 2 ** 21 },
    profile: { ...profile, reactionTime: 25 * US, readsPerFrame: 11, restTime: 7 * US, framesPerTurn: 600 },
    layout: { map: (key, mode) => new MovedPages(layout.map(key, mode)) },
  };
}

function ofNic(knobs: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(knobs).filter(([name]) => name !== 'watch_ns'));
}

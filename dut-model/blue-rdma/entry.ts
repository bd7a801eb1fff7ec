/** blue-rdma, as the programs know it: what docs/connecting-a-dut.md calls an entry. */
import type { NicEntry } from '../../env/nicKind.ts';
import type { NicKnobs } from '../nic.ts';
import { BLUE_FAULTS } from './bugs/blueFaults.ts';
import { DRIVER_FAULTS } from './bugs/driver/driverFaults.ts';
import { BLUE_KIND, blueProvider } from './driver/kind/blueKind.ts';
import { DRIVER_KNOBS, withoutDriverKnobs } from './driver/kind/driverKnobs.ts';
import { BlueChecks, type BlueHabits } from './judge/blueChecks.ts';
import { ACK_REPORT, BLUE_KNOBS, resolveBlueConfig } from './model/blueConfig.ts';
import { BlueNic } from './model/blueNic.ts';

export const ENTRY: NicEntry = {
  ...BLUE_KIND,
  name: 'blue',
  checks: (env, told, knobsOf) => new BlueChecks('blue', env, env, told, (host) => habitsOf(knobsOf(host))),
  description: 'blue-rdma NIC with its user-space driver, transaction-level model',
  // Those that only the specs can see so far are not offered.
  faults: [...BLUE_FAULTS, ...DRIVER_FAULTS].filter(({ caughtBy }) => caughtBy !== undefined),
  stimulus: 'lists/blue.f',
  knobs: [...BLUE_KNOBS, ...DRIVER_KNOBS],
  nic: (fault) => {
    const planted = BLUE_FAULTS.find(({ name }) => name === fault);
    return (context, knobs) => new BlueNic(context, resolveBlueConfig(withoutDriverKnobs(knobs)), planted?.blocks);
  },
  provider: (fault) => blueProvider(DRIVER_FAULTS.find(({ name }) => name === fault)?.parts),
};

/** What the judge of a blue-rdma NIC has to know of its knobs. */
function habitsOf(knobs: NicKnobs): BlueHabits {
  return { reportsWhenIdle: resolveBlueConfig(withoutDriverKnobs(knobs)).ackReport !== ACK_REPORT.afterLast };
}

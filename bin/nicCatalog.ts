/** The kinds of NIC of this harness by name: the only place outside their own folders that names one. */

import { HANGU_FAULTS } from '../dut-model/hangu/bugs/hanguFaults.ts';
import { HANGU_KNOBS, resolveHanguConfig } from '../dut-model/hangu/model/hanguConfig.ts';
import { HanguNic } from '../dut-model/hangu/model/hanguNic.ts';
import { HANGU_KIND } from '../dut-model/hangu/driver/kind/hanguKind.ts';
import { ACK_REPORT, BLUE_KNOBS, resolveBlueConfig } from '../dut-model/blue-rdma/model/blueConfig.ts';
import type { NicKnobs } from '../dut-model/nic.ts';
import { BlueNic } from '../dut-model/blue-rdma/model/blueNic.ts';
import { BLUE_FAULTS } from '../dut-model/blue-rdma/bugs/blueFaults.ts';
import { DRIVER_FAULTS } from '../dut-model/blue-rdma/bugs/driver/driverFaults.ts';
import { BLUE_KIND, blueProvider } from '../dut-model/blue-rdma/driver/kind/blueKind.ts';
import { DRIVER_KNOBS, withoutDriverKnobs } from '../dut-model/blue-rdma/driver/kind/driverKnobs.ts';
import { BlueChecks, type BlueHabits } from '../dut-model/blue-rdma/judge/blueChecks.ts';
import type { NicEntry } from './nicEntry.ts';

const HANGU: NicEntry = {
  ...HANGU_KIND,
  name: 'hangu',
  description: 'HanGu RNIC, transaction-level model',
  faults: HANGU_FAULTS,
  stimulus: 'lists/mixed.f',
  knobs: HANGU_KNOBS,
  nic: (fault) => {
    const planted = HANGU_FAULTS.find((entry) => entry.name === fault);
    return (context, knobs) => {
      const config = resolveHanguConfig(knobs);
      return planted === undefined ? new HanguNic(context, config) : planted.create(context, config);
    };
  },
};

const BLUE: NicEntry = {
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

/** All models, for `+DUT=`; docs/connecting-a-dut.md says how to add one. */
export const NIC_CATALOG: readonly NicEntry[] = [HANGU, BLUE];

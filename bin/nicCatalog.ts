/** The NIC models of this harness by name: with `bin/registry.ts` the only place that names one. */

import { HANGU_FAULTS } from '../dut-model/faults/hanguFaults.ts';
import { resolveHanguConfig } from '../dut-model/hangu/hanguConfig.ts';
import { HanguNic } from '../dut-model/hangu/hanguNic.ts';
import type { NicBuilder } from '../dut-model/nic.ts';

/** A bug that `+DUT_FAULT=` plants in a model. */
export interface FaultEntry {
  readonly name: string;
  readonly description: string;
}

export interface NicEntry {
  /** Value of `+DUT=`. */
  readonly name: string;
  readonly description: string;
  readonly faults: readonly FaultEntry[];
  /** Builder of the model with the fault planted; '' = the model as it is. */
  builder(fault: string): NicBuilder;
}

/** All models; the first is the default. */
export const NIC_CATALOG: readonly NicEntry[] = [
  {
    name: 'hangu',
    description: 'the HanGu NIC (JingZhao, first generation) as documented',
    faults: HANGU_FAULTS,
    builder: hanguBuilder,
  },
];

function hanguBuilder(fault: string): NicBuilder {
  const planted = HANGU_FAULTS.find((f) => f.name === fault);
  return (context, knobs) => {
    const config = resolveHanguConfig(knobs);
    return planted === undefined ? new HanguNic(context, config) : planted.create(context, config);
  };
}

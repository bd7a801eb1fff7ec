/** The NIC models of this harness by name: the only place outside `dut-model` that names one. */

import { HANGU_FAULTS } from '../dut-model/faults/hanguFaults.ts';
import { resolveHanguConfig } from '../dut-model/hangu/hanguConfig.ts';
import { HanguNic } from '../dut-model/hangu/hanguNic.ts';
import type { NicBuilder, NicKnobs } from '../dut-model/nic.ts';

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
  /** What is wrong with the knobs of `+NIC_<NAME>=`, or undefined. */
  checkKnobs(knobs: NicKnobs): string | undefined;
  /** Builder of the model with the fault planted; '' = the model as it is. */
  builder(fault: string): NicBuilder;
}

const HANGU: NicEntry = {
  name: 'hangu',
  description: 'HanGu RNIC, transaction-level model',
  faults: HANGU_FAULTS,
  checkKnobs: (knobs) => reasonFor(() => resolveHanguConfig(knobs)),
  builder: (fault) => {
    const planted = HANGU_FAULTS.find((entry) => entry.name === fault);
    return (context, knobs) => {
      const config = resolveHanguConfig(knobs);
      return planted === undefined ? new HanguNic(context, config) : planted.create(context, config);
    };
  },
};

/** All models; the first is the default. */
export const NIC_CATALOG: readonly NicEntry[] = [HANGU];

function reasonFor(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

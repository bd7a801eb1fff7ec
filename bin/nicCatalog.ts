/** The NIC models of this harness by name: the only place outside `dut-model` that names one. */

import { HANGU_FAULTS } from '../dut-model/faults/hanguFaults.ts';
import { checkHanguKnob, HANGU_KNOBS, resolveHanguConfig } from '../dut-model/hangu/hanguConfig.ts';
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
  /** Names of its knobs, `<NAME>` of `+NIC_<NAME>=`. */
  readonly knobs: readonly string[];
  /** What values one of them takes, when this is none of them; otherwise undefined. */
  checkKnob(name: string, value: number): string | undefined;
  /** Builder of the model with the fault planted; '' = the model as it is. */
  builder(fault: string): NicBuilder;
}

const HANGU: NicEntry = {
  name: 'hangu',
  description: 'HanGu RNIC, transaction-level model',
  faults: HANGU_FAULTS,
  knobs: HANGU_KNOBS,
  checkKnob: checkHanguKnob,
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

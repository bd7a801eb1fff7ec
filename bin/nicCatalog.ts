/** The kinds of NIC of this harness by name: the only place outside their own folders that names one. */

import { HANGU_FAULTS } from '../dut-model/faults/hanguFaults.ts';
import { HANGU_KNOBS, resolveHanguConfig } from '../dut-model/hangu/hanguConfig.ts';
import { HanguNic } from '../dut-model/hangu/hanguNic.ts';
import { HANGU_KIND } from '../env/providers/hangu/kind/hanguKind.ts';
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

/** All models, for `+DUT=`; docs/connecting-a-dut.md says how to add one. */
export const NIC_CATALOG: readonly NicEntry[] = [HANGU];

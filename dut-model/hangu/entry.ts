/** HanGu, as the programs know it: what docs/connecting-a-dut.md calls an entry. */
import type { NicEntry } from '../../env/nicKind.ts';
import { HANGU_FAULTS } from './bugs/hanguFaults.ts';
import { HANGU_KIND } from './driver/kind/hanguKind.ts';
import { HANGU_KNOBS, resolveHanguConfig } from './model/hanguConfig.ts';
import { HanguNic } from './model/hanguNic.ts';

export const ENTRY: NicEntry = {
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

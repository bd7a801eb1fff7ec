/** Rows of the parameter table: the NIC under test. */
import type { Parameter } from './parameter.ts';

/** See `PARAMETERS`. */
export const DEVICE_PARAMETERS = [
  {
    name: 'DUT',
    group: 'device',
    kind: 'text',
    default: 'hangu',
    doc: 'Which NIC to test, by its name in the registry. Knobs of a model are given as +NIC_<NAME>=<number>.',
  },
  {
    name: 'DRAW_KNOBS',
    group: 'device',
    kind: 'switch',
    default: '1',
    doc: 'In `test_random` and `test_random_verbs`, half of the runs draw knobs of the NIC model, so that its small caches, windows and numbers are tried too. 0 leaves them at their defaults.',
  },
  {
    name: 'DUT_FAULT',
    group: 'device',
    kind: 'text',
    default: '',
    names: 'fault',
    doc: 'Plants this bug in the NIC model, to show that the checks find it.',
  },
] as const satisfies readonly Parameter[];

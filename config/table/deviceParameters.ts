/** Rows of the parameter table: the NIC under test. */
import type { Parameter } from './parameter.ts';

/** See `PARAMETERS`. */
export const DEVICE_PARAMETERS = [
  {
    name: 'DUT',
    group: 'device',
    kind: 'text',
    default: 'hangu',
    doc: 'Which NIC to test, by its name in the registry. A kind for each host, which says how many there are: `+DUT=0:hangu,1:mine`, or `+DUT=hangu,1:mine` where one differs. Knobs of a model are given as `+NIC_<NAME>=<number>`, for the NIC of one host `+NIC_<NAME>=<number>,host=1`.',
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
    doc: 'Plants this bug in the NIC model, to show that the checks find it; in the NIC of one host with `,host=1` behind it.',
  },
  {
    name: 'FIRST_QPN',
    group: 'device',
    kind: 'int',
    min: 0,
    max: 2 ** 24 - 1,
    default: '0',
    doc: 'Number of the first queue pair that host software makes, as far as the NIC has it. 0: as its software usually begins.',
  },
  {
    name: 'FIRST_CQN',
    group: 'device',
    kind: 'int',
    min: 0,
    max: 2 ** 24 - 1,
    default: '0',
    doc: 'The same for completion queues.',
  },
  {
    name: 'FIRST_KEY',
    group: 'device',
    kind: 'int',
    min: 0,
    max: 2 ** 32 - 1,
    default: '0',
    doc: 'The same for keys of memory regions.',
  },
  {
    name: 'FIRST_MTT',
    group: 'device',
    kind: 'int',
    min: 0,
    max: 2 ** 32 - 1,
    default: '0',
    doc: 'The same for entries of the translation table; those before it stay unused.',
  },
] as const satisfies readonly Parameter[];

/** Rows of the parameter table: how memory is registered and laid out. */
import type { Parameter } from './parameter.ts';

/** See `PARAMETERS`. */
export const MEMORY_PARAMETERS = [
  {
    name: 'MR_GRANULARITY',
    group: 'memory',
    kind: 'choice',
    choices: ['auto', 'sg', 'request', 'qp'],
    default: 'auto',
    doc: 'One memory region per scatter/gather entry (as published), per request, or per queue-pair area. `auto`: the finest of these with at most 4096 data regions per host that fits the tables.',
  },
  {
    name: 'DATA_OFFSET',
    group: 'memory',
    kind: 'int',
    min: 0,
    max: 2 ** 32 - 1,
    default: '0',
    unit: 'bytes',
    doc: 'Offset of the data of a queue pair in its areas of 4 GiB. Data beyond the end of an area continue in the next one, whose own data begin later. Addresses then carry into their upper half.',
  },
  {
    name: 'PAGE_SCATTER',
    group: 'memory',
    kind: 'switch',
    default: '1',
    doc: 'Physical pages in random order; 0 = contiguous.',
  },
  {
    name: 'MEM_DOMAIN',
    group: 'memory',
    kind: 'choice',
    choices: ['host', 'card', 'mixed'],
    default: 'host',
    doc: 'Memory for the data of queue pairs: host memory, the card (`+DUT=card`, while there is room), or one of them for each side of a queue pair. Random tests draw it for a NIC with memory on the card.',
  },
] as const satisfies readonly Parameter[];

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
    doc: 'One memory region per scatter/gather entry (as published), per request, or per queue-pair area. `auto`: the finest that keeps the data regions of a host at 4096 or fewer and fits the tables.',
  },
  {
    name: 'DATA_OFFSET',
    group: 'memory',
    kind: 'int',
    min: 0,
    max: 2 ** 32 - 1,
    default: '0',
    unit: 'bytes',
    doc: 'Where the data of a queue pair begin in its areas of 4 GiB. What passes the end of one goes on in the next, whose own data begin later: addresses carry into their upper half.',
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
    doc: 'Where the data of queue pairs lie: in host memory, on the card (`+DUT=card`, as far as there is room), or for each side of a queue pair in one of them. Random tests draw it for a NIC with memory on the card.',
  },
] as const satisfies readonly Parameter[];

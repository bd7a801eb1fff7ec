/** Rows of the parameter table: what is run, written and checked. */
import type { Parameter } from './parameter.ts';
import { DEFAULT_STALL_TIME } from '../env/stallTime.ts';
import { MS } from '../uvm/kernel/time.ts';

/** Picoseconds in 1000 simulated seconds: more than any run, and exactly representable. */
const MAX_TIME = 1e15;

/** See `PARAMETERS`. */
export const RUN_PARAMETERS = [
  {
    name: 'UVM_TEST_SEQ',
    group: 'run',
    kind: 'text',
    default: '',
    names: 'sequence',
    per: { test_sequence: 'ping_pong', test_random_verbs: 'random_verbs' },
    doc: 'User sequence that `test_sequence` and `test_random_verbs` run, by type name.',
  },
  {
    name: 'SEQ_COUNT',
    group: 'run',
    kind: 'int',
    min: 1,
    max: 1_000_000,
    default: '10',
    doc: 'Repetitions, for user sequences that repeat something.',
  },
  {
    name: 'SCENARIO',
    group: 'run',
    kind: 'text',
    default: '',
    doc: 'Plays this explicit scenario file instead of making one.',
  },
  {
    name: 'DUMP_SCENARIO',
    group: 'run',
    kind: 'text',
    default: '',
    doc: 'Writes the scenario of the run to this file, in its explicit form.',
  },
  {
    name: 'TEST_PATH',
    group: 'run',
    kind: 'text',
    default: '',
    names: 'folder',
    doc: 'Finds tests, sequences, components and NIC models in this folder too.',
  },
  {
    name: 'CASEID',
    group: 'run',
    kind: 'text',
    default: '',
    doc: 'Name of the case in logs and records.',
  },
  {
    name: 'PCAP',
    group: 'run',
    kind: 'text',
    default: '',
    doc: 'Captures the link to this file.',
  },
  {
    name: 'CHECKS',
    group: 'run',
    kind: 'switch',
    default: '1',
    doc: '0 switches the scoreboard off: for measuring its price, never for verifying.',
  },
  {
    name: 'TEARDOWN',
    group: 'run',
    kind: 'switch',
    default: '1',
    doc: 'Destroys queue pairs, regions and queues and closes the device at the end.',
  },
  {
    name: 'RESTARTS',
    group: 'run',
    kind: 'int',
    min: 0,
    max: 10_000,
    default: '0',
    doc: 'Times that all is destroyed, CLOSE_HCA given and the system set up anew, to play once more: with other queue pairs and requests in `test_random`, with the same parameters elsewhere. As many as memory holds: what every turn has received stays. Not in `test_sequence`.',
  },
  {
    name: 'SETTLE',
    group: 'run',
    kind: 'time',
    min: 0,
    max: MAX_TIME,
    default: '5us',
    unit: 'time',
    doc: 'Nothing may have moved for this long, and never less than 100 ns, before a batch counts as quiet.',
  },
  {
    name: 'STALL_TIME',
    group: 'run',
    kind: 'time',
    min: 1_000_000,
    max: MAX_TIME,
    default: `${DEFAULT_STALL_TIME / MS}ms`,
    unit: 'time',
    doc: 'A queue pair with work that makes no progress for this long is stuck (`SCB_STUCK`). Time in which others are served does not count. Never less than twice the time of MIN_RNR_TIMER, nor on a link that may lose frames than a sender has to go on trying, nor than 1 ms and the time that 1000 accesses of a NIC to memory and 10 messages take on their way.',
  },
  {
    name: 'SIM_TIMEOUT',
    group: 'run',
    kind: 'time',
    min: 1,
    max: MAX_TIME,
    default: '100s',
    unit: 'time',
    doc: 'Simulated time after which the run is given up.',
  },
] as const satisfies readonly Parameter[];

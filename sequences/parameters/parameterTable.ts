/**
 * Every parameter of a run, in one table: what may be typed on the command line, in which range, what it means and
 * what it is when it is not typed. `resolveParameters` reads it, docs/parameters.md is made from it, and the names
 * in it are the names of the fields in `ParameterValues`. Adding a parameter means adding one row.
 */

/**
 * How the text of a parameter is read. `int`: decimal or 0x hexadecimal. `size`: an int that must be a power of two.
 * `percent`: int 0 .. 100. `switch`: bare, or =0 / =1. `choice`: one of `choices`. `mtu`: bytes or an IBV_MTU name.
 * `psn`: a 24-bit number, `random` or `wrap`. `time`: number with unit (10us, 2ms); resolved to picoseconds.
 * `text`: anything.
 */
export type ParameterKind = 'int' | 'size' | 'percent' | 'switch' | 'choice' | 'mtu' | 'psn' | 'time' | 'text';

/** One row of the table. Defaults are written as they would be typed. */
export interface Parameter {
  readonly name: string;
  /** Other spellings of the same argument. */
  readonly aliases?: readonly string[];
  readonly group: 'topology' | 'work' | 'transport' | 'memory' | 'PCIe and link' | 'device' | 'run';
  readonly kind: ParameterKind;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly string[];
  readonly unit?: string;
  readonly default: string;
  /** Default in a particular test, by test type name. */
  readonly per?: Readonly<Record<string, string>>;
  /** Mandatory in the published table: its default is listed in the log when it is used. */
  readonly published?: true;
  /** `test_random` draws it when it is not given. */
  readonly drawn?: true;
  readonly doc: string;
}

const MAX_PSN = 0xff_ffff;
/** Picoseconds in 1000 simulated seconds: more than any run, and exactly representable. */
const MAX_TIME = 1e15;

export const PARAMETERS = [
  {
    name: 'HOST_NUM',
    aliases: ['HOST_NAME'],
    group: 'topology',
    kind: 'int',
    min: 2,
    max: 8,
    default: '2',
    published: true,
    drawn: true,
    doc: 'Hosts, each with one NIC. Two are joined by a cable, more by a switch.',
  },
  {
    name: 'PROC_NUM',
    aliases: ['PROC_NAME'],
    group: 'topology',
    kind: 'int',
    min: 1,
    max: 2048,
    default: '2',
    published: true,
    drawn: true,
    doc: 'Processes per host; queue pairs are dealt to them in turn. Each has its own protection domain, doorbell page and address space. Process numbers have 11 bits and 0 is the kernel, so that of 2048 one carries no queue pair.',
  },
  {
    name: 'RC_QP_NUM',
    group: 'topology',
    kind: 'int',
    min: 0,
    max: 8192,
    default: '0',
    published: true,
    drawn: true,
    per: { test_smoke: '2', test_sequence: '2' },
    doc: 'RC queue pairs per host. All three together: 1 to 8192, odd totals too. With none of the three given: 2 RC.',
  },
  {
    name: 'UC_QP_NUM',
    group: 'topology',
    kind: 'int',
    min: 0,
    max: 8192,
    default: '0',
    published: true,
    drawn: true,
    per: { test_smoke: '2' },
    doc: 'UC queue pairs per host. UC has no READ: those requests are left out (`UC_SKIPPED`).',
  },
  {
    name: 'UD_QP_NUM',
    group: 'topology',
    kind: 'int',
    min: 0,
    max: 8192,
    default: '0',
    published: true,
    drawn: true,
    per: { test_smoke: '2' },
    doc: 'UD queue pairs per host. UD has SEND only (`UD_SKIPPED`), one packet per message (`UD_CAPPED`).',
  },
  {
    name: 'SHARED_CQ',
    group: 'topology',
    kind: 'int',
    min: 0,
    max: 8192,
    default: '1',
    unit: 'queue pairs',
    drawn: true,
    doc: 'Queue pairs of one process that share a completion queue; 1 = one each, 0 = all of the process.',
  },
  {
    name: 'SPLIT_CQ',
    group: 'topology',
    kind: 'switch',
    default: '0',
    drawn: true,
    doc: 'Separate completion queues for sends and receives.',
  },
  {
    name: 'ONE_SIDE_LAUNCH',
    group: 'topology',
    kind: 'switch',
    default: '0',
    drawn: true,
    doc: 'Only host 0 posts send-queue work; the others respond.',
  },
  {
    name: 'DB_NUM',
    group: 'work',
    kind: 'int',
    min: 0,
    max: 10,
    default: '1',
    published: true,
    drawn: true,
    per: { test_smoke: '2' },
    doc: 'Doorbells per queue pair. All work of one doorbell index is one batch, and batches follow each other.',
  },
  {
    name: 'WRITE_WQE_NUM',
    group: 'work',
    kind: 'int',
    min: 0,
    max: 30,
    default: '0',
    published: true,
    drawn: true,
    per: { test_smoke: '1' },
    doc: 'RDMA WRITE requests per doorbell. WRITE + READ + SEND may be 30 at most.',
  },
  {
    name: 'READ_WQE_NUM',
    group: 'work',
    kind: 'int',
    min: 0,
    max: 30,
    default: '0',
    published: true,
    drawn: true,
    per: { test_smoke: '1' },
    doc: 'RDMA READ requests per doorbell.',
  },
  {
    name: 'SEND_WQE_NUM',
    group: 'work',
    kind: 'int',
    min: 0,
    max: 30,
    default: '0',
    published: true,
    drawn: true,
    per: { test_smoke: '2' },
    doc: 'SEND requests per doorbell. With none of the three kinds given: 1 SEND.',
  },
  {
    name: 'RECV_WQE_NUM',
    group: 'work',
    kind: 'int',
    min: 0,
    max: 30,
    default: '0',
    published: true,
    doc: 'RECV requests per doorbell: equals SEND_WQE_NUM, which is also its default.',
  },
  {
    name: 'SG_NUM',
    group: 'work',
    kind: 'int',
    min: 1,
    max: 6,
    default: '1',
    published: true,
    drawn: true,
    per: { test_smoke: '2', test_sequence: '6' },
    doc: 'Scatter/gather entries per request; in `test_random` the largest number of them.',
  },
  {
    name: 'DATA_CNT',
    group: 'work',
    kind: 'int',
    min: 0,
    default: '64',
    unit: 'DATA_UNIT',
    published: true,
    drawn: true,
    per: { test_smoke: '1453' },
    doc: 'Data per scatter/gather entry, as much as the 4 GiB source area of a queue pair holds; in `test_random` the largest amount.',
  },
  {
    name: 'DATA_UNIT',
    group: 'work',
    kind: 'choice',
    choices: ['B', 'KB', 'MB', 'GB'],
    default: 'B',
    published: true,
    doc: 'Unit of DATA_CNT, powers of 1024.',
  },
  {
    name: 'IMM',
    group: 'work',
    kind: 'percent',
    default: '0',
    unit: '%',
    drawn: true,
    doc: 'Share of SEND and WRITE requests that carry immediate data. A WRITE with immediate gets a RECV of its own.',
  },
  {
    name: 'CQ_EVENT',
    group: 'work',
    kind: 'switch',
    default: '0',
    drawn: true,
    doc: 'Wait for completions by arming completion queues and taking interrupts, instead of polling.',
  },
  {
    name: 'MTU',
    aliases: ['PMTU'],
    group: 'transport',
    kind: 'mtu',
    min: 256,
    max: 4096,
    default: '4096',
    unit: 'bytes',
    drawn: true,
    doc: 'Path MTU: 256, 512, 1024, 2048 or 4096, or the names IBV_MTU_256 .. IBV_MTU_4096.',
  },
  {
    name: 'PSN',
    group: 'transport',
    kind: 'psn',
    min: 0,
    max: MAX_PSN,
    default: 'random',
    drawn: true,
    doc: 'First packet sequence number of every queue pair: a number, `random` per queue pair, or `wrap` (just below 2^24).',
  },
  {
    name: 'IPV6',
    group: 'transport',
    kind: 'switch',
    default: '0',
    drawn: true,
    doc: 'RoCEv2 over IPv6 instead of IPv4.',
  },
  {
    name: 'ACK_TIMEOUT',
    group: 'transport',
    kind: 'int',
    min: 0,
    max: 31,
    default: '14',
    unit: '4.096 us * 2^n',
    doc: 'Local ACK time-out code of RC queue pairs; 0 = never.',
  },
  {
    name: 'RETRY_CNT',
    group: 'transport',
    kind: 'int',
    min: 0,
    max: 7,
    default: '7',
    doc: 'Retries after a lost packet before RETRY_EXC_ERR.',
  },
  {
    name: 'RNR_RETRY',
    group: 'transport',
    kind: 'int',
    min: 0,
    max: 7,
    default: '7',
    doc: 'Retries after receiver-not-ready; 7 = for ever.',
  },
  {
    name: 'MIN_RNR_TIMER',
    group: 'transport',
    kind: 'int',
    min: 0,
    max: 31,
    default: '1',
    doc: 'Code of the time a requester is told to wait when no RECV is posted.',
  },
  {
    name: 'MAX_RD_ATOMIC',
    group: 'transport',
    kind: 'int',
    min: 1,
    max: 16,
    default: '16',
    drawn: true,
    doc: 'READs that a queue pair may have outstanding, each way.',
  },
  {
    name: 'MR_GRANULARITY',
    group: 'memory',
    kind: 'choice',
    choices: ['auto', 'sg', 'request', 'qp'],
    default: 'auto',
    drawn: true,
    doc: 'One memory region per scatter/gather entry (as published), per request, or per queue-pair area. `auto`: the finest that keeps the data regions of a host at 4096 or fewer and fits the tables.',
  },
  {
    name: 'PAGE_SCATTER',
    group: 'memory',
    kind: 'switch',
    default: '1',
    drawn: true,
    doc: 'Physical pages in random order; 0 = contiguous.',
  },
  {
    name: 'PCIE_MPS',
    group: 'PCIe and link',
    kind: 'size',
    min: 128,
    max: 4096,
    default: '4096',
    unit: 'bytes',
    drawn: true,
    doc: 'Maximum payload of a PCIe write.',
  },
  {
    name: 'PCIE_MRRS',
    group: 'PCIe and link',
    kind: 'size',
    min: 128,
    max: 4096,
    default: '4096',
    unit: 'bytes',
    drawn: true,
    doc: 'Maximum size of a PCIe read request.',
  },
  {
    name: 'PCIE_RCB',
    group: 'PCIe and link',
    kind: 'size',
    min: 64,
    max: 128,
    default: '64',
    unit: 'bytes',
    drawn: true,
    doc: 'Read completion boundary: where an answer may be split.',
  },
  {
    name: 'PCIE_CPL_SPLIT',
    group: 'PCIe and link',
    kind: 'percent',
    default: '0',
    unit: '%',
    drawn: true,
    doc: 'Share of reads that are answered in several parts.',
  },
  {
    name: 'PCIE_CPL_REORDER',
    group: 'PCIe and link',
    kind: 'percent',
    default: '0',
    unit: '%',
    drawn: true,
    doc: 'Share of reads that are answered late, so that other tags overtake them.',
  },
  {
    name: 'PCIE_TAGS',
    group: 'PCIe and link',
    kind: 'int',
    min: 1,
    max: 1024,
    default: '256',
    drawn: true,
    doc: 'Reads that the NIC may have outstanding.',
  },
  {
    name: 'PCIE_GBPS',
    group: 'PCIe and link',
    kind: 'int',
    min: 1,
    max: 10_000,
    default: '128',
    unit: 'Gb/s',
    doc: 'PCIe rate in each direction.',
  },
  {
    name: 'PCIE_UP_NS',
    group: 'PCIe and link',
    kind: 'int',
    min: 0,
    max: 1_000_000,
    default: '200',
    unit: 'ns',
    doc: 'Time of a transaction from the NIC to host memory.',
  },
  {
    name: 'PCIE_DOWN_NS',
    group: 'PCIe and link',
    kind: 'int',
    min: 0,
    max: 1_000_000,
    default: '200',
    unit: 'ns',
    doc: 'Time of a transaction from the host to the NIC.',
  },
  {
    name: 'PCIE_MEMORY_NS',
    group: 'PCIe and link',
    kind: 'int',
    min: 0,
    max: 1_000_000,
    default: '0',
    unit: 'ns',
    doc: 'Time from the arrival of a read to its data.',
  },
  {
    name: 'LINK_GBPS',
    group: 'PCIe and link',
    kind: 'int',
    min: 1,
    max: 10_000,
    default: '100',
    unit: 'Gb/s',
    drawn: true,
    doc: 'Ethernet rate.',
  },
  {
    name: 'LINK_LATENCY_NS',
    group: 'PCIe and link',
    kind: 'int',
    min: 0,
    max: 10_000_000,
    default: '500',
    unit: 'ns',
    drawn: true,
    doc: 'Time of flight of a frame.',
  },
  {
    name: 'DUT',
    group: 'device',
    kind: 'text',
    default: 'hangu',
    doc: 'Which NIC to test, by its name in the registry. Knobs of a model are given as +NIC_<NAME>=<number>.',
  },
  {
    name: 'DUT_FAULT',
    group: 'device',
    kind: 'text',
    default: '',
    doc: 'Plants this bug in the NIC model, to show that the checks find it.',
  },
  {
    name: 'UVM_TEST_SEQ',
    group: 'run',
    kind: 'text',
    default: '',
    per: { test_sequence: 'ping_pong' },
    doc: 'User sequence that `test_sequence` runs, by type name.',
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
    name: 'SETTLE',
    group: 'run',
    kind: 'time',
    min: 0,
    max: MAX_TIME,
    default: '5us',
    unit: 'time',
    doc: 'Nothing may have moved for this long before a batch counts as quiet.',
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

type Row = (typeof PARAMETERS)[number];
type ValueOf<R extends Row> = R['kind'] extends 'int' | 'size' | 'percent' | 'mtu' | 'time'
  ? number
  : R['kind'] extends 'switch'
    ? boolean
    : string;

/** Names of the parameters. */
export type ParameterName = Row['name'];
/** Resolved values, all set. Times are in picoseconds, `DATA_CNT` in `DATA_UNIT`, `PSN` is text. */
export type ParameterValues = { readonly [R in Row as R['name']]: ValueOf<R> };

/** Prefix of knobs that are passed to the NIC model unread. */
export const NIC_KNOB_PREFIX = 'NIC_';

/** The row of a name or alias. */
export function findParameter(name: string): Parameter | undefined {
  return PARAMETERS.find((p: Parameter) => p.name === name || p.aliases?.includes(name));
}

/** Default of a parameter in a test, as it would be typed. */
export function defaultOf(parameter: Parameter, testName: string): string {
  return parameter.per?.[testName] ?? parameter.default;
}

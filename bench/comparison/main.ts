/**
 * Compares what NICs deliver of WRITEs on one queue pair: selective retransmission and go-back-N of a blue-rdma NIC (its driver
 * decides, `+NIC_RESEND`), and a HanGu NIC. Over frame loss, at two round trips; over message size; over the reaction time of
 * the driver and the size of its chunks; and what a message costs on PCIe besides its payload. Prints tables, and writes a CSV
 * file and a plot of each.
 *
 *   npm run compare -- [<folder> [<figure>...]]     default docs/comparison, all figures; exit code 3 when a run has no figure
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plotOf, type Series } from './plot.ts';

interface Contender {
  readonly name: string;
  readonly args: readonly string[];
}

/** Reports after the last packet of each message: a stream without a pause is acknowledged while it lasts. */
const BLUE = ['+DUT=blue', '+NIC_ACK_REPORT=1'];
const SELECTIVE: Contender = { name: 'blue, selective', args: [...BLUE, '+NIC_RESEND=0'] };
const CONTENDERS: readonly Contender[] = [
  SELECTIVE,
  { name: 'blue, go-back-N', args: [...BLUE, '+NIC_RESEND=2'] },
  { name: 'hangu', args: ['+DUT=hangu'] },
];
const BOTH: readonly Contender[] = CONTENDERS.filter(({ name }) => name !== 'blue, go-back-N');
/** One queue pair, one direction. */
const COMMON = [
  '+UVM_TESTNAME=test_direct_param',
  ...['+HOST_NUM=2', '+PROC_NUM=1', '+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+ONE_SIDE_LAUNCH=1'],
  ...['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+READ_WQE_NUM=0', '+SG_NUM=1', '+MTU=4096'],
  ...[
    '+RETRY_CNT=7',
    '+ACK_TIMEOUT=6',
    '+STALL_TIME=1s',
    '+UVM_VERBOSITY=UVM_HIGH',
    '--seed',
    '1',
    '--out',
    'out/compare',
  ],
];
/** One burst of 8 MiB. */
const STREAM = ['+WRITE_WQE_NUM=8', '+DATA_CNT=1048576', '+DB_NUM=1'];
const RATE = 'goodput, Gb/s';

interface Figure {
  readonly name: string;
  readonly x: string;
  readonly y: string;
  readonly log: boolean;
  readonly contenders: readonly Contender[];
  readonly points: readonly number[];
  readonly value: (contender: Contender, point: number) => number | null;
}

const LOSSES = [0, 0.1, 0.5, 1, 2, 5];
const lossAt = (latency: number, name: string, x: string, points = LOSSES): Figure => ({
  ...{ name, x, y: RATE, log: false, contenders: CONTENDERS, points },
  value: ({ args }, loss) =>
    goodput([...args, ...STREAM, `+LINK_LATENCY_NS=${latency}`, ...(loss === 0 ? [] : [`+LOSS_PCT=${loss}`])]),
});

const FIGURES: readonly Figure[] = [
  lossAt(1000, 'loss', 'loss, %, at a round trip of 2 us'),
  lossAt(25_000, 'loss-far', 'loss, %, at a round trip of 50 us', [0, 0.1, 1, 5]),
  {
    ...{ name: 'size', x: 'bytes of a message', y: RATE, log: true, contenders: CONTENDERS },
    points: [256, 1024, 4096, 16_384, 65_536],
    value: ({ args }, size) => goodput([...args, '+WRITE_WQE_NUM=30', '+DB_NUM=1', `+DATA_CNT=${size}`]),
  },
  {
    ...{ name: 'size-lossy', x: 'bytes of a message, at a loss of 1 %', y: RATE, log: true, contenders: CONTENDERS },
    points: [256, 1024, 4096, 16_384, 65_536],
    value: ({ args }, size) => goodput([...args, '+WRITE_WQE_NUM=30', '+DB_NUM=1', `+DATA_CNT=${size}`, '+LOSS_PCT=1']),
  },
  {
    ...{ name: 'reaction', x: 'reaction time of a worker of the driver, ns', y: RATE, log: true },
    contenders: [
      { name: 'messages of 4 KiB', args: ['+DATA_CNT=4096'] },
      { name: 'messages of 64 KiB', args: ['+DATA_CNT=65536'] },
      { name: 'messages of 64 KiB, loss of 1 %', args: ['+DATA_CNT=65536', '+LOSS_PCT=1'] },
    ],
    points: [100, 1000, 3000, 10_000, 30_000],
    value: ({ args }, time) =>
      goodput([...SELECTIVE.args, ...args, '+WRITE_WQE_NUM=30', '+DB_NUM=2', `+NIC_REACTION_NS=${time}`]),
  },
  {
    ...{ name: 'chunk', x: 'bytes of a chunk', y: RATE, log: true },
    contenders: [
      { name: 'no loss', args: [] },
      { name: 'loss of 1 %', args: ['+LOSS_PCT=1'] },
    ],
    points: [4096, 8192, 16_384, 32_768, 65_536],
    value: ({ args }, bytes) => goodput([...SELECTIVE.args, ...args, ...STREAM, `+NIC_CHUNK_BYTES=${bytes}`]),
  },
  {
    ...{ name: 'pcie-size', x: 'bytes of a message', y: 'bytes on PCIe besides payload, a message', log: true },
    contenders: BOTH,
    points: [256, 4096, 65_536],
    value: ({ args }, size) => beside([...args, `+DATA_CNT=${size}`], size),
  },
  {
    ...{ name: 'pcie-chunk', x: 'bytes of a chunk', y: 'bytes on PCIe besides payload, 256 KiB', log: true },
    contenders: [SELECTIVE],
    points: [4096, 16_384, 65_536],
    value: ({ args }, bytes) => beside([...args, '+DATA_CNT=262144', `+NIC_CHUNK_BYTES=${bytes}`], 262_144),
  },
];

const PROGRAM = './hca_test';
const [folder = 'docs/comparison', ...wanted] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
let incomplete = false;
for (const figure of FIGURES) {
  if (wanted.length > 0 && !wanted.includes(figure.name)) continue;
  const series = measured(figure);
  writeFileSync(join(folder, `${figure.name}.csv`), csvOf(series));
  writeFileSync(join(folder, `${figure.name}.svg`), plotOf(series, figure.y, figure.log));
  process.stdout.write(`${figure.name}\n\n${tableOf(series, figure.y)}\n\n`);
  incomplete ||= series.lines.some(({ y }) => y.includes(null));
}
process.exitCode = incomplete ? 3 : 0;

function measured({ x, points, contenders, value }: Figure): Series {
  const lines = contenders.map((one) => ({ name: one.name, y: points.map((point) => value(one, point)) }));
  return { x, points, lines };
}

/** What a run prints; null of one that has not passed. */
function output(args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(PROGRAM, [...COMMON, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? stdout : null;
}

/** Payload in the simulated time of its traffic, Gb/s; null of a run that has not passed. */
function goodput(args: readonly string[]): number | null {
  const found = /simulated bandwidth of all hosts ([\d.]+) Gb\/s/.exec(output(args) ?? '');
  return found === null ? null : Number(found[1]);
}

const FEW = 1;
const MANY = 2;
const BURST = 16;

/**
 * Bytes that cross PCIe of both hosts for a message, but its payload, which is read once and written once: descriptors,
 * reports, contexts, and four bytes for each access of a register. What two runs of different length differ by.
 */
function beside(args: readonly string[], payload: number): number | null {
  const [few, many] = [FEW, MANY].map((bursts) => {
    const text = output([...args, `+WRITE_WQE_NUM=${BURST}`, `+DB_NUM=${bursts}`]);
    return text === null ? null : pcieBytes(text);
  });
  if (typeof few !== 'number' || typeof many !== 'number') return null;
  return (many - few) / ((MANY - FEW) * BURST) - 2 * payload;
}

function pcieBytes(text: string): number {
  let bytes = 0;
  const line = /\[PCIE_STATS\] \d+ writes \((\d+) B[^)]*\), \d+ reads \((\d+) B[^)]*\).*?(\d+)\/(\d+) BAR/g;
  for (const found of text.matchAll(line)) {
    const [written = 0, read = 0, barWrites = 0, barReads = 0] = found.slice(1).map(Number);
    bytes += written + read + 4 * (barWrites + barReads);
  }
  return bytes;
}

function csvOf({ x, points, lines }: Series): string {
  const head = [x, ...lines.map(({ name }) => name)].map((text) => `"${text}"`).join(',');
  return `${[head, ...points.map((point, i) => [point, ...lines.map(({ y }) => y[i] ?? '')].join(','))].join('\n')}\n`;
}

function tableOf({ x, points, lines }: Series, y: string): string {
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const rows = points.map((point, i) => row([point, ...lines.map((line) => line.y[i]?.toFixed(1) ?? 'no figure')]));
  const head = row([`${x}: ${y}`, ...lines.map(({ name }) => name)]);
  return [head, `|${[x, ...lines].map(() => '---').join('|')}|`, ...rows].join('\n');
}

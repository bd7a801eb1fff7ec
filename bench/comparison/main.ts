/**
 * Compares what NICs deliver of WRITEs on one queue pair, over frame loss and over message size: selective retransmission
 * and go-back-N of a blue-rdma NIC (its driver decides, `+NIC_RESEND`), and a HanGu NIC. Writes a table, a CSV file and a plot.
 *
 *   npm run compare -- [<folder>]        default docs/comparison; exit code 3 when a run has no figure
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plotOf, type Series } from './plot.ts';

interface Contender {
  readonly name: string;
  readonly args: readonly string[];
}

const CONTENDERS: readonly Contender[] = [
  { name: 'blue, selective', args: ['+DUT=blue', '+NIC_RESEND=0', '+ACK_TIMEOUT=6'] },
  { name: 'blue, go-back-N', args: ['+DUT=blue', '+NIC_RESEND=2', '+ACK_TIMEOUT=6'] },
  { name: 'hangu', args: ['+DUT=hangu', '+ACK_TIMEOUT=6'] },
];
/** One queue pair, one direction, 30 requests in flight at a time. */
const COMMON = [
  '+UVM_TESTNAME=test_direct_param',
  ...['+HOST_NUM=2', '+PROC_NUM=1', '+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+ONE_SIDE_LAUNCH=1'],
  ...['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+READ_WQE_NUM=0', '+WRITE_WQE_NUM=30', '+SG_NUM=1', '+MTU=4096'],
  ...['+RETRY_CNT=7', '+STALL_TIME=1s'],
  ...['--seed', '1', '--out', 'out/compare'],
];
const LOSSES = [0, 0.1, 0.5, 1, 2, 5];
const SIZES = [256, 1024, 4096, 16_384, 65_536, 262_144];
const LOSS_SIZE = 65_536;

const folder = process.argv[2] ?? 'docs/comparison';
mkdirSync(folder, { recursive: true });
const byLoss = measured('loss, %', LOSSES, (loss) => [
  ...(loss === 0 ? [] : [`+LOSS_PCT=${loss}`]),
  `+DATA_CNT=${LOSS_SIZE}`,
  '+DB_NUM=4',
]);
const bySize = measured('bytes of a message', SIZES, (size) => [`+DATA_CNT=${size}`, '+DB_NUM=4']);
for (const [name, series, log] of [
  ['loss', byLoss, false],
  ['size', bySize, true],
] as const) {
  writeFileSync(join(folder, `${name}.csv`), csvOf(series));
  writeFileSync(join(folder, `${name}.svg`), plotOf(series, 'goodput, Gb/s', log));
  process.stdout.write(`${tableOf(series)}\n`);
}
process.exitCode = [...byLoss.lines, ...bySize.lines].some(({ y }) => y.includes(null)) ? 3 : 0;

function measured(x: string, points: readonly number[], args: (point: number) => readonly string[]): Series {
  const lines = CONTENDERS.map((contender) => ({
    name: contender.name,
    y: points.map((point) => goodput([...COMMON, ...contender.args, ...args(point)])),
  }));
  return { x, points, lines };
}

const PROGRAM = './hca_test';

/** Payload in the simulated time of its traffic, Gb/s; null of a run that has not passed. */
function goodput(args: readonly string[]): number | null {
  const { status, stdout } = spawnSync(PROGRAM, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const found = /simulated bandwidth of all hosts ([\d.]+) Gb\/s/.exec(stdout);
  return status === 0 && found !== null ? Number(found[1]) : null;
}

function csvOf({ x, points, lines }: Series): string {
  const head = [x, ...lines.map(({ name }) => name)].map((text) => `"${text}"`).join(',');
  return `${[head, ...points.map((point, i) => [point, ...lines.map(({ y }) => y[i] ?? '')].join(','))].join('\n')}\n`;
}

function tableOf({ x, points, lines }: Series): string {
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const head = [x, ...lines.map(({ name }) => `${name}, Gb/s`)];
  const rows = points.map((point, i) => row([point, ...lines.map(({ y }) => y[i]?.toFixed(2) ?? 'no figure')]));
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows].join('\n');
}

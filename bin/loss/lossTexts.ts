/** Runs under loss as a table for people and as CSV. */

import type { LossRow } from './lossRow.ts';

const CSV_HEAD =
  'message_bytes,mtu,loss_percent,seed,frames_lost,goodput_gbps,packets_sent_again,recovery_median_us,recovery_worst_us,problem';

/** With a line of names, and a final newline. */
export function lossCsv(rows: readonly LossRow[]): string {
  const lines = rows.map((row) =>
    [
      row.messageBytes,
      row.mtu,
      row.lossPercent,
      row.seed,
      row.lost,
      row.goodput.toFixed(3),
      row.sentAgain,
      row.recoveryMedian.toFixed(3),
      row.recoveryWorst.toFixed(3),
      row.problem,
    ].join(','),
  );
  return `${[CSV_HEAD, ...lines].join('\n')}\n`;
}

/** Markdown: a row for each message size and MTU, a column for each share of loss, goodput and recovery in each cell. */
export function lossTable(rows: readonly LossRow[]): string[] {
  const shares = [...new Set(rows.map(({ lossPercent }) => lossPercent))].sort((a, b) => a - b);
  const kinds = [...new Set(rows.map(kindOf))];
  const head = ['message', 'MTU', ...shares.map((share) => `${share} %`)];
  const lines = kinds.map((kind) => {
    const own = rows.filter((row) => kindOf(row) === kind);
    const { messageBytes, mtu } = own[0] as LossRow;
    return [sizeText(messageBytes), String(mtu), ...shares.map((share) => cellOf(own, share))];
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

/** Means over the seeds: goodput in Gb/s, and the median of recovery in us where something was lost. */
function cellOf(rows: readonly LossRow[], share: number): string {
  const meant = rows.filter(({ lossPercent }) => lossPercent === share);
  if (meant.length === 0) return '';
  const problem = meant.find((row) => row.problem !== '');
  if (problem !== undefined) return problem.problem;
  const goodput = meanOf(meant.map((row) => row.goodput));
  const recoveries = meant.filter(({ recoveryMedian }) => recoveryMedian > 0).map((row) => row.recoveryMedian);
  const rate = goodput >= 10 ? goodput.toFixed(1) : goodput.toFixed(2);
  return recoveries.length === 0 ? rate : `${rate}, ${timeText(meanOf(recoveries))}`;
}

function kindOf({ messageBytes, mtu }: LossRow): string {
  return `${messageBytes} ${mtu}`;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function timeText(us: number): string {
  return us >= 10 ? `${Math.round(us)} us` : `${us.toFixed(1)} us`;
}

function sizeText(bytes: number): string {
  if (bytes % 2 ** 20 === 0) return `${bytes / 2 ** 20} MB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KB` : `${bytes} B`;
}

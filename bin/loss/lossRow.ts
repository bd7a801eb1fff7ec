/** What a run under loss has measured, read from its record. */

import type { RunRecord } from '../../regress/runRecord.ts';

/** One run: a row of the table. Times in us of simulated time, rates in Gb/s. */
export interface LossRow {
  readonly messageBytes: number;
  readonly mtu: number;
  readonly lossPercent: number;
  readonly seed: number;
  /** Frames that were lost. */
  readonly lost: number;
  /** Payload of all messages over the time that they took. */
  readonly goodput: number;
  /** Packets that were sent again. */
  readonly sentAgain: number;
  /** From a packet that was lost until it is acknowledged; 0 where none was. */
  readonly recoveryMedian: number;
  readonly recoveryWorst: number;
  /** '' for a run that passed. */
  readonly problem: string;
}

const PS_PER_US = 1_000_000;
const BITS = 8;

/** The row of a run. */
export function lossRowOf({ parameters, counts, faults, seed, verdict, signature }: RunRecord): LossRow {
  const hosts = faults?.hosts ?? [];
  const recovered = hosts.filter(({ recovery }) => recovery.count > 0);
  // That of the host with the most of them: the one that sends the data.
  const [most] = recovered.toSorted((a, b) => b.recovery.count - a.recovery.count);
  const busy = counts['busy_ns'] ?? 0;
  return {
    messageBytes: Number(parameters['DATA_CNT']),
    mtu: Number(parameters['MTU']),
    lossPercent: Number(parameters['LOSS_PCT']),
    seed,
    lost: (faults?.rules ?? []).reduce((sum, { fired }) => sum + fired, 0),
    goodput: busy === 0 ? 0 : ((counts['payload_bytes'] ?? 0) * BITS) / busy,
    sentAgain: hosts.reduce((sum, { sentAgain }) => sum + sentAgain, 0),
    recoveryMedian: (most?.recovery.median ?? 0) / PS_PER_US,
    recoveryWorst: Math.max(0, ...recovered.map(({ recovery }) => recovery.worst)) / PS_PER_US,
    problem: verdict === 'passed' ? '' : (signature?.id ?? verdict),
  };
}

/** By message size, MTU and loss. */
export function sorted(rows: readonly LossRow[]): LossRow[] {
  return rows.toSorted(
    (a, b) => a.messageBytes - b.messageBytes || a.mtu - b.mtu || a.lossPercent - b.lossPercent || a.seed - b.seed,
  );
}

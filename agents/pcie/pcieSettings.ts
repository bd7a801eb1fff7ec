import type { PcieSettings } from '../../dut-model/nic.ts';
import { PcieUsageError } from './pcieError.ts';

/** Speed and delays of the host side of a PCIe link. Times in ps. */
export interface PcieTiming {
  /** Bytes of a direction are sent at this rate, Gb/s. Default 128 (256 bit at 500 MHz). */
  readonly rate: number;
  /** Bytes that every packet costs besides its payload. Default 16, one four-dword header. */
  readonly headerBytes: number;
  /** From the NIC to host memory. Default 200 ns. */
  readonly upLatency: number;
  /** From the host to the NIC. Default 200 ns. */
  readonly downLatency: number;
  /** From the arrival of a read to its data. Default 0. */
  readonly memoryLatency: number;
  /** A BAR read without an answer is given up after this time. Default 10 ms. */
  readonly barReadTimeout: number;
}

/** How reads are answered when a test wants it less orderly. All off by default. */
export interface PcieCompletionKnobs {
  /** Probability that an answer is cut at a read completion boundary where it need not be, at each part. */
  readonly splitChance: number;
  /** Probability that a part is held back, so that answers to other tags overtake it. */
  readonly reorderChance: number;
  /** Longest time for which a part is held back, ps. Default 1 us. */
  readonly reorderWindow: number;
}

/** Memory writes into this window are MSI-X messages. Default 0xFEE0_0000, 1 MiB. */
export interface MsixWindow {
  readonly msixHi: number;
  readonly msixLo: number;
  readonly msixLength: number;
}

/** Everything that can be set about one host's PCIe port. */
export interface PcieHostSettings extends PcieSettings, PcieTiming, PcieCompletionKnobs, MsixWindow {
  /**
   * What the bridge of the host adds to the upper half of addresses of its memory: the NIC reaches them there. Messages of the MSI-X window
   * are no memory. Default 0.
   */
  readonly inboundHi: number;
}

/** The settings of an agent that is told nothing: largest packets, no splitting, no reordering. */
export const DEFAULT_PCIE_SETTINGS: PcieHostSettings = {
  maxPayload: 4096,
  maxReadRequest: 4096,
  readCompletionBoundary: 64,
  tags: 1024,
  rate: 128,
  headerBytes: 16,
  upLatency: 200_000,
  downLatency: 200_000,
  memoryLatency: 0,
  barReadTimeout: 10_000_000_000,
  splitChance: 0,
  reorderChance: 0,
  reorderWindow: 1_000_000,
  msixHi: 0,
  msixLo: 0xfee0_0000 | 0,
  msixLength: 0x10_0000,
  inboundHi: 0,
};

/**
 * Fills in defaults and checks every field.
 * @throws PcieUsageError naming the field, its value and the legal values.
 */
export function resolvePcieSettings(given: Partial<PcieHostSettings> = {}): PcieHostSettings {
  const s = { ...DEFAULT_PCIE_SETTINGS, ...given };
  requireSize('maxPayload', s.maxPayload);
  requireSize('maxReadRequest', s.maxReadRequest);
  if (s.readCompletionBoundary !== 64 && s.readCompletionBoundary !== 128) {
    throw new PcieUsageError('readCompletionBoundary', s.readCompletionBoundary, 'use 64 or 128');
  }
  requireInteger('tags', s.tags, 1, 1024);
  requireInteger('headerBytes', s.headerBytes, 0, 64);
  for (const name of ['upLatency', 'downLatency', 'memoryLatency', 'barReadTimeout', 'reorderWindow'] as const) {
    requireInteger(name, s[name], 0, Number.MAX_SAFE_INTEGER);
  }
  for (const name of ['splitChance', 'reorderChance'] as const) {
    if (!(s[name] >= 0 && s[name] <= 1)) throw new PcieUsageError(name, s[name], 'use a probability from 0 to 1');
  }
  if (!(s.rate > 0)) throw new PcieUsageError('rate', s.rate, 'use a positive number of Gb/s');
  return s;
}

function requireSize(field: string, value: number): void {
  if (value >= 128 && value <= 4096 && Number.isInteger(Math.log2(value))) return;
  const near = 2 ** Math.min(12, Math.max(7, Math.round(Math.log2(Math.max(1, value || 1)))));
  throw new PcieUsageError(field, value, `use a power of two from 128 to 4096 (nearest: ${near})`);
}

function requireInteger(field: string, value: number, low: number, high: number): void {
  if (Number.isSafeInteger(value) && value >= low && value <= high) return;
  throw new PcieUsageError(field, value, `use a whole number from ${low} to ${high}`);
}

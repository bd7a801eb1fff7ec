/** What the driver of a blue-rdma NIC can be told, and what it says of its NIC. */
import { CHUNK_BYTES } from '../layout/limits.ts';
import type { ProviderCapabilities } from '../../../env/verbs/capabilities.ts';
import type { DriverParts } from './driverParts.ts';
import type { OutOfBandChannel } from './outOfBand.ts';
import type { ResendPolicy } from './tracking/sendTracker.ts';
import type { ReactionTimes } from './worker.ts';

/** Times in ps. */
export interface BlueSettings extends ReactionTimes {
  /** What is sent again when the peer's NIC reports a loss. Default: selective, what is missing. */
  readonly resend: ResendPolicy;
  /**
   * The NIC is told to discard what was received before, before anybody hears of a message (blue-rdma.md 10.3). Default
   * true; without it, as published, a late duplicate may overwrite a buffer that is in use again.
   */
  readonly floor: boolean;
  /**
   * Of time-outs without progress between them every second one sends the last packet only, which has the peer say what it
   * is missing. Default true: a peer whose receive buffer overflows would lose the same packets each time.
   */
  readonly probe: boolean;
  /** Bytes of a chunk at most, a power of two; a packet is never cut. Default 65536. */
  readonly chunkBytes: number;
  /** Classes in place of the usual ones: a faulty driver has another one in some place. */
  readonly parts: Partial<DriverParts>;
  /** Joins the drivers of a run. Default: none, which does for a driver that talks to nobody. */
  readonly channel: OutOfBandChannel | null;
}

export const BLUE_SETTINGS: BlueSettings = {
  reaction: 3_000_000,
  jitter: 0,
  resend: 'selective',
  floor: true,
  probe: true,
  chunkBytes: CHUNK_BYTES,
  parts: {},
  channel: null,
};

export const BLUE_CAPABILITIES: ProviderCapabilities = {
  rc: true,
  uc: false,
  ud: false,
  rdmaRead: true,
  atomics: false,
  inline: false,
  unsignaled: true,
  cqOverflow: false,
  resizeCq: true,
  events: true,
  ipv6: false,
  sqd: false,
  naks: false,
  domains: false,
  raw: true,
  zeroBased: false,
  emptyRegions: false,
  sharedReceives: false,
  queryCq: false,
  queryMr: false,
  cardMemory: false,
  taggedKeys: false,
  memoryWindows: false,
  fastRegistration: false,
};

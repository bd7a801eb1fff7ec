import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Transcript } from '../../uvm/bytes/transcript.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import type { HostMemoryPort } from './hostMemoryPort.ts';
import type { PcieMonitor } from './pcieMonitor.ts';
import type { PcieHostSettings } from './pcieSettings.ts';
import type { PcieWire } from './pcieWire.ts';
import type { TlpPool } from './tlpPool.ts';

/** What the reads and the writes of a port share. */
export interface PcieSlaveSide {
  /** Index of the host, the port number of the transcript. */
  readonly host: number;
  readonly memory: HostMemoryPort;
  readonly settings: PcieHostSettings;
  readonly wire: PcieWire;
  /** Told of every write and completion directly: a call per event is all that it costs. */
  readonly monitor: PcieMonitor;
  readonly scheduler: Scheduler;
  readonly bytes: ByteStore;
  readonly transcript: Transcript;
  /** Where the transactions of the port come from and go back to. */
  readonly pool: TlpPool;
}

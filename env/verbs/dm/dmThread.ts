/**
 * A thread of software that accesses a piece of device memory through the aperture by itself, without the rules of the driver: for tests
 * of windows. As long as it has not ended, the judge lets writes through the NIC change the bytes of the piece.
 */
import type { DataWritten } from '../../../agents/verbs/memoryItems.ts';
import type { VerbsMonitor } from '../../../agents/verbs/verbsMonitor.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { ApertureThread, DeviceMemoryDriver } from '../../providers/deviceMemoryDriver.ts';
import type { Dm } from './dm.ts';

export class DmThread {
  /** Windows of the aperture; 0: it has all bytes, and offsets in it are card addresses. */
  readonly windows: number;
  /** Bytes of a window, and of a sub-window. */
  readonly windowBytes: number;
  /** Bytes of all banks. */
  readonly bytes: number;
  readonly aperture: ApertureThread;
  readonly #monitor: VerbsMonitor;
  readonly #item: DataWritten;

  constructor({ host, process, hi, lo, length }: Dm, driver: DeviceMemoryDriver, monitor: VerbsMonitor) {
    this.windows = driver.windows;
    this.windowBytes = driver.windowBytes;
    this.bytes = driver.bytes;
    this.aperture = driver.thread();
    this.#monitor = monitor;
    this.#item = { host, process, hi, lo, length, throughNic: true };
    monitor.tell('dataWriting', this.#item);
  }

  /** Its writes have reached the card, and the bytes are no longer its own. */
  *end(): Proc<void> {
    yield* this.aperture.errors();
    this.#monitor.tell('dataWritten', this.#item);
  }
}

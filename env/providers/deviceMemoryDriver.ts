/** What a provider with memory on its card does for device memory: `Provider.deviceMemory`. */
import type { Proc } from '../../uvm/kernel/process.ts';

export interface DeviceMemoryDriver {
  /** Windows of the aperture, each with a select of its own; 0: the aperture has all bytes. */
  readonly windows: number;
  /** Bytes of a window, and of a sub-window that it may show. */
  readonly windowBytes: number;
  /** Bytes of the BAR that the aperture is. */
  readonly apertureBytes: number;
  /** Bytes of all banks. */
  readonly bytes: number;
  /** Of these, bytes that handles can have in pages of 4 KiB, and in pages of 2 MiB. */
  readonly handleBytes: number;
  readonly largeBytes: number;
  /**
   * @param pageLog log2 of the bytes of each page
   * @throws HostApiError of kind LIMIT where there is not so much left, ATTRIBUTE for a size that pages have not
   */
  alloc(process: number, length: number, pageLog: number): { readonly hi: number; readonly lo: number };
  /** @param hi, lo as `alloc` has given them */
  free(process: number, hi: number, lo: number): void;
  /**
   * Software writes bytes through the NIC; done when everybody sees them.
   * @param posted called when all writes are on the bus: a doorbell comes behind them
   */
  write(process: number, hi: number, lo: number, data: Uint8Array, posted?: () => void): Proc<void>;
  /** Software reads bytes through the NIC. */
  read(process: number, hi: number, lo: number, length: number): Proc<Uint8Array>;
  /** Software reads bytes at a card address through the NIC, within a line of 64 bytes. */
  readCard(card: number, length: number): Proc<Uint8Array>;
  /** Whether all banks are calibrated. */
  isCalibrated(): Proc<boolean>;
  /** Where on the card an address lies: a byte of all banks. */
  place(process: number, hi: number, lo: number): number;
  /** A thread of software that accesses the aperture by itself, without the rules of the driver. */
  thread(): ApertureThread;
}

/** Bytes that a bank was asked for. */
export interface BankBytes {
  readonly readBytes: number;
  readonly writtenBytes: number;
}

/** Bits of the error register of a card. */
export const CARD_ERROR = { select: 1, uncalibrated: 2, beyond: 4, poisoned: 8 } as const;

/**
 * A thread of software with accesses of its own to the aperture. Writes are posted, in the queue of the thread; reads wait for
 * the writes of the thread before them, and no others.
 */
export interface ApertureThread {
  /** Window `window` shows another sub-window from here on. */
  select(window: number, subWindow: number): void;
  /** @param offset in the aperture: window k begins at k times the bytes of a window */
  write(offset: number, data: Uint8Array): void;
  read(offset: number, length: number): Proc<Uint8Array>;
  /** The sub-window that a window shows. */
  selected(window: number): Proc<number>;
  /** The error register, `CARD_ERROR` bits, which is cleared by that. */
  errors(): Proc<number>;
  /** Calibrates banks anew, by their bits. */
  calibrate(banks: number): void;
  /** Banks that are calibrated, by their bits. */
  calibrated(): Proc<number>;
  /** What the card has counted at each of `banks` banks, bytes modulo 2^32. */
  counters(banks: number): Proc<readonly BankBytes[]>;
}

/**
 * A table of contexts or translation entries as the blocks use it: cached from host memory (`IcmCache`), or on the chip
 * (`ChipTable`).
 *
 * A look-up returns where the entry's line lies in the byte store, or why there is none. Who waits is resumed and looks it up
 * again. Who has noted what a line said asks `again` whether that still holds.
 */
import type { Resumable } from '../../../roce/rxPacket.ts';

/** The line is being fetched; the asker will be resumed. */
export const MISS = -1;
/** The entry lies in a page that is not mapped. */
export const UNMAPPED = -2;
/** Reading the entry from host memory failed. */
export const FAILED = -3;

export interface EntryTable {
  /** Tag and record of the line that the last look-up found; tag -1: none. */
  readonly latest: number;
  readonly latestRecord: number;
  /** Lines that have gone or been altered, modulo 2^32. */
  readonly changes: number;
  /** Byte-store offset of the line that holds entry `index`; or `MISS`, and `asker` is resumed later; or `UNMAPPED` or `FAILED`. */
  lookup(index: number, asker: Resumable): number;
  /** As `lookup`, for an entry that is about to be overwritten whole. */
  allocate(index: number, asker: Resumable): number;
  /** Whether what was noted after a look-up, with `latest`, `latestRecord` and `changes`, still holds; then it is as made again. */
  again(tag: number, record: number, changes: number): boolean;
  /** Marks the line at byte-store offset `at` as changed. */
  touch(at: number): void;
  /** The same by its record, which was found just now. */
  touchRecord(record: number): void;
  /** As `touch` for a line of which others may have noted what it said. */
  alter(at: number): void;
  /** Keeps the line of entry `index` until as many `unpin`s. @returns false when the entry is not there */
  pin(index: number): boolean;
  unpin(index: number): void;
  /** Resumes who waits for a place that was unpinned. Call it when no context is in use. */
  wake(): void;
  /** Whether entry `index` is there. */
  holds(index: number): boolean;
  /** Pages [first, first + count) of the table are taken back by software. */
  flushPages(first: number, count: number): void;
  /** Forgets everything (reset). */
  clear(): void;
}

/** What is known of banks and ports besides their bytes. */

/** Bytes that were moved, for the counters. */
export interface Traffic {
  read: number;
  written: number;
}

/** Which banks can be used. */
export interface Calibration {
  /** From when on all can, ps. */
  readonly until: number;
  isCalibrated(bank: number): boolean;
}

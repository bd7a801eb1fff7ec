/** A piece of device memory, and what part of it a region is: as `ibv_alloc_dm` and `ibv_reg_dm_mr` have them. */

import type { BankBytes } from '../../providers/deviceMemoryDriver.ts';

/** A piece of device memory. */
export class Dm {
  readonly host: number;
  readonly process: number;
  /** Where its process has it; what regions and the harness name it by. */
  readonly hi: number;
  readonly lo: number;
  /** Bytes that were asked for. */
  readonly length: number;
  alive = true;

  constructor(host: number, process: number, hi: number, lo: number, length: number) {
    this.host = host;
    this.process = process;
    this.hi = hi;
    this.lo = lo;
    this.length = length;
  }
}

/** What part of a piece a region is. */
export interface DmRange {
  /** Bytes from its start. Default 0. */
  readonly offset?: number;
  /** Default: all that is left. */
  readonly length?: number;
  /** `ACCESS` bits. */
  readonly access: number;
  /**
   * Named by the address that the aperture has in the process, not by offsets from 0. Refused where the aperture has windows.
   * Default false.
   */
  readonly byAddress?: boolean;
  /** log2 of the bytes that each entry of its translation has: 12 always, more where the piece was taken so. Default: that of the piece. */
  readonly pageLog?: number;
}

/** How a piece of device memory is taken. */
export interface DmOptions {
  /** log2 of the bytes of its pages, each of which lies together on the card: 12, or 21 on a card of 256 MiB or more. Default 12. */
  readonly pageLog?: number;
}

/** How the memory of a card is seen through its aperture. */
export interface DmGeometry {
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
  /** What the chips of each bank were asked for so far, by the back door. */
  readonly traffic: readonly BankBytes[];
}

/**
 * Registers of the card, in BAR 0 behind those of HanGu: 32 bits each, little endian. Data only.
 */
export const CM_BASE = 0x8000;
export const CM_BYTES = 0x200;

/** Offsets from `CM_BASE`. */
export const CM = {
  id: 0x000,
  /** [5:0] log2 of a sub-window, [13:8] log2 of all banks, [19:16] windows, [23:20] banks, [27:24] ports. */
  caps: 0x004,
  /** [1:0] aperture mode, [4] interleaved, [11:8] log2 of a unit. */
  mode: 0x008,
  /** [3:0] banks that are calibrated, a written one calibrates the bank anew; [7:4] ports whose link is up, [8] a select is pending. */
  status: 0x00c,
  /** WIN_SEL of window k at +4k: [5:0] the sub-window that it shows. */
  select: 0x010,
  /** Write one to clear: see `CM_ERROR`. */
  errors: 0x030,
  /** Bytes of bank b, modulo 2^32: read at +8b, written at +8b+4. */
  banks: 0x040,
  /** Frames' bytes of port p, modulo 2^32: received at +8p, sent at +8p+4. */
  ports: 0x080,
  /** GID of port p, four words from the most significant on, at +16p. Software writes them before it opens the device. */
  gids: 0x100,
} as const;

export const CM_ID = 0x434d_0001;
/** Windows at most. */
export const MOST_WINDOWS = 8;
export const APERTURE = { full: 0, window: 1, bridge: 2 } as const;
export const CM_ERROR = { select: 1, uncalibrated: 2, beyond: 4, poisoned: 8 } as const;

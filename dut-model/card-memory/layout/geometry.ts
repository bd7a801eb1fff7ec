/** How the memory of a card is built, by its knobs: what the controllers, software and the chips agree on. */

/** Of the default card: 64 sub-windows of 64 KiB, in four banks. All index bits and ends are hit, and runs stay small. */
export const USUAL_SUB_WINDOW_LOG = 16;
/** Of the real one, 256 MiB: 16 GiB in all. */
export const FULL_SUB_WINDOW_LOG = 28;
export const SUB_WINDOWS = 64;
export const BANKS = 4;
/** log2 of the bytes of a page, and of a large one: what an entry of the translation table stands for. */
export const PAGE_LOG = 12;
export const LARGE_PAGE_LOG = 21;
/** From here on a card has large pages, of a sixteenth of its bytes: eight or more. */
const LARGE_PAGES_FROM = 22;

export interface CardLayout {
  readonly banks: number;
  readonly bankBytes: number;
  /** Bytes of a unit; 0: one bank follows the other. */
  readonly interleave: number;
  readonly subWindowBytes: number;
  /** Windows of the aperture, each of the bytes of a sub-window, with a register that selects it; 0: the aperture has all bytes. */
  readonly windows: number;
  /** Bytes of BAR 2: those of all windows, or of all banks, up to a power of two. */
  readonly apertureBytes: number;
  /** Bytes of all banks. */
  readonly bytes: number;
  /** Bytes on the card of each area of a queue pair, and how many such areas there are: three quarters of all. */
  readonly areaBytes: number;
  readonly areas: number;
  /** Bytes behind those that handles have in pages of 4 KiB; and behind these, in large pages: none on small cards. */
  readonly handleBytes: number;
  readonly largeBytes: number;
}

/** @param interleave bytes of a unit; 0: one bank follows the other. @param windows 0: the aperture has all bytes */
export function cardLayout(subWindowLog: number, interleave: number, windows = 0): CardLayout {
  const subWindowBytes = 2 ** subWindowLog;
  const bytes = SUB_WINDOWS * subWindowBytes;
  const areaBytes = subWindowBytes / 2;
  const areas = (bytes * 3) / 4 / areaBytes;
  const shown = windows === 0 ? bytes : windows * subWindowBytes;
  const largeBytes = subWindowLog < LARGE_PAGES_FROM ? 0 : bytes / 16;
  const apertureBytes = 2 ** Math.ceil(Math.log2(shown));
  return {
    banks: BANKS,
    bankBytes: bytes / BANKS,
    interleave,
    subWindowBytes,
    windows,
    apertureBytes,
    bytes,
    areaBytes,
    areas,
    handleBytes: bytes - areas * areaBytes - largeBytes,
    largeBytes,
  };
}

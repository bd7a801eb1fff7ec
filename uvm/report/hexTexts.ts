/** Numbers as every message writes them, so that a search for one finds it in errors and traces alike. */

/** For example `0x1f`; negative numbers as 32 bits. */
export function hex(value: number): string {
  return `0x${(value < 0 ? value >>> 0 : value).toString(16)}`;
}

/** As `hex`, with at least so many digits. */
export function hexDigits(value: number, digits: number): string {
  return `0x${(value < 0 ? value >>> 0 : value).toString(16).padStart(digits, '0')}`;
}

/** Two halves of 32 bits as one address, for example `0x0002801f_c8dd0000`. */
export function hexAddress(hi: number, lo: number): string {
  return `${hexDigits(hi | 0, 8)}_${hexDigits(lo | 0, 8).slice(2)}`;
}

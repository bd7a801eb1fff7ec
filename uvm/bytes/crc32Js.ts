/** Rows of the look-up table: bytes taken at a time. */
const ROWS = 8;

/** Look-up table of CRC-32 (IEEE 802.3, reflected) for eight bytes at a time: row t holds a byte moved on by t bytes. */
export function crc32Table(): Int32Array {
  const table = new Int32Array(ROWS * 256);
  for (let i = 0; i < 256; i++) {
    let c = i;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    table[i] = c;
  }
  for (let i = 256; i < table.length; i++) {
    const before = table[i - 256] as number;
    table[i] = (before >>> 8) ^ (table[before & 255] as number);
  }
  return table;
}

/** Carries the CRC register `c` (not inverted) over `n` bytes from `at`. */
export function crc32Update(table: Int32Array, c: number, bytes: Uint8Array, at: number, n: number): number {
  let crc = c;
  let p = at;
  const end = at + n;
  for (; end - p >= 8; p += 8) {
    const low = crc ^ word(bytes, p);
    const high = word(bytes, p + 4);
    crc = row(table, 7, low) ^ row(table, 6, low >>> 8) ^ row(table, 5, low >>> 16) ^ row(table, 4, low >>> 24);
    crc ^= row(table, 3, high) ^ row(table, 2, high >>> 8) ^ row(table, 1, high >>> 16) ^ row(table, 0, high >>> 24);
  }
  for (; p < end; p++) crc = (crc >>> 8) ^ row(table, 0, crc ^ (bytes[p] as number));
  return crc;
}

function row(table: Int32Array, t: number, byte: number): number {
  return table[256 * t + (byte & 255)] as number;
}

function word(bytes: Uint8Array, p: number): number {
  const low = (bytes[p] as number) | ((bytes[p + 1] as number) << 8);
  return low | ((bytes[p + 2] as number) << 16) | ((bytes[p + 3] as number) << 24);
}

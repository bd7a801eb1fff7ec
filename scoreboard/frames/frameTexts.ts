/** In what two runs of bytes differ. */

import { hexDigits } from '../../uvm/report/hexTexts.ts';

/** '' where they are the same. */
export function differenceOf(found: Uint8Array, expected: Uint8Array): string {
  const most = Math.min(found.length, expected.length);
  const at = found.subarray(0, most).findIndex((byte, i) => byte !== expected[i]);
  if (at >= 0) {
    const [is, right] = [found[at] as number, expected[at] as number];
    return `byte ${at} is ${hexDigits(is, 2)}, expected ${hexDigits(right, 2)}`;
  }
  return found.length === expected.length ? '' : `${found.length} B, expected ${expected.length}`;
}

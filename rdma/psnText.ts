import { PSN_MASK } from './bth.ts';

/** A packet sequence number as every message writes it: six hexadecimal digits, for example `0x01ec54`. */
export function psnText(psn: number): string {
  return `0x${(psn & PSN_MASK).toString(16).padStart(6, '0')}`;
}

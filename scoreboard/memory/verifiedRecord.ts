/**
 * Records of `VerifiedMap`: two words that say of a range of bytes in a page where its bytes came from.
 *
 * First word, the head: first byte, last byte << 12, upper bits of the source page's number << 24, kind << 30. Then lower
 * bits of the number << 12 with the position in the source page (seeded), the number of the hash, or the first byte
 * (forgotten). Kind and upper bits together are the rule of a record.
 */

import { PAGE_STRIDE_LOG2 } from './dataPages.ts';
import { PAGE_SHIFT } from './scoreboardMemory.ts';

/** Instead of a source page: content unknown but legally written. */
export const FORGOTTEN = -1;
/** Instead of a source page: the value is the number of a hash. */
export const HASHED = -2;

/** Words of a record. */
export const WORDS_LOG2 = 1;
export const WORDS = 1 << WORDS_LOG2;
const POSITION_BITS = 12;
/** Position in a page. */
export const POSITION_MASK = (1 << POSITION_BITS) - 1;
export const LAST_SHIFT = POSITION_BITS;
/** What of a head is rule, kind, and range. */
export const RULE_MASK = ~0xff_ffff;
export const KIND_MASK = 3 << 30;
export const RANGE_MASK = ~RULE_MASK;
export const RULE_FORGOTTEN = 1 << 30;
export const RULE_HASHED = 2 << 30;
/** From the offset of a page to its number's bits above the 20 in the second word, and to those. */
export const UPPER_SHIFT = PAGE_STRIDE_LOG2 + 20;
export const RULE_SHIFT = 24;
export const LOWER_SHIFT = PAGE_SHIFT - PAGE_STRIDE_LOG2;
const UPPER_FIELD = 0x3f;

/** First byte of a record in its page, by its head. */
export function fromOf(head: number): number {
  return head & POSITION_MASK;
}

/** End of a record in its page. */
export function toOf(head: number): number {
  return ((head >>> LAST_SHIFT) & POSITION_MASK) + 1;
}

/** A head with another last byte. */
export function withLast(head: number, last: number): number {
  return (head & ~(POSITION_MASK << LAST_SHIFT)) | (last << LAST_SHIFT);
}

/**
 * True when the record at `at` of `r` ends where the one of `head` and `value` begins and has the same rule. That one is
 * not hashed: hashes have no rule.
 */
export function isCarriedOn(r: Int32Array, at: number, head: number, value: number): boolean {
  const before = r[at] as number;
  return (
    toOf(before) === fromOf(head) &&
    ((before ^ head) & RULE_MASK) === 0 &&
    follows(r[at + 1] as number, fromOf(head) - fromOf(before), value)
  );
}

/** Source page of the record at `at`, `FORGOTTEN` or `HASHED`. */
export function sourceOf(records: Int32Array, at: number): number {
  const head = records[at] as number;
  const kind = head & KIND_MASK;
  if (kind === RULE_FORGOTTEN) return FORGOTTEN;
  if (kind === RULE_HASHED) return HASHED;
  const upper = (head >>> RULE_SHIFT) & UPPER_FIELD;
  return (upper << UPPER_SHIFT) | (((records[at + 1] as number) >>> POSITION_BITS) << PAGE_STRIDE_LOG2);
}

/** True when `value` is what `before` says `distance` bytes further on, in the same source page. */
function follows(before: number, distance: number, value: number): boolean {
  return ((before + distance) | 0) === value && (before ^ value) >>> POSITION_BITS === 0;
}

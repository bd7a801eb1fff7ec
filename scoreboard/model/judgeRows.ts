/** The rows of the judge that have names: rules of the transport, and widenings. */

import { RULE_NAMES } from '../../agents/wire/transportRules.ts';
import { WIDENING_NAMES } from './widenings.ts';

/** Names of all rows. */
export const JUDGE_ROWS: readonly string[] = [...RULE_NAMES, ...WIDENING_NAMES];

/** Names in a text with commas between them. */
export function rowNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** All bugs that can be planted in the card, in the order of `--list-faults`. */
import { APERTURE_FAULTS } from './apertureFaults.ts';
import { BANK_FAULTS } from './bankFaults.ts';
import type { CardFault } from './cardFault.ts';
import { FUNCTION_FAULTS } from './functionFaults.ts';
import { KEY_FAULTS } from './keyFaults.ts';
import { PORT_FAULTS } from './portFaults.ts';
import { TARGET_FAULTS } from './targetFaults.ts';
import { WINDOW_FAULTS } from './windowFaults.ts';

export const CARD_FAULTS: readonly CardFault[] = [
  ...TARGET_FAULTS,
  ...KEY_FAULTS,
  ...BANK_FAULTS,
  ...PORT_FAULTS,
  ...APERTURE_FAULTS,
  ...WINDOW_FAULTS,
  ...FUNCTION_FAULTS,
];

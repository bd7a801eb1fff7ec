/** The index of bins that shipped sequences and lists hit: `coverage/plan/shippedBins.json`, made by `npm run bin-index`. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { whyUnread } from '../../../files/dataError.ts';
import { readStoredJson } from '../../../files/json.ts';
import { CoverageError } from '../../../regress/coverage/coverageError.ts';
import { NO_SHIPPED_BINS, type ShippedBins, shippedBinsSchema } from '../../../regress/coverage/shippedBins.ts';
import { planFolder } from '../planTexts.ts';

const SHIPPED_BINS = 'shippedBins.json';

/** @throws CoverageError where the file is there and cannot be read */
export function readShippedBins(path = join(planFolder(), SHIPPED_BINS)): ShippedBins {
  if (!existsSync(path)) return NO_SHIPPED_BINS;
  try {
    return readStoredJson(path, shippedBinsSchema);
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    throw new CoverageError([`${path}: no index of bins: ${why}; make it anew with npm run bin-index`]);
  }
}

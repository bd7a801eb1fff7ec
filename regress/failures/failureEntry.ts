/** One entry of the failure database: a failure that was shrunk, and whether it has been seen to pass since. */

import { createHash } from 'node:crypto';
import { z } from 'zod';

export const FAILURE_FORMAT = 'rnic-verify failure 1';

/** `open` as long as it fails; `fixed` once it has passed in a regression: from then on it is guarded. */
const STATUSES = ['open', 'fixed'] as const;

export const failureSchema = z.strictObject({
  format: z.literal(FAILURE_FORMAT),
  status: z.enum(STATUSES),
  test: z.string(),
  seed: z.int().min(0).max(0xffff_ffff),
  /** NIC model that it was found with. */
  dut: z.string(),
  /** Report id and text of the first error, without what is different in each run. */
  signature: z.string(),
  /** Folder of tests outside of the project, and a hash over its sources; '' for none. */
  testPath: z.string(),
  testSha256: z.string(),
  /** Arguments of `hca_test` besides the scenario. */
  args: z.array(z.string()),
  /** File beside this one with the shrunk scenario. */
  scenario: z.string(),
});

export type FailureEntry = z.infer<typeof failureSchema>;

/** What tells entries apart. */
export type FailureKey = Pick<FailureEntry, 'test' | 'signature' | 'dut' | 'testSha256'>;

const HASH_DIGITS = 10;

/** Name of an entry: equal keys have equal names wherever they were found, so that folders can be merged. */
export function entryName({ test, signature, dut, testSha256 }: FailureKey): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([test, signature, dut, testSha256]))
    .digest('hex');
  const id = /^\[([^\]]*)\]/.exec(signature)?.[1] ?? 'failure';
  return `${test}-${id}-${hash.slice(0, HASH_DIGITS)}`.replace(/[^\w.-]/g, '_');
}

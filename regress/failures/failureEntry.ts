/** One entry of the failure database: a failure that was shrunk, and whether it has been seen to pass since. */

import { createHash } from 'node:crypto';
import { z } from 'zod';

export const FAILURE_FORMAT = 'rnic-verify failure 1';

/** `open` as long as it fails; `fixed` once it has passed in a regression: from then on it is guarded. */
const STATUSES = ['open', 'fixed'] as const;

/** Letters, digits, "_", "." and "-", as `entryName` makes them; no folder, and no way out of one. */
const ENTRY_FILE = /^\w[\w.-]{0,199}$/;

/** Whether a file without `.json` may be one of an entry: it becomes a part of the id of a run. */
export function isEntryName(name: string): boolean {
  return /^\w[\w.-]{0,179}$/.test(name);
}

export const failureSchema = z.strictObject({
  format: z.literal(FAILURE_FORMAT),
  status: z.enum(STATUSES),
  test: z.string().regex(/^\S+$/, 'expected the name of a test'),
  seed: z.int().min(0).max(0xffff_ffff),
  /** NIC model that it was found with. */
  dut: z.string(),
  /** Report id and text of the first error, without what is different in each run. */
  signature: z.string(),
  /** Folder of tests outside of the project, and a hash over its sources; '' for none. */
  testPath: z.string(),
  testSha256: z.string(),
  /** Arguments of `hca_test` besides the scenario. */
  args: z.array(z.string().regex(/^\+[A-Za-z_]/, 'expected a plusarg: an entry has nothing else among its arguments')),
  /** File beside this one with the shrunk scenario. */
  scenario: z.string().regex(ENTRY_FILE, 'expected the name of a file in the same folder'),
});

export type FailureEntry = z.infer<typeof failureSchema>;

/** What tells entries apart. */
export type FailureKey = Pick<FailureEntry, 'test' | 'signature' | 'dut' | 'testSha256'>;

const HASH_DIGITS = 10;
/** Characters of the test, and of the id, in a name: it is the name of a file. */
const MOST_TEST = 60;

/** Name of an entry: equal keys have equal names wherever they were found, so that folders can be merged. */
export function entryName({ test, signature, dut, testSha256 }: FailureKey): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([test, signature, dut, testSha256]))
    .digest('hex');
  const id = /^\[([^\]]*)\]/.exec(signature)?.[1] ?? 'failure';
  return `${test.slice(0, MOST_TEST)}-${id.slice(0, MOST_TEST)}-${hash.slice(0, HASH_DIGITS)}`.replace(/[^\w.-]/g, '_');
}

/** The form of a file of fault rules. The library is loaded when the first file is read. */

import { createRequire } from 'node:module';
import type { ZodType } from 'zod';

/** A value of a key as it may be written: `3`, `1..3`, `true`, `[ack, nak]`. */
export type FileValue = string | number | boolean | readonly (string | number)[];
/** One rule: its text, or its action with what is said besides. */
export type FileRule = string | Readonly<Record<string, Readonly<Record<string, FileValue>> | FileValue | null>>;

/** What a file holds. */
export interface FaultFileData {
  readonly description?: string | undefined;
  /** Rules of the link, and of PCIe. */
  readonly faults?: readonly FileRule[] | undefined;
  readonly pcie?: readonly FileRule[] | undefined;
  /** Packets that no NIC has sent: texts, or their words. */
  readonly inject?: readonly FileRule[] | undefined;
}

/** Builds the schema of `FaultFileData`. Unknown fields are errors. */
export function faultFileSchema(): ZodType<FaultFileData> {
  const { z } = createRequire(import.meta.url)('zod') as typeof import('zod');
  const word = z.union([z.string(), z.number()]);
  const value = z.union([word, z.boolean(), z.array(word).min(1)]);
  const keys = z.record(z.string(), value).nullable();
  const rules = z.array(z.union([z.string(), z.record(z.string(), keys)]));
  return z.strictObject({
    description: z.string().optional(),
    faults: rules.optional(),
    pcie: rules.optional(),
    inject: z.array(z.union([z.string(), z.record(z.string(), value)])).optional(),
  });
}

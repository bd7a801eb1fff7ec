/** The form of a regression list (YAML). Unknown keys are mistakes; docs/running.md describes each key for users. */

import { z } from 'zod';

/** Characters of a name: ids of runs begin with it, and are names of folders. */
const LONGEST_NAME = 100;
const name = z
  .string()
  .max(LONGEST_NAME)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, 'a name of letters, digits, "_", "." and "-"');
const plusargName = z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a plusarg, without "+"');
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const plusargs = z.record(plusargName, value);

/** A value of a sweep, or several plusargs that change together. */
const step = z.union([value, plusargs]);

const seed = z.union([
  z.int().min(0).max(0xffff_ffff),
  z.string().regex(/^(\d{1,10}|0[xX][0-9a-fA-F]{1,8})$/, 'a 32-bit seed, decimal or 0x hexadecimal'),
]);

const common = {
  /** Test of the entry, for `+UVM_TESTNAME=`. */
  test: z.string().optional(),
  /** `NAME: value` for `+NAME=value`; null for `+NAME`; `= expression` for a value computed from the others. */
  plusargs: plusargs.optional(),
  /** Further flags of `hca_test`. */
  flags: z.array(z.string()).optional(),
  /** Rules that leave combinations out: those for which an expression is true. */
  skip: z.array(z.string()).optional(),
  /** Seeds to run each combination with. */
  seeds: z.array(seed).min(1).optional(),
  /** Number of derived seeds to run each combination with. */
  reseed: z.int().min(1).max(1_000_000).optional(),
  /** Wall-clock limit of a run in seconds. */
  timeout: z.number().positive().optional(),
};

export const entrySchema = z.strictObject({
  name,
  description: z.string().optional(),
  ...common,
  /** Cartesian product, in the order written; the last name changes fastest. */
  sweep: z.record(z.string(), z.array(step).min(1)).optional(),
  /** Of the sweep only combinations by which every two values of two names meet in some run. */
  pairs: z.boolean().optional(),
});

export const listSchema = z.strictObject({
  name: name.optional(),
  description: z.string().optional(),
  defaults: z.strictObject(common).optional(),
  /** Further lists, relative to this file. */
  include: z.array(z.string()).optional(),
  tests: z.array(entrySchema).optional(),
  /** Tables of behaviours (docs/conformance.md), relative to this file. */
  behaviours: z.array(z.string()).optional(),
});

export type ListFile = z.infer<typeof listSchema>;
export type ListEntry = z.infer<typeof entrySchema>;
export type ListDefaults = NonNullable<ListFile['defaults']>;
export type PlusargValue = z.infer<typeof value>;
export type SweepStep = z.infer<typeof step>;

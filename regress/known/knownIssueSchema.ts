/** The form of `known_issues.yaml`. Unknown keys are mistakes. */

import { z } from 'zod';

const text = z.string().min(1).max(500);

export const knownIssueSchema = z.strictObject({
  /** Report id of the finding. */
  id: z.string().regex(/^[A-Za-z]\w{0,99}$/, 'expected a report id, such as SCB_DATA'),
  /**
   * What its text contains, as summaries show it (`#` for numbers), or a pattern of all of it with `*` and `?`.
   * Default: any.
   */
  text: text.optional(),
  /** Kind of NIC: `hangu`. Default: any; in the entry of a kind, that. */
  dut: text.optional(),
  /** Test, by name or pattern. Default: any. */
  test: text.optional(),
  /** Plusargs that the run has, on its command line or from a file of arguments. Default: any. */
  plusargs: z.record(z.string().regex(/^\w+$/), z.union([z.string(), z.number(), z.boolean()])).optional(),
  owner: text,
  /** Where it is looked after. */
  link: text,
  /** When it fails again, UTC: the end of a day, or a moment. */
  until: z.union(
    [z.iso.date(), z.iso.datetime()],
    'expected a day or a moment in UTC: 2026-12-31, 2026-12-31T18:00:00Z',
  ),
  /** May match findings of several signatures. Default false. */
  broad: z.boolean().optional(),
});

export const knownIssuesSchema = z.strictObject({ known_issues: z.array(knownIssueSchema).max(10_000) });

/** An entry as it is written. */
export type KnownIssueData = z.infer<typeof knownIssueSchema>;

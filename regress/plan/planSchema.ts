/** The form of a verification plan (`coverage/plan/*.yaml`). Unknown keys are mistakes. */

import { z } from 'zod';

const STAGES = ['V1', 'V2', 'V3', 'planned'] as const;
export type Stage = (typeof STAGES)[number];

const name = z.string().regex(/^[a-z][a-z0-9_]*$/, 'a name of small letters, digits and "_"');
const names = z.array(z.string().min(1)).min(1);

const testpointSchema = z.strictObject({
  name,
  /** `planned`: what it is about is not built yet; it is not counted. */
  stage: z.enum(STAGES),
  text: z.string().min(1),
  /** Tests, and sequences of `test_sequence`. */
  tests: names.optional(),
  /** Covergroups, or items of them: `request_cg`, `packet_cg.kind`. */
  covergroups: names.optional(),
  /** Report ids of the checks that judge it. */
  checks: names.optional(),
  /** Entries of the checklist. */
  covers: names.optional(),
});

export const planSchema = z.strictObject({
  name,
  /** Entries of a checklist by id, each with its text; testpoints name them under `covers`. */
  checklist: z.record(z.string().regex(/^[A-Z]-\d{3}$/, 'an id such as T-001'), z.string().min(1)).optional(),
  /** Tables of behaviours (`conformance/*.yaml`), from the folder of the plan: their ids are entries of the checklist as well. */
  behaviours: names.optional(),
  testpoints: z.array(testpointSchema).optional(),
});

export type PlanFile = z.infer<typeof planSchema>;
export type TestpointFile = z.infer<typeof testpointSchema>;

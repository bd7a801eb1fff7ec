/** The form of a table of behaviours (`conformance/*.yaml`). Unknown keys are mistakes; docs/conformance.md says what they are for. */

import { z } from 'zod';

const id = z.string().regex(/^[A-Z](-\d{3}|\d{3})$/, 'an id such as T-022 or G117');
const text = z.string().min(1);

/** What behaviours may wait for: nothing that ships can do it yet. A behaviour that can be played has a case. */
const WAITED_FOR = [
  'memory windows',
  'invalidation of keys',
  'SEND with invalidate',
  'regions of no bytes',
  're-registration',
  'shared receive queues',
  'address handles that a NIC checks',
  'windows of the aperture',
  'enumeration of the card',
  'pages of 2 MiB',
  'a case on the card',
  'distribution to several peers',
  'measurements of bandwidth',
] as const;

/** How a run is made. */
const run = {
  /** A sequence of `test_sequence`. */
  sequence: text.optional(),
  /** Any other test. */
  test: text.optional(),
  /** Further words of `hca_test`. */
  with: z.array(text).optional(),
};

const behaviourSchema = z.strictObject({
  id,
  /** What must happen. */
  must: text,
  /** Where it is said, beside the origin of the table. */
  clause: text.optional(),
  /** Type of the queue pairs on which the case that is written out plays, `test_conformance`. */
  on: z.enum(['rc', 'uc', 'ud', 'all']).optional(),
  ...run,
  /** In place of one run: several, all of which must pass. */
  runs: z.array(z.strictObject(run)).min(1).optional(),
  /** The behaviour whose case shows this one too. */
  as: id.optional(),
  /** Why it lies outside of what a harness of NICs can show. */
  outside: text.optional(),
  /** What it waits for: there is no case until a NIC, or the host API, can do that. */
  open: z.enum(WAITED_FOR).optional(),
  /** Field of the profile that says which of several answers a kind of NIC gives. */
  choice: text.optional(),
  /** Planted bug with which the case fails: of the kind of the table, or `blue:<bug>`; `planted:<name>` is one of the case's own. */
  proof: text.optional(),
});

export const tableSchema = z.strictObject({
  /** Name of the table, for reports. */
  name: z.string().regex(/^[a-z][a-z0-9_-]*$/, 'a name of small letters, digits, "_" and "-"'),
  title: text,
  /** Where the behaviours come from. */
  origin: text,
  /** Kind of NIC whose planted bugs prove the cases. */
  dut: text,
  /** The only kind of NIC that it is about. Default: any. */
  only: text.optional(),
  /** It is about NICs whose frames are RoCEv2. Default: any frames. */
  wire: z.literal('rocev2').optional(),
  behaviours: z.array(behaviourSchema).min(1),
});

export type BehaviourRow = z.infer<typeof behaviourSchema>;
export type RunRow = Pick<BehaviourRow, 'sequence' | 'test' | 'with'>;

/** What a project may decide for all that work on it, as rows. docs/running.md describes each of them. */

import { z } from 'zod';

const text = z.string().min(1).max(4096);
const path = text;
const span = z.union(
  [z.number().positive(), z.string().regex(/^\d+(\.\d+)?[smh]?$/)],
  'expected seconds, or a number with s, m or h: 90, 90s, 10m',
);
const whole = (least: number, most: number) => z.int().min(least).max(most);

type Program = 'hca_test' | 'hca_regress';

/** One setting. Its name is that of the flag that counts in its place. */
export interface Setting {
  readonly schema: z.ZodType<string | number | boolean | readonly string[]>;
  readonly of: readonly Program[];
  /** What counts where nobody says anything, in words. */
  readonly unset: string;
  /** Names a file or folder, relative to the file that says it. */
  readonly isPath?: boolean;
  /** The flag says the contrary. */
  readonly flag?: string;
}

const BOTH = ['hca_test', 'hca_regress'] as const;
const REGRESS = ['hca_regress'] as const;

export const SETTINGS = {
  out: { schema: path, of: BOTH, isPath: true, unset: 'out' },
  seed: { schema: z.union([whole(0, 0xffff_ffff), z.literal('random')]), of: BOTH, unset: '1' },
  timeout: { schema: z.number().positive(), of: BOTH, unset: '3600' },
  strict: { schema: z.boolean(), of: BOTH, unset: 'false' },
  quiet: { schema: z.boolean(), of: BOTH, unset: 'false' },
  jobs: { schema: whole(1, 512), of: REGRESS, unset: 'one per processor' },
  'heap-mb': { schema: whole(64, 1_000_000), of: REGRESS, unset: '2048' },
  'sim-timeout': { schema: text, of: REGRESS, unset: 'that of each run' },
  'max-time': { schema: span, of: REGRESS, unset: 'none' },
  'max-failures': { schema: whole(1, 1_000_000), of: REGRESS, unset: 'none' },
  keep: { schema: z.enum(['failures', 'all', 'none']), of: REGRESS, unset: 'failures' },
  cov: { schema: z.boolean(), of: REGRESS, unset: 'false' },
  history: { schema: z.boolean(), of: REGRESS, flag: 'no-history', unset: 'true' },
  known: {
    schema: z.union([path, z.array(path).max(100)]),
    of: REGRESS,
    isPath: true,
    unset: 'known_issues.yaml here and beside lists',
  },
  launcher: { schema: z.enum(['local', 'slurm', 'lsf', 'template', 'bullmq']), of: REGRESS, unset: 'local' },
  chunk: { schema: whole(1, 10_000), of: REGRESS, unset: 'by the number of runs' },
  slots: { schema: whole(1, 100_000), of: REGRESS, unset: 'that of the scheduler' },
  'submit-args': { schema: text, of: REGRESS, unset: 'none' },
  submit: { schema: text, of: REGRESS, unset: 'none' },
  status: { schema: text, of: REGRESS, unset: 'none' },
  cancel: { schema: text, of: REGRESS, unset: 'none' },
  queue: { schema: text, of: REGRESS, unset: 'rnic-verify' },
  'lost-after': { schema: span, of: REGRESS, unset: '2m' },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof SETTINGS;

/** `NAME: value` for `+NAME=value`, null for `+NAME`. */
const defaultPlusargs = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a plusarg, without "+"'),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
);

/** The file. Unknown keys are mistakes. */
export const configSchema = z.strictObject({
  ...Object.fromEntries(Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema.optional()])),
  plusargs: defaultPlusargs.optional(),
});

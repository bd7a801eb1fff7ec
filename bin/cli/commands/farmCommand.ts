/** Where the runs of a regression are played, from the flags of `hca_regress`. */

import type { FlagValues } from '../readFlags.ts';
import { templateMistake } from '../../../regress/farm/schedulers/template.ts';
import { ScriptError, scriptWords } from '../../../regress/script/scriptWords.ts';
import type { QueueAddress } from '../../../regress/farm/schedulers/bullmq.ts';
import { DEFAULT_QUEUE, queueAddress } from '../../farm/queueAddress.ts';
import { didYouMean } from '../../../uvm/cmdline/nearest.ts';
import { wholeOf } from '../flagValues.ts';
import { parseSpan } from '../seconds.ts';

const LAUNCHERS = ['local', 'slurm', 'lsf', 'template', 'bullmq'] as const;
type Launcher = (typeof LAUNCHERS)[number];

/** A farm; what a launcher does not take is not given. */
export interface FarmCommand {
  readonly launcher: Exclude<Launcher, 'local'>;
  /** Runs of a chunk; undefined = by their number. */
  readonly chunk: number | undefined;
  readonly slots: number | undefined;
  readonly words: readonly string[];
  /** Templates; '' for other launchers. */
  readonly submit: string;
  readonly status: string | undefined;
  readonly cancel: string | undefined;
  /** Of bullmq; undefined for other launchers. */
  readonly queue: QueueAddress | undefined;
  readonly lostAfterSeconds: number;
}

const DEFAULT_LOST_SECONDS = 120;
const LEAST_LOST_SECONDS = 5;
const MOST_CHUNK = 10_000;
const MOST_SLOTS = 100_000;

/** Flags of each launcher; all others of this table have no meaning with it. */
const TAKEN: Readonly<Record<Launcher, readonly string[]>> = {
  local: [],
  slurm: ['chunk', 'slots', 'submit-args', 'lost-after'],
  lsf: ['chunk', 'slots', 'submit-args', 'lost-after'],
  template: ['chunk', 'slots', 'submit', 'status', 'cancel', 'lost-after'],
  bullmq: ['chunk', 'queue', 'lost-after'],
};
const ALL = [...new Set(Object.values(TAKEN).flat())];

/** Undefined where runs are played on this machine. */
export function farmCommandOf(flags: FlagValues, problems: string[]): FarmCommand | undefined {
  const text = (name: string): string | undefined => flags[name] as string | undefined;
  const given = text('launcher') ?? 'local';
  const launcher = LAUNCHERS.find((name) => name === given);
  if (launcher === undefined) {
    problems.push(
      `--launcher ${given} (command line): allowed: ${LAUNCHERS.join(', ')}${didYouMean(given, LAUNCHERS)}`,
    );
    return undefined;
  }
  for (const name of ALL)
    if (flags[name] !== undefined && !TAKEN[launcher].includes(name))
      problems.push(`--${name} (command line): has no meaning with --launcher ${launcher}; leave it out`);
  if (launcher === 'local') return undefined;
  if (flags['until-coverage'] !== undefined)
    problems.push('--launcher (command line): --until-coverage plays on this machine alone; leave one of them out');
  const whole = (name: string, most: number): number | undefined =>
    text(name) === undefined ? undefined : wholeOf(name, text(name), { least: 1, most }, 1, problems);
  const lostAfterSeconds = parseSpan('lost-after', text('lost-after'), problems) ?? DEFAULT_LOST_SECONDS;
  if (lostAfterSeconds < LEAST_LOST_SECONDS)
    problems.push(`--lost-after ${text('lost-after')} (command line): allowed: ${LEAST_LOST_SECONDS}s or more`);
  if (launcher === 'template') checkTemplates(text, problems);
  const queue = launcher === 'bullmq' ? queueAddress(text('queue') ?? DEFAULT_QUEUE) : undefined;
  if (typeof queue === 'string') problems.push(queue);
  return {
    launcher,
    queue: typeof queue === 'string' ? undefined : queue,
    chunk: whole('chunk', MOST_CHUNK),
    slots: whole('slots', MOST_SLOTS),
    words: wordsOf(text('submit-args'), problems),
    submit: text('submit') ?? '',
    status: text('status'),
    cancel: text('cancel'),
    lostAfterSeconds,
  };
}

function checkTemplates(text: (name: string) => string | undefined, problems: string[]): void {
  if (text('submit') === undefined)
    problems.push('--launcher template (command line): needs --submit, such as --submit "srun -Q {command}"');
  if (text('cancel') !== undefined && text('status') === undefined)
    problems.push('--cancel (command line): is of --status; without that, --submit takes as long as its chunk');
  for (const kind of ['submit', 'status', 'cancel'] as const) {
    const template = text(kind);
    const mistake = template === undefined ? undefined : templateMistake(kind, template);
    if (mistake !== undefined) problems.push(`--${kind} ${template} (command line): ${mistake}`);
  }
}

/** Words as a shell splits them where nothing is to be put in. */
function wordsOf(given: string | undefined, problems: string[]): readonly string[] {
  try {
    return scriptWords(given ?? '');
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    problems.push(`--submit-args ${given} (command line): ${error.message}`);
    return [];
  }
}

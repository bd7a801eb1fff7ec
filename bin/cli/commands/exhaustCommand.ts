/** Turns the command line of `hca_regress exhaust` into what is asked for, collecting every mistake. */

import { type FlagValues, readFlags } from '../readFlags.ts';
import { availableParallelism } from 'node:os';
import { type FaultKind, parseKinds, STANDARD_KINDS } from '../../exhaust/placement.ts';
import { DEFAULT_MAX_FRAMES, EXHAUST_FLAGS } from '../exhaustFlags.ts';
import { parseSeed } from '../seed.ts';
import { testFoldersIn } from '../testFolders.ts';
import { patternProblems, wholeOf } from '../flagValues.ts';
import { commandLineTokens, emptyWord, type Token } from '../token.ts';

/** What is asked for; it may be carried out if there are no problems. */
export interface ExhaustCommand {
  readonly help: boolean;
  /** Scenario file or list; '' where none was named. */
  readonly source: string;
  /** Folder of an exhaustive play that goes on. */
  readonly resume: string | undefined;
  /** Planted bugs that are looked for, by pattern; undefined: the NIC is played as it is. */
  readonly bugs: string | undefined;
  /** Faults in a run at most. */
  readonly faults: 1 | 2;
  readonly kinds: readonly FaultKind[];
  readonly filters: readonly string[];
  readonly exclusions: readonly string[];
  readonly seed: number | undefined;
  readonly maxFrames: number;
  readonly jobs: number;
  readonly out: string | undefined;
  readonly quiet: boolean;
  /** Every run gets them in place of its own of the same name. */
  readonly plusargs: readonly string[];
  readonly problems: readonly string[];
}

const MAX_JOBS = 512;
const MOST_FRAMES = 100_000;
/** What one that goes on has decided when it began. */
const OF_A_BEGINNING = ['faults', 'kinds', 'filter', 'exclude', 'seed', 'max-frames', 'out'] as const;

/** @param argv words behind `exhaust` */
export function parseExhaustCommand(argv: readonly string[]): ExhaustCommand {
  const checked = readFlags(commandLineTokens(argv), EXHAUST_FLAGS);
  const { flags } = checked;
  const problems = [...checked.problems];
  const isPlusarg = ({ text }: Token): boolean => text.startsWith('+');
  const plusargs = checked.positionals.filter(isPlusarg).map(({ text }) => text);
  const words = checked.positionals.filter((word) => !isPlusarg(word));
  const { resume, seed, out, bugs, faults = '2', kinds = STANDARD_KINDS.join(',') } = texts(flags);
  const parsed = parseKinds(kinds);
  problems.push(...parsed.problems, ...contradictions(flags, resume, plusargs));
  if (faults !== '1' && faults !== '2')
    problems.push(`--faults ${faults} (command line): allowed: 1 or 2; three would be too many runs`);
  if (bugs !== undefined && (flags['faults'] ?? flags['out'] ?? flags['jobs'] ?? resume) !== undefined)
    problems.push(
      `--bugs ${bugs} (command line): plays single faults in this process; leave --faults, --jobs, --out and --resume out`,
    );
  problems.push(...(bugs ?? '').split(',').flatMap((pattern) => patternProblems('bugs', pattern.trim())));
  const given = seed === undefined ? undefined : parseSeed(seed);
  if (given !== undefined && typeof given !== 'number')
    problems.push(`--seed ${seed} (command line): ${given === 'random' ? 'write a number' : given}`);
  const whole = (name: 'max-frames' | 'jobs', most: number, fallback: number): number =>
    wholeOf(name, flags[name] as string | undefined, { least: 1, most }, fallback, problems);
  return {
    help: flags['help'] === true,
    source: sourceOf(words, resume !== undefined || flags['help'] === true, problems),
    resume,
    bugs,
    faults: faults === '1' ? 1 : 2,
    kinds: parsed.kinds,
    filters: checked.all('filter'),
    exclusions: checked.all('exclude'),
    seed: typeof given === 'number' ? given : undefined,
    maxFrames: whole('max-frames', MOST_FRAMES, DEFAULT_MAX_FRAMES),
    jobs: whole('jobs', MAX_JOBS, availableParallelism()),
    out,
    quiet: flags['quiet'] === true,
    plusargs,
    problems,
  };
}

type Texts = { readonly [K in 'resume' | 'seed' | 'out' | 'bugs' | 'faults' | 'kinds']?: string };

function texts(flags: FlagValues): Texts {
  return flags as unknown as Texts;
}

function sourceOf(words: readonly Token[], unneeded: boolean, problems: string[]): string {
  problems.push(...words.filter(({ text }) => text === '').map(emptyWord));
  const [source, ...rest] = words.filter(({ text }) => text !== '');
  if (source === undefined && !unneeded)
    problems.push('exhaust: needs a scenario file or a list, such as exhaustive; --help shows how');
  for (const { text } of rest) problems.push(`${text} (command line): stands alone; one scenario or list at a time`);
  return source?.text ?? '';
}

function contradictions(flags: FlagValues, resume: string | undefined, plusargs: readonly string[]): string[] {
  if (resume === undefined) return [];
  const others = plusargs.filter((word) => testFoldersIn([word]).length === 0);
  const given = [...OF_A_BEGINNING.filter((name) => flags[name] !== undefined).map((name) => `--${name}`), ...others];
  return given.map(
    (word) => `${word} (command line): --resume goes on with what was begun, as it was begun; leave it out`,
  );
}

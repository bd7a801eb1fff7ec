/** The command line of `npm run bench`. */

export interface BenchOptions {
  /** Numbers of the goals to measure, in the order of the list. */
  readonly goals: readonly number[];
  readonly rounds: number;
  readonly json: boolean;
  /** Less work in a round: for trying things out, not for figures. */
  readonly fast: boolean;
}

/** Rounds that a verdict needs (performance design, section 7). */
export const DEFAULT_ROUNDS = 7;

export const USAGE = [
  'Usage: npm run bench [-- --goals 1,2] [--rounds 7] [--fast] [--json]',
  '',
  '  --goals 1,2   measure these goals only; default: all',
  `  --rounds 7    rounds of every comparison; a verdict needs ${DEFAULT_ROUNDS}`,
  '  --fast        a fifth of the work in every round: quick and rough',
  '  --json        one JSON object for each line of the table instead of the table',
  '',
  'Exit codes: 0 no target missed, 2 usage, 3 a measurement failed, 4 a target missed.',
].join('\n');

/** The options, or what is wrong with the words. */
export function parseOptions(argv: readonly string[], known: readonly number[]): BenchOptions | string {
  let goals = known;
  let rounds = DEFAULT_ROUNDS;
  let json = false;
  let fast = false;
  const words = argv.flatMap((word) => (/^--\w+=/.test(word) ? word.split(/=(.*)/s).slice(0, 2) : [word]));
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    if (word === '--json') json = true;
    else if (word === '--fast') fast = true;
    else if (word === '--goals') {
      goals = (words[++i] ?? '').split(',').map(Number);
      const strange = goals.find((goal) => !known.includes(goal));
      if (strange !== undefined) return `--goals ${words[i] ?? ''}: allowed are ${known.join(',')}; try --goals 1,2`;
    } else if (word === '--rounds') {
      rounds = Number(words[++i]);
      if (!Number.isInteger(rounds) || rounds < 1)
        return `--rounds ${words[i] ?? ''}: give a number from 1; try --rounds 7`;
    } else return `${word}: there is no such option`;
  }
  return { goals: known.filter((goal) => goals.includes(goal)), rounds, json, fast };
}

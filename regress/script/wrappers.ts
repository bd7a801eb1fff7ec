/** Commands that run another command, and how they are taken off it. */

/** What stands behind a wrapper. */
export interface Unwrapped {
  /** Expanded words of the command within. */
  readonly words: readonly string[];
  /** Wall-clock limit that the wrapper sets, in seconds; 0 = none. */
  readonly timeoutSeconds: number;
  /** Variables that the wrapper sets for it. */
  readonly variables: ReadonlyMap<string, string>;
}

/** Options with a value in the next word, by wrapper. */
const VALUED: Readonly<Record<string, readonly string[]>> = {
  time: ['-f', '-o'],
  nohup: [],
  exec: [],
  command: [],
  setsid: [],
  stdbuf: ['-i', '-o', '-e'],
  nice: ['-n'],
  ionice: ['-c', '-n'],
  env: ['-u', '-C', '-S'],
  timeout: ['-s', '-k'],
};

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const DURATION = /^(\d+(?:\.\d+)?)([smhd]?)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** The command behind `time`, `env A=b`, `timeout 5m` and the like; undefined when the first word is none of them. */
export function unwrap(words: readonly string[]): Unwrapped | undefined {
  const [wrapper = ''] = words;
  const valued = Object.hasOwn(VALUED, wrapper) ? VALUED[wrapper] : undefined;
  if (valued === undefined) return undefined;
  let at = 1;
  // A folder or a list of words given to env change what is run.
  const isStrange = (word: string): boolean => wrapper === 'env' && /^-[CS]/.test(word);
  while (words[at]?.startsWith('-') === true) {
    const option = words[at] as string;
    if (isStrange(option)) return undefined;
    at += valued.includes(option) ? 2 : 1;
  }
  let timeoutSeconds = 0;
  if (wrapper === 'timeout') {
    const match = DURATION.exec(words[at++] ?? '');
    if (match === null) return undefined;
    timeoutSeconds = Number(match[1]) * (SECONDS[match[2] || 's'] as number);
  }
  const variables = new Map<string, string>();
  for (; wrapper === 'env'; at++) {
    const match = ASSIGNMENT.exec(words[at] ?? '');
    if (match === null) break;
    variables.set(match[1] as string, match[2] as string);
  }
  return { words: words.slice(at), timeoutSeconds, variables };
}

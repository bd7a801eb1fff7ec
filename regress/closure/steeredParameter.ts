/** What closure may say to a run besides what its list says. */

/** A plusarg with values that are worth a try. */
export interface SteeredParameter {
  /** Without `+`: `MAX_INLINE`, `NIC_DMA_TAGS`. */
  readonly name: string;
  /** As they are typed. */
  readonly values: readonly string[];
}

/** A kind of run: what a list says without the seed. */
export interface RunTemplate {
  /** Entry of the list. */
  readonly family: string;
  readonly title: string;
  /** Arguments of `hca_test` without a seed. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly where: string;
  readonly timeoutSeconds: number;
  /** Runs of this kind that the list has. */
  readonly runs: number;
  /** What may be said besides; what the list says is not among it. */
  readonly parameters: readonly SteeredParameter[];
}

/** One run that is to be played, and why. */
export interface SteeredRun {
  readonly template: RunTemplate;
  /** Plusargs in place of those of the template of the same name. */
  readonly words: readonly string[];
  /** `plain`: as the list says; `unplayed`: the same of a kind that is new; `weights`: values by what they have come near to; else the hole that was picked. */
  readonly why: string;
}

/** Name of a plusarg with its `+`. */
export function plusargName(word: string): string {
  return word.replace(/=.*$/s, '');
}

/** Arguments with others in place of those of the same name: of two the first would count. */
export function withWords(words: readonly string[], argv: readonly string[]): readonly string[] {
  const names = new Set(words.map(plusargName));
  return [...words, ...argv.filter((word) => !names.has(plusargName(word)))];
}

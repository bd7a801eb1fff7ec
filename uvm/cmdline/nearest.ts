/**
 * Spelling suggestions: which known names are close to a word that is not known.
 */

/** A longer word is no misspelt name, and to compare it would take long. */
const LONGEST = 100;

/**
 * The candidates nearest to `word`, best first; empty when none is close enough to be a plausible misspelling.
 * Letter case and `_`/`-` count for little, transposed neighbours as one step.
 * @param limit most names returned; default 3
 * @param steps most letters that may differ; default: a third of the word, and two
 */
export function nearest(word: string, candidates: Iterable<string>, limit = 3, steps?: number): string[] {
  if (word.length > LONGEST) return [];
  const plain = simplified(word);
  const most = steps ?? tolerance(plain.length);
  const scored: { name: string; score: number }[] = [];
  for (const name of new Set(candidates)) {
    if (name === word) continue;
    const score = scoreOf(plain, simplified(name));
    if (score <= most) scored.push({ name, score });
  }
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1));
  return scored.slice(0, limit).map((s) => s.name);
}

/** `; did you mean A or B?` or the empty string: ready to be appended to a message. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const names = nearest(word, candidates);
  return names.length === 0 ? '' : `; did you mean ${names.join(' or ')}?`;
}

function tolerance(length: number): number {
  return length < 3 ? 1 : Math.max(2, Math.floor(length / 3));
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** Letters of a word that may be the beginning of a long name. */
const LEAST_BEGINNING = 6;

/**
 * Edit distance; a name that contains the word (or the reverse) and shares half of it ranks as a near miss, and so does one
 * that the word is the beginning of, but for its last letter perhaps.
 */
function scoreOf(a: string, b: string): number {
  const distance = editDistance(a, b);
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const contained = short.length >= 3 && long.includes(short) && short.length * 2 >= long.length;
  if (contained) return Math.min(distance, 1.5);
  const isBegun = a.length >= LEAST_BEGINNING && b.startsWith(a.slice(0, a.length - 1));
  return isBegun ? Math.min(distance, 1.75) : distance;
}

/** Optimal string alignment distance: insert, delete, replace, swap neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      );
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) best = Math.min(best, (beforeLast[j - 2] as number) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}

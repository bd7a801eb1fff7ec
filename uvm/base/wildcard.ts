/**
 * Names with wildcards, matched without backtracking: whatever the pattern, a match costs at most its length times that of
 * the text. Of several stars only the last one is ever tried again, for what the others have taken can stay as it is.
 */

/** What stands for itself is its character code. */
const ANY = -1;
const STAR = -2;

/** What wildcards there are besides `*`, any characters, and `?`, exactly one. */
export interface WildcardOptions {
  /** `+` stands for one character or more. Default: for itself. */
  readonly plus?: boolean;
}

export class Wildcard {
  readonly #signs: readonly number[];
  /** Characters that a text needs. */
  readonly #least: number;

  constructor(pattern: string, { plus = false }: WildcardOptions = {}) {
    const signs: number[] = [];
    for (let i = 0; i < pattern.length; i++) {
      const sign = pattern[i];
      if (sign === '?' || (plus && sign === '+')) signs.push(ANY);
      else if (sign !== '*') signs.push(pattern.charCodeAt(i));
      const isOpen = sign === '*' || (plus && sign === '+');
      if (isOpen && signs.at(-1) !== STAR) signs.push(STAR);
    }
    this.#signs = signs;
    this.#least = signs.filter((sign) => sign !== STAR).length;
  }

  /** Whether the whole of `text` is matched. */
  matches(text: string): boolean {
    if (text.length < this.#least) return false;
    const signs = this.#signs;
    let at = 0;
    let sign = 0;
    /** Sign behind the last star, and where in the text what follows it is tried. */
    let behindStar = -1;
    let tried = 0;
    while (at < text.length) {
      const wanted = signs[sign];
      if (wanted === ANY || wanted === text.charCodeAt(at)) {
        at++;
        sign++;
      } else if (wanted === STAR) {
        sign++;
        behindStar = sign;
        tried = at;
      } else if (behindStar >= 0) {
        sign = behindStar;
        tried++;
        at = tried;
      } else return false;
    }
    while (signs[sign] === STAR) sign++;
    return sign === signs.length;
  }
}

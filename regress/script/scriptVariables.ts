/** Variables of a script, as far as their values can be known without running it. */

import { expandWord, type ExpandedWord } from './expandWord.ts';

/** `$(dirname "$0")` and `$(cd "$(dirname "$0")" && pwd)`, in their usual spellings. */
const NAME = String.raw`"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?)\}?"?`;
const FOLDER_OF_SCRIPT = new RegExp(
  String.raw`^(?:dirname (?:-- )?${NAME}|cd "?\$\(dirname (?:-- )?${NAME}\)"? ?&& ?pwd)$`,
);

export class ScriptVariables {
  /** Undefined: assigned, but not known what. */
  readonly #values = new Map<string, string | undefined>();
  readonly #home: string;
  readonly #cwd: () => string;
  readonly #env: Readonly<Record<string, string | undefined>>;

  /**
   * @param home folder of the script
   * @param cwd folder that the script has gone to
   */
  constructor(home: string, cwd: () => string, env: Readonly<Record<string, string | undefined>>) {
    this.#home = home;
    this.#cwd = cwd;
    this.#env = env;
  }

  set(name: string, value: string | undefined): void {
    this.#values.set(name, value);
  }

  /** Value that the script itself has assigned. */
  assigned(name: string): string | undefined {
    return this.#values.get(name);
  }

  /** Value of a variable or of a command between `$(` and `)`; undefined when it is not known. */
  value(what: string): string | undefined {
    const name = /^(\w+)$/.exec(what)?.[1];
    if (what === 'PWD' || what === 'pwd') return this.#cwd();
    if (FOLDER_OF_SCRIPT.test(what)) return this.#home;
    if (name === undefined || /^\d/.test(name)) return undefined;
    return this.#values.has(name) ? this.#values.get(name) : this.#env[name];
  }

  expandWords(raw: string): ExpandedWord {
    return expandWord(raw, (what) => this.value(what));
  }

  /** A word as one text, the way an assignment takes it; undefined when it is not known. */
  expand(raw: string): { readonly text: string | undefined } {
    const { words, unknown } = this.expandWords(raw);
    return { text: unknown === undefined ? words.join(' ') : undefined };
  }
}

/** A YAML list with the position of every node, so that any later complaint can name file, line and column. */

import { type Place, YamlText } from '../../files/yaml.ts';
import { ListError } from './listError.ts';
import type { ListFile } from './listSchema.ts';
import { type FormMistake, type MendedList, mendList } from './mendList.ts';

type Path = readonly PropertyKey[];

export class ListDocument {
  /** As given by the user or in `include:`. */
  readonly file: string;
  /** What is left without the mistakes of form. */
  readonly data: ListFile;
  /** Mistakes of form, each with its place. */
  readonly problems: readonly string[];
  readonly #text: YamlText;
  readonly #mended: MendedList;

  /**
   * @param file name for messages
   * @param text YAML
   * @throws ListError when it cannot be read at all
   */
  constructor(file: string, text: string) {
    this.file = file;
    this.#text = new YamlText(text, { merge: true, laterCounts: true });
    const { mistakes, ambiguous } = this.#text;
    const told = [...ambiguous, ...mistakes].map((mistake) => `${this.#at(mistake)}: ${mistake.message}`);
    if (mistakes.length > 0) throw new ListError(told);
    this.#mended = mendList(this.#text.value);
    this.data = this.#mended.data;
    this.problems = [...told, ...this.#mended.mistakes.map((mistake) => this.#explain(mistake))];
  }

  /** Whether an entry says all that decides its runs, with the defaults. */
  isWhole(index: number): boolean {
    const { incomplete } = this.#mended;
    return ![index, 'defaults' as const].some((part) => incomplete.has(part) || this.#isAmbiguous(part));
  }

  /** Whether something of an entry could be read. */
  isEntry(index: number): boolean {
    return !this.#mended.dropped.has(index);
  }

  /** Whether the name of an entry is its own. */
  isNamed(index: number): boolean {
    return !this.#mended.unnamed.has(index);
  }

  /** `file:line:column` of the value at `path`, or of the nearest one above that exists. */
  where(path: Path): string {
    return this.#at(this.#text.placeOf(this.#asTyped(path)));
  }

  /** Keys that were taken for others are looked for as they were typed. */
  #asTyped(path: Path): Path {
    const { typed } = this.#mended;
    return path.map((key, i) => typed.get(path.slice(0, i + 1).join('/')) ?? key);
  }

  #at({ line, column }: Place): string {
    return `${this.file}:${line}:${column}`;
  }

  #isAmbiguous(part: number | 'defaults'): boolean {
    return this.#text.isAmbiguous(this.#asTyped(part === 'defaults' ? ['defaults'] : ['tests', part]));
  }

  #explain({ path, key, message }: FormMistake): string {
    const where = key === undefined ? this.where(path) : this.#at(this.#text.placeOfKey(this.#asTyped(path), key));
    return `${where}: ${message}`;
  }
}

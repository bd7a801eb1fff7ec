/** A YAML list with the position of every node, so that any later complaint can name file, line and column. */

import { type Document, isNode, LineCounter, parseDocument, type YAMLError } from 'yaml';
import { ListError } from './listError.ts';
import { nodeProblems } from './listNodes.ts';
import type { ListFile } from './listSchema.ts';
import { type FormMistake, type MendedList, mendList } from './mendList.ts';

type Path = readonly PropertyKey[];

/** Of two keys of one name the later one is read, so that the rest of the list can be. */
const READABLE: YAMLError['code'] = 'DUPLICATE_KEY';

export class ListDocument {
  /** As given by the user or in `include:`. */
  readonly file: string;
  /** What is left without the mistakes of form. */
  readonly data: ListFile;
  /** Mistakes of form, each with its place. */
  readonly problems: readonly string[];
  readonly #document: Document;
  readonly #lines = new LineCounter();
  readonly #mended: MendedList;
  readonly #ambiguous: readonly YAMLError[];

  /**
   * @param file name for messages
   * @param text YAML
   * @throws ListError when it cannot be read at all
   */
  constructor(file: string, text: string) {
    this.file = file;
    this.#document = parseDocument(text, { lineCounter: this.#lines, merge: true, prettyErrors: false });
    const { errors } = this.#document;
    // A reader whose stack is full fails once on each level that it leaves: one of them says it.
    const deep = errors.find(isTooDeep);
    const told = deep === undefined ? errors : [deep];
    const broken = told.map((e) => `${file}:${this.#at(e.pos[0])}: ${yamlMessage(e)}`);
    if (errors.some(({ code }) => code !== READABLE)) throw new ListError(broken);
    this.#ambiguous = errors;
    const wrong = nodeProblems(this.#document);
    if (wrong.length > 0) throw new ListError(wrong.map(({ at, message }) => `${file}:${this.#at(at)}: ${message}`));
    // Lists repeat anchors by design: what these make has been counted, not the aliases.
    this.#mended = mendList(this.#document.toJS({ maxAliasCount: -1 }));
    this.data = this.#mended.data;
    this.problems = [...broken, ...this.#mended.mistakes.map((mistake) => this.#explain(mistake))];
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

  /** `file:line:column` of the node at `path`, or of the nearest one above that exists. */
  where(path: Path): string {
    for (let length = path.length; length >= 0; length--) {
      const node = this.#nodeAt(path.slice(0, length));
      if (isNode(node) && node.range) return `${this.file}:${this.#at(node.range[0])}`;
    }
    return `${this.file}:1:1`;
  }

  /** Keys that were taken for others are looked for as they were typed. */
  #nodeAt(path: Path): unknown {
    const { typed } = this.#mended;
    const asTyped = path.map((key, i) => typed.get(path.slice(0, i + 1).join('/')) ?? key);
    return this.#document.getIn(asTyped, true);
  }

  #at(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${line}:${col}`;
  }

  #isAmbiguous(part: number | 'defaults'): boolean {
    const node = this.#nodeAt(part === 'defaults' ? ['defaults'] : ['tests', part]);
    if (!isNode(node) || !node.range) return false;
    const [start, end] = node.range;
    return this.#ambiguous.some(({ pos: [at] }) => at >= start && at < end);
  }

  #explain({ path, key, message }: FormMistake): string {
    return `${key === undefined ? this.where(path) : this.#whereKey(path, key)}: ${message}`;
  }

  /** Position of a key rather than of its value. */
  #whereKey(path: Path, key: string): string {
    const map = this.#nodeAt(path) ?? this.#document.contents;
    const items = map !== null && typeof map === 'object' && 'items' in map ? (map.items as readonly unknown[]) : [];
    for (const item of items) {
      const node = item !== null && typeof item === 'object' && 'key' in item ? item.key : undefined;
      if (isNode(node) && String(node) === key && node.range) return `${this.file}:${this.#at(node.range[0])}`;
    }
    return this.where(path);
  }
}

function isTooDeep({ message }: YAMLError): boolean {
  return /call stack/.test(message);
}

function yamlMessage(error: YAMLError): string {
  if (error.code === 'MULTIPLE_DOCS')
    return 'a second document begins here (---); make it a file of its own and name it under include:';
  if (isTooDeep(error)) return 'values are nested too deep; a list needs six levels';
  return `not YAML: ${error.message}`;
}

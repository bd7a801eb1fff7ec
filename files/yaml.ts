/**
 * YAML, and JSON as a part of it, as plain data with the place of every value, so that any later complaint can name line and
 * column.
 *
 *   text -> lexer -> parser (nesting is bounded here: what follows is recursive) -> nodes -> `nodeMistakes` -> values
 */

import { createRequire } from 'node:module';
import type { Composer, CST, Document, LineCounter, YAMLError } from 'yaml';
import { nodeMistakes } from './yamlNodes.ts';
import { MOST_LEVELS, TOO_DEEP } from './plainData.ts';

/** Something that keeps a text from being data. */
export interface YamlMistake extends Place {
  readonly message: string;
}

/** Counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** How a text is read. */
export interface YamlOptions {
  /** `<<: *defaults` takes over what another mapping has. Default: it is a key as any other. */
  readonly merge?: boolean;
  /** Of two keys of one name the later one is read, so that the rest of the text can be. Default: that is no data. */
  readonly laterCounts?: boolean;
}

type Path = readonly PropertyKey[];

/** Mistakes that are told, and those of form that are looked for. */
const MOST_MISTAKES = 10;
const MOST_FOUND = 1000;
/** Tokens that are open at one time. A level of values has at most two. */
const MOST_OPEN = 2 * MOST_LEVELS + 16;

/** A text that has been read. */
export class YamlText {
  /** What keeps it from being data; there is no value then. */
  readonly mistakes: readonly YamlMistake[];
  /** Keys that stand twice, where the later one counts. */
  readonly ambiguous: readonly YamlMistake[];
  readonly #yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  readonly #lines: LineCounter;
  readonly #document: Document;
  readonly #ambiguousAt: readonly number[];
  #value: { readonly of: unknown } | undefined;

  constructor(text: string, { merge = false, laterCounts = false }: YamlOptions = {}) {
    this.#lines = new this.#yaml.LineCounter();
    const { tokens, deepAt } = this.#tokensOf(text);
    const { document, errors } = this.#composed(deepAt === undefined ? tokens : [], text, merge);
    this.#document = document;
    const readable = laterCounts ? errors.filter(({ code }) => code === 'DUPLICATE_KEY') : [];
    const told = (error: YAMLError): YamlMistake => ({ ...this.#placeAt(error.pos[0]), message: yamlMessage(error) });
    const broken = errors.filter((error) => !readable.includes(error)).map(told);
    const deep = deepAt === undefined ? [] : [{ ...this.#placeAt(deepAt), message: TOO_DEEP }];
    const form = [...deep, ...broken];
    this.mistakes = firstOnes(form.length > 0 ? form : this.#nodeMistakes());
    this.ambiguous = readable.map(told);
    this.#ambiguousAt = readable.map(({ pos: [at] }) => at);
  }

  /** @throws Error where there are mistakes */
  get value(): unknown {
    if (this.mistakes.length > 0) throw new Error('a text with mistakes has no value');
    // What aliases make has been counted, not the aliases: lists repeat anchors by design.
    this.#value ??= { of: this.#document.toJS({ maxAliasCount: -1 }) };
    return this.#value.of;
  }

  /** Of the value at a path, or of the nearest one above that exists. */
  placeOf(path: Path): Place {
    for (let length = path.length; length >= 0; length--) {
      const range = this.rangeOf(path.slice(0, length));
      if (range !== undefined) return this.#placeAt(range[0]);
    }
    return { line: 1, column: 1 };
  }

  /** Of a key rather than of its value, or of the nearest value above. */
  placeOfKey(path: Path, key: string): Place {
    const { isMap, isScalar } = this.#yaml;
    const map = this.#nodeAt(path);
    const pair = isMap(map)
      ? map.items.find((each) => isScalar(each.key) && String(each.key.value) === key)
      : undefined;
    return isScalar(pair?.key) && pair.key.range ? this.#placeAt(pair.key.range[0]) : this.placeOf(path);
  }

  /** Offsets of a value in the text; undefined where there is none. */
  rangeOf(path: Path): readonly [start: number, end: number] | undefined {
    const node = this.#nodeAt(path);
    return this.#yaml.isNode(node) && node.range ? [node.range[0], node.range[1]] : undefined;
  }

  /** Whether a key stands twice within a value. */
  isAmbiguous(path: Path): boolean {
    const [start, end] = this.rangeOf(path) ?? [0, 0];
    return this.#ambiguousAt.some((at) => at >= start && at < end);
  }

  #nodeMistakes(): YamlMistake[] {
    return nodeMistakes(this.#document, this.#yaml).map(({ at, message }) => ({ ...this.#placeAt(at), message }));
  }

  #nodeAt(path: Path): unknown {
    return path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
  }

  #placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }

  /** Tokens of the text, up to where more of them are open within each other than a stack holds. */
  #tokensOf(text: string): { readonly tokens: CST.Token[]; readonly deepAt?: number } {
    const parser = new this.#yaml.Parser(this.#lines.addNewLine);
    const tokens: CST.Token[] = [];
    // The parser calls this for each line but the first one only when it reads the whole text by itself.
    this.#lines.addNewLine(0);
    for (const lexeme of new this.#yaml.Lexer().lex(text)) {
      tokens.push(...parser.next(lexeme));
      if (parser.stack.length > MOST_OPEN) return { tokens, deepAt: parser.offset };
    }
    tokens.push(...parser.end());
    return { tokens };
  }

  /** The document, with all that is wrong with its form or so much of it that nobody wants to know more. */
  #composed(tokens: CST.Token[], text: string, merge: boolean): { document: Document; errors: readonly YAMLError[] } {
    const composer = new this.#yaml.Composer({ merge });
    stopAtMistakes(composer);
    try {
      const [document, second] = composer.compose(tokens, true, text.length);
      const errors = document?.errors ?? [];
      if (second !== undefined) errors.push(new this.#yaml.YAMLParseError([second.range[0], 0], 'MULTIPLE_DOCS', ''));
      return { document: document ?? new this.#yaml.Document(null), errors };
    } catch (error) {
      if (!(error instanceof TooManyMistakes)) throw error;
      return { document: new this.#yaml.Document(null), errors: composer.streamInfo().errors };
    }
  }
}

class TooManyMistakes extends Error {}

/**
 * A text that is no YAML has a mistake at each sign, and one costs 10 us: of a megabyte nobody would wait for the answer.
 * The library has no limit of its own.
 */
function stopAtMistakes(composer: Composer): void {
  const { onError } = composer as unknown as { onError: (...about: readonly unknown[]) => void };
  let count = 0;
  const counting = (...about: readonly unknown[]): void => {
    count++;
    if (count > MOST_FOUND) throw new TooManyMistakes();
    onError(...about);
  };
  Object.assign(composer, { onError: counting });
}

/** Mistakes of which the last one stands for the others. */
function firstOnes(mistakes: readonly YamlMistake[]): readonly YamlMistake[] {
  const next = mistakes[MOST_MISTAKES];
  if (next === undefined) return mistakes;
  const { line, column } = next;
  return [...mistakes.slice(0, MOST_MISTAKES), { line, column, message: 'and more from here on' }];
}

function yamlMessage({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here (---); make it a file of its own';
  // Some of them quote the text.
  return `not YAML: ${(message.split('\n')[0] ?? '').slice(0, 200)}`;
}

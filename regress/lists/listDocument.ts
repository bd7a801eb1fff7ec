/** A YAML list with the position of every node, so that any later complaint can name file, line and column. */

import { type Document, isNode, LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { z } from 'zod';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { ListError } from './listError.ts';
import { listMessage } from './listMessage.ts';
import { entrySchema, type ListFile, listSchema } from './listSchema.ts';

type Path = readonly PropertyKey[];

export class ListDocument {
  /** As given by the user or in `include:`. */
  readonly file: string;
  readonly data: ListFile;
  readonly #document: Document;
  readonly #lines: LineCounter;

  /**
   * @param file name for messages
   * @param text YAML
   * @throws ListError with all mistakes of form
   */
  constructor(file: string, text: string) {
    this.file = file;
    this.#lines = new LineCounter();
    // Lists repeat anchors by design; the default limit of 100 is meant for hostile input.
    this.#document = parseDocument(text, { lineCounter: this.#lines, merge: true, prettyErrors: false });
    const broken = this.#document.errors.map((e) => `${file}:${this.#at(e.pos[0])}: ${yamlMessage(e)}`);
    if (broken.length > 0) throw new ListError(broken);
    const data: unknown = this.#document.toJS({ maxAliasCount: -1 }) ?? {};
    const parsed = listSchema.safeParse(data);
    if (!parsed.success) throw new ListError(parsed.error.issues.flatMap((issue) => this.#explain(issue, data)));
    this.data = parsed.data;
  }

  /** `file:line:column` of the node at `path`, or of the nearest one above that exists. */
  where(path: Path): string {
    for (let length = path.length; length >= 0; length--) {
      const node = this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return `${this.file}:${this.#at(node.range[0])}`;
    }
    return `${this.file}:1:1`;
  }

  #at(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${line}:${col}`;
  }

  #explain(issue: z.core.$ZodIssue, data: unknown): string[] {
    if (issue.code !== 'unrecognized_keys') return [`${this.where(issue.path)}: ${listMessage(issue, data)}`];
    const known = keysAt(issue.path);
    return issue.keys.map((key) => {
      const hint = didYouMean(key, known) || `; allowed: ${known.join(', ')}`;
      return `${this.#whereKey(issue.path, key)}: unknown key "${key}"${hint}`;
    });
  }

  /** Position of a key rather than of its value. */
  #whereKey(path: Path, key: string): string {
    const map = this.#document.getIn(path, true) ?? this.#document.contents;
    const items = map !== null && typeof map === 'object' && 'items' in map ? (map.items as readonly unknown[]) : [];
    for (const item of items) {
      const node = item !== null && typeof item === 'object' && 'key' in item ? item.key : undefined;
      if (isNode(node) && String(node) === key && node.range) return `${this.file}:${this.#at(node.range[0])}`;
    }
    return this.where(path);
  }
}

function yamlMessage(error: YAMLError): string {
  if (error.code === 'MULTIPLE_DOCS')
    return 'a second document begins here (---); make it a file of its own and name it under include:';
  return `not YAML: ${error.message}`;
}

function keysAt(path: Path): string[] {
  if (path.length === 0) return Object.keys(listSchema.shape);
  if (path[0] === 'defaults') return Object.keys(listSchema.shape.defaults.unwrap().shape);
  return Object.keys(entrySchema.shape);
}

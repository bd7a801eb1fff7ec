/**
 * Looks through the nodes of a YAML document before they become values: whether its aliases name anything, how many values
 * they make, how deep these are nested, whether a key is `__proto__`, and whether a text can be typed.
 *
 * Aliases multiply: a few lines that name each other stand for more values than memory holds. Lists use them by the
 * hundred (`<<: *defaults`), so that not the aliases are counted, but what they stand for.
 */

import type { Document, Node } from 'yaml';
import { isPrototypeKey, MOST_LEVELS, PROTOTYPE_KEY, TOO_DEEP } from './plainData.ts';

/** Values of a text, with what its aliases stand for. */
const MOST_VALUES = 1_000_000;

/** What is wrong, and the offset of the node that it is wrong with. */
export interface NodeMistake {
  readonly at: number;
  readonly message: string;
}

type Library = Pick<typeof import('yaml'), 'isAlias' | 'isCollection' | 'isNode' | 'isPair' | 'isScalar'>;

/** Empty when the document can be turned into values. @param library loaded by whoever has read the document */
export function nodeMistakes({ contents }: Document, library: Library): readonly NodeMistake[] {
  const walk = new Walk(library);
  walk.visit(contents, 0);
  return walk.mistakes;
}

class Walk {
  readonly mistakes: NodeMistake[] = [];
  readonly #library: Library;
  /** What has an anchor, by its name, with the number of its values; undefined while it is being looked through. */
  readonly #anchored = new Map<string, { readonly node: Node; readonly size: number | undefined }>();
  #isFull = false;

  constructor(library: Library) {
    this.#library = library;
  }

  /** @returns values that the node stands for */
  visit(node: unknown, level: number): number {
    const { isAlias, isNode } = this.#library;
    if (!isNode(node) || this.#isFull) return 1;
    if (level > MOST_LEVELS) return this.#stop(node, TOO_DEEP);
    if (isAlias(node)) return this.#alias(node, node.source);
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) this.#anchored.set(anchor, { node, size: undefined });
    const size = this.#sizeOf(node, level);
    if (anchor !== undefined) this.#anchored.set(anchor, { node, size });
    return size > MOST_VALUES ? this.#stop(node, TOO_MANY) : size;
  }

  #sizeOf(node: Node, level: number): number {
    const { isCollection, isPair, isScalar } = this.#library;
    if (isScalar(node) && typeof node.value === 'string' && node.value.includes('\0'))
      this.#add(node, 'a text holds the character NUL (\\0), which no command line can; leave it out');
    if (!isCollection(node)) return 1;
    let size = 1;
    for (const item of node.items) {
      if (isPair(item)) {
        size += this.visit(item.key, level + 1) + this.visit(item.value, level + 1);
        this.#key(item.key);
      } else size += this.visit(item, level + 1);
    }
    return size;
  }

  #key(key: unknown): void {
    const { isAlias, isNode, isScalar } = this.#library;
    const node = isAlias(key) ? this.#anchored.get(key.source)?.node : key;
    if (!isScalar(node) || typeof node.value !== 'string' || !isPrototypeKey(node.value)) return;
    this.#add(isNode(key) ? key : node, PROTOTYPE_KEY);
  }

  #alias(node: Node, name: string): number {
    const size = this.#anchored.get(name)?.size;
    if (size !== undefined) return size;
    const why = this.#anchored.has(name)
      ? 'stands within what it names itself'
      : `names nothing; no anchor &${name} stands before it`;
    this.#add(node, `the alias *${name} ${why}`);
    return 1;
  }

  #add(node: Node, message: string): void {
    this.mistakes.push({ at: node.range?.[0] ?? 0, message });
  }

  #stop(node: Node, message: string): number {
    this.#isFull = true;
    this.#add(node, message);
    return 1;
  }
}

const TOO_MANY = `aliases make this more than ${MOST_VALUES} values; write what is common to them once`;

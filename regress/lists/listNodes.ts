/**
 * Looks through the nodes of a YAML document before they become values: whether its aliases name anything, how many values
 * they make, how deep these are nested, and which texts no command line can hold.
 *
 * Aliases multiply: a few lines that name each other stand for more values than memory holds. Lists use them by the
 * hundred (`<<: *defaults`), so that not the aliases are counted, but what they stand for.
 */

import { type Document, isAlias, isCollection, isNode, isPair, isScalar, type Node } from 'yaml';

/** Values of a list, with what its aliases stand for. */
const MOST_VALUES = 1_000_000;
/** Levels of a list; sweeps need six. */
const MOST_LEVELS = 100;

/** What is wrong, and the offset of the node that it is wrong with. */
export interface NodeProblem {
  readonly at: number;
  readonly message: string;
}

/** Empty when the document can be turned into values. */
export function nodeProblems({ contents }: Document): readonly NodeProblem[] {
  const walk = new Walk();
  walk.visit(contents, 0);
  return walk.problems;
}

class Walk {
  readonly problems: NodeProblem[] = [];
  /** Values of what has an anchor, by its name; undefined while it is being looked through. */
  readonly #sizes = new Map<string, number | undefined>();
  #isFull = false;

  /** @returns values that the node stands for */
  visit(node: unknown, level: number): number {
    if (!isNode(node) || this.#isFull) return 1;
    if (level > MOST_LEVELS)
      return this.#stop(node, `values are nested more than ${MOST_LEVELS} deep; a list needs six levels`);
    if (isAlias(node)) return this.#alias(node, node.source);
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) this.#sizes.set(anchor, undefined);
    const size = this.#sizeOf(node, level);
    if (anchor !== undefined) this.#sizes.set(anchor, size);
    return size > MOST_VALUES ? this.#stop(node, TOO_MANY) : size;
  }

  #sizeOf(node: Node, level: number): number {
    if (isScalar(node) && typeof node.value === 'string' && node.value.includes('\0'))
      this.#add(node, 'a text holds the character NUL (\\0), which no command line can; leave it out');
    if (!isCollection(node)) return 1;
    let size = 1;
    for (const item of node.items) {
      if (isPair(item)) size += this.visit(item.key, level + 1) + this.visit(item.value, level + 1);
      else size += this.visit(item, level + 1);
    }
    return size;
  }

  #alias(node: Node, name: string): number {
    const size = this.#sizes.get(name);
    if (size !== undefined) return size;
    const why = this.#sizes.has(name)
      ? 'stands within what it names itself'
      : `names nothing; no anchor &${name} stands before it`;
    this.#add(node, `the alias *${name} ${why}`);
    return 1;
  }

  #add(node: Node, message: string): void {
    this.problems.push({ at: node.range?.[0] ?? 0, message });
  }

  #stop(node: Node, message: string): number {
    this.#isFull = true;
    this.#add(node, message);
    return 1;
  }
}

const TOO_MANY = `aliases make this more than ${MOST_VALUES} values; write what the runs have in common under defaults:`;

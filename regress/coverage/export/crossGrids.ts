/** A cross as grids: rows and columns are the bins of its last two items, and there is a grid for each of those before. */

import type { BinNode, ItemNode } from '../coverageTree.ts';

export interface Grid {
  /** Bins of the items before the last two; what rows and columns are where there are only two. */
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** By row and column; undefined for combinations that another bin has taken. */
  readonly cells: readonly (readonly (BinNode | undefined)[])[];
}

/**
 * Bins of combinations that have one each, and the others.
 * @param items of the group: rows and columns are in the order of their bins, as states are in that of their machine
 */
export function gridsOf(
  { of, bins }: ItemNode,
  items: readonly Pick<ItemNode, 'name' | 'bins'>[] = [],
): {
  readonly grids: readonly Grid[];
  readonly others: readonly BinNode[];
} {
  const parts = bins.map((bin) => ({ bin, names: namesOf(bin.name, of.length) }));
  const single = parts.flatMap(({ bin, names }) => (names === undefined ? [] : [{ bin, names }]));
  const titles = [...new Set(single.map(({ names }) => names.slice(0, -2).join(', ')))];
  const [rowOrder, columnOrder] = of.slice(-2).map((name) => {
    return items.find((item) => item.name === name)?.bins.map((bin) => bin.name) ?? [];
  });
  const axes = of.slice(-2).join(' \\ ');
  const grids = titles.map((title) => {
    const here = single.filter(({ names }) => names.slice(0, -2).join(', ') === title);
    const rows = inOrder(
      here.map(({ names }) => names.at(-2) as string),
      rowOrder,
    );
    const columns = inOrder(
      here.map(({ names }) => names.at(-1) as string),
      columnOrder,
    );
    const found = new Map(here.map(({ bin, names }) => [`${names.at(-2)} ${names.at(-1)}`, bin]));
    const cells = rows.map((row) => columns.map((column) => found.get(`${row} ${column}`)));
    return { title: title === '' ? axes : `${title}: ${axes}`, rows, columns, cells };
  });
  return { grids, others: parts.flatMap(({ bin, names }) => (names === undefined ? [bin] : [])) };
}

/** Each name once; those that the order does not know stand at the end. */
function inOrder(names: readonly string[], order: readonly string[] = []): string[] {
  const known = order.filter((name) => names.includes(name));
  return [...new Set([...known, ...names])];
}

/** `<send,small>` in its parts; undefined for a bin that was named by hand. */
function namesOf(name: string, count: number): readonly string[] | undefined {
  if (!name.startsWith('<') || !name.endsWith('>')) return undefined;
  const names = name.slice(1, -1).split(',');
  return names.length === count ? names : undefined;
}

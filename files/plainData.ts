/**
 * Values of a text as data and nothing else: nested no deeper than anybody writes by hand, and without the key `__proto__`,
 * which is none of an object's own: what is written under it is either lost or taken for something else.
 */

/** Levels of arrays and objects within each other. Lists need six, scenarios eight. */
export const MOST_LEVELS = 100;

export type DataPath = readonly (string | number)[];

/** The first thing that keeps a value from being plain data, and where it is; undefined when there is none. */
export function plainMistake(value: unknown): { readonly path: DataPath; readonly message: string } | undefined {
  // Not recursive: what is looked for is what a stack does not hold.
  const open: { readonly value: object; readonly path: DataPath }[] = [];
  const add = (child: unknown, path: () => DataPath): void => {
    if (child !== null && typeof child === 'object') open.push({ value: child, path: path() });
  };
  add(value, () => []);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: holder, path } = next;
    if (path.length > MOST_LEVELS) return { path: path.slice(0, SHOWN_LEVELS), message: TOO_DEEP };
    if (Array.isArray(holder)) {
      for (const [i, child] of holder.entries()) add(child, () => [...path, i]);
      continue;
    }
    for (const [key, child] of Object.entries(holder)) {
      if (isPrototypeKey(key)) return { path, message: PROTOTYPE_KEY };
      add(child, () => [...path, key]);
    }
  }
  return undefined;
}

export const TOO_DEEP = `values are nested more than ${MOST_LEVELS} deep`;

/** Levels of a path that is shown: a hundred of them say nothing. */
const SHOWN_LEVELS = 3;

/** Whether a key is the one that no object has of its own. Others, such as `toString`, are keys as any. */
export function isPrototypeKey(key: string): boolean {
  return key === '__proto__';
}

export const PROTOTYPE_KEY = 'unknown key "__proto__"; leave it out';

/** `jobs[3].argv`; empty for the whole. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`))
    .join('');
}

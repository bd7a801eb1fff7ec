/** The order in which mistakes of lists are shown. */

const PLACE = /^(.+?):(\d+):(\d+): /;

/** Messages as their places stand in the files, these in the order in which they were read; those without a place last. */
export function inFileOrder(problems: readonly string[]): string[] {
  const files = new Map<string, number>();
  const keyed = problems.map((problem) => {
    const [, file, line, column] = PLACE.exec(problem) ?? [];
    if (file === undefined) return { problem, key: [Number.POSITIVE_INFINITY, 0, 0] };
    if (!files.has(file)) files.set(file, files.size);
    return { problem, key: [files.get(file) as number, Number(line), Number(column)] };
  });
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ problem }) => problem);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] as number) < (b[at] as number) ? -1 : 1;
}

/** A number with the name of what it counts: `1 check`, `2 checks`. */
export function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** A number with the name of what it counts: `1 check`, `2 checks`. */
export function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

/** The same with its verb: `1 receive is`, `2 receives are`. */
export function countedAre(n: number, what: string): string {
  return `${counted(n, what)} ${n === 1 ? 'is' : 'are'}`;
}

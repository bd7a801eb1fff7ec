/** Message lengths that find bugs: empty, tiny, around multiples of the MTU and of a page, and anything. */
import type { CounterDraws } from './counterDraws.ts';

const PAGE = 4096;
/** Percentages; the rest is uniform up to the longest. */
const SHARES = { empty: 4, tiny: 24, aroundMtu: 28, aroundPage: 10, longest: 4 } as const;

/** Draws a message length of 0 .. `longest` bytes. */
export function drawLength(draws: CounterDraws, longest: number, mtu: number): number {
  let pick = draws.below(100);
  if ((pick -= SHARES.empty) < 0) return 0;
  if ((pick -= SHARES.tiny) < 0) return Math.min(longest, 1 + draws.below(64));
  if ((pick -= SHARES.aroundMtu) < 0) return around(draws, mtu, longest);
  if ((pick -= SHARES.aroundPage) < 0) return around(draws, PAGE, longest);
  if ((pick -= SHARES.longest) < 0) return longest;
  return draws.range(0, longest);
}

/** Within two bytes of a multiple of `unit`, where one fits; else anything. */
function around(draws: CounterDraws, unit: number, longest: number): number {
  const multiples = Math.floor((longest + 2) / unit);
  if (multiples === 0) return draws.range(0, longest);
  const length = unit * (1 + draws.below(Math.min(multiples, 4))) + draws.below(5) - 2;
  return Math.min(longest, length);
}

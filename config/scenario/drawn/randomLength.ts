/** Message lengths that find bugs: empty, tiny, around multiples of the MTU and of a page, and anything. */
import type { CounterDraws } from './counterDraws.ts';
import { PAGE_BYTES } from '../../../uvm/bytes/byteStore.ts';

/** Upper bounds of a draw of 0 .. 99: the kinds with their shares in percent. What is left is uniform. */
const EMPTY = 4;
const TINY = EMPTY + 24;
const AROUND_MTU = TINY + 28;
const AROUND_PAGE = AROUND_MTU + 10;
const LONGEST = AROUND_PAGE + 4;

/** Draws a message length of 0 .. `longest` bytes. */
export function drawLength(draws: CounterDraws, longest: number, mtu: number): number {
  const kind = draws.below(100);
  if (kind < EMPTY) return 0;
  if (kind < TINY) return Math.min(longest, 1 + draws.below(64));
  if (kind < AROUND_MTU) return around(draws, mtu, longest);
  if (kind < AROUND_PAGE) return around(draws, PAGE_BYTES, longest);
  return kind < LONGEST ? longest : draws.range(0, longest);
}

/** Within two bytes of a multiple of `unit`, where one fits; else anything. */
function around(draws: CounterDraws, unit: number, longest: number): number {
  const multiples = Math.floor((longest + 2) / unit);
  if (multiples === 0) return draws.range(0, longest);
  const length = unit * (1 + draws.below(Math.min(multiples, 4))) + draws.below(5) - 2;
  return Math.min(longest, length);
}

/** Rules that a run draws: `optional`, because nobody knows beforehand what a drawn run sends. */
import type { RandomStream } from '../../uvm/random/randomStream.ts';

/** One to `most` of them, as they would be typed in one argument. */
export function optionalRules(stream: RandomStream, most: number, draw: (stream: RandomStream) => string): string {
  return Array.from({ length: stream.range(1, most) }, () => `${draw(stream)} optional`).join('; ');
}

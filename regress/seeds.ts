/** Seeds of the runs of a regression, all derived from one number. */

/** Number of seeds: they are 32-bit. */
const SPAN = 2 ** 32;

/**
 * Derives the seed of one repetition of a run. Depends on names, not on positions: filtering, sharding or reordering
 * a list changes no seed.
 * @param base seed of the regression
 * @param family list entry
 * @param title what distinguishes the run within it
 * @param repetition from 0
 */
export function derivedSeed(base: number, family: string, title: string, repetition: number): number {
  let hash = mix(0x811c9dc5, base);
  for (const text of [family, title]) {
    for (let i = 0; i < text.length; i++) hash = mix(hash, text.charCodeAt(i));
    hash = mix(hash, 0x10000);
  }
  return ((finish(mix(hash, repetition)) % SPAN) + SPAN) % SPAN;
}

/** Seeds per run when what was asked for is scaled: rounded, and at least one. */
export function reseedCount(reseed: number, multiplier = 1): number {
  return Math.max(1, Math.round(reseed * multiplier));
}

function mix(hash: number, value: number): number {
  const h = Math.imul(hash ^ value, 0x01000193);
  return h ^ (h >>> 15);
}

function finish(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

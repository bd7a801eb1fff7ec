/** What may come of a known issue in a regression. */

export const KNOWN_STATES = ['known', 'too broad', 'expired', 'not seen', 'not played'] as const;
export type KnownState = (typeof KNOWN_STATES)[number];

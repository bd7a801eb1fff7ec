/**
 * Planted bugs that are too dear for `npm test`, with what each cost when it was measured (ms of processor time): the
 * list is written by `npm run bug-costs`, by its rule. `npm run test:nightly` plays them with all others.
 */

import { readFileSync } from 'node:fs';

const LIST = new URL('./nightlyBugs.json', import.meta.url);

export type NightlyBugs = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** By name of the NIC, then of the bug. */
export const NIGHTLY_BUGS = JSON.parse(readFileSync(LIST, 'utf8')) as NightlyBugs;

/** `npm run test:nightly`. */
export const IS_NIGHTLY = process.env['SPECS_NIGHTLY'] === '1';

/** Whether this run of the specs plays a bug. @param nic name of its entry in the catalog */
export function isPlayed(nic: string, { name }: { readonly name: string }): boolean {
  return IS_NIGHTLY || NIGHTLY_BUGS[nic]?.[name] === undefined;
}

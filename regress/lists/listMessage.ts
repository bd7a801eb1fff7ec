/** What a list may hold at each place, said to people. */

import type { z } from 'zod';

/** By key: what belongs there, and what to do when something else does. */
const EXPECTED: Readonly<Record<string, string>> = {
  name: 'a name of letters, digits, "_", "." and "-", at most 100 of them',
  description: 'a text; write it in quotes',
  test: 'the name of a test; ./hca_test --list-tests shows them',
  plusargs: 'a mapping; write plusargs: { NAME: value }',
  sweep: 'a mapping; write sweep: { NAME: [1, 2] }',
  pairs: 'true or false; write pairs: true',
  skip: 'a list of rules; write skip: ["RC_QP_NUM == 3"]',
  flags: 'a list of words; write flags: [--pcap]',
  seeds: 'a list of seeds; write seeds: [1, 0x2a]',
  reseed: 'a whole number from 1 to 1000000',
  timeout: 'a time in seconds, more than 0',
  include: 'a list of files; write include: [other.yaml]',
  behaviours: 'a list of files; write behaviours: [table.yaml]',
  tests: 'a list of entries; begin each with "- name:"',
  defaults: 'a mapping such as { test: test_smoke, plusargs: { HOST_NUM: 2 } }',
};

/** The same for what is within these. */
const WITHIN: Readonly<Record<string, string>> = {
  skip: 'a rule; write it in quotes, such as "RC_QP_NUM == 3"',
  flags: 'a word; write it in quotes',
  seeds: 'a 32-bit seed, decimal or 0x hexadecimal',
  include: 'the name of a file',
  behaviours: 'the name of a file',
  tests: 'an entry; write name: and what it runs',
  plusargs: 'one value; several values go under sweep:',
  sweep: 'a list of values; write [1, 2], or put one fixed value under plusargs:',
};
const ROOT = 'a list of runs; write tests: with entries, or include: with further lists';
const STEP = 'a value, or several plusargs that change together, such as { DATA_CNT: 10, DATA_UNIT: B }';

const SHOWN_LENGTH = 60;

/**
 * Says what is wrong with a value.
 * @param data the whole list
 */
export function listMessage(issue: z.core.$ZodIssue, data: unknown): string {
  const path = issue.path.map(String);
  const key = path.at(-1);
  if (key === undefined) return `${shown(data)} is not ${ROOT}`;
  if (issue.code === 'invalid_key')
    return `${key} is not the name of a plusarg; write it without "+" and with letters, digits and "_" only`;
  const value = valueAt(data, issue.path);
  if (value === undefined) return `the entry has no ${key}; add ${key}:, ${ownText(EXPECTED, key) ?? ''}`;
  return `${placeOf(path)}: ${value === null ? 'nothing' : shown(value)} is not ${expectedAt(path)}`;
}

function expectedAt(path: readonly string[]): string {
  const [key = '', above = '', further = ''] = [...path].reverse();
  if (further === 'sweep') return STEP;
  // A plusarg may be called as a key is.
  return ownText(WITHIN, above) ?? ownText(EXPECTED, key) ?? 'a value that has a place here';
}

/** Keys of a list may be called as what every object has. */
function ownText(texts: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}

/** The nearest name: an index says nothing to people. */
function placeOf(path: readonly string[]): string {
  return path.findLast((part) => !/^\d+$/.test(part)) ?? '';
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const key of path) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text;
}

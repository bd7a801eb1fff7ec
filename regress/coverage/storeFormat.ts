/** What a coverage store is called, and the version of its lines. Apart from the validator, which runs do not load. */

export const STORE_NAME = 'coverage.jsonl';
export const STORE_FORMAT = 1;

/** Tells whether a replay gave what was recorded, and if not, what has changed since. */

import type { RunRecord, Versions } from '../regress/runRecord.ts';

/** What to say after a replay; empty = the same bytes at the same times. */
export function compareReplay(before: RunRecord, after: RunRecord): string[] {
  if (before.transcript.hash === after.transcript.hash) return [];
  const versions = versionDifferences(before.versions, after.versions);
  const events = `${before.transcript.events} and ${after.transcript.events} events`;
  const hashes = `${before.transcript.hash} was recorded, ${after.transcript.hash} came out now (${events})`;
  const why =
    versions.length > 0
      ? `versions differ: ${versions.join('; ')}`
      : 'all versions are equal: the run does not repeat itself, which is a defect of the harness or of a test';
  return [`REPLAY DIFFERS: transcript ${hashes}`, why];
}

function versionDifferences(before: Versions, after: Versions): string[] {
  const names = ['harness', 'commit', 'node', 'generator'] as const;
  const different = names.filter((name) => before[name] !== after[name]);
  return different.map((name) => `${name} ${before[name] || 'unknown'} then, ${after[name] || 'unknown'} now`);
}

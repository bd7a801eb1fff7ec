/** Tells whether a replay gave what was recorded, and if not, why. */

import type { RunRecord, Versions } from '../regress/runRecord.ts';

/** What came of the comparison. */
export interface ReplayComparison {
  /** False when the same was asked for and something else came out. */
  readonly equal: boolean;
  /** What to say. */
  readonly lines: readonly string[];
}

/** Plusargs that change what is said, not what is done. */
const REPORTING = /^\+(UVM_VERBOSITY|uvm_set_verbosity|uvm_set_action|UVM_.*_TRACE|UVM_.*DUMP.*|UVM_NO_RELNOTES)(=|$)/;

/** Compares a run with the record that it repeats: the same bytes at the same times. */
export function compareReplay(before: RunRecord, after: RunRecord): ReplayComparison {
  const { hash } = after.transcript;
  if (before.transcript.hash === '') {
    return { equal: true, lines: ['REPLAY OF A RUN THAT DID NOT END: there is no transcript to compare with'] };
  }
  if (before.transcript.hash === hash) return { equal: true, lines: [`REPLAY EQUAL: transcript ${hash}`] };
  const events = `${before.transcript.events} and ${after.transcript.events} events`;
  const hashes = `${before.transcript.hash} was recorded, ${hash} came out now (${events})`;
  const added = addedPlusargs(before, after);
  if (added.length > 0) {
    const why = `plusargs that the record does not have may change the run: ${added.join(' ')}`;
    return { equal: true, lines: [`REPLAY CHANGED: transcript ${hashes}`, why] };
  }
  return {
    equal: false,
    lines: [`REPLAY DIFFERS: transcript ${hashes}`, whyDifferent(before.versions, after.versions)],
  };
}

function addedPlusargs(before: RunRecord, after: RunRecord): string[] {
  const recorded = new Set(before.plusargs);
  return after.plusargs.filter((arg) => !recorded.has(arg) && !REPORTING.test(arg));
}

function whyDifferent(before: Versions, after: Versions): string {
  const versions = versionDifferences(before, after);
  if (versions.length > 0) return `versions differ: ${versions.join('; ')}`;
  return 'all versions are equal: the run does not repeat itself, which is a defect of the harness or of a test';
}

function versionDifferences(before: Versions, after: Versions): string[] {
  const names = ['harness', 'commit', 'node', 'generator'] as const;
  const different = names.filter((name) => before[name] !== after[name]);
  return different.map((name) => `${name} ${before[name] || 'unknown'} then, ${after[name] || 'unknown'} now`);
}

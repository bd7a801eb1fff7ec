/** Tells whether a replay gave what was recorded, and if not, why. */

import type { RunRecord, Versions } from '../../../regress/runRecord.ts';
import { isInterrupted } from '../limits/interruption.ts';
import { whereDifferent } from './replayDifference.ts';
import { isEndedByClock } from '../limits/wallClockLimit.ts';

/** What came of the comparison. */
export interface ReplayComparison {
  /** False when the same was asked for and something else came out. */
  readonly equal: boolean;
  /** What to say. */
  readonly lines: readonly string[];
}

/** Plusargs that change what is said, not what is done. */
const REPORTING = /^\+(UVM_VERBOSITY|uvm_set_verbosity|uvm_set_action|UVM_.*_TRACE|UVM_.*DUMP.*|UVM_NO_RELNOTES)(=|$)/;

/** Names the files in which the sources of two builds differ; undefined when that is not known. */
export type ChangedSources = (before: string, after: string) => readonly string[] | undefined;

/** Files that are named before the rest is counted. */
const NAMED = 5;

/** Compares a run with the record that it repeats: the same bytes at the same times. */
export function compareReplay(before: RunRecord, after: RunRecord, changed: ChangedSources): ReplayComparison {
  const { hash } = after.transcript;
  if (before.transcript.hash === '' || hash === '') return unfinishedReplay('there is no transcript to compare');
  if (before.transcript.hash === hash)
    return { equal: true, lines: [`REPLAY EQUAL: transcript ${hash}`, ...testDifference(before, after)] };
  const [early, late] = [endFromOutside(before), endFromOutside(after)];
  if (early !== undefined) return unfinishedReplay(`the recorded run was ${early}`);
  if (late !== undefined) return unfinishedReplay(`this run was ${late}`);
  const events = `${before.transcript.events} and ${after.transcript.events} events`;
  const hashes = `${before.transcript.hash} was recorded, ${hash} came out now (${events})`;
  const where = whereDifferent(before, after);
  const added = addedPlusargs(before, after);
  if (added.length > 0) {
    const why = `plusargs that the record does not have may change the run: ${added.join(' ')}`;
    return { equal: true, lines: [`REPLAY CHANGED: transcript ${hashes}`, ...where, why] };
  }
  const tests = testDifference(before, after).length > 0;
  return {
    equal: tests,
    lines: [
      `REPLAY ${tests ? 'CHANGED' : 'DIFFERS'}: transcript ${hashes}`,
      ...where,
      whyDifferent(before, after, changed),
    ],
  };
}

/** What ended the run at a point that no replay repeats. */
function endFromOutside(record: RunRecord): string | undefined {
  if (isEndedByClock(record)) return 'ended by its wall-clock limit';
  return isInterrupted(record) ? 'interrupted' : undefined;
}

/** Nobody is to blame for a difference: the new run alone decides. */
function unfinishedReplay(why: string): ReplayComparison {
  return { equal: true, lines: [`REPLAY OF A RUN THAT DID NOT END: nothing is compared, ${why}`] };
}

function addedPlusargs(before: RunRecord, after: RunRecord): string[] {
  const recorded = new Set(before.plusargs);
  return after.plusargs.filter((arg) => !recorded.has(arg) && !REPORTING.test(arg));
}

function whyDifferent(before: RunRecord, after: RunRecord, changed: ChangedSources): string {
  const versions = versionDifferences(before.versions, after.versions);
  const sources = sourceDifference(before.versions, after.versions, changed);
  const tests = testDifference(before, after);
  const reasons = [...(versions.length > 0 ? [`versions differ: ${versions.join('; ')}`] : []), ...sources, ...tests];
  if (reasons.length > 0) return reasons.join('; ');
  return 'all versions are equal: the run does not repeat itself, which is a defect of the harness or of a test';
}

/** A changed test may judge otherwise what is the same on the wire. */
function testDifference({ testPath: before }: RunRecord, { testPath: after }: RunRecord): string[] {
  if (before.sha256 === after.sha256) return [];
  if (before.path === '') return [`the recorded run had no tests of ${after.path}`];
  if (before.sha256 === '') return [`the record does not say of which sources of ${after.path}: they may have changed`];
  return [`the tests of ${after.path || before.path} have changed since`];
}

function versionDifferences(before: Versions, after: Versions): string[] {
  // Equal sources are equal in any commit.
  const known = before.sources !== '' && before.sources === after.sources;
  const names = known ? (['node'] as const) : (['harness', 'commit', 'node', 'generator'] as const);
  const different = names.filter((name) => before[name] !== after[name]);
  return different.map((name) => `${name} ${before[name] || 'unknown'} then, ${after[name] || 'unknown'} now`);
}

function sourceDifference(before: Versions, after: Versions, changed: ChangedSources): string[] {
  if (before.sources === after.sources) return [];
  if (before.sources === '') return ['the record does not say of which sources: they may have changed since'];
  const files = changed(before.sources, after.sources) ?? [];
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  const named = files.length === 0 ? '' : ` (${files.slice(0, NAMED).join(', ')}${more})`;
  return [`the sources have changed since${named}`];
}

/** Builders of jobs and results for specs. */

import type { Job, JobResult } from '../../../regress/job.ts';
import type { JournalPlan } from '../../../regress/journal.ts';

export function aJob(changes: Partial<Job> = {}): Job {
  return {
    id: 'f/0-s1',
    family: 'f',
    title: '',
    argv: [],
    cwd: process.cwd(),
    where: 'list.yaml:1:1',
    timeoutSeconds: 0,
    ...changes,
  };
}

export function aResult(changes: Partial<JobResult> = {}): JobResult {
  return {
    id: 'f/0-s1',
    family: 'f',
    title: '',
    status: 'passed',
    test: 'test_x',
    seed: 1,
    attempts: 1,
    wallMs: 12.5,
    simulatedTimePs: 1000,
    checks: 3,
    transcript: '0'.repeat(32),
    signature: null,
    errorIds: [],
    message: '',
    replay: './hca_test --seed 1',
    folder: '',
    log: '',
    unused: [],
    switchedOff: 0,
    worker: 0,
    ...changes,
  };
}

export function aPlan(changes: Partial<JournalPlan> = {}): JournalPlan {
  return {
    source: 'l.yaml',
    seed: 1,
    command: './hca_regress run l.yaml',
    started: '2026-01-02T03:04:05.000Z',
    sources: '',
    settings: { keep: 'failures', timeoutSeconds: 3600, coverage: false, heapMb: 2048 },
    jobs: [],
    ...changes,
  };
}

import { expect } from 'chai';
import { closingLines } from '../../../bin/run/closingLine.ts';
import type { RunRecord } from '../../../regress/runRecord.ts';

function linesOf(counts: Readonly<Record<string, number>>): string[] {
  const record = { verdict: 'passed', test: 'test_x', seed: 7, counts, simulatedTimePs: 5000, wallMs: 10 };
  return closingLines({ ...record, transcript: { hash: 'abc', events: 1 } } as unknown as RunRecord);
}

describe('the closing line', () => {
  it('names test, seed, checks and transcript', () => {
    expect(linesOf({ checks: 3 })).to.deep.equal([
      'TEST PASSED test_x seed 7 (3 checks, 5ns simulated, 10 ms, transcript abc)',
    ]);
  });

  it('does not pass over warnings, requests that failed and errors that settings switched off', () => {
    expect(linesOf({ checks: 3, warnings: 1, error_completions: 1, errors_switched_off: 2 })[0]).to.contain(
      '(3 checks, 1 warning, 1 error completion, 2 switched-off errors, ',
    );
  });
});

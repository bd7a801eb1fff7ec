import { expect } from 'chai';
import { Budget } from '../../../regress/budget.ts';
import { aResult } from '../support/jobs.ts';

describe('the budget of a regression', () => {
  function begun(limits: ConstructorParameters<typeof Budget>[0]): { budget: Budget; finished: () => number } {
    let count = 0;
    const budget = new Budget(limits);
    budget.begin(() => count++);
    return { budget, finished: () => count };
  }

  it('ends once, with the run that fails too much; a run that is reported twice is one', () => {
    const { budget, finished } = begun({ maxFailures: 2 });
    budget.count(aResult({ id: 'a' }));
    budget.count(aResult({ id: 'b', status: 'failed' }));
    budget.count(aResult({ id: 'b', status: 'error' }));
    expect([budget.spent, finished()]).to.deep.equal(['', 0]);
    budget.count(aResult({ id: 'c', status: 'timeout' }));
    budget.count(aResult({ id: 'd', status: 'failed' }));
    expect([budget.spent, finished()]).to.deep.equal(['--max-failures 2', 1]);
  });

  it('ends when its time is over, and not when the regression was faster', async () => {
    const slow = begun({ maxTimeSeconds: 0.01 });
    const fast = begun({ maxTimeSeconds: 0.01 });
    fast.budget.end();
    await new Promise((resolve) => void setTimeout(resolve, 60));
    expect([slow.budget.spent, slow.finished()]).to.deep.equal(['--max-time 0.01', 1]);
    expect([fast.budget.spent, fast.finished()]).to.deep.equal(['', 0]);
  });

  it('has no end without limits', () => {
    const { budget } = begun({});
    for (let n = 0; n < 100; n++) budget.count(aResult({ id: `r${n}`, status: 'failed' }));
    expect(budget.spent).to.equal('');
  });
});

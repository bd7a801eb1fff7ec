import { expect } from 'chai';
import { chosenJobs, vainPatterns } from '../../../regress/jobFilter.ts';
import { aJob } from '../support/jobs.ts';

describe('the choice of runs', () => {
  const jobs = [
    aJob({ id: 'multiqp/0-s1', family: 'multiqp', title: 'RC_QP_NUM=1 SG_NUM=1' }),
    aJob({ id: 'multiqp/1-s2', family: 'multiqp', title: 'RC_QP_NUM=16 SG_NUM=1' }),
    aJob({ id: 'multiwqe-s1', family: 'multiwqe', title: '' }),
  ];

  function chosen(filters: readonly string[], exclusions: readonly string[] = []): string {
    return chosenJobs(jobs, { filters, exclusions })
      .map(({ id }) => id)
      .join(' ');
  }

  const [ONE, TWO, THREE] = jobs.map(({ id }) => id);
  for (const [filters, exclusions, expected] of [
    [[], [], [ONE, TWO, THREE]],
    [['RC_QP_NUM=1'], [], [ONE, TWO]],
    [['qp/'], [], [ONE, TWO]],
    [['RC_QP_NUM=1?'], [], [TWO]],
    [['RC_QP_NUM=*'], [], [ONE, TWO]],
    [['multi*-s1'], [], [ONE, THREE]],
    [['multiw*', '*-s2'], [], [TWO, THREE]],
    [['QP_NUM*'], [], []],
    [[], ['multiqp'], [THREE]],
    [['multi*'], ['*/0*', 'wqe'], [TWO]],
    [['multiqp*'], ['multi*'], []],
    [['a.c*', 'm(*'], [], []],
  ] as const) {
    it(`takes ${expected.length} for ${JSON.stringify(filters)} without ${JSON.stringify(exclusions)}`, () => {
      expect(chosen(filters, exclusions)).to.equal(expected.join(' '));
    });
  }

  it('names patterns that match nothing, with the nearest family', () => {
    expect(vainPatterns(jobs, ['multiqp', 'multipq', 'zzz*'])).to.deep.equal([
      { text: 'multipq', hint: '; did you mean multiqp?' },
      { text: 'zzz*', hint: '' },
    ]);
  });
});

import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { callOf, regressProgram, testProgram } from '../../../bin/calledAs.ts';
import { callLine } from '../../../bin/run/replay/replayLine.ts';
import { projectRoot } from '../../../bin/versions.ts';
import { aJob } from '../support/jobs.ts';

const root = fileURLToPath(projectRoot()).replace(/\/$/, '');

describe('the name by which the programs were called', () => {
  it('is that which the launcher has passed on, and else that of the project folder', () => {
    expect(testProgram({})).to.equal('./hca_test');
    expect(testProgram({ HCA_TEST_CALLED_AS: '../hca_link2' })).to.equal('../hca_link2');
    expect(regressProgram({})).to.equal('./hca_regress');
    expect(regressProgram({ HCA_REGRESS_CALLED_AS: '/x/hca_regress' })).to.equal('/x/hca_regress');
  });

  it('is for runs of a regression that beside hca_regress, wherever a link to it stands', () => {
    const beside = { HCA_REGRESS_CALLED_AS: '../hca_regress' };
    expect(testProgram(beside, `${root}/docs`)).to.equal('../hca_test');
    expect(testProgram({ HCA_REGRESS_CALLED_AS: '/nowhere/link' })).to.equal(`${root}/hca_test`);
  });

  it('goes to the folder of a run first when that is another', () => {
    const env = { HCA_REGRESS_CALLED_AS: './hca_regress' };
    const start = root;
    const here = callOf(aJob({ cwd: start }), start, env);
    expect(callLine(here, ['+A=1'])).to.equal('./hca_test +A=1');
    const there = callOf(aJob({ cwd: '/tmp/a b' }), start, env);
    expect(callLine(there, ['+A=1'])).to.equal(`(cd '/tmp/a b' && ${start}/hca_test +A=1)`);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { isScript, parseScript } from '../../../../regress/script/parseScript.ts';
import { shellCommands } from '../../../../regress/script/shellWords.ts';
import { commandLine } from '../../../../regress/shellQuote.ts';

const SERIAL = `#!/bin/bash
# small cases
./hca_test -uvmDebug +UVM_VERBOSITY=UVM_LOW \\
  +UVM_TESTNAME=test_direct_param +HOST_NUM=2 +RC_QP_NUM=2 \\
  -l ./case/small_log/case0.log
sed -i '/UVM_WARNING/d' ./case/small_log/case0.log
sed -i "s/a b/c/" ./case/small_log/case0.log

./hca_test +UVM_TESTNAME=test_direct_param +RC_QP_NUM=4 -l ./case/small_log/case1.log # tail
`;

describe('parseScript', () => {
  it('reads the serial form with continuations, comments and sed lines', () => {
    const { jobs, notes } = parseScript('case/small.sh', SERIAL, '/w');
    expect(notes).to.deep.equal([]);
    expect(jobs.map((j) => j.id)).to.deep.equal(['small/case0', 'small/case1']);
    expect(jobs[0]?.argv).to.deep.equal([
      '-uvmDebug',
      '+UVM_VERBOSITY=UVM_LOW',
      '+UVM_TESTNAME=test_direct_param',
      '+HOST_NUM=2',
      '+RC_QP_NUM=2',
      '-l',
      './case/small_log/case0.log',
    ]);
    expect(jobs.map((j) => j.where)).to.deep.equal(['case/small.sh:3', 'case/small.sh:9']);
    expect(jobs[0]?.title).to.equal('RC_QP_NUM=2');
  });

  it('reads the parallel form behind bsub, quoted or not', () => {
    const text = [
      'bsub -J 17 -o ./log/case17.log ../hca_test +A=1 +CASEID=17',
      'bsub -J 18 -o ./log/case18.log "../hca_test +A=2 -l own.log"',
    ].join('\n');
    const { jobs } = parseScript('pressure.sh', text, '/w');
    expect(jobs.map((j) => j.id)).to.deep.equal(['pressure/17', 'pressure/18']);
    expect(jobs.map((j) => j.argv)).to.deep.equal([
      ['+A=1', '+CASEID=17', '-l', './log/case17.log'],
      ['+A=2', '-l', 'own.log'],
    ]);
  });

  it('notes what it passes over and keeps names apart', () => {
    const text =
      'frobnicate x\n./hca_test +A=1 -l a.log\n./hca_test +A=2 -l a.log > out 2>&1 && ./hca_test +A=3 | tee x\n./hca_test "open\n';
    const { jobs, notes } = parseScript('x.sh', text, '/w');
    expect(jobs.map((j) => j.id)).to.deep.equal(['x/a', 'x/a.2', 'x/line3']);
    expect(jobs.map((j) => j.argv[0])).to.deep.equal(['+A=1', '+A=2', '+A=3']);
    expect(notes).to.have.length(2);
  });

  it('follows cd', () => {
    const { jobs } = parseScript('x.sh', 'cd sub\n./hca_test +A=1\n', '/w');
    expect(jobs[0]?.cwd).to.equal('/w/sub');
  });

  it('tells scripts from lists', () => {
    expect(isScript('a.yaml', '#!x')).to.equal(false);
    expect(isScript('a.sh', '')).to.equal(true);
    expect(isScript('cases', '#!/bin/sh')).to.equal(true);
  });

  it('splits any quoted command line into its words', () => {
    const word = fc.string({ minLength: 1, maxLength: 8 }).filter((s) => !/[\r\n]/.test(s));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        expect(shellCommands(commandLine(words))).to.deep.equal([{ words }]);
      }),
    );
  });
});

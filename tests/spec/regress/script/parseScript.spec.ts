import { expect } from 'chai';
import fc from 'fast-check';
import { isScript, parseScript } from '../../../../regress/script/parseScript.ts';
import { expandWord } from '../../../../regress/script/expandWord.ts';
import { shellCommands } from '../../../../regress/script/shellCommands.ts';
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

/** A script started in `/w`, where there is a folder `sub`. */
function read(text: string, path = 'x.sh'): ReturnType<typeof parseScript> {
  return parseScript(path, text, { cwd: '/w', env: { HOME: '/h' }, exists: (folder) => folder === '/w/sub' });
}

describe('parseScript', () => {
  it('reads the serial form with continuations, comments and sed lines', () => {
    const { jobs, notes } = read(SERIAL, 'case/small.sh');
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
    const { jobs } = read(text, 'pressure.sh');
    expect(jobs.map((j) => j.id)).to.deep.equal(['pressure/17', 'pressure/18']);
    expect(jobs.map((j) => j.argv)).to.deep.equal([
      ['+A=1', '+CASEID=17', '-l', './log/case17.log'],
      ['+A=2', '-l', 'own.log'],
    ]);
  });

  it('notes what it passes over and keeps names apart', () => {
    const text =
      'frobnicate x\n./hca_test +A=1 -l a.log\n./hca_test +A=2 -l a.log > out 2>&1 && ./hca_test +A=3 | tee x\necho "open\n';
    const { jobs, notes } = read(text, 'x.sh');
    expect(jobs.map((j) => j.id)).to.deep.equal(['x/a', 'x/a.2', 'x/line3']);
    expect(jobs.map((j) => j.argv[0])).to.deep.equal(['+A=1', '+A=2', '+A=3']);
    expect(notes).to.have.length(2);
  });

  it('refuses a line that calls or reads in another script with runs of its own, however it does so', () => {
    const files: Readonly<Record<string, string>> = {
      '/w/sub.sh': 'cd x\n./hca_test +A=1\n',
      '/w/setup.sh': '# for ./hca_test\nexport PATH=x\n',
      '/w/a.log': 'replay: ./hca_test +A=1\n',
    };
    const readIn = (text: string): ReturnType<typeof parseScript> =>
      parseScript('x.sh', text, { cwd: '/w', exists: () => true, read: (path) => files[path] });
    const calls = [
      'source sub.sh',
      '. ./sub.sh',
      'bash -e sub.sh',
      'sh ./sub.sh &',
      './sub.sh',
      'D=/w; nohup time $D/sub.sh',
      'bsub -J a -o a.log ./sub.sh',
      'bsub -o a.log sh ./sub.sh x',
      'true | sh sub.sh',
    ];
    for (const call of calls) {
      const { problems } = readIn(`./hca_test +A=0\n${call}\n`);
      expect(problems, call).to.have.length(1);
      expect(problems[0], call).to.match(
        /^x\.sh:2: .*sub\.sh calls hca_test too, and its runs would be left out; take/,
      );
    }
    for (const call of ['source setup.sh', 'python3 sum.py a.log', 'bsub -o a.log ./tidy', 'sub.sh']) {
      const { problems, notes } = readIn(`./hca_test +A=0\n${call}\n`);
      expect([problems.length, notes.length], call).to.deep.equal([0, 1]);
    }
  });

  it('follows cd', () => {
    const { jobs } = read('cd sub\n./hca_test +A=1\n', 'x.sh');
    expect(jobs[0]?.cwd).to.equal('/w/sub');
  });

  it('tells scripts from lists', () => {
    expect(isScript('a.yaml', '#!x')).to.equal(false);
    expect(isScript('a.sh', '')).to.equal(true);
    expect(isScript('cases', '#!/bin/sh')).to.equal(true);
  });

  it('takes a file without a telling name for a script when a line calls the program and none is of a list', () => {
    const line = 'bsub -J 1 -o a.log ../hca_test +A=1\n';
    for (const path of ['cases.txt', 'cases.lst', 'cases', '/dev/stdin'])
      expect(isScript(path, `# cases\n${line}`), path).to.equal(true);
    expect(isScript('cases', `# for ./hca_test\ntests:\n  - name: t\n    description: as ${line}`)).to.equal(false);
    expect(isScript('cases', '# for ./hca_test\necho nothing\n')).to.equal(false);
    expect(isScript('cases.yaml', line)).to.equal(false);
  });

  it('splits any quoted command line into its words', () => {
    const word = fc.string({ minLength: 1, maxLength: 8 }).filter((s) => !/[\r\n]/.test(s));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const [command, ...more] = shellCommands(commandLine(words)) ?? [];
        expect(more).to.deep.equal([]);
        expect(command?.words.flatMap((raw) => expandWord(raw, () => undefined).words)).to.deep.equal(words);
      }),
    );
  });

  it('runs what stands behind variables, time, nohup, env, nice, timeout and sh -c', () => {
    const lines = [
      'FOO=1 ./hca_test +A=1',
      'time -p nohup nice -n 5 ./hca_test +A=2 &',
      'env X=1 COCOTB_RANDOM_SEED=9 ./hca_test +A=3',
      'timeout -k 5 2m ./hca_test +A=4',
      "bash -c 'cd sub && ./hca_test +A=5'",
      '(cd sub && ./hca_test +A=6); ./hca_test +A=7',
      'if ./hca_test +A=8; then echo good; else echo bad; fi',
      './hca_test +A=9 || echo failed && true',
      '{ ./hca_test +A=10; }',
      'srun -n 1 ./hca_test +A=11',
      'exec /opt/rnic/hca_test +A=12',
    ];
    const { jobs, problems, notes } = read(lines.join('\n'));
    expect(problems).to.deep.equal([]);
    expect(jobs.map((j) => j.argv[0])).to.deep.equal(
      lines
        .map((_, i) => `+A=${i + 1}`)
        .concat('+A=12')
        .slice(0, 12),
    );
    expect(jobs[2]?.argv).to.deep.equal(['+A=3', '--seed', '9']);
    expect(jobs[3]?.timeoutSeconds).to.equal(120);
    expect(jobs.map((j) => j.cwd)).to.deep.equal(
      jobs.map((j) => (['+A=5', '+A=6'].includes(j.argv[0] as string) ? '/w/sub' : '/w')),
    );
    expect(notes).to.deep.equal(['x.sh:1: FOO= has no effect on the run', 'x.sh:3: X= has no effect on the run']);
  });

  it('puts in variables whose values the script says', () => {
    const text = [
      'cd "$(dirname "$0")"',
      'ARGS="+A=1 +B=2" LOG=logs',
      'HCA=./hca_test',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: braces of a shell
      '$HCA $ARGS "-l" "$LOG/${HOME}.log"',
      "./hca_test '+C=$ARGS' +D=a\\ b +E=$",
    ].join('\n');
    const { jobs, problems } = read(text, 'sub/x.sh');
    expect(problems).to.deep.equal([]);
    expect(jobs.map((j) => j.argv)).to.deep.equal([
      ['+A=1', '+B=2', '-l', 'logs//h.log'],
      ['+C=$ARGS', '+D=a b', '+E=$'],
    ]);
    expect(jobs[0]?.cwd).to.equal('/w/sub');
  });

  const REFUSED: readonly (readonly [string, RegExp])[] = [
    ['for n in 1 2 3; do ./hca_test +A=$n; done', /x\.sh:1: hca_test stands in a loop.*sweep/],
    [
      'for n in 1 2\ndo\n  ./hca_test +A=1\ndone',
      /x\.sh:3: hca_test stands in a loop, which is not unrolled.*YAML list/,
    ],
    ['while read a; do\n./hca_test +A=1\ndone < f', /x\.sh:2: hca_test stands in a loop/],
    ['while ./hca_test +A=1; do :; done', /x\.sh:1: hca_test stands in a loop/],
    ['if [ -d x ]; then ./hca_test +A=1; fi', /x\.sh:1: hca_test depends on a condition/],
    ['if true; then\n:\nelse\n./hca_test\nfi', /x\.sh:4: hca_test depends on a condition/],
    ['case $1 in\na) ./hca_test +A=1;;\nesac', /x\.sh:2: hca_test depends on a condition/],
    ['run() {\n  ./hca_test +A=1\n}\nrun', /x\.sh:2: hca_test stands in a function/],
    ['[ -d x ] && ./hca_test +A=1', /x\.sh:1: hca_test behind "\[ \.\.\. &&" depends/],
    ['./hca_test +A=1 || ./hca_test +A=2', /x\.sh:1: hca_test behind \|\| is run only if/],
    ['seq 3 | xargs -n 1 ./hca_test', /x\.sh:1: it cannot be said how "xargs" runs hca_test/],
    ['./hca_test +A=$SEED', /x\.sh:1: the value of \$SEED is not known/],
    ['S=$(date)\n./hca_test +A=$S', /x\.sh:2: the value of \$S is not known/],
    ['./hca_test +A={1,2}', /x\.sh:1: the value of \{1,2\} is not known/],
    ['cat > y <<EOF\n./hca_test +A=1\nEOF', /x\.sh:2: hca_test in a here-document is not run/],
    ['./hca_test "+A=1', /x\.sh:1: a quote is not closed/],
    ['cd logs\n./hca_test', /x\.sh:1: cd logs: there is no folder \/w\/logs; make it, or write mkdir -p logs before/],
    ['parallel ./hca_test ::: +A=1', /x\.sh:1: it cannot be said how "parallel" runs hca_test/],
  ];
  for (const [text, expected] of REFUSED) {
    it(`refuses rather than leaves out: ${text.replaceAll('\n', ' / ')}`, () => {
      expect(read(text).problems.join('\n')).to.match(expected);
    });
  }

  it('reads the lines behind a line that cannot be run as if that were right', () => {
    for (const text of [
      'if [ -f a ]; then ./hca_test +A=1; fi',
      'for n in 1 2; do ./hca_test +A=$n; done',
      'for n in 1 2; do ./hca_test +A=1; ./hca_test +A=1; done',
      'while read a; do if true; then ./hca_test +A=$a; fi; done < f',
      'run() { ./hca_test +A=1; }',
      '{ ./hca_test +A=$(cat f); }',
      '(cd sub; ./hca_test +A=$(cat f))',
      'cd logs && ./hca_test +A=1',
      "sh -c 'cd sub; ./hca_test +A=$(cat f)'",
      './hca_test +A=$(cat f) && cd sub && ./hca_test +A=2',
    ]) {
      const { jobs, problems } = read(`${text}\n./hca_test +B=1\n`);
      expect(problems, problems.join('\n')).to.have.length(1);
      expect(problems[0]).to.match(/^x\.sh:1: /);
      expect(jobs.map(({ argv, cwd, where }) => [argv[0], cwd, where])).to.deep.equal([['+B=1', '/w', 'x.sh:2']]);
    }
  });

  it('names each mistake of a line, and runs what does not depend on it', () => {
    const { jobs, problems } = read('./hca_test +A=$X; ./hca_test +B=1; ./hca_test +C=$Y && ./hca_test +D=1\n');
    expect(problems.map((text) => text.slice(0, 28))).to.deep.equal([
      'x.sh:1: the value of $X is n',
      'x.sh:1: the value of $Y is n',
    ]);
    expect(jobs.map(({ argv }) => argv[0])).to.deep.equal(['+B=1']);
  });

  it('knows the loops and conditions of the C shell', () => {
    const csh = (text: string): readonly string[] => read(`#!/bin/csh -f\n${text}`, 'x').problems;
    expect(csh('foreach n (1 2)\n./hca_test +A=1\nend')[0]).to.match(/x:3: hca_test stands in a loop/);
    expect(csh('if ($a == 1) ./hca_test +A=1')[0]).to.match(/x:2: hca_test depends on a condition/);
    expect(csh('if ($a == 1) then\n./hca_test\nendif\n./hca_test +A=1')).to.have.length(1);
    expect(csh('setenv A b\n./hca_test +A=1')).to.deep.equal([]);
  });

  it('makes the folders that the script makes, and goes into them', () => {
    const { jobs, problems, folders } = read(
      'mkdir -p -m 755 logs/a "b c"; cd logs\ncd a && ./hca_test +A=1\ncd -\n./hca_test +A=2',
    );
    expect(problems).to.deep.equal([]);
    expect(folders).to.deep.equal(['/w/logs/a', '/w/b c']);
    expect(jobs.map((j) => j.cwd)).to.deep.equal(['/w/logs/a', '/w/logs']);
  });

  it('passes over what names the program without running it', () => {
    const text =
      'echo ./hca_test\nrm -f hca_test\n# ./hca_test\ngrep x hca_test\n./hca_test +A=1\nexit 0\n./hca_test +A=2';
    const { jobs, problems, notes } = read(text);
    expect(problems).to.deep.equal([]);
    expect(jobs.map((j) => j.argv)).to.deep.equal([['+A=1']]);
    expect(notes).to.deep.equal(['x.sh:4: "grep" is passed over']);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { isScript, parseScript } from '../../../../regress/script/parseScript.ts';
import { scriptWords } from '../../../../regress/script/scriptWords.ts';
import { commandLine } from '../../../../uvm/cmdline/shellQuote.ts';

const SERIAL = `#!/bin/bash
# small cases \\
./hca_test -uvmDebug +UVM_VERBOSITY=UVM_LOW \\
  +UVM_TESTNAME=test_direct_param +HOST_NUM=2 +RC_QP_NUM=2 \\
  -l ./case/small_log/case0.log
sed -i '/UVM_WARNING/d' ./case/small_log/case0.log
sed -i "s/a; b/c/" ./case/small_log/case0.log

./hca_test +UVM_TESTNAME=test_direct_param +RC_QP_NUM=4 -l ./case/small_log/case1.log # tail
`;

/** A script started in `/w`, where there is a folder `sub`. */
function read(text: string, path = 'x.sh'): ReturnType<typeof parseScript> {
  return parseScript(path, text, { cwd: '/w', exists: (folder) => folder === '/w/sub' });
}

describe('parseScript', () => {
  it('reads the serial form with continuations, comments and sed lines', () => {
    const { jobs, problems } = read(SERIAL, 'case/small.sh');
    expect(problems).to.deep.equal([]);
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
      'bsub -J 19 -q long -n 2 /opt/rnic/hca_test "+A=3 4"',
    ].join('\n');
    const { jobs, problems } = read(text, 'pressure.sh');
    expect(problems).to.deep.equal([]);
    expect(jobs.map((j) => j.id)).to.deep.equal(['pressure/17', 'pressure/18', 'pressure/19']);
    expect(jobs.map((j) => j.argv)).to.deep.equal([
      ['+A=1', '+CASEID=17', '-l', './log/case17.log'],
      ['+A=2', '-l', 'own.log'],
      ['+A=3 4'],
    ]);
  });

  it('keeps ids short and fit for the names of folders, whatever jobs, logs and scripts are called', () => {
    const long = 'a'.repeat(400);
    const { jobs } = read(
      `./hca_test +CASEID=${long}\n./hca_test +CASEID=${long}\n./hca_test -l .x.log`,
      'my -script.sh',
    );
    expect(jobs.map((j) => j.id)).to.deep.equal([
      `my_-script/${'a'.repeat(80)}`,
      `my_-script/${'a'.repeat(80)}.2`,
      'my_-script/_x',
    ]);
  });

  it('keeps names apart and gives lines without log and job the name of their line', () => {
    const { jobs } = read('./hca_test -l a.log\n./hca_test -l a.log\n./hca_test -l a.2.log\n./hca_test +A=3\r\n');
    expect(jobs.map((j) => j.id)).to.deep.equal(['x/a', 'x/a.2', 'x/a.2.2', 'x/line4']);
    expect(jobs.at(-1)?.argv).to.deep.equal(['+A=3']);
  });

  it('follows cd, also into folders that the script makes, and names these', () => {
    const { jobs, problems, folders } = read(
      'mkdir -p -m 755 logs/a "b c"\ncd sub\n./hca_test\ncd ../logs\ncd a\n./hca_test +A=1\n',
    );
    expect(problems).to.deep.equal([]);
    expect(folders).to.deep.equal(['/w/logs/a', '/w/b c']);
    expect(jobs.map((j) => j.cwd)).to.deep.equal(['/w/sub', '/w/logs/a']);
  });

  it('takes quotes and escapes as a shell does, and a # only at the beginning of a word for a comment', () => {
    const [job] = read(
      String.raw`./hca_test '+C=$A' +D=a\ b "+E=\"\$x\" \y" +F=a'b'"c"#d +G={1} '' '+H={1,2}' # e`,
    ).jobs;
    expect(job?.argv).to.deep.equal(['+C=$A', '+D=a b', String.raw`+E="$x" \y`, '+F=abc#d', '+G={1}', '', '+H={1,2}']);
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

  it('reads a long quote that is never closed in one pass, whatever stands in it', () => {
    const long = 'ab '.repeat(20_000);
    expect(read(`./hca_test "${long}`).problems[0]).to.contain('a quote is not closed on this line');
    expect(read(`./hca_test "${long}$A"`).problems[0]).to.contain('what $A stands for');
  });

  it('splits any quoted command line into its words', () => {
    const word = fc.string({ minLength: 1, maxLength: 8 }).filter((s) => !/[\r\n]/.test(s));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        expect(scriptWords(commandLine(words))).to.deep.equal(words);
      }),
    );
  });

  it('reads any text without an exception, with a line number for each mistake', () => {
    const piece = fc.constantFrom(
      './hca_test ',
      'bsub ',
      'cd ',
      'mkdir ',
      'sed ',
      '-J ',
      '"',
      "'",
      '\\',
      '\n',
      '$',
      '#',
      'a ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 }))), (pieces) => {
        for (const problem of read(pieces.join('')).problems) expect(problem).to.match(/^x\.sh:(\d+:| \d+ more lines)/);
      }),
    );
  });

  const SHELL = 'with --shell your own shell runs the script';
  const REFUSED: readonly (readonly [string, string])[] = [
    ['for n in 1 2 3; do ./hca_test +A=$n; done', 'only a shell can say what ; stands for here'],
    ['\nfor n in 1 2\ndo', '"for" is none of hca_test, bsub, cd, mkdir, sed, rm, echo'],
    ['if ./hca_test', '"if" is none of'],
    ['run() {', 'only a shell can say what ( stands for here'],
    ['run', '"run" is none of'],
    ['A=1', '"A=1" is none of'],
    ['A=1 ./hca_test', '"A=1" is none of'],
    ['./hca_test +A=$SEED', 'what $SEED stands for'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: braces of a shell
    ['./hca_test "+A=x${SEED}"', 'what ${SEED stands for'],
    ['./hca_test +A=$(date)', 'what $(date stands for'],
    ['./hca_test +A=`date`', 'what `date stands for'],
    ['./hca_test +A={1,2}', 'what {1,2} stands for'],
    ['./hca_test -l ~/a.log', 'what ~ stands for'],
    ['./hca_test +A=*', 'what * stands for'],
    ['./hca_test > a.log 2>&1', 'what > stands for'],
    ['./hca_test &', 'what & stands for'],
    ['./hca_test | tee x', 'what | stands for'],
    ['cat > y <<EOF', 'what > stands for'],
    ['sed -i d x; ./hca_test', 'what ; stands for'],
    ['sed -i d `./hca_test`', 'what ` stands for'],
    ['echo a && ./hca_test', 'what & stands for'],
    ['./hca_test "+A=1', 'a quote is not closed on this line'],
    ["./hca_test '+A=1", 'a quote is not closed on this line'],
    ['time ./hca_test', '"time" is none of'],
    ['source sub.sh', '"source" is none of'],
    ['./sub.sh', '"./sub.sh" is none of'],
    ['bash -c "./hca_test"', '"bash" is none of'],
    ['exit 0', '"exit" is none of'],
  ];
  for (const [text, expected] of REFUSED) {
    it(`refuses rather than leaves out, with a word about --shell: ${text.replaceAll('\n', ' / ')}`, () => {
      const { problems, jobs } = read(text);
      expect(jobs).to.deep.equal([]);
      expect(problems[0]).to.match(text.startsWith('\n') ? /^x\.sh:2: / : /^x\.sh:1: /);
      expect(problems[0]).to.contain(expected).and.to.contain(SHELL);
    });
  }

  it('refuses what no shell could mend with what to do', () => {
    const first = (text: string): string | undefined => read(text).problems[0];
    expect(first('cd logs')).to.equal(
      'x.sh:1: cd logs: there is no folder /w/logs; make it, or write mkdir -p logs before',
    );
    expect(first('cd')).to.equal('x.sh:1: cd needs the name of one folder; write it');
    expect(first('bsub -o a ./tidy')).to.match(/^x\.sh:1: bsub without a command hca_test; write bsub before a run/);
    expect(first('bsub -J "n[1-3]" ./hca_test')).to.match(
      /^x\.sh:1: -J n\[1-3\]: job arrays are not unrolled; submit each/,
    );
    expect(first(`./hca_test ${'a'.repeat(200_000)}`)).to.match(/^x\.sh:1: longer than 131072 characters/);
  });

  it('reads the lines behind a line that cannot be run as if that were right, and names at most twenty', () => {
    const { jobs, problems } = read(`${'run\n'.repeat(50)}./hca_test +B=1\n`);
    expect(problems).to.have.length(21);
    expect(problems.at(-1)).to.equal('x.sh: 30 more lines like these');
    expect(jobs.map(({ where }) => where)).to.deep.equal(['x.sh:51']);
  });

  it('reads long lines of anything without looking at them again and again', () => {
    for (const part of ['{', ',', '{,', '"', '\\', '"$', "'", 'a{b', '#', '.. '])
      expect(read(`./hca_test ${part.repeat(60_000)}\necho ${part.repeat(60_000)}\n`).problems.length).to.be.below(3);
  });

  it('passes over what only tidies up, whatever it names', () => {
    const { jobs, problems } = read(
      "echo ./hca_test\nrm -f case/*.log\n# ./hca_test\nsed -i '/a;b/d' x*\nsed\n./hca_test +A=1\n",
    );
    expect(problems).to.deep.equal([]);
    expect(jobs.map((j) => j.argv)).to.deep.equal([['+A=1']]);
  });
});

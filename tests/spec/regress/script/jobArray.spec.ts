import { expect } from 'chai';
import fc from 'fast-check';
import { JobArrayError, submittedJobs } from '../../../../regress/script/jobArray.ts';
import { parseScript } from '../../../../regress/script/parseScript.ts';

function read(text: string): ReturnType<typeof parseScript> {
  return parseScript('x.sh', text, { cwd: '/w', env: {}, exists: () => false });
}

/** Indices that an array name stands for, as the jobs' names say. */
function indices(name: string): number[] {
  return submittedJobs(['bsub', '-J', name, './hca_test'], 3).map((words) => Number(words[2]?.replace('a-', '')));
}

describe('a job array', () => {
  it('runs its command once for each index, with names, logs and arguments of its own', () => {
    const { jobs, problems, notes } = read(
      'bsub -q fast -J "a[1-5:2]%3" -o logs/%I.log -e logs/%I.err ./hca_test +A=1 --seed \\$LSB_JOBINDEX\n',
    );
    expect([problems, notes]).to.deep.equal([[], []]);
    expect(jobs.map((j) => j.id)).to.deep.equal(['x/a-1', 'x/a-3', 'x/a-5']);
    expect(jobs.map((j) => j.argv)).to.deep.equal(
      [1, 3, 5].map((i) => ['+A=1', '--seed', String(i), '-l', `logs/${i}.log`]),
    );
    expect(new Set(jobs.map((j) => j.where))).to.deep.equal(new Set(['x.sh:1']));
  });

  it('puts the index into a command in quotes, and step and end where they are asked for', () => {
    const text = [
      'bsub -J "a[7,9]" "./hca_test +CASEID=\\$LSB_JOBINDEX +B=x"',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: braces of a shell
      "bsub -J 'b[2-6:4]' './hca_test +A=${LSB_JOBINDEX}of$LSB_JOBINDEX_END +B=$LSB_JOBINDEX_STEP'",
    ].join('\n');
    const { jobs, problems } = read(text);
    expect(problems).to.deep.equal([]);
    expect(jobs.map((j) => j.argv)).to.deep.equal([
      ['+CASEID=7', '+B=x'],
      ['+CASEID=9', '+B=x'],
      ['+A=2of6', '+B=4'],
      ['+A=6of6', '+B=4'],
    ]);
  });

  it('is none without brackets: the index of a single job is 0', () => {
    const { jobs, notes } = read('bsub -J one -o one.log ./hca_test --seed \\$LSB_JOBINDEX +A=$');
    expect(jobs.map((j) => [j.id, j.argv])).to.deep.equal([['x/one', ['--seed', '0', '+A=$', '-l', 'one.log']]]);
    expect(notes).to.deep.equal([]);
  });

  it('whose jobs are all the same is noted, and they are run all the same', () => {
    const { jobs, notes } = read('bsub -J "a[1-3]" -o %I.log ./hca_test +A=1');
    expect(jobs.map((j) => j.argv.at(-1))).to.deep.equal(['1.log', '2.log', '3.log']);
    expect(notes).to.deep.equal([
      'x.sh:1: the 3 jobs of the array run the same command; write \\$LSB_JOBINDEX where the index is to stand',
    ]);
  });

  const REFUSED: readonly (readonly [string, RegExp])[] = [
    ['bsub -J "a[]" ./hca_test', /x\.sh:1: -J a\[\]: "" is not start-end:step; write for example/],
    ['bsub -J "a[5-1]" ./hca_test', /"5-1" ends before it starts/],
    ['bsub -J "a[0-3]" ./hca_test', /"0-3" must consist of positive integers/],
    ['bsub -J "a[1-9:0]" ./hca_test', /positive integers/],
    ['bsub -J "a[1,x]" ./hca_test', /"x" is not start-end:step/],
    ['bsub -J "a[1-4,3]" ./hca_test', /an index is named twice/],
    ['bsub -J "a[1-2147483646]" ./hca_test', /2147483646 jobs are more than 10000/],
    ['bsub -J "a[1-4" ./hca_test', /the brackets are not those of a list/],
    [
      'bsub -J "a[1-4]" ./hca_test --seed $LSB_JOBINDEX',
      /\$LSB_JOBINDEX is put in before the job is submitted.*\\\$LSB_/,
    ],
  ];
  for (const [text, expected] of REFUSED) {
    it(`is refused with file and line: ${text}`, () => {
      const { jobs, problems } = read(`${text}\n`);
      expect(jobs).to.deep.equal([]);
      expect(problems.join('\n')).to.match(expected);
    });
  }

  it('has exactly the indices of its list, in order', () => {
    const part = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.nat(30), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(part, ([start, more, step]) => {
        const expected: number[] = [];
        for (let i = start; i <= start + more; i += step) expected.push(i);
        expect(indices(`a[${start}-${start + more}:${step}]`)).to.deep.equal(expected);
        expect(indices(`a[${expected.join(', ')}]`)).to.deep.equal(expected);
      }),
    );
    expect(() => indices('a[3,3]')).to.throw(JobArrayError);
  });
});

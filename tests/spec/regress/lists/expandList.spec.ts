import { expect } from 'chai';
import fc from 'fast-check';
import { stringify } from 'yaml';
import type { Job } from '../../../../regress/job.ts';
import { inFileOrder } from '../../../../regress/lists/fileOrder.ts';
import { type ExpandedList, expandList } from '../../../../regress/lists/expandList.ts';

type Files = Record<string, string>;

function expandAll(files: Files, options: { baseSeed?: number; reseed?: number } = {}): ExpandedList {
  const read = (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  };
  return expandList('main.yaml', { baseSeed: 1, cwd: '/w', read, ...options });
}

function expand(files: Files, options: { baseSeed?: number; reseed?: number } = {}): readonly Job[] {
  const { jobs, problems } = expandAll(files, options);
  expect(problems).to.deep.equal([]);
  return jobs;
}

function problemsOf(files: Files): readonly string[] {
  return expandAll(files).problems;
}

function tupleOf(job: Job): string {
  return job.argv
    .filter((word) => word.startsWith('+'))
    .sort()
    .join(' ');
}

describe('expandList', () => {
  it('says where an alias names nothing, or what it is part of', () => {
    const text =
      'tests:\n  - { name: t, plusargs: *none }\n  - &e { name: u, plusargs: { A: *e } }\ndefaults: *late\nx: &late 1\n';
    expect(problemsOf({ 'main.yaml': text })).to.deep.equal([
      'main.yaml:2:26: the alias *none names nothing; no anchor &none stands before it',
      'main.yaml:3:34: the alias *e stands within what it names itself',
      'main.yaml:4:11: the alias *late names nothing; no anchor &late stands before it',
    ]);
    const cycle = 'a: &a [*b]\nb: &b [*a]\ntests: &t [{ name: x }, *t]\n';
    expect(problemsOf({ 'main.yaml': cycle })[1]).to.match(/^main.yaml:3:25: the alias \*t stands within/);
  });

  it('counts what aliases stand for before it is made', () => {
    const lines = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`);
    const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]', ...lines, 'tests: *a9'].join('\n');
    const [problem, ...others] = problemsOf({ 'main.yaml': bomb });
    expect(others).to.deep.equal([]);
    expect(problem).to.match(
      /^main\.yaml:\d+:\d+: aliases make this more than 1000000 values; write what is common to them once$/,
    );
    const entries = Array.from({ length: 2000 }, (_, i) => `  - { <<: *d, name: n${i} }`);
    const long = [
      'tests:',
      '  - &d { name: first, test: test_x, seeds: [1], plusargs: { A: 1, B: 2 } }',
      ...entries,
    ].join('\n');
    expect(expand({ 'main.yaml': long })).to.have.length(2001);
  });

  it('takes no list that is nested without end, and says where', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{ a: ', ' }'],
    ] as const) {
      for (const levels of [200, 20_000]) {
        const [problem, ...others] = problemsOf({
          'main.yaml': `tests: ${open.repeat(levels)}${close.repeat(levels)}`,
        });
        expect(others).to.deep.equal([]);
        expect(problem).to.match(/^main\.yaml:1:\d+: values are nested more than 100 deep$/);
      }
    }
  });

  it('says where a text holds a character that no command line can', () => {
    expect(problemsOf({ 'main.yaml': 'tests:\n  - { name: t, test: "a\\0b" }\ninclude: ["x\\0y"]\n' })).to.deep.equal([
      'main.yaml:2:22: a text holds the character NUL (\\0), which no command line can; leave it out',
      'main.yaml:3:11: a text holds the character NUL (\\0), which no command line can; leave it out',
    ]);
  });

  it('takes names that every object has as any others', () => {
    const jobs = expand({
      'main.yaml': `
tests:
  - { name: toString, test: constructor, plusargs: { valueOf: 1 }, sweep: { hasOwnProperty: [2, 3] }, seeds: [1] }
`,
    });
    expect(jobs.map(({ id }) => id)).to.deep.equal(['toString/0-s1', 'toString/1-s1']);
    expect(jobs[1]?.argv.slice(0, 3)).to.deep.equal(['+UVM_TESTNAME=constructor', '+valueOf=1', '+hasOwnProperty=3']);
    expect(
      problemsOf({ 'main.yaml': 'tests: [{ name: t, toString: 1, plusargs: { constructor: {} } }]' }),
    ).to.have.members([
      'main.yaml:1:20: unknown key "toString"; allowed: name, description, test, plusargs, flags, skip, seeds, reseed, timeout, sweep, pairs',
      'main.yaml:1:58: constructor: {} is not one value; several values go under sweep:',
    ]);
  });

  it('refuses the one key of objects that is none of its own, wherever it stands', () => {
    const text = 'tests: [{ name: t, plusargs: { __proto__: 1 }, __proto__: 2 }]\n__proto__: 3\n';
    expect([...problemsOf({ 'main.yaml': text })].sort()).to.deep.equal([
      'main.yaml:1:32: unknown key "__proto__"; leave it out',
      'main.yaml:1:48: unknown key "__proto__"; leave it out',
      'main.yaml:2:1: unknown key "__proto__"; leave it out',
    ]);
  });

  it('multiplies sweeps out, computes values and applies skip rules', () => {
    const jobs = expand({
      'main.yaml': `
tests:
  - name: t
    test: test_x
    plusargs: { RECV: = SEND, FLAG: null, OFF: false }
    sweep: { SEND: [0, 1], DATA: [{ CNT: 1, UNIT: B }, { CNT: 2, UNIT: KB }] }
    skip: ["SEND == 0 && UNIT == 'B'"]
    seeds: [5, 0x10]
`,
    });
    expect(jobs.map((j) => j.id)).to.deep.equal(['t/0-s5', 't/0-s16', 't/1-s5', 't/1-s16', 't/2-s5', 't/2-s16']);
    expect(jobs[0]?.argv).to.deep.equal([
      '+UVM_TESTNAME=test_x',
      '+FLAG',
      '+SEND=0',
      '+CNT=2',
      '+UNIT=KB',
      '+RECV=0',
      '--seed',
      '5',
    ]);
    expect(jobs[2]?.title).to.equal('SEND=1 CNT=1 UNIT=B');
    expect(jobs[0]?.where).to.equal('main.yaml:3:5');
  });

  it('gives as many runs as the product of the sweep and the seeds, all different', () => {
    const axis = fc.uniqueArray(fc.nat({ max: 50 }), { minLength: 1, maxLength: 4 });
    const sweep = fc.dictionary(fc.stringMatching(/^[A-Z]{1,3}$/), axis, { minKeys: 1, maxKeys: 4 });
    fc.assert(
      fc.property(sweep, fc.integer({ min: 1, max: 4 }), fc.nat(), (axes, reseed, baseSeed) => {
        const text = stringify({ tests: [{ name: 't', test: 'x', reseed, sweep: axes }] });
        const jobs = expand({ 'main.yaml': text }, { baseSeed });
        const product = Object.values(axes).reduce((n, values) => n * values.length, 1);
        expect(jobs).to.have.length(product * reseed);
        expect(new Set(jobs.map((j) => j.id)).size).to.equal(jobs.length);
        expect(new Set(jobs.map(tupleOf)).size).to.equal(product);
      }),
    );
  });

  it('takes hundreds of thousands of runs, and refuses more than a million before it makes any', () => {
    const entry = (name: string, rest: string) => `  - { name: ${name}, test: test_x, ${rest} }\n`;
    const one = entry('one', 'reseed: 150000');
    expect(expand({ 'main.yaml': `tests:\n${one}` })).to.have.length(150_000);
    expect(problemsOf({ 'main.yaml': `tests:\n${one}${entry('two', 'reseed: 1000000')}` })).to.deep.equal([
      'main.yaml:3:5: two makes 1000000 runs after 150000 others: a list may have 1..1000000 runs; ' +
        'lower reseed, or split the sweep or the list',
    ]);
    const axis = JSON.stringify(Array.from({ length: 1001 }, (_, i) => i));
    const [swept] = problemsOf({ 'main.yaml': `tests:\n${entry('s', `sweep: { A: ${axis}, B: ${axis} }`)}` });
    expect(swept).to.contain('s makes 1002001 combinations');
    const [paired] = problemsOf({
      'main.yaml': `tests:\n${entry('s', `pairs: true, sweep: { A: ${axis}, B: ${axis} }`)}`,
    });
    expect(paired).to.contain('s makes 1002001 pairs of values');
  });

  it('derives the same seeds however the list is ordered', () => {
    const entry = (values: number[]) =>
      stringify({ tests: [{ name: 't', test: 'x', reseed: 2, sweep: { A: values } }] });
    const seeds = (jobs: readonly Job[]) => jobs.map((j) => `${j.title} ${j.argv.at(-1)}`).sort();
    expect(seeds(expand({ 'main.yaml': entry([1, 2, 3]) }))).to.deep.equal(
      seeds(expand({ 'main.yaml': entry([3, 1, 2]) })),
    );
    expect(seeds(expand({ 'main.yaml': entry([1]) }))).not.to.deep.equal(
      seeds(expand({ 'main.yaml': entry([1]) }, { baseSeed: 2 })),
    );
  });

  it('reads included lists relative to the including one', () => {
    const jobs = expand({
      'main.yaml': 'include: [sub/a.yaml]\ntests: [{ name: m, test: x }]\n',
      'sub/a.yaml': 'include: [b.yaml]\ntests: [{ name: a, test: x }]\n',
      'sub/b.yaml': 'tests: [{ name: b, test: x }]\n',
    });
    expect(jobs.map((j) => j.family)).to.deep.equal(['b', 'a', 'm']);
  });

  it('has flags read their files relative to the list, as include does', () => {
    const flags = 'flags: [-f, o.f, --scenario, s.json, --scenario=t.json, -f, /abs.f, -l, x.log]';
    const [job] = expand({
      'main.yaml': 'include: [sub/a.yaml]\n',
      'sub/a.yaml': `defaults: { plusargs: { SCENARIO: p.json } }\ntests: [{ name: a, test: x, ${flags} }]\n`,
    });
    const [swept] = expand({
      'main.yaml': 'include: [x/y.yaml]',
      'x/y.yaml': 'tests: [{ name: a, test: x, sweep: { SCENARIO: [p.json] } }]',
    });
    expect(swept?.argv[1]).to.equal('+SCENARIO=x/p.json');
    const own = 'tests: [{ name: a, test: x, plusargs: { TEST_PATH: ../own } }]';
    expect(expand({ 'main.yaml': 'include: [x/y.yaml]', 'x/y.yaml': own })[0]?.argv[1]).to.equal('+TEST_PATH=own');
    expect(job?.argv.slice(1, -2)).to.deep.equal(
      '+SCENARIO=sub/p.json -f sub/o.f --scenario sub/s.json --scenario=sub/t.json -f /abs.f -l x.log'.split(' '),
    );
  });

  it('refuses what one entry says twice, but lets it replace defaults', () => {
    const problems = problemsOf({
      'main.yaml': [
        'defaults: { seeds: [1], reseed: 2 }',
        'tests:',
        '  - { name: a, test: x, plusargs: { A: 1 }, sweep: { A: [2, 3] } }',
        '  - { name: b, test: x, plusargs: { C: 1 }, sweep: { BOTH: [{ B: 1, C: 2 }] } }',
        '  - { name: c, test: x, seeds: [1], reseed: 2 }',
        '  - { name: d, test: x, sweep: { A: [1, 2], BOTH: [{ A: 3, B: 4 }] } }',
      ].join('\n'),
    });
    expect(problems).to.deep.equal([
      'main.yaml:1:33: seeds and reseed exclude each other; keep one of them',
      'main.yaml:3:57: A is swept and also fixed in plusargs; keep one of them',
      'main.yaml:4:60: C is swept and also fixed in plusargs; keep one of them',
      'main.yaml:5:45: seeds and reseed exclude each other; keep one of them',
      'main.yaml:6:51: A is swept by A too; keep one of them',
    ]);
    const fine =
      'defaults: { plusargs: { A: 1 }, reseed: 2 }\ntests: [{ name: a, test: x, sweep: { A: [2] }, seeds: [1] }]';
    expect(expand({ 'main.yaml': fine }).map((job) => job.argv[1])).to.deep.equal(['+A=2']);
  });

  it('reports mistakes with file, line, column and a suggestion, all at once', () => {
    const problems = problemsOf({
      'main.yaml':
        'include: [none.yaml, bad.yaml]\ntests:\n  - name: t\n    test: x\n    skip: ["A +"]\n  - name: t\n    test: y\n',
      'bad.yaml': 'tests:\n  - name: b\n    seedz: [1]\n    sweep: { A: [] }\n',
    });
    expect(problems).to.have.length(5);
    expect(problems[0]).to.match(/^main\.yaml:1:11: cannot read the list none\.yaml/);
    expect(problems.join('\n')).to.match(/bad\.yaml:3:5: unknown key "seedz"; did you mean seeds/);
    expect(problems.join('\n')).to.match(/bad\.yaml:4:17: /);
    expect(problems.join('\n')).to.match(/main\.yaml:5:12: in t: cannot read "A \+"/);
    expect(problems.join('\n')).to.match(/main\.yaml:6:5: the name t is taken \(main\.yaml:3:5\)/);
  });

  it('reads on behind mistakes of form: entries that are whole have their runs', () => {
    const { jobs, problems } = expandAll({
      'main.yaml': [
        'tests:',
        '  - { name: t, test: x, timeout: -5, seeds: [-1], plusarg: { A: 1 } }',
        '  - { test: y }',
        '  - 7',
        '  - { name: u, test: x, skip: ["1 +", "B == 1", "2 *"] }',
        '  - { name: v, test: x, skip: ["B == 1", "C == 1", "1 == 2"] }',
        'include: [3, sub.yaml]',
      ].join('\n'),
      'sub.yaml': 'tests: [{ name: s, test: x }]',
    });
    expect(inFileOrder(problems).map((problem) => problem.replace(/^(\w+\.yaml:\d+):\d+/, '$1'))).to.deep.equal([
      'main.yaml:2: timeout: -5 is not a time in seconds, more than 0',
      'main.yaml:2: seeds: -1 is not a 32-bit seed, decimal or 0x hexadecimal',
      'main.yaml:2: unknown key "plusarg"; did you mean plusargs?',
      'main.yaml:3: the entry has no name; add name:, a name of letters, digits, "_", "." and "-", at most 100 of them',
      'main.yaml:4: tests: 7 is not an entry; write name: and what it runs',
      'main.yaml:5: in u: cannot read "1 +": it ends too early',
      'main.yaml:5: in u: cannot read "2 *": it ends too early',
      'main.yaml:6: in v: B has no value here: rules see what the list gives, no defaults; give the entry a value for B',
      'main.yaml:6: in v: C has no value here: rules see what the list gives, no defaults; give the entry a value for C',
      'main.yaml:7: include: 3 is not the name of a file',
    ]);
    expect(jobs.map(({ family, argv }) => `${family} ${argv.slice(0, -2).join(' ')}`)).to.deep.equal([
      's +UVM_TESTNAME=x',
      't +UVM_TESTNAME=x +A=1',
      'entry-2 +UVM_TESTNAME=y',
    ]);
  });

  it('gives the values of an entry one by one when it is not known which runs it has', () => {
    const words = (entry: string, defaults = ''): string[] =>
      expandAll({ 'main.yaml': `${defaults}\ntests: [${entry}]` }).loose.map(({ argv }) => argv.join(' '));
    const sweep = 'sweep: { B: [2, 3], G: [{ C: 4, D: B }] }';
    const alone = [
      '+UVM_TESTNAME=x --pcap',
      ...['A=1', 'B=2', 'B=3', 'C=4', 'D=B'].map((w) => `+UVM_TESTNAME=x +${w}`),
    ];
    const entry = (more: string): string =>
      `{ name: t, test: x, flags: [--pcap], plusargs: { A: 1, E: "=A", F: false }, ${sweep}, ${more} }`;
    expect(words(entry('skip: ["1 +"]'))).to.deep.equal(alone);
    expect(words(entry('foo: 3'))).to.deep.equal(alone);
    expect(words(entry('reseed: 0'))).to.deep.equal([]);
    expect(words('{ name: t }', 'defaults: { test: x, plusargs: { A: [1] , B: 1 } }')).to.deep.equal([
      '+UVM_TESTNAME=x',
      '+UVM_TESTNAME=x +B=1',
    ]);
    // Where tests and sequences of the user lie, each of them must be told.
    const own = '{ name: t, test: x, plusargs: { TEST_PATH: own, A: 1 }, skip: ["1 +"] }';
    expect(words(own)).to.deep.equal([
      '+TEST_PATH=own +UVM_TESTNAME=x',
      '+TEST_PATH=own +UVM_TESTNAME=x',
      '+TEST_PATH=own +UVM_TESTNAME=x +A=1',
    ]);
  });

  it('reads on behind a key that stands twice, and takes no run from its entry', () => {
    const { jobs, loose, problems } = expandAll({
      'main.yaml': 'tests:\n  - name: t\n    test: x\n    test: y\n  - { name: u, test: x, seeds: [1], reseed: 2 }\n',
    });
    expect(problems).to.have.length(2);
    expect(problems[0]).to.match(/^main\.yaml:4:5: not YAML: Map keys must be unique/);
    expect([jobs.map((job) => job.family), loose.map((job) => job.family)]).to.deep.equal([['u'], ['t']]);
  });

  it('says once what all entries have from the defaults', () => {
    const list = 'defaults: { skip: ["A ="], seeds: [1, 1] }\ntests: [{ name: t, test: x }, { name: u, test: x }]\n';
    expect(problemsOf({ 'main.yaml': list })).to.have.length(2);
    expect(problemsOf({ 'main.yaml': list })[1]).to.match(/^main\.yaml:1:\d+: in the defaults: cannot read "A ="/);
  });

  it('says of a wrong value what belongs there and what to write', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['plusargs: { A: [1, 2] }', 'A: [1,2] is not one value; several values go under sweep:'],
      ['skip: A == 3', 'skip: "A == 3" is not a list of rules; write skip: ["RC_QP_NUM == 3"]'],
      [
        'plusargs: { +A: 3 }',
        '+A is not the name of a plusarg; write it without "+" and with letters, digits and "_" only',
      ],
      ['flags: --pcap', 'flags: "--pcap" is not a list of words; write flags: [--pcap]'],
      ['seeds: [-1]', 'seeds: -1 is not a 32-bit seed, decimal or 0x hexadecimal'],
      ['reseed: 0', 'reseed: 0 is not a whole number from 1 to 1000000'],
      ['sweep: { A: 3 }', 'A: 3 is not a list of values; write [1, 2], or put one fixed value under plusargs:'],
    ];
    for (const [text, message] of cases) {
      const problems = problemsOf({ 'main.yaml': `tests:\n  - name: t\n    ${text}\n` });
      expect(
        problems.map((problem) => problem.replace(/^main\.yaml:3:\d+: /, '')),
        text,
      ).to.deep.equal([message]);
    }
    expect(problemsOf({ 'main.yaml': 'tests:\n' })[0]).to.match(/1:7: tests: nothing is not a list of entries; begin/);
    expect(problemsOf({ 'main.yaml': 'tests: [{ test: x }]' })[0]).to.match(/the entry has no name; add name:/);
    expect(problemsOf({ 'main.yaml': '[1]' })[0]).to.match(/1:1: \[1\] is not a list of runs; write tests:/);
    expect(problemsOf({ 'main.yaml': 'tests: []\n---\ntests: []\n' })[0]).to.match(/2:1: a second document begins/);
  });

  it('points at the rule or computed value that cannot be read or evaluated', () => {
    const defaults = 'defaults: { skip: ["A ="] }\n';
    const entry = (text: string): string => `tests:\n  - { name: t, test: x, ${text} }\n`;
    const where = (text: string): string | undefined => problemsOf({ 'main.yaml': text })[0]?.split(': ')[0];
    expect(where(entry('skip: ["1 == 2", "1 / 0"]'))).to.equal('main.yaml:2:42');
    expect(where(entry('plusargs: { A: 1, B: "=A +" }'))).to.equal('main.yaml:2:46');
    expect(where(defaults + entry('plusargs: { A: 1 }'))).to.equal('main.yaml:1:20');
  });

  it('refuses values and seeds that stand twice, which would be one run', () => {
    const list = 'tests:\n  - name: t\n    test: x\n    sweep: { A: [1, 2, 1] }\n    seeds: [1, 0x1]\n';
    expect(problemsOf({ 'main.yaml': list })).to.deep.equal([
      'main.yaml:5:16: 1 stands twice in seeds; leave one out',
      'main.yaml:4:24: 1 stands twice in A; leave one out',
    ]);
  });

  it('says of a list whose rules leave nothing that all combinations are skipped', () => {
    const list = 'tests:\n  - name: t\n    test: x\n    skip: ["1 == 1"]\n';
    expect(problemsOf({ 'main.yaml': list })).to.deep.equal(['main.yaml:4:11: in t: all combinations are skipped']);
  });

  it('refuses broken YAML, loops and empty lists', () => {
    expect(problemsOf({ 'main.yaml': 'tests: [' })[0]).to.match(/^main\.yaml:1:\d+: not YAML/);
    expect(problemsOf({ 'main.yaml': 'include: [main.yaml]' })[0]).to.match(/include each other/);
    expect(problemsOf({ 'main.yaml': 'description: none' })[0]).to.match(/no runs/);
  });
});

describe('the shipped lists', () => {
  const shipped = (name: string) => expandList(`lists/${name}.yaml`, { baseSeed: 1, cwd: '/w' }).jobs;

  const families = {
    small_datacount: 252,
    medium_datacount: 126,
    mix_service_type: 336,
    mix_operation_type: 648,
    multidb: 280,
    multiqp: 21,
    multiwqe: 189,
    pressure_full: 696,
  };
  for (const [name, count] of Object.entries(families)) {
    it(`holds the ${count} published cases of ${name}, all different`, () => {
      const jobs = shipped(name);
      expect(jobs).to.have.length(count);
      expect(new Set(jobs.map(tupleOf)).size).to.equal(count);
    });
  }

  it('holds 2548 commands in all, 2328 of them different, of which families leaves out 181', () => {
    const left = shipped('pressure_full').filter((job) => job.family === 'pressure_244KB');
    const jobs = [...shipped('families'), ...left];
    expect([jobs.length, left.length]).to.deep.equal([2548, 181]);
    expect(new Set(jobs.map(tupleOf)).size).to.equal(2328);
  });

  it('leaves out no point of pressure that differs from all others in more than the amount of data', () => {
    const kept = new Set(shipped('pressure').map((job) => tupleOf(job)));
    const left = shipped('pressure_full').filter((job) => job.family === 'pressure_244KB');
    for (const job of left) {
      const smaller = { ...job, argv: job.argv.map((word) => (word === '+DATA_CNT=244' ? '+DATA_CNT=64' : word)) };
      expect(kept.has(tupleOf(smaller)), job.title).to.equal(true);
    }
  });

  it('has as many SENDs as RECVs in every run', () => {
    for (const job of [...shipped('families'), ...shipped('smoke')]) {
      const value = (name: string) => job.argv.find((word) => word.startsWith(`+${name}=`))?.split('=')[1];
      expect(value('RECV_WQE_NUM'), job.id).to.equal(value('SEND_WQE_NUM'));
    }
  });
});

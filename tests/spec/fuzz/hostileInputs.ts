/** Inputs of `hca_test` and `hca_regress` as nobody means them: right ones with parts that are wrong, missing, huge or hostile. */

import fc from 'fast-check';
import { PARAMETERS } from '../../../config/table/parameterTable.ts';

/** One input: files in an empty folder, and a command line there. */
export interface HostileInput {
  readonly program: 'hca_test' | 'hca_regress';
  readonly argv: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** Texts that are right, to be spoilt. */
export interface Originals {
  readonly scenario: string;
  readonly record: string;
  /** Scenario of calls. */
  readonly calls: string;
  /** Coverage store of a regression. */
  readonly store: string;
  /** Journal of a regression that was cut off. */
  readonly journal: string;
  readonly closure: string;
  /** Plan of an exhaustive play, and the line of one of its units. */
  readonly exhaustPlan: string;
  readonly exhaustUnit: string;
  /** Entry of `.failures`. */
  readonly failure: string;
}

const WORDS = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1',
    '007',
    '0x',
    '0xffffffff',
    '4294967296',
    '99999999999999999999999',
    '1e999',
    'NaN',
    '-0',
  ],
  ...[
    'toString',
    'constructor',
    '__proto__',
    'hasOwnProperty',
    'null',
    'true',
    '[object Object]',
    'random',
    '=',
    '+',
    '-',
  ],
  ...[
    '\0',
    '\u001b[2J',
    '\u202e',
    '\ud800',
    '\r\n',
    '\t',
    ',',
    ',,,',
    '"',
    "'",
    '`id`',
    '$(id)',
    '${X',
    '$HOME',
    '%s%n',
  ],
  ...['*', '?', '[', '(', ')', '{', '}', '&', '|', ';', '#', '\\', '/', '..', '../x', '/dev/zero', '/dev/null', 'out'],
  ...['a'.repeat(300), 'd/'.repeat(2500), '('.repeat(3000), '[9,'.repeat(2000), '-'.repeat(5000), '1+'.repeat(3000)],
  ...[
    'test_smoke',
    'test_random',
    'UVM_HIGH',
    'none.f',
    '5us',
    '1s,NO',
    '\u{1f600}',
    'ß',
    '!!js/function',
    '*a',
    '&a',
    '<<',
  ],
] as const;
const word = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...WORDS) },
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const NAMES = [
  ...PARAMETERS.map(({ name }) => name),
  ...['UVM_TESTNAME', 'UVM_VERBOSITY', 'UVM_TIMEOUT', 'UVM_MAX_QUIT_COUNT', 'uvm_set_verbosity', 'uvm_set_action'],
  ...[
    'uvm_set_severity',
    'uvm_set_type_override',
    'uvm_set_inst_override',
    'uvm_set_config_int',
    'uvm_set_config_string',
  ],
  ...['uvm_set_default_sequence', 'NIC_QPC_CACHE', 'NIC___PROTO__', 'NIC_', 'toString', '__proto__', 'ntb_random_seed'],
];
const FLAGS = [
  ...[
    '--seed',
    '--timeout',
    '-l',
    '--out',
    '--pcap',
    '--dump-scenario',
    '--scenario',
    '--replay',
    '-f',
    '-q',
    '--quiet',
  ],
  ...[
    '--help',
    '--version',
    '--list-tests',
    '--list-knobs',
    '-sv_seed',
    '--',
    '-',
    '--nothing',
    '-j',
    '--keep',
    '--filter',
  ],
  ...['--reseed', '--heap', '-n', '--sim-timeout'],
];
const plusarg = fc.tuple(fc.constantFrom(...NAMES), word).map(([name, value]) => `+${name}=${value}`);
const flag = fc.constantFrom(...FLAGS);
const argument = fc.oneof(
  { weight: 6, arbitrary: plusarg },
  { weight: 2, arbitrary: flag },
  { weight: 1, arbitrary: fc.tuple(flag, word).map(([name, value]) => `${name}=${value}`) },
  { weight: 1, arbitrary: word },
);
const words = fc.array(argument, { maxLength: 6 });
const TEST = '+UVM_TESTNAME=test_direct_param';

/** Any input; those of a real command line hold no NUL. */
export function hostileInputs(originals: Originals): fc.Arbitrary<HostileInput> {
  const { scenario, record, calls, store, journal, closure, exhaustPlan, exhaustUnit, failure } = originals;
  const other = (argv: readonly string[], files: HostileInput['files']): HostileInput => ({
    program: 'hca_regress',
    argv,
    files,
  });
  const test = (argv: readonly string[], files = {}): HostileInput => ({ program: 'hca_test', argv, files });
  const regress = (name: string, more: readonly string[], text: string): HostileInput => {
    return { program: 'hca_regress', argv: ['run', name, '-n', ...more], files: { [name]: text } };
  };
  const option = fc.tuple(words, fc.constantFrom(' ', '\n', '\r\n', ' // ', ' /* ', ' # ', '\\\n', '"'));
  return fc.oneof(
    words.map((argv) => test([TEST, ...argv])),
    option.map(([list, by]) => test([TEST, '-f', 'a.f'], { 'a.f': list.join(by) })),
    spoilt(LIST).map((text) => regress('list.yaml', [], text)),
    fc.tuple(spoilt(LIST), words).map(([text, more]) => regress('list.yaml', more, text)),
    spoilt(SCRIPT).map((text) => regress('cases.sh', [], text)),
    fc
      .oneof(spoilt(scenario), spoiltJson(scenario))
      .map((text) => test([TEST, '--scenario', 's.json'], { 's.json': text })),
    fc.oneof(spoilt(record), spoiltJson(record)).map((text) => test(['--replay', 'r.json'], { 'r.json': text })),
    fc
      .tuple(spoiltJson(record), words)
      .map(([text, more]) => test(['--replay', 'r.json', ...more], { 'r.json': text })),
    spoilt(FAULTS).map((text) => test([TEST, '--faults', 'f.yaml'], { 'f.yaml': text })),
    spoilt(calls).map((text) => test(['--scenario', 'c.yaml'], { 'c.yaml': text })),
    spoilt(PLAN).map((text) => other(['coverage', 'c.jsonl', '--plan=p.yaml'], { 'c.jsonl': store, 'p.yaml': text })),
    spoilt(EXCLUSIONS).map((text) =>
      other(['coverage', 'c.jsonl', '--exclude', 'x.yaml', '--holes'], { 'c.jsonl': store, 'x.yaml': text }),
    ),
    spoiltLines(store).map((text) =>
      other(['coverage', 'c.jsonl', '--holes', '--rank', '--open-bins', 'open-bins.md'], { 'c.jsonl': text }),
    ),
    fc
      .tuple(fc.oneof(spoilt(failure), spoiltJson(failure)), spoilt(calls))
      .map(([entry, text]) =>
        other(['run', 'l.yaml', '-n'], { 'l.yaml': ONE_RUN, '.failures/x.json': entry, '.failures/x.yaml': text }),
      ),
    fc
      .tuple(spoiltLines(journal), fc.constantFrom(...EARLIER))
      .map(([text, argv]) => other(argv, { 'd/runs.jsonl': text, 'l.yaml': ONE_RUN })),
    fc
      .oneof(spoilt(closure), spoiltJson(closure))
      .map((text) => other(['run', '--resume', 'd', '-n'], { 'd/closure.json': text, 'l.yaml': ONE_RUN })),
    fc
      .tuple(fc.oneof(spoilt(exhaustPlan), spoiltJson(exhaustPlan)), spoilt(exhaustUnit))
      .map(([plan, unit]) =>
        other(['exhaust', '--resume', 'd'], { 'd/plan.json': plan, 'd/units.jsonl': `\n${unit}` }),
      ),
  );
}

/** What is asked of an earlier regression. */
const EARLIER = [
  ['run', '--resume', 'd', '-n'],
  ['run', '--failed', 'd', '-n'],
  ['shrink', 'd'],
] as const;
const ONE_RUN = 'tests: [{ name: one, test: test_smoke, seeds: [1] }]\n';
const FAULTS = `description: some
faults:
  - drop: { host: 1, opcode: ack, nth: 2 }
  - duplicate: { after: 500ns, service: [rc, uc], optional: true }
  - 'corrupt host=0 field=psn xor=1 probability=0.5 optional'
pcie:
  - 'delay host=1 by=2us optional'
inject:
  - 'opcode=ack from=host0 to=host1 qp=1'
`;
const PLAN = `name: demo
checklist: { T-001: first, T-002: second }
testpoints:
  - { name: ops, stage: V1, text: t, tests: [test_random], covergroups: [traffic_cg.op], checks: [SCB_DATA], covers: [T-001] }
  - { name: later, stage: planned, text: t, covers: [T-002] }
`;
const EXCLUSIONS = `- bins: traffic_cg.op.*
  reason: none
  reviewed: 2026-11-20
- { bins: 'traffic_cg.size.<a,b>', reason: r, reviewed: now, nic: hangu }
`;

const LIST = `name: mine
defaults: &d { test: test_smoke, plusargs: { HOST_NUM: 2, RECV_WQE_NUM: = SEND_WQE_NUM }, timeout: 10 }
include: []
tests:
  - name: one
    <<: *d
    description: "a text"
    plusargs: { SEND_WQE_NUM: 2, PCAP: null, NIC_QPC_CACHE: 16 }
    sweep: { MTU: [256, 4096], DATA: [{ DATA_CNT: 1, DATA_UNIT: KB }, { DATA_CNT: 7, DATA_UNIT: B }] }
    skip: ["MTU == 256 && bytes(DATA_CNT, DATA_UNIT) > min(100, 2 * 3)", '!(MTU > 0)']
    flags: [--pcap, -f, a.f]
    seeds: [1, 0x2a]
  - { name: two, test: test_random, reseed: 3 }
`;
const SCRIPT = `#!/bin/sh
cd sub
mkdir -p logs
A=1
bsub -q normal -J "array[1-3]" -o log.%I ./hca_test +UVM_TESTNAME=test_smoke +CASEID=\${LSB_JOBINDEX} -l logs/a.log
./hca_test +UVM_TESTNAME=test_random +RC_QP_NUM=$A --seed random & # a comment
timeout 5m ./hca_test -f lists/mixed.f '+UVM_TESTNAME=test_direct_param' \\
  +HOST_NUM=2
wait
`;

/** A text with pieces taken out, put elsewhere, repeated, or replaced by hostile words. */
function spoilt(text: string): fc.Arbitrary<string> {
  const at = fc.nat(text.length);
  const edit = fc.oneof(
    fc.tuple(at, fc.nat(20)).map(
      ([i, n]) =>
        (t: string) =>
          t.slice(0, i) + t.slice(i + n),
    ),
    fc.tuple(at, word).map(
      ([i, w]) =>
        (t: string) =>
          t.slice(0, i) + w + t.slice(i),
    ),
    fc.tuple(at, at, fc.nat(40)).map(
      ([i, j, n]) =>
        (t: string) =>
          t.slice(0, i) + t.slice(j, j + n) + t.slice(i),
    ),
    fc.tuple(at, fc.nat(8), word).map(
      ([i, n, w]) =>
        (t: string) =>
          t.slice(0, i) + w + t.slice(i + n),
    ),
    fc.tuple(at, fc.nat(30), fc.constantFrom(2, 50, 400)).map(([i, n, k]) => (t: string) => {
      return t.slice(0, i) + t.slice(i, i + n).repeat(k) + t.slice(i + n);
    }),
  );
  return fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => edits.reduce((t, change) => change(t), text));
}

/** Lines of JSON of which one is spoilt. */
function spoiltLines(text: string): fc.Arbitrary<string> {
  const lines = text.trimEnd().split('\n');
  const at = fc.nat(lines.length - 1);
  return at.chain((i) => {
    const line = lines[i] as string;
    const whole = (changed: string): string => `${lines.with(i, changed).join('\n')}\n`;
    return fc.oneof(spoilt(line), spoiltJson(line)).map(whole);
  });
}

/** JSON in which a few values are others, or are missing. */
function spoiltJson(text: string): fc.Arbitrary<string> {
  const value = fc.oneof(
    word,
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom(1e308, -1, 2 ** 53, null, [], {}, undefined),
  );
  const places = fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 2 });
  return places.map((changes) => {
    const data: unknown = JSON.parse(text);
    for (const [n, to] of changes) {
      const all = placesOf(data);
      all[n % all.length]?.(to);
    }
    return JSON.stringify(data);
  });
}

/** Every place of a value, as what puts another there. */
function placesOf(value: unknown): ((to: unknown) => void)[] {
  if (value === null || typeof value !== 'object') return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [
    (to: unknown): void => void Object.assign(holder, { [key]: to }),
    ...placesOf(holder[key]),
  ]);
}

/** The commands of `hca_regress`: what is typed, and what each is for. */

import { regressProgram } from '../../calledAs.ts';
import { aligned } from '../help/showTables.ts';

/** One command. Its own `--help` has the flags. */
export interface CommandRow {
  readonly name: string;
  /** What stands behind the name, a form each. */
  readonly forms: readonly string[];
  readonly summary: string;
}

export const REGRESS_COMMANDS = [
  {
    name: 'run',
    forms: [
      '<list.yaml | script.sh>... [flags] [+NAME=value...]',
      '--failed <out> [flags] [+NAME=value...]',
      '--resume <out> [flags]',
      '<list.yaml>... --until-coverage <percent> [--max-time <time>] [flags] [+NAME=value...]',
    ],
    summary: 'Run lists or scripts, rerun failures, or run until a coverage goal is reached',
  },
  {
    name: 'watch',
    forms: ['<list.yaml | script.sh>... [flags of run] [+NAME=value...]'],
    summary: 'Rerun what a saved change of a source, list or input affects',
  },
  {
    name: 'list',
    forms: ['[lists] [tests] [sequences] [faults] [knobs] [covergroups] [--only <pattern>] [--json]'],
    summary: 'List tests, sequences, planted bugs, knobs and covergroups',
  },
  {
    name: 'report',
    forms: ['<out>... [--base <out>] [--markdown] [flags]'],
    summary: 'Build the page of a regression again, or compare two regressions',
  },
  { name: 'shrink', forms: ['<out> [flags]'], summary: 'Shrink one failing run of each bucket to a small scenario' },
  {
    name: 'known',
    forms: ['add <run>... --link <url> [flags]', 'list [flags]'],
    summary: 'Waive failures as known issues, with owner and date',
  },
  {
    name: 'history',
    forms: ['[flags]', 'import <out>... [flags]'],
    summary: 'Show pass rate, time and failures over past regressions',
  },
  {
    name: 'coverage',
    forms: ['<out>... [flags]'],
    summary: 'Show functional coverage, its holes, and the runs that hit a bin',
  },
  {
    name: 'explain',
    forms: ['<id>... [flags]'],
    summary: 'Explain a check: its meaning, its clause, and planted bugs that it finds',
  },
  { name: 'check-pcap', forms: ['<file> [flags]'], summary: 'Judge a capture by the rules of the wire' },
  {
    name: 'conformance',
    forms: ['[--prove] [--only <ids>] [--page <file> --results <out>...]'],
    summary: 'Show or prove the conformance cases by their ids',
  },
  {
    name: 'compare',
    forms: ['<scenario.json | list.yaml> --dut <kind>,<kind>[,<kind>] [flags] [+NAME=value...]'],
    summary: 'Run the same scenarios on several kinds of NIC and compare the results',
  },
  {
    name: 'bugs',
    forms: ['[<list.yaml>] [flags] [+NAME=value...]'],
    summary: 'Plant each bug and show which check finds it',
  },
  {
    name: 'exhaust',
    forms: ['<scenario.json | list.yaml> [flags] [+NAME=value...]', '--resume <out> [flags]'],
    summary: 'Run a scenario with a fault at each frame and at each pair of frames',
  },
  {
    name: 'loss',
    forms: ['[--long] [--csv FILE] [flags] [+NAME=value...]'],
    summary: 'Measure throughput over loss rates',
  },
  {
    name: 'atomics',
    forms: ['[flags] [+NAME=value...]'],
    summary: 'Measure rates of atomics over the depth of the ACK queue',
  },
  {
    name: 'merge',
    forms: ['<out of a shard>... --out <folder>'],
    summary: 'Merge the shards of a regression into one report',
  },
  {
    name: 'worker',
    forms: ['--farms <folder> [flags] [+TEST_PATH=<folder>...]'],
    summary: 'Run chunks from a queue in Redis',
  },
  {
    name: 'chunk',
    forms: ['<out>/farm/<session> [+TEST_PATH=<folder>...] <number>'],
    summary: 'Run one chunk (started by schedulers)',
  },
] as const satisfies readonly CommandRow[];

export type RegressCommandName = (typeof REGRESS_COMMANDS)[number]['name'];

/** What `--help` prints without a command. */
export function commandsPage(): string {
  const program = regressProgram();
  return [
    `Usage: ${program} <command> ...; ${program} <command> --help shows the flags of a command.`,
    '',
    ...REGRESS_COMMANDS.map(({ name, summary }) => aligned(name, summary)),
    '',
    `Begin with: ${program} run smoke`,
    'Exit codes: 0 all passed, 1 a test failed, 2 usage, 3 infrastructure (crash, time-out), 4 gate missed, 130 Ctrl-C.',
  ].join('\n');
}

/** All forms of a command, a line each. */
export function commandUsage(command: RegressCommandName): string {
  const { forms } = REGRESS_COMMANDS.find(({ name }) => name === command) as CommandRow;
  return forms.map((form, i) => `${i === 0 ? 'Usage:' : '      '} ${regressProgram()} ${command} ${form}`).join('\n');
}

/**
 * `hca_test`: runs one test.
 *
 *   command line -> splitArgv -> flags and plusargs -> checkSpec -> openRun -> record, log, verdict, exit code
 *
 * The launcher in the project's root calls `main` after it has made sure that the build is current.
 */

import { testProgram } from './calledAs.ts';
import { problemReport } from './cli/problemReport.ts';
import { DescriptorOutput } from './cli/syncOutput.ts';
import { parseTestCommand, type TestCommand } from './cli/commands/testCommand.ts';
import { listing } from './listing.ts';
import { projectDefaults } from './project/projectDefaults.ts';
import type { ProjectDefaults } from './project/projectValues.ts';
import { makeOutputFolders } from './run/outputPaths.ts';
import { type PlayOne, problemsOf, problemsWith } from './run/playCommand.ts';
import { type OpenRegistry, Registries } from './registries.ts';
import { loadRegistry, type Registry } from './registry.ts';
import { EXIT } from './run/runSpec.ts';
import { explainFaults } from './run/explainFaults.ts';
import { runTest } from './run/testRun.ts';
import { type ToPlay, toPlay } from './run/replay/toPlay.ts';
import { versionText } from './versions.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** What specs and the launcher replace. */
export interface TestMainOptions {
  readonly registry?: Registry;
  /** The same program outside of its bundle, for runs with a folder of tests; default: this is it. */
  readonly unbundled?: () => Promise<typeof main>;
  readonly play?: PlayOne;
  readonly out?: DescriptorOutput;
  readonly err?: DescriptorOutput;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface Outputs {
  readonly out: DescriptorOutput;
  readonly err: DescriptorOutput;
}

/**
 * Runs one command line.
 * @param argv words after the program's name
 * @returns the exit code
 */
export async function main(argv: readonly string[], options: TestMainOptions = {}): Promise<number> {
  const out = options.out ?? new DescriptorOutput(STANDARD_OUTPUT);
  const err = options.err ?? new DescriptorOutput(STANDARD_ERROR, 0);
  try {
    if (argv[0] === 'new') return await makeItem(argv, options, { out, err });
    if (argv[0] === 'completion') return await printCompletion(argv[1] ?? '', { out, err });
    const env = options.env ?? process.env;
    const defaults = await projectDefaults(process.cwd(), env);
    const typed = parseTestCommand(argv, env, process.cwd(), defaults);
    if (typed.action === 'help') return await showHelp(typed, options, { out, err });
    if (typed.action === 'version') out.line(versionText());
    else if (defaults.problems.length > 0) return refuse(err, defaults.problems);
    else if (typed.action === 'show-config') return showConfig(argv, typed, defaults, { out, err });
    else return await withRegistry(typed, argv, options, { out, err });
    return EXIT.passed;
  } finally {
    out.flush();
  }
}

/** Loaded only here: a run has no use for it. */
async function showHelp({ help }: TestCommand, options: TestMainOptions, { out, err }: Outputs): Promise<number> {
  const { testHelp } = await import('./cli/help/testHelp.ts');
  const found = await testHelp(usageText(), help ?? '', async () => options.registry ?? (await loadRegistry()));
  if ('problem' in found) return refuse(err, [found.problem]);
  out.line(found.text);
  return EXIT.passed;
}

/** Loaded only here: few command lines ask for it. */
async function showConfig(
  argv: readonly string[],
  typed: TestCommand,
  defaults: ProjectDefaults,
  { out, err }: Outputs,
): Promise<number> {
  if (typed.problems.length > 0) return refuse(err, typed.problems);
  const { configTable } = await import('./project/configTable.ts');
  out.line(configTable('hca_test', argv, defaults));
  return EXIT.passed;
}

function usageText(): string {
  const forms = [
    '[flags] [plusargs]',
    'new sequence|test|nic|covergroup <name> [--into <folder>]',
    'completion bash|zsh|fish',
  ];
  return forms.map((form, i) => `${i === 0 ? 'Usage:' : '      '} ${testProgram()} ${form}`).join('\n');
}

/** Loaded only here, as `completion`: few command lines ask for it. */
async function makeItem(argv: readonly string[], options: TestMainOptions, outputs: Outputs): Promise<number> {
  // It imports a module of the build, which a bundle cannot.
  if (options.unbundled !== undefined) return (await options.unbundled())(argv);
  const { makeNew } = await import('./scaffold/newCommand.ts');
  return await makeNew(argv.slice(1), async () => options.registry ?? (await loadRegistry()), outputs);
}

async function printCompletion(name: string, { out, err }: Outputs): Promise<number> {
  const { completionScript, SHELLS } = await import('./cli/completion.ts');
  const shell = SHELLS.find((known) => known === name);
  if (shell === undefined) return refuse(err, [`completion ${name}: needs a shell: ${SHELLS.join(', ')}`]);
  out.line(completionScript(shell));
  return EXIT.passed;
}

async function withRegistry(
  typed: TestCommand,
  argv: readonly string[],
  options: TestMainOptions,
  { out, err }: Outputs,
): Promise<number> {
  const plays = typed.action === 'run' || typed.action === 'explain-faults';
  if (!plays && typed.problems.length > 0) return refuse(err, typed.problems);
  if (plays && typed.shrink !== undefined) return await shrink(typed, typed.shrink, argv, options, { out, err });
  const found = await toPlay(typed);
  const testPath = typeof found === 'string' ? typed.testPath : found.command.testPath;
  if (testPath !== undefined && options.unbundled !== undefined) return (await options.unbundled())(argv);
  const say = (line: string): void => err.line(`rnic-verify: ${line}`);
  const registries = new Registries(options.registry ?? (await loadRegistry()), say);
  const open = await registries.open(testPath, process.cwd());
  if (!plays) {
    if (open.problems.length > 0) return refuse(err, open.problems);
    out.line(listing(typed, open.registry));
    return EXIT.passed;
  }
  const problems = problemsBefore(typed, found, open);
  if (typeof found === 'string' || problems.length > 0) return refuse(err, problems);
  if (typed.action === 'explain-faults') return await explainFaults(found.command, open.registry, { out, err });
  return await runTest(found, { argv, open, out, err, play: options.play });
}

/** Loaded only here: few command lines shrink anything. */
async function shrink(
  typed: TestCommand,
  path: string,
  argv: readonly string[],
  options: TestMainOptions,
  { out, err }: Outputs,
): Promise<number> {
  if (typed.problems.length > 0) return refuse(err, typed.problems);
  if (typed.testPath !== undefined && options.unbundled !== undefined) return (await options.unbundled())(argv);
  const { shrinkRecord } = await import('./shrink/shrinkCommand.ts');
  const say = (line: string): void => err.line(`rnic-verify: ${line}`);
  const registries = new Registries(options.registry ?? (await loadRegistry()), say);
  return await shrinkRecord(path, typed, { registries, out, err });
}

function refuse(err: DescriptorOutput, problems: readonly string[]): number {
  err.line(problemReport(testProgram(), problems));
  return EXIT.usage;
}

/** Everything that keeps the run from being started; makes the folders of its outputs when nothing does. */
function problemsBefore(typed: TestCommand, found: ToPlay | string, open: OpenRegistry): string[] {
  if (typeof found === 'string') return [...typed.problems, found];
  const problems = problemsWith(open, found.command, (registry) => problemsOf(found.command, registry));
  return problems.length > 0 ? problems : makeOutputFolders(found.command, process.cwd(), true);
}

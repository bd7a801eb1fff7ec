/** `hca_test new <kind> <name>`: a folder outside of the project with something new in it that type-checks and passes. */

import { readFlags } from '../cli/readFlags.ts';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { commandLine } from '../../uvm/cmdline/shellQuote.ts';
import { regressProgram, testProgram } from '../calledAs.ts';
import type { FlagTable } from '../cli/flagTable.ts';
import { helpText } from '../cli/helpText.ts';
import { problemReport } from '../cli/problemReport.ts';
import { commandLineTokens } from '../cli/token.ts';
import type { Outputs } from '../many/playRegression.ts';
import type { Registry } from '../registry.ts';
import { EXIT } from '../run/runSpec.ts';
import { projectRoot } from '../versions.ts';
import { ITEM_KINDS, type ItemKind } from './itemKinds.ts';
import { type ItemName, itemName } from './itemName.ts';
import { newFiles, writeFiles } from './scaffold.ts';

const NEW_FLAGS = {
  into: {
    group: 'New:',
    type: 'string',
    value: 'folder',
    describe: 'Folder, made if it is not there (default: the name)',
  },
  help: { group: 'New:', type: 'boolean', alias: 'h', describe: 'This text' },
} as const satisfies FlagTable;

const KINDS = Object.keys(ITEM_KINDS);
const EPILOGUE = Object.entries(ITEM_KINDS)
  .map(([name, { description }]) => `${name.padEnd(10)} ${description}`)
  .join('\n');

/** What is to be made, and where. */
interface Wanted {
  readonly kindName: string;
  readonly kind: ItemKind;
  readonly name: ItemName;
  /** As typed. */
  readonly folder: string;
}

/** @param argv words behind `new` @returns the exit code */
export async function makeNew(
  argv: readonly string[],
  registryOf: () => Promise<Registry>,
  { out, err }: Outputs,
): Promise<number> {
  const checked = readFlags(commandLineTokens(argv), NEW_FLAGS);
  const { flags } = checked;
  if (flags['help'] === true) {
    out.line(await helpText(`Usage: ${testProgram()} new ${KINDS.join('|')} <name> [flags]`, NEW_FLAGS, EPILOGUE));
    return EXIT.passed;
  }
  const problems = [...checked.problems];
  const words = checked.positionals.map(({ text }) => text);
  const wanted = problems.length > 0 ? undefined : wantedOf(words, flags['into'] as string | undefined, problems);
  const files = wanted === undefined ? [] : await newFiles(wanted.kindName, wanted.kind, wanted.name);
  if (wanted !== undefined) problems.push(...obstacles(wanted, files, await registryOf()));
  if (wanted === undefined || problems.length > 0) {
    err.line(problemReport(testProgram(), problems));
    return EXIT.usage;
  }
  const kept = writeFiles(wanted.folder, files);
  out.line(
    doneText(
      wanted,
      files.map(({ path }) => path),
      kept,
    ),
  );
  return EXIT.passed;
}

function wantedOf(words: readonly string[], into: string | undefined, problems: string[]): Wanted | undefined {
  const [kindName = '', typedName = '', ...more] = words;
  const kind = Object.hasOwn(ITEM_KINDS, kindName) ? ITEM_KINDS[kindName] : undefined;
  const name = itemName(typedName);
  if (kind === undefined) {
    const said = kindName === '' ? 'new: needs what to make' : `new ${kindName}: cannot be made`;
    problems.push(`${said}; write new ${KINDS.join('|')} <name>${didYouMean(kindName, KINDS)}`);
  } else if (name === undefined) {
    const said = typedName === '' ? `new ${kindName}: needs a name` : `new ${kindName} ${typedName}: is no name`;
    problems.push(`${said}; write small letters, digits and _ between words, such as slot_ring`);
  }
  if (more.length > 0) problems.push(`${more.join(' ')}: one name at a time`);
  if (kind === undefined || name === undefined || more.length > 0) return undefined;
  return { kindName, kind, name, folder: into ?? name.plain };
}

/** Everything that keeps the files from being written. */
function obstacles(
  { kindName, kind, name, folder }: Wanted,
  files: readonly { path: string; isItem: boolean }[],
  registry: Registry,
): string[] {
  const problems: string[] = [];
  const what = `new ${kindName} ${name.plain}`;
  if (kind.taken(registry).includes(name.plain))
    problems.push(
      `${what}: there is one of that name already; --list-tests and --list-sequences show them; take another`,
    );
  if (isWithinProject(folder))
    problems.push(
      `--into ${folder}: is within the project; name a folder outside of it, such as --into ../${basename(folder)}`,
    );
  for (const { path } of files.filter(({ isItem }) => isItem))
    if (existsSync(join(folder, path)))
      problems.push(`${what}: ${join(folder, path)} is there already; take another name`);
  return problems;
}

/** By where the nearest folder that exists really is. */
function isWithinProject(folder: string): boolean {
  let path = resolve(folder);
  while (!existsSync(path)) path = dirname(path);
  const from = relative(realpathSync(fileURLToPath(projectRoot())), realpathSync(path));
  return from === '' || (from.split(sep)[0] !== '..' && from !== resolve(from));
}

function doneText({ kind, name, folder }: Wanted, paths: readonly string[], kept: readonly string[]): string {
  const made = paths.filter((path) => !kept.includes(path));
  const run = commandLine([testProgram(), `+TEST_PATH=${folder}`, ...kind.plays(name.plain)]);
  const list = commandLine([regressProgram(), 'run', `${folder}/lists/${name.plain}.yaml`]);
  return [
    `made in ${folder}: ${made.join(', ')}`,
    ...(kept.length > 0 ? [`left as they were: ${kept.join(', ')}`] : []),
    `play it:    ${run}`,
    `many times: ${list}`,
  ].join('\n');
}

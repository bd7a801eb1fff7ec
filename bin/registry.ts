/**
 * Everything that is found by name: tests, sequences, components, NIC models.
 *
 * Tests are the exported classes of `tests/*`, sequences those of `sequences/library/**`, each with a static
 * `typeName`: adding a file is enough. So are components that may take the place of those of the environment, in
 * `env/library/**`. Made once per process; runs copy the factory, so none leaves traces in it.
 */

import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { Factory } from '../uvm/base/factory.ts';
import { Covergroup } from '../uvm/coverage/covergroup.ts';
import { declaredPlusargs, type PlusargTexts } from '../uvm/base/declaredPlusargs.ts';
import { typeLineage } from '../uvm/base/typeLineage.ts';
import { COMPONENT_CATALOG } from './componentCatalog.ts';
import { NIC_CATALOG } from '../dut-model/nicCatalog.ts';
import type { NicEntry } from '../env/nicKind.ts';

/** A test or a sequence that can be named on a command line. */
export interface NamedType {
  readonly name: string;
  /** Static `description` of the class, or ''. */
  readonly description: string;
  /** File in which it is exported, relative to the project. */
  readonly file: string;
  /** Its name and those of the classes that it extends, nearest first. Default: its name alone. */
  readonly lineage?: readonly string[];
  /** Plusargs that it declares, those of the classes that it extends included. Default: none. */
  readonly plusargs?: ReadonlyMap<string, string>;
}

/** All that was found. */
export interface Registry {
  /** Holds all tests, sequences and components. */
  readonly factory: Factory;
  readonly tests: readonly NamedType[];
  readonly sequences: readonly NamedType[];
  readonly nics: readonly NicEntry[];
  /** Plusargs that tests, sequences and components declare, by name, each with its text. Default: none. */
  readonly plusargs?: ReadonlyMap<string, string>;
  /** Those that tests and sequences export; those of RDMA are in `coverage/`. Default: none. */
  readonly covergroups?: readonly NamedCovergroup[];
  /** Files that one would expect a test or a sequence in, and that export none. */
  readonly without: readonly FileWithout[];
}

/** A covergroup that a test or sequence brings. */
export interface NamedCovergroup {
  readonly group: Covergroup<never>;
  /** File in which it is exported, relative to the project. */
  readonly file: string;
}

/** What a name may stand for. */
export type FoundKind = 'tests' | 'sequences' | 'components';

/** A file that exports nothing that can be found by its name. */
export interface FileWithout {
  readonly kind: FoundKind;
  /** Names the file and what is missing. */
  readonly text: string;
}

/** A folder whose modules are found by name. */
export interface FoundFolder {
  readonly folder: string;
  /** Modules of its subfolders are found too. */
  readonly deep: boolean;
}

/** A module of one of the folders, loaded. */
export interface FoundModule {
  readonly folder: string;
  /** Path of its file in the folder, without extension. */
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

const TEST_FOLDER = 'tests';
const SEQUENCE_FOLDER = 'sequences/library';
/** Components of users, to override those of the environment. */
const COMPONENT_FOLDER = 'env/library';
/** Folders whose modules register what they export, with whether their subfolders count. The bundler reads it from the build. @public */
export const FOUND_FOLDERS: readonly FoundFolder[] = [
  { folder: TEST_FOLDER, deep: false },
  { folder: SEQUENCE_FOLDER, deep: true },
  { folder: COMPONENT_FOLDER, deep: true },
];

/** Not tests: the set-up of the project's own specs lives in the same folder. */
const NOT_TESTS = /^setup\.|\.spec\./;

/**
 * Loads all tests, sequences and components next to this file's build.
 * @throws Error when a file cannot be loaded, or UvmError when two classes have one type name
 */
export async function loadRegistry(): Promise<Registry> {
  return registryOf((await Promise.all(FOUND_FOLDERS.map(loadFolder))).flat());
}

/** Makes the registry of modules that are loaded already. Who asks for a type name that two classes have is told so. */
export function registryOf(modules: readonly FoundModule[]): Registry {
  const factory = new Factory();
  const tests: NamedType[] = [];
  const sequences: NamedType[] = [];
  const listed = new Map([
    [TEST_FOLDER, tests],
    [SEQUENCE_FOLDER, sequences],
  ]);
  const plusargs = new Map<string, string>();
  for (const [name, type] of Object.entries(COMPONENT_CATALOG)) factory.register(name, type, 'the environment');
  for (const { folder, name, exports } of modules) {
    for (const exported of Object.values(exports)) {
      if (!isNamedClass(exported)) continue;
      const file = `${folder}/${name}.ts`;
      const declared = declaredPlusargs(exported);
      factory.register(exported.typeName, exported, file);
      for (const [plusarg, text] of declared) plusargs.set(plusarg, text);
      listed.get(folder)?.push({
        name: exported.typeName,
        description: exported.description ?? '',
        file,
        lineage: typeLineage(exported),
        plusargs: declared,
      });
    }
  }
  const covergroups = modules.flatMap(({ folder, name, exports }) =>
    Object.values(exports)
      .filter((exported) => exported instanceof Covergroup)
      .map((group) => ({ group: group as Covergroup<never>, file: `${folder}/${name}.ts` })),
  );
  const without = modules.flatMap(whatIsMissing);
  return { factory, tests, sequences, plusargs, covergroups, nics: NIC_CATALOG, without };
}

/** Names under which a test finds its defaults: its own, then those of the tests that it extends. */
export function testLineage(testName: string, { tests }: Registry): readonly string[] {
  return tests.find((test) => test.name === testName)?.lineage ?? [testName];
}

async function loadFolder({ folder, deep }: FoundFolder): Promise<FoundModule[]> {
  // Compiled to .js, or run from source as .ts: whatever this file is.
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const base = new URL(`../${folder}/`, import.meta.url);
  const files = listFiles(base, deep).filter((name) => name.endsWith(extension) && !NOT_TESTS.test(name));
  const modules: FoundModule[] = [];
  for (const file of files) {
    const exports = (await import(new URL(file, base).href)) as Record<string, unknown>;
    modules.push({ folder, name: file.slice(0, -extension.length), exports });
  }
  return modules;
}

/** A class that can be named on a command line. */
export interface NamedClass {
  new (name: string, parent: never): object;
  readonly typeName: string;
  readonly description?: string;
  /** Plusargs that it reads besides the parameters. */
  readonly plusargs?: PlusargTexts;
}

/** Tests are told from what they share by their names; what lies in the other folders is meant to be found. */
function whatIsMissing({ folder, name, exports }: FoundModule): FileWithout[] {
  if (folder === TEST_FOLDER && !/^test[A-Z]/.test(name)) return [];
  const classes = Object.entries(exports).filter(([, value]) => typeof value === 'function');
  if (classes.some(([, value]) => isNamedClass(value))) return [];
  const file = `${folder}/${name}.ts`;
  const kind = folder === TEST_FOLDER ? 'tests' : folder === SEQUENCE_FOLDER ? 'sequences' : 'components';
  if (classes.length === 0) return [{ kind, text: `${file} exports no class: write "export class"` }];
  const names = classes.map(([exported]) => exported).join(', ');
  return [{ kind, text: withoutTypeName(file, names) }];
}

/** What is said of a file whose classes nobody can ask for. */
export function withoutTypeName(file: string, names: string): string {
  return `${file} exports ${names} without a typeName of its own: write "static readonly typeName: string = '...'"`;
}

/** A class that says its own name; one that only inherits it (an abstract base's) would be registered twice. */
export function isNamedClass(value: unknown): value is NamedClass {
  return typeof value === 'function' && Object.hasOwn(value, 'typeName');
}

/** Sorted by their own names, so that the order of registration depends on no file system, and on no subfolder. */
function listFiles(folder: URL, recursive: boolean): string[] {
  try {
    const paths = readdirSync(folder, { recursive, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
    return paths.sort((a, b) => byName(a, b));
  } catch {
    return [];
  }
}

function byName(a: string, b: string): number {
  const left = [basename(a), a].join('\0');
  const right = [basename(b), b].join('\0');
  return left < right ? -1 : Number(left > right);
}

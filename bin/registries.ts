/** The registry of the project, and one more for each folder of tests that runs name. */

import { resolve } from 'node:path';
import type { CompiledFolder } from '../regress/pool/player.ts';
import { UserSequence } from '../sequences/user/userSequence.ts';
import { BaseTest } from '../tests/baseTest.ts';
import { declarationMistake, declaredPlusargs } from '../uvm/base/declaredPlusargs.ts';
import { typeLineage } from '../uvm/base/typeLineage.ts';
import { Covergroup } from '../uvm/coverage/covergroup.ts';
import { baseMistake, isNicEntry, lackOf } from './nicEntry.ts';
import {
  type FileWithout,
  type FoundKind,
  isNamedClass,
  type NamedCovergroup,
  type NamedType,
  type Registry,
  withoutTypeName,
} from './registry.ts';
import { compileFolder, loadFolder, type OwnModule } from './testFolder.ts';

/** What a run finds by name. */
export interface OpenRegistry {
  readonly registry: Registry;
  /** What is wrong with the folder, each with its path; the registry is then that of the project alone. */
  readonly problems: readonly string[];
  /** Over the sources of the folder; '' without one. */
  readonly sha256: string;
  /** The folder has been left alone: what a run finds in it by name is not known. */
  readonly isUnread?: boolean;
}

/** Folders that have been compiled already, by absolute path. */
export type CompiledFolders = Readonly<Record<string, CompiledFolder>>;

/** Opened as they are asked for. */
export class Registries {
  readonly #plain: OpenRegistry;
  readonly #opened = new Map<string, OpenRegistry>();
  readonly #compiled: Record<string, CompiledFolder>;
  readonly #say: (line: string) => void;

  /**
   * @param say told before a folder is compiled
   * @param compiled what is not to be compiled again, so that all runs of a regression play the same
   */
  constructor(registry: Registry, say: (line: string) => void, compiled: CompiledFolders = {}) {
    this.#say = say;
    this.#plain = { registry, problems: [], sha256: '' };
    this.#compiled = { ...compiled };
  }

  /** Everything that was compiled for what is open. */
  get compiled(): CompiledFolders {
    return this.#compiled;
  }

  /** @param path value of `+TEST_PATH`; undefined or '' for none @param cwd folder for relative paths */
  async open(path: string | undefined, cwd: string): Promise<OpenRegistry> {
    if (path === undefined || path === '') return this.#plain;
    const folder = resolve(cwd, path);
    const known = this.#opened.get(folder);
    if (known !== undefined) return known;
    const opened = await this.#openFolder(path, cwd, folder);
    this.#opened.set(folder, opened);
    return opened;
  }

  /** Leaves a folder alone: nothing of it is compiled or loaded. */
  leave(path: string, cwd: string): void {
    this.#opened.set(resolve(cwd, path), { ...this.#plain, isUnread: true });
  }

  /** One that has been opened, or left. */
  of(path: string | undefined, cwd: string): OpenRegistry {
    if (path === undefined || path === '') return this.#plain;
    return this.#opened.get(resolve(cwd, path)) ?? this.#plain;
  }

  async #openFolder(path: string, cwd: string, folder: string): Promise<OpenRegistry> {
    const compiled = this.#compiled[folder] ?? (await compileFolder(path, cwd, this.#say));
    if (typeof compiled === 'string') return { ...this.#plain, problems: [compiled] };
    this.#compiled[folder] = compiled;
    const modules = await loadFolder(path, compiled);
    if (typeof modules === 'string') return { ...this.#plain, problems: [modules] };
    return { ...withModules(this.#plain.registry, path, modules), sha256: compiled.sha256 };
  }
}

/** Tests and sequences are told by the classes that they extend, wherever in the folder they are. */
function withModules(base: Registry, path: string, modules: readonly OwnModule[]): Omit<OpenRegistry, 'sha256'> {
  const factory = base.factory.clone();
  const lists = { tests: [...base.tests], sequences: [...base.sequences], components: [] as NamedType[] };
  const nics = [...base.nics];
  const covergroups: NamedCovergroup[] = [...(base.covergroups ?? [])];
  const plusargs = new Map(base.plusargs);
  const problems: string[] = [];
  for (const { file, exported } of exportsOf(modules)) {
    if (isNicEntry(exported) && !nics.includes(exported)) {
      const lack = lackOf(exported);
      if (lack !== '') problems.push(`+TEST_PATH=${path}: ${file}: ${lack}`);
      else if (nics.some(({ name }) => name === exported.name))
        problems.push(`+TEST_PATH=${path}: ${file}: there is a NIC model ${exported.name} already; rename this one`);
      else nics.push(exported);
    }
    // Modules may pass on what is of the project.
    if (exported instanceof Covergroup) covergroups.push({ group: exported as Covergroup<never>, file });
    if (!isNamedClass(exported) || base.factory.holds(exported.typeName, exported)) continue;
    const { typeName: name, description = '' } = exported;
    const mistake = declarationMistake(exported);
    if (mistake !== '') problems.push(`+TEST_PATH=${path}: ${file}: ${name}: ${mistake}`);
    const declared = declaredPlusargs(exported);
    factory.register(name, exported, file);
    for (const [plusarg, text] of declared) plusargs.set(plusarg, text);
    lists[kindOf(exported)].push({ name, description, file, lineage: typeLineage(exported), plusargs: declared });
  }
  for (const { name, base: builtOn } of nics.slice(base.nics.length)) {
    const mistake = baseMistake(name, builtOn, nics);
    if (mistake !== '') problems.push(`+TEST_PATH=${path}: ${mistake}`);
  }
  const { tests, sequences } = lists;
  const without = [...base.without, ...modules.flatMap(unnamedIn)];
  return { registry: { ...base, factory, tests, sequences, plusargs, covergroups, nics, without }, problems };
}

/** Each value once, with the first file that exports it: others may pass it on. */
function exportsOf(modules: readonly OwnModule[]): { file: string; exported: unknown }[] {
  const found = new Map<unknown, string>();
  for (const { file, exports } of modules) {
    for (const exported of Object.values(exports)) if (!found.has(exported)) found.set(exported, file);
  }
  return [...found].map(([exported, file]) => ({ file, exported }));
}

/** Tests and sequences that have no name of their own: nobody can ask for them. */
function unnamedIn({ file, exports }: OwnModule): FileWithout[] {
  return Object.entries(exports).flatMap(([name, type]) => {
    const kind = kindOf(type);
    return kind === 'components' || isNamedClass(type) ? [] : [{ kind, text: withoutTypeName(file, name) }];
  });
}

function kindOf(type: unknown): FoundKind {
  if (extendsClass(type, BaseTest)) return 'tests';
  return extendsClass(type, UserSequence) ? 'sequences' : 'components';
}

function extendsClass(type: unknown, base: { readonly prototype: object }): boolean {
  return typeof type === 'function' && Object.prototype.isPrototypeOf.call(base.prototype, type.prototype as object);
}

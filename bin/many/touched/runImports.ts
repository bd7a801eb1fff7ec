/**
 * Which runs a change of files touches: those whose test, sequence or kind of NIC imports one of them, at whatever distance,
 * those that read one, and, where it is a file that every run goes through, all.
 */

import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dutsNamed } from '../../../config/dutNames.ts';
import type { Job } from '../../../regress/job.ts';
import { parseTestCommand, plusargValue } from '../../cli/commands/testCommand.ts';
import { DEFAULT_DUT } from '../../nicEntry.ts';
import type { Registries } from '../../registries.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import { testLineage } from '../../registry.ts';
import { projectRoot } from '../../versions.ts';
import { ImportGraph } from './importGraph.ts';

/** What plays every run. */
const PLAYER = 'bin/player.ts';
/** Names all kinds of NIC: a run reaches its own alone. */
const CATALOG = 'dut-model/nicCatalog.ts';
/** Components that any run may ask for. */
const COMPONENTS = 'env/library';

/** What a run is made of. */
interface RunFiles {
  /** Modules that are found by name. */
  readonly modules: readonly string[];
  readonly kinds: readonly string[];
  /** What it reads, and where it is asked for. */
  readonly inputs: readonly string[];
}

/** Runs, and what each of them imports and reads. */
export class RunImports {
  readonly #jobs: readonly Job[];
  readonly #files: readonly RunFiles[];
  readonly #root: string;
  readonly #graph: ImportGraph;
  readonly #cut: ReadonlySet<string>;

  private constructor(jobs: readonly Job[], files: readonly RunFiles[], root: string, graph: ImportGraph) {
    this.#jobs = jobs;
    this.#files = files;
    this.#root = root;
    this.#graph = graph;
    this.#cut = new Set([join(root, CATALOG)]);
  }

  /**
   * @param registries with all folders of tests of the runs open
   * @throws esbuild's error where sources cannot be parsed
   */
  static async of(jobs: readonly Job[], registries: Registries): Promise<RunImports> {
    const root = fileURLToPath(projectRoot());
    const files = jobs.map((job) => runFiles(job, registries, root));
    const modules = files.flatMap((each) => each.modules);
    const graph = await ImportGraph.of([...new Set([...sharedModules(root), ...modules])], root);
    return new RunImports(jobs, files, root, graph);
  }

  /** @param changed paths as from the working directory */
  touchedBy(changed: readonly string[]): readonly Job[] {
    const files = changed.map((path) => resolve(path));
    const isTouched = (from: readonly string[]): boolean => {
      const reached = this.#graph.reached(from, this.#cut);
      return files.some((path) => reached.has(path));
    };
    if (isTouched(sharedModules(this.#root))) return this.#jobs;
    const entries = this.#entries();
    const known = new Map<string, boolean>();
    const ofModule = (module: string): boolean => {
      const found = known.get(module) ?? isTouched([module]);
      known.set(module, found);
      return found;
    };
    return this.#jobs.filter((_, i) => {
      const { modules, kinds, inputs } = this.#files[i] as RunFiles;
      const ofKinds = kinds.flatMap((kind) => entries.get(kind) ?? []);
      return inputs.some((path) => files.includes(path)) || [...modules, ...ofKinds].some(ofModule);
    });
  }

  /** By name of the kind: the catalog imports the entries in its order. */
  #entries(): ReadonlyMap<string, string> {
    const imported = this.#graph.importsOf(join(this.#root, CATALOG)).filter((path) => path.endsWith('/entry.ts'));
    return new Map(NIC_CATALOG.map(({ name }, i) => [name, imported[i] ?? '']));
  }
}

/** Modules that every run goes through. */
function sharedModules(root: string): readonly string[] {
  return [join(root, PLAYER), ...modulesIn(join(root, COMPONENTS))];
}

function runFiles(job: Job, registries: Registries, root: string): RunFiles {
  const { testName, plusargs, testPath, scenario, faults, optionFiles } = parseTestCommand(job.argv, {}, job.cwd);
  const { registry } = registries.of(testPath, job.cwd);
  const own = testPath === undefined || testPath === '' ? undefined : resolve(job.cwd, testPath);
  const fileOf = (file: string): string => {
    const there = resolve(job.cwd, file);
    return own !== undefined && there.startsWith(`${own}/`) ? there : join(root, file);
  };
  const tests = new Set(testLineage(testName, registry));
  const sequence = plusargValue(plusargs, 'UVM_TEST_SEQ');
  const found = [
    ...registry.tests.filter(({ name }) => tests.has(name)),
    ...registry.sequences.filter(({ name }) => name === sequence),
  ];
  const kinds = dutsNamed(plusargValue(plusargs, 'DUT') ?? DEFAULT_DUT);
  const isShipped = kinds.every((kind) => NIC_CATALOG.some(({ name }) => name === kind));
  return {
    modules: [...found.map(({ file }) => fileOf(file)), ...(isShipped || own === undefined ? [] : modulesIn(own))],
    kinds,
    inputs: [
      job.where.replace(/(:\d+)+$/, ''),
      ...[scenario, faults].filter((path) => path !== undefined && path !== ''),
      ...optionFiles,
    ].map((path) => resolve(job.cwd, path as string)),
  };
}

/** Of a kind of the user's own it is not known which module brings it. */
function modulesIn(folder: string): readonly string[] {
  return entriesOf(folder, true)
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function entriesOf(folder: string, recursive = false) {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive });
  } catch {
    return [];
  }
}

/** Reads verification plans, and finds everything in them that stands for nothing. */

import { dirname, join } from 'node:path';
import { YamlText } from '../../files/yaml.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { type Behaviour, BehaviourError, readBehaviours } from '../conformance/behaviours.ts';
import { CoverageError } from '../coverage/coverageError.ts';
import { inputText } from '../coverage/inputText.ts';
import { type PlanFile, planSchema, type Stage } from './planSchema.ts';

export interface Testpoint {
  /** `transport.packet_headers`. */
  readonly name: string;
  readonly stage: Stage;
  readonly text: string;
  readonly tests: readonly string[];
  readonly covergroups: readonly string[];
  readonly checks: readonly string[];
  readonly covers: readonly string[];
  /** `coverage/plan/transport.yaml:12`. */
  readonly where: string;
}

export interface Plan {
  readonly testpoints: readonly Testpoint[];
  /** Text by id. */
  readonly checklist: ReadonlyMap<string, string>;
  /** Ids of what no harness of NICs can show. */
  readonly outside: ReadonlySet<string>;
}

/** Names that a plan may use. */
export interface PlanNames {
  /** Tests and sequences. */
  readonly tests: ReadonlySet<string>;
  /** Covergroups and their items. */
  readonly covergroups: ReadonlySet<string>;
  readonly checks: ReadonlySet<string>;
}

/** A file of a plan with its text. */
export interface PlanText {
  /** Name for messages. */
  readonly file: string;
  readonly text: string;
}

/**
 * @param read text of a table of behaviours that a plan names
 * @throws CoverageError with file and line of every mistake
 */
export function readPlan(
  texts: readonly PlanText[],
  names: PlanNames,
  read: (path: string) => string = (path) => inputText(path, { named: path }),
): Plan {
  const files = texts.map((text) => new PlanDocument(text));
  const problems = files.flatMap((file) => file.problems);
  const behaviours = files.flatMap((file) => file.behaviours(read));
  const written = files.flatMap(({ data }) => Object.entries(data.checklist ?? {}));
  const checklist = new Map([...written, ...behaviours.map(({ id, must }) => [id, must] as const)]);
  problems.push(...files.flatMap((file) => file.brokenTables));
  const testpoints = files.flatMap((file) => file.testpoints());
  const known = { ...names, covers: new Set(checklist.keys()) };
  for (const file of files) problems.push(...file.unresolved(known));
  problems.push(...repeated(testpoints), ...unplanned(testpoints, checklist, texts[0]?.file ?? 'plan'));
  if (problems.length > 0) throw new CoverageError(problems);
  const outside = new Set(behaviours.filter(({ shown }) => shown.by === 'outside').map(({ id }) => id));
  return { testpoints, checklist, outside };
}

const LISTS = ['tests', 'covergroups', 'checks', 'covers'] as const;
const WHAT = {
  tests: 'test or sequence',
  covergroups: 'covergroup or item',
  checks: 'report id',
  covers: 'checklist entry',
};

class PlanDocument {
  readonly data: PlanFile;
  readonly problems: string[] = [];
  /** Mistakes in the tables of behaviours that it names. */
  readonly brokenTables: string[] = [];
  readonly #file: string;
  readonly #text: YamlText;

  constructor({ file, text }: PlanText) {
    this.#file = file;
    this.#text = new YamlText(text);
    const [broken] = this.#text.mistakes;
    // What follows from a mistake is none.
    if (broken !== undefined) {
      this.data = { name: 'broken' };
      this.problems.push(`${file}:${broken.line}: ${broken.message}`);
      return;
    }
    const read = planSchema.safeParse(this.#text.value);
    this.data = read.success ? read.data : { name: 'broken' };
    for (const { path, message } of read.error?.issues ?? []) {
      this.problems.push(`${this.#where(path)}: ${path.map(String).join('.')}: ${message}`);
    }
  }

  /** Those of the tables that it names. */
  behaviours(read: (path: string) => string): readonly Behaviour[] {
    return (this.data.behaviours ?? []).flatMap((name) => {
      const path = join(dirname(this.#file), name);
      try {
        return readBehaviours(path, read(path)).behaviours;
      } catch (error) {
        if (!(error instanceof BehaviourError || error instanceof CoverageError)) throw error;
        this.brokenTables.push(...error.problems);
        return [];
      }
    });
  }

  testpoints(): readonly Testpoint[] {
    const { name: plan, testpoints = [] } = this.data;
    return testpoints.map(({ name, stage, text, tests = [], covergroups = [], checks = [], covers = [] }, i) => ({
      name: `${plan}.${name}`,
      stage,
      text,
      tests,
      covergroups,
      checks,
      covers,
      where: this.#where(['testpoints', i]),
    }));
  }

  unresolved(known: PlanNames & { readonly covers: ReadonlySet<string> }): readonly string[] {
    return (this.data.testpoints ?? []).flatMap((testpoint, i) =>
      LISTS.flatMap((list) =>
        (testpoint[list] ?? []).flatMap((name, k) => {
          if (known[list].has(name)) return [];
          const where = this.#where(['testpoints', i, list, k]);
          return [`${where}: ${testpoint.name}: there is no ${WHAT[list]} '${name}'${didYouMean(name, known[list])}`];
        }),
      ),
    );
  }

  /** Of the value, or of the nearest above it. */
  #where(path: readonly PropertyKey[]): string {
    return `${this.#file}:${this.#text.placeOf(path).line}`;
  }
}

function repeated(testpoints: readonly Testpoint[]): readonly string[] {
  const places = new Map<string, string>();
  return testpoints.flatMap(({ name, where }) => {
    const before = places.get(name);
    places.set(name, where);
    return before === undefined ? [] : [`${where}: ${name} is there already, at ${before}`];
  });
}

/** Entries of the checklist that no testpoint covers. */
function unplanned(
  testpoints: readonly Testpoint[],
  checklist: ReadonlyMap<string, string>,
  file: string,
): readonly string[] {
  const covered = new Set(testpoints.flatMap(({ covers }) => covers));
  return [...checklist.keys()]
    .filter((id) => !covered.has(id))
    .map((id) => `${file}: ${id} is covered by no testpoint`);
}

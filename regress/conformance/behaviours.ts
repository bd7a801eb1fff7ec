/** Reads tables of behaviours, and finds everything in them that makes no sense. */

import { YamlText } from '../../files/yaml.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { type BehaviourRow, type RunRow, tableSchema } from './behaviourSchema.ts';

/** What a behaviour is shown by. */
export type Shown =
  | { readonly by: 'runs'; readonly runs: readonly CaseRun[] }
  /** It lies outside of what can be shown. */
  | { readonly by: 'outside'; readonly reason: string }
  /** There is no case until this can be done. */
  | { readonly by: 'waits'; readonly reason: string };

/** A run that shows a behaviour, by the words of `hca_test` but for its seed. */
export interface CaseRun {
  readonly words: readonly string[];
  /** What it plays, for people: `case G263`, `sequence wrong_keys`. */
  readonly what: string;
}

export interface Behaviour {
  /** `T-022`, `G117`. */
  readonly id: string;
  readonly must: string;
  readonly clause: string;
  readonly shown: Shown;
  readonly choice: string | undefined;
  readonly proof: Proof | undefined;
  /** `conformance/transport.yaml:12`. */
  readonly where: string;
}

/** A bug with which the case must fail. */
export interface Proof {
  /** Kind of NIC that it is planted in; undefined: it is one of the case's own, `+CASE_BUG`. */
  readonly dut: string | undefined;
  readonly bug: string;
}

export interface BehaviourTable {
  readonly name: string;
  readonly title: string;
  readonly origin: string;
  /** The only kind of NIC that it is about; undefined: any. */
  readonly only: string | undefined;
  /** It is about NICs whose frames are RoCEv2. */
  readonly isAboutRoce: boolean;
  readonly behaviours: readonly Behaviour[];
}

/** Mistakes in a table, each with file and line. */
export class BehaviourError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const TYPES = ['rc', 'uc', 'ud'] as const;
/** Ways to show a behaviour: each has exactly one of them. */
const WAYS = ['on', 'sequence', 'test', 'runs', 'as', 'outside', 'open'] as const;

/**
 * @param file name for messages
 * @param text YAML
 * @throws BehaviourError for every mistake
 */
export function readBehaviours(file: string, text: string): BehaviourTable {
  const yaml = new YamlText(text);
  if (yaml.mistakes.length > 0)
    throw new BehaviourError(yaml.mistakes.map(({ line, message }) => `${file}:${line}: ${message}`));
  const where = (path: readonly PropertyKey[]): string => `${file}:${yaml.placeOf(path).line}`;
  const read = tableSchema.safeParse(yaml.value);
  if (!read.success) {
    throw new BehaviourError(
      read.error.issues.map(({ path, message }) => `${where(path)}: ${path.map(String).join('.')}: ${message}`),
    );
  }
  const { name, title, origin, dut, only, wire, behaviours: rows } = read.data;
  const places = rows.map((_, i) => where(['behaviours', i]));
  const problems = mistakesOf(rows, places);
  if (problems.length > 0) throw new BehaviourError(problems);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const behaviours = rows.map((row, i) => behaviourOf(row, byId, places[i] as string, dut));
  return { name, title, origin, only, isAboutRoce: wire === 'rocev2', behaviours };
}

function mistakesOf(rows: readonly BehaviourRow[], places: readonly string[]): string[] {
  const byId = new Map<string, string>();
  const shown = new Map(rows.map((row) => [row.id, row]));
  return rows.flatMap((row, i) => {
    const place = `${places[i]}: ${row.id}`;
    const before = byId.get(row.id);
    byId.set(row.id, places[i] as string);
    const ways = WAYS.filter((way) => row[way] !== undefined);
    const model = row.as === undefined ? undefined : shown.get(row.as);
    return [
      ...(before === undefined ? [] : [`${place}: is there already, at ${before}`]),
      ...(ways.length === 1 ? [] : [`${place}: give one of ${WAYS.join(', ')}; it has ${ways.join(', ') || 'none'}`]),
      ...(row.as !== undefined && model === undefined
        ? [`${place}: as: there is no behaviour '${row.as}'${didYouMean(row.as, shown.keys())}`]
        : []),
      ...(model?.as === undefined ? [] : [`${place}: as: ${row.as} has no case of its own; name ${model.as}`]),
    ];
  });
}

function behaviourOf(
  row: BehaviourRow,
  byId: ReadonlyMap<string, BehaviourRow>,
  where: string,
  dut: string,
): Behaviour {
  const { id, must, clause = '', outside, open, choice } = row;
  const shown: Shown =
    outside !== undefined
      ? { by: 'outside', reason: outside }
      : open !== undefined
        ? { by: 'waits', reason: open }
        : { by: 'runs', runs: runsOf(row.as === undefined ? row : (byId.get(row.as) as BehaviourRow)) };
  return { id, must, clause, shown, choice, proof: proofOf(row.proof, dut), where };
}

function runsOf(row: BehaviourRow): readonly CaseRun[] {
  const { id, on, runs } = row;
  if (runs !== undefined) return runs.map(runOf);
  if (on === undefined) return [runOf(row)];
  const topology = TYPES.map((type) => `+${type.toUpperCase()}_QP_NUM=${on === type || on === 'all' ? 1 : 0}`);
  // The first of several words of one name counts.
  const words = ['+UVM_TESTNAME=test_conformance', `+CASE=${id}`, ...(row.with ?? []), ...topology];
  return [{ words: firstOfEach(words), what: `case ${id}` }];
}

function runOf({ sequence, test, with: more = [] }: RunRow): CaseRun {
  if (sequence !== undefined) {
    const words = ['+UVM_TESTNAME=test_sequence', `+UVM_TEST_SEQ=${sequence}`, ...more];
    return { words, what: `sequence ${sequence}` };
  }
  return { words: [...(test === undefined ? [] : [`+UVM_TESTNAME=${test}`]), ...more], what: test ?? 'test' };
}

function firstOfEach(words: readonly string[]): string[] {
  const nameOf = (word: string): string => word.replace(/=.*$/s, '');
  return words.filter((word, i) => words.findIndex((other) => nameOf(other) === nameOf(word)) === i);
}

function proofOf(text: string | undefined, dut: string): Proof | undefined {
  if (text === undefined) return undefined;
  const [, kind, bug] = /^([\w-]+):(.+)$/s.exec(text) ?? [];
  if (bug === undefined) return { dut, bug: text };
  return { dut: kind === 'planted' ? undefined : kind, bug };
}

/** `hca_regress list`: what there is to be run, for people and, as JSON, for programs. */

import type { NamedType, Registry } from '../registry.ts';
import { regressProgram } from '../calledAs.ts';
import { commandUsage } from '../cli/commands/regressCommands.ts';
import { helpText } from '../cli/helpText.ts';
import { LIST_FLAGS, type Listed, type ListCommand, parseListCommand } from '../cli/commands/listCommand.ts';
import { problemReport } from '../cli/problemReport.ts';
import { allCovergroups, type ListedCovergroup, listCovergroups } from '../cli/help/showCovergroups.ts';
import { listedLists, listFaults, listKnobs, listTypes } from '../cli/help/showTables.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { Glob } from '../../uvm/base/glob.ts';
import { bugStimulus } from '../nicEntry.ts';
import { loadRegistry } from '../registry.ts';
import { Registries } from '../registries.ts';
import { EXIT } from '../run/runSpec.ts';
import { type ShippedList, shippedLists } from './shippedLists.ts';

/** @param argv words behind `list` @returns the exit code */
export async function showLists(
  argv: readonly string[],
  out: DescriptorOutput,
  err: DescriptorOutput,
  registry?: Registry,
): Promise<number> {
  const command = parseListCommand(argv);
  if (command.help) {
    out.line(
      await helpText(
        commandUsage('list'),
        LIST_FLAGS,
        'Lists are those of the folder lists, by their names for "run".',
      ),
    );
    return EXIT.passed;
  }
  const registries = new Registries(registry ?? (await loadRegistry()), (line) => err.line(`rnic-verify: ${line}`));
  const open = await registries.open(command.testPath, process.cwd());
  const problems = [...command.problems, ...open.problems];
  if (problems.length > 0) {
    err.line(problemReport(regressProgram(), problems));
    return EXIT.usage;
  }
  if (command.json) out.line(JSON.stringify(asJson(command, open.registry), null, 2));
  else out.line(asText(command, open.registry));
  return EXIT.passed;
}

/** What is there of each kind, by the pattern. */
class Inventory {
  readonly lists: readonly ShippedList[];
  readonly tests: readonly NamedType[];
  readonly sequences: readonly NamedType[];
  readonly covergroups: readonly ListedCovergroup[];
  readonly #nics: readonly NicEntry[];
  readonly #isMeant: (name: string) => boolean;

  constructor(registry: Registry, only: string | undefined) {
    const glob = only === undefined ? undefined : new Glob(only);
    this.#isMeant = (name) => glob?.matches(name) ?? true;
    const named = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
      all.filter(({ name }) => this.#isMeant(name));
    this.lists = named(shippedLists(registry.sequences.map(({ name }) => name)));
    this.tests = named(registry.tests);
    this.sequences = named(registry.sequences);
    this.covergroups = allCovergroups(registry).filter(({ model }) => this.#isMeant(model.name));
    this.#nics = registry.nics;
  }

  /** Kinds of NIC with the bugs that are meant, by their names or by what finds them. */
  get buggy(): readonly NicEntry[] {
    const isMeant = ({ name, caughtBy = [] }: FaultEntry): boolean => [name, ...caughtBy].some(this.#isMeant);
    const nics = this.#nics.map((nic) => ({ ...nic, faults: nic.faults.filter(isMeant) }));
    return nics.filter(({ faults }) => faults.length > 0);
  }

  /** Kinds of NIC with the knobs that are meant, by their names with or without +NIC_. */
  get tunable(): readonly NicEntry[] {
    const isMeant = ({ name }: { readonly name: string }): boolean =>
      [name, `NIC_${name}`, `+NIC_${name}`].some(this.#isMeant);
    const nics = this.#nics.map((nic) => ({ ...nic, knobs: nic.knobs.filter(isMeant) }));
    return nics.filter(({ knobs }) => knobs.length > 0);
  }
}

function asText({ kinds, only }: ListCommand, registry: Registry): string {
  const inventory = new Inventory(registry, only);
  const texts = kinds.map((kind) => ({ kind, text: textOf(kind, inventory, registry, only !== undefined) }));
  const shown = only !== undefined && kinds.length > 1 ? texts.filter(({ text }) => text !== 'none') : texts;
  return shown.length === 0
    ? 'none'
    : shown.map(({ kind, text }) => (kinds.length > 1 ? `${kind}:\n${text}\n` : text)).join('\n');
}

function textOf(kind: Listed, inventory: Inventory, registry: Registry, isChosen: boolean): string {
  const conflict = (name: string): string => registry.factory.conflict(name);
  switch (kind) {
    case 'lists':
      return inventory.lists.length === 0 ? 'none' : listedLists(inventory.lists);
    case 'tests':
      return listTypes(inventory.tests, conflict);
    case 'sequences':
      return listTypes(inventory.sequences, conflict);
    case 'faults':
      return listFaults(inventory.buggy, { withCommands: isChosen });
    case 'knobs':
      return listKnobs(inventory.tunable);
    case 'covergroups':
      return inventory.covergroups.length === 0 ? 'none' : listCovergroups(inventory.covergroups);
  }
}

/** Each kind under its name. */
function asJson({ kinds, only }: ListCommand, registry: Registry): Readonly<Record<string, unknown>> {
  const inventory = new Inventory(registry, only);
  return Object.fromEntries(kinds.map((kind) => [kind, jsonOf(kind, inventory)]));
}

function jsonOf(kind: Listed, inventory: Inventory): unknown {
  switch (kind) {
    case 'lists':
      return inventory.lists;
    case 'tests':
      return inventory.tests.map(typeOf);
    case 'sequences':
      return inventory.sequences.map(typeOf);
    case 'faults':
      return inventory.buggy.flatMap((nic) =>
        nic.faults.map((fault) => {
          const { name, description, needs = [], caughtBy = [] } = fault;
          return { dut: nic.name, name, description, needs, caughtBy, stimulus: bugStimulus(nic, fault) };
        }),
      );
    case 'covergroups':
      return inventory.covergroups;
    case 'knobs':
      return inventory.tunable.flatMap((nic) => nic.knobs.map((knob) => ({ dut: nic.name, ...knob })));
  }
}

function typeOf({ name, description, file, plusargs }: NamedType): Readonly<Record<string, unknown>> {
  return { name, description, file, plusargs: Object.fromEntries(plusargs ?? []) };
}

/** `hca_regress list`: what there is to be run, for people and, as JSON, for programs. */

import type { NamedType, Registry } from '../registry.ts';
import { regressProgram } from '../calledAs.ts';
import { helpText } from '../cli/helpText.ts';
import { LIST_FLAGS, type Listed, type ListCommand, parseListCommand } from '../cli/commands/listCommand.ts';
import { problemReport } from '../cli/problemReport.ts';
import { allCovergroups, listCovergroups } from '../cli/showCovergroups.ts';
import { listedLists, listFaults, listKnobs, listTypes } from '../cli/showTables.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import { bugStimulus } from '../nicEntry.ts';
import { loadRegistry } from '../registry.ts';
import { Registries } from '../registries.ts';
import { EXIT } from '../run/runSpec.ts';
import { shippedLists } from './shippedLists.ts';

/** @param argv words behind `list` @returns the exit code */
export async function showLists(
  argv: readonly string[],
  out: DescriptorOutput,
  err: DescriptorOutput,
  registry?: Registry,
): Promise<number> {
  const command = parseListCommand(argv);
  if (command.help) {
    const usage = `Usage: ${regressProgram()} list [lists] [tests] [sequences] [faults] [knobs] [covergroups] [--json] [+TEST_PATH=folder]`;
    out.line(await helpText(usage, LIST_FLAGS, 'Lists are those of the folder lists, by their names for "run".'));
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

function asText({ kinds }: ListCommand, registry: Registry): string {
  return kinds
    .map((kind) => (kinds.length > 1 ? `${kind}:\n${textOf(kind, registry)}\n` : textOf(kind, registry)))
    .join('\n');
}

function namesOf({ sequences }: Registry): string[] {
  return sequences.map(({ name }) => name);
}

function textOf(kind: Listed, registry: Registry): string {
  const conflict = (name: string): string => registry.factory.conflict(name);
  switch (kind) {
    case 'lists':
      return listedLists(shippedLists(namesOf(registry)));
    case 'tests':
      return listTypes(registry.tests, conflict);
    case 'sequences':
      return listTypes(registry.sequences, conflict);
    case 'faults':
      return listFaults(registry.nics);
    case 'knobs':
      return listKnobs(registry.nics);
    case 'covergroups':
      return listCovergroups(allCovergroups(registry));
  }
}

/** Each kind under its name. */
function asJson({ kinds }: ListCommand, registry: Registry): Readonly<Record<string, unknown>> {
  return Object.fromEntries(kinds.map((kind) => [kind, jsonOf(kind, registry)]));
}

function jsonOf(kind: Listed, registry: Registry): unknown {
  const { tests, sequences, nics } = registry;
  switch (kind) {
    case 'lists':
      return shippedLists(namesOf(registry));
    case 'tests':
      return tests.map(typeOf);
    case 'sequences':
      return sequences.map(typeOf);
    case 'faults':
      return nics.flatMap((nic) =>
        nic.faults.map((fault) => {
          const { name, description, needs = [], caughtBy = [] } = fault;
          return { dut: nic.name, name, description, needs, caughtBy, stimulus: bugStimulus(nic, fault) };
        }),
      );
    case 'covergroups':
      return allCovergroups(registry);
    case 'knobs':
      return nics.flatMap((nic) => nic.knobs.map((knob) => ({ dut: nic.name, ...knob })));
  }
}

function typeOf({ name, description, file, plusargs }: NamedType): Readonly<Record<string, unknown>> {
  return { name, description, file, plusargs: Object.fromEntries(plusargs ?? []) };
}

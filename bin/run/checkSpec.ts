/** Finds everything wrong with a run before time 0. */

import { OBJECT_FIELDS } from '../../env/settings/configFields.ts';
import { dutsNamed } from '../../config/dutNames.ts';
import { resolveParameters } from '../../config/parameters.ts';
import type { RunConfig } from '../../config/runConfig.ts';
import { didYouMean, nearest } from '../../uvm/cmdline/nearest.ts';
import { malformedArguments } from '../../uvm/cmdline/malformedArguments.ts';
import { findKnob, knobMistake } from '../../dut-model/nicKnob.ts';
import { Plusargs } from '../../uvm/cmdline/plusargs.ts';
import { readUvmArguments } from '../../uvm/cmdline/uvmArguments.ts';
import { misplacedFiles } from './misplacedFiles.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { limitsAmong, nicNamed, pairMistake } from '../nicEntry.ts';
import { type FoundKind, type Registry, testLineage } from '../registry.ts';
import type { RunSpec } from './runSpec.ts';
import { sequenceNeeds } from './sequenceNeeds.ts';
import { projectRoot } from '../versions.ts';

/**
 * One message per mistake in names and values; empty when the run can start.
 * @param root folder of the project, in which what is not found may have been put in a wrong place
 */
export function checkSpec(spec: RunSpec, registry: Registry, root = projectRoot()): string[] {
  const plusargs = new Plusargs(spec.plusargs);
  const lineage = testLineage(spec.testName, registry);
  const known = { ...spec, ...limitsAmong(registry.nics) };
  const { config, problems } = resolveParameters(plusargs, lineage, spec.seed, known);
  const nothingToDo = sequenceNeeds(spec, lineage, config.values, config.limits, registry.factory);
  return [
    ...(spec.testName !== '' ? checkTest(spec.testName, registry, root) : mayName(spec) ? [] : [noTest(spec)]),
    ...malformedArguments(spec.plusargs),
    ...problems,
    ...checkSequence(config.values.UVM_TEST_SEQ, registry, root),
    ...(nothingToDo === undefined ? [] : [nothingToDo]),
    ...checkNic(config, registry),
    ...checkFields(plusargs),
    ...checkOverrides(plusargs, registry, root),
  ];
}

/** What is wrong with arguments of which each is to be looked at by itself: the run may have others besides. */
export function checkArguments(spec: RunSpec, registry: Registry, root = projectRoot()): string[] {
  const plusargs = new Plusargs(spec.plusargs);
  const { config } = resolveParameters(plusargs, testLineage(spec.testName, registry), spec.seed, spec);
  return [
    ...(spec.testName === '' ? [] : checkTest(spec.testName, registry, root)),
    ...checkValues(spec),
    ...checkSequence(config.values.UVM_TEST_SEQ, registry, root),
    ...checkOverrides(plusargs, registry, root),
  ];
}

/** What is wrong with values by themselves, whatever is found by name. */
export function checkValues(spec: RunSpec): string[] {
  const plusargs = new Plusargs(spec.plusargs);
  const { unreadable } = resolveParameters(plusargs, spec.testName, spec.seed, spec);
  return [...malformedArguments(spec.plusargs), ...unreadable, ...checkFields(plusargs)];
}

/** A scenario that cannot be read may say which test it belongs to. */
function mayName({ scenarioFile }: RunSpec): boolean {
  return scenarioFile !== undefined && scenarioFile.problems.length > 0;
}

/** Names of plusargs are as typed: one in lower case is another one. */
function noTest({ plusargs }: RunSpec): string {
  const nameOf = (text: string): string => text.slice(1).replace(/=.*$/s, '');
  const other = plusargs.find((text) => nearest(nameOf(text), ['UVM_TESTNAME'], 1, 2).length > 0);
  const inCapitals = other !== undefined && nameOf(other).toUpperCase() === 'UVM_TESTNAME';
  const hint =
    other === undefined
      ? 'give +UVM_TESTNAME=<test>'
      : inCapitals
        ? `+UVM_TESTNAME is written in capitals, not as in ${other}`
        : `${other} (command line): did you mean +UVM_TESTNAME=?`;
  return `no test is named; ${hint}; --list-tests shows them`;
}

function checkTest(name: string, registry: Registry, root: URL): string[] {
  const names = registry.tests.map((test) => test.name);
  if (names.includes(name)) return sharedName(name, registry);
  const hint = didYouMean(name, names) || '; --list-tests shows them';
  return [`+UVM_TESTNAME=${name}: there is no such test${hint}`, ...filesWithout('tests', registry, root)];
}

function checkSequence(name: string, registry: Registry, root: URL): string[] {
  const names = registry.sequences.map((sequence) => sequence.name);
  if (name === '') return [];
  if (names.includes(name)) return sharedName(name, registry);
  const hint = didYouMean(name, names) || '; --list-sequences shows them';
  return [`+UVM_TEST_SEQ=${name}: there is no such sequence${hint}`, ...filesWithout('sequences', registry, root)];
}

/** The one that is looked for may be in a file that does not export it as it must, or that lies elsewhere. */
function filesWithout(kind: FoundKind, { without }: Registry, root: URL): string[] {
  const misplaced = misplacedFiles(root).filter((text) => text.startsWith(`${kind}/`));
  return [...without.filter((file) => file.kind === kind).map(({ text }) => text), ...misplaced];
}

/** A substitute that is not found is the run's to report, unless a file that may hold it is skipped. */
function checkOverrides(plusargs: Plusargs, { factory }: Registry, root: URL): string[] {
  const unknown = readUvmArguments(plusargs).overrides.filter(({ substitute }) => !factory.has(substitute));
  if (unknown.length === 0) return [];
  const files = misplacedFiles(root).filter((text) => text.startsWith('env/'));
  if (files.length === 0) return [];
  return unknown.map(({ arg, substitute }) => `${arg}: there is no type '${substitute}'; ${files.join('; ')}`);
}

function sharedName(name: string, registry: Registry): string[] {
  const conflict = registry.factory.conflict(name);
  return conflict === '' ? [] : [conflict];
}

function checkNic(config: RunConfig, registry: Registry): string[] {
  const { DUT, DUT_FAULT } = config.values;
  const names = registry.nics.map((entry) => entry.name);
  const unknown = dutsNamed(DUT).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    const allowed = `allowed: ${names.join(', ')}`;
    return unknown.map((name) => `+DUT=${DUT}: ${noSuchNic(name, DUT)}; ${allowed}${didYouMean(name, names)}`);
  }
  const kinds = config.duts.flatMap((name) => nicNamed(registry.nics, name) ?? []);
  const used = [...new Set(kinds)];
  return [
    ...checkPairs(used, DUT),
    ...Object.entries(config.nicKnobs).flatMap(([name, value]) => checkKnob(used, name.toUpperCase(), value, '')),
    ...[...config.hostKnobs].flatMap(([host, knobs]) =>
      Object.entries(knobs).flatMap(([name, value]) =>
        checkKnob(kinds.slice(host, host + 1), name.toUpperCase(), value, `,host=${host}`),
      ),
    ),
    ...config.plantedBugs.flatMap(({ value, host }) =>
      checkBug(host === null ? used : kinds.slice(host, host + 1), value, DUT_FAULT),
    ),
  ];
}

function noSuchNic(name: string, dut: string): string {
  return name === dut ? 'there is no such NIC model' : `there is no NIC model '${name}'`;
}

/** Hosts whose NICs do not understand each other. */
function checkPairs(kinds: readonly NicEntry[], dut: string): string[] {
  const pairs = kinds.flatMap((a, i) => kinds.slice(i + 1).map((b) => pairMistake(a, b)));
  const hint = 'give hosts of one run kinds that do';
  return pairs.filter((mistake) => mistake !== '').map((mistake) => `+DUT=${dut}: ${mistake}; ${hint}`);
}

/** A bug is to be one of a kind of NIC that it may be planted in. */
function checkBug(kinds: readonly NicEntry[], bug: string, typed: string): string[] {
  const faults = kinds.flatMap((nic) => nic.faults.map(({ name }) => name));
  if (bug === '' || kinds.length === 0 || faults.includes(bug)) return [];
  const hint = didYouMean(bug, faults) || '; --list-faults shows them';
  return [`+DUT_FAULT=${typed}: ${noneHas(kinds, 'fault')}${hint}`];
}

function noneHas(kinds: readonly NicEntry[], what: string): string {
  const [first] = kinds;
  if (kinds.length === 1) return `${first?.name} has no such ${what}`;
  return `none of ${kinds.map(({ name }) => name).join(', ')} has such a ${what}`;
}

/** Fields of the environment that only code can set: a number or text there would be overlooked, or no builder. */
function checkFields(plusargs: Plusargs): string[] {
  return readUvmArguments(plusargs).configs.flatMap(({ arg, field }) =>
    Object.hasOwn(OBJECT_FIELDS, field)
      ? [`${arg}: the config field ${field} ${OBJECT_FIELDS[field as keyof typeof OBJECT_FIELDS]}`]
      : [],
  );
}

/**
 * Knobs are named without regard to case and underscores; a NIC that has none of this name is not given it.
 * @param kinds of the hosts that it is for @param suffix behind its value, as it is typed
 */
function checkKnob(kinds: readonly NicEntry[], name: string, value: number, suffix: string): string[] {
  if (kinds.length === 0) return [];
  const typed = `+NIC_${name}=${value}${suffix}`;
  const known = kinds.flatMap(({ knobs }) => findKnob(knobs, name) ?? []);
  if (known.length === 0) {
    const names = kinds.flatMap(({ knobs }) => knobs.map((knob) => `+NIC_${knob.name}`));
    const hint = didYouMean(`+NIC_${name}`, names) || '; --list-knobs shows them';
    return [`${typed}: ${noneHas(kinds, 'knob')}${hint}`];
  }
  const mistakes = new Set(known.flatMap((knob) => knobMistake(knob, value) ?? []));
  return [...mistakes].map((mistake) => `${typed}: ${mistake}`);
}

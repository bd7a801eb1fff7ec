/** What the programs do with entries of NIC kinds (env/nicKind.ts): find one, tell one, and what a run of its bugs takes. */

import { dutsNamed } from '../config/dutNames.ts';
import { type HostValue, valueOfHost } from '../config/hostValues.ts';
import { PARAMETERS, type Parameter } from '../config/table/parameterTable.ts';
import { commonLimits, type DeviceLimits } from '../env/deviceLimits.ts';
import { didYouMean } from '../uvm/cmdline/nearest.ts';
import type { FaultEntry, NicEntry, NicKind } from '../env/nicKind.ts';

/** What `+DUT=` is where it is not given. */
export const DEFAULT_DUT = String((PARAMETERS as readonly Parameter[]).find(({ name }) => name === 'DUT')?.default);

/** The model that `+DUT=` names; undefined when there is none. */
export function nicNamed(nics: readonly NicEntry[], name: unknown): NicEntry | undefined {
  return nics.find((nic) => nic.name === name);
}

/** The models that a value of `+DUT=` names, each once; names of none are left out. */
export function nicsNamed(nics: readonly NicEntry[], dut: unknown): readonly NicEntry[] {
  return dutsNamed(String(dut)).flatMap((name) => nicNamed(nics, name) ?? []);
}

/** What all models that a value of `+DUT=` names can hold, for `resolveParameters`. */
export function limitsAmong(nics: readonly NicEntry[]): {
  readonly limitsOf: (dut: string) => DeviceLimits | undefined;
} {
  return {
    limitsOf: (dut) => {
      const [first, ...others] = nicsNamed(nics, dut).map(({ limits }) => limits);
      return first && commonLimits([first, ...others]);
    },
  };
}

/** Why NICs of two kinds cannot talk to each other; '' where they can. */
export function pairMistake(a: NicEntry, b: NicEntry): string {
  if (a.profile.wire === 'rocev2' && b.profile.wire === 'rocev2') return '';
  if (a.profile.wire === b.profile.wire && (rootOf(a) === rootOf(b) || isNamedBy(a, b) || isNamedBy(b, a))) return '';
  const sends = ({ name, profile }: NicEntry): string =>
    `${name} sends ${profile.wire === 'rocev2' ? 'RoCEv2' : 'packets with headers of its own'}`;
  return `${a.name} and ${b.name} cannot talk to each other: ${sends(a)}, ${sends(b)}`;
}

/** The kind from which the headers of a kind come. */
function rootOf({ name, base = name }: NicEntry): string {
  return base;
}

function isNamedBy(a: NicEntry, { pairsWith = [] }: NicEntry): boolean {
  return pairsWith.includes(a.name);
}

/** The bug that is planted in the NIC of a host, of the kind of `entry`; '' for none. */
export function bugOfHost({ faults }: NicEntry, planted: readonly HostValue[], host: number): string {
  const bug = valueOfHost(planted, host) ?? '';
  return faults.some(({ name }) => name === bug) ? bug : '';
}

/** Fields of an entry that only a NIC kind has: how one is told. */
const NEEDED = ['nic', 'provider', 'limits', 'profile', 'layout'] as const;

/** Whether something that a module exports is meant as an entry: it has a name, faults and knobs. */
export function isNicEntry(value: unknown): value is NicEntry {
  if (value === null || typeof value !== 'object') return false;
  const { name, faults, knobs } = value as Partial<NicEntry>;
  return typeof name === 'string' && Array.isArray(faults) && Array.isArray(knobs);
}

/** What an entry lacks, in a sentence; '' for nothing. */
export function lackOf(entry: Partial<NicEntry>): string {
  const missing = NEEDED.filter((field) => entry[field] === undefined);
  if (missing.length === 0) return '';
  const hint = 'of a NIC that works as a shipped one write ...<its kind> in the entry';
  return `the NIC model ${entry.name} has no ${missing.join(', ')}: see docs/connecting-a-dut.md; ${hint}`;
}

/** What is wrong with the kind that an entry names as its base, in a sentence; '' for nothing. @param nics all that there are */
export function baseMistake(name: string, base: string | undefined, nics: readonly NicEntry[]): string {
  if (base === undefined) return '';
  if (base === name) return `the NIC model ${name} names itself as its base; leave base out`;
  const others = nics.map((nic) => nic.name).filter((other) => other !== name);
  if (others.includes(base)) return '';
  return `the NIC model ${name}: base '${base}' is no kind of NIC${didYouMean(base, others)}; known: ${others.join(', ')}`;
}

/** What an environment is told of the kind of an entry with a fault planted. */
export function kindOf(entry: NicEntry, fault: string): NicKind {
  const { limits, profile, profileOf, layout, checks, places, cardMemory, inboundHi, ecnKnobs = {} } = entry;
  return {
    provider: () => entry.provider(fault),
    limits,
    profile,
    layout,
    ecnKnobs,
    ...(profileOf === undefined ? {} : { profileOf }),
    ...(checks === undefined ? {} : { checks }),
    ...(places === undefined ? {} : { places }),
    ...(cardMemory === undefined ? {} : { cardMemory }),
    ...(inboundHi === undefined ? {} : { inboundHi }),
  };
}

/**
 * The arguments of a run in which a bug shows, also without the bug; empty where they are not known. What overrides a file
 * stands before it.
 */
export function bugStimulus({ stimulus }: NicEntry, { needs = [] }: FaultEntry): readonly string[] {
  if (stimulus === undefined) return [];
  const test = needs.some((arg) => arg.startsWith('+UVM_TESTNAME=')) ? [] : ['+UVM_TESTNAME=test_direct_param'];
  // What a random run draws from a seed it draws without the arguments of the file.
  if (needs.includes('--seed') && needs.includes('+DRAW_FAULTS=1')) return needs;
  return [...test, ...needs, '-f', stimulus];
}

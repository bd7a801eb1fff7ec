/** What the programs know of a kind of NIC: everything that is peculiar to it, so that `+DUT` alone chooses it. */

import type { NicBuilder } from '../dut-model/nic.ts';
import type { NicKnob } from '../dut-model/nicKnob.ts';
import type { DeviceLimits } from '../env/deviceLimits.ts';
import type { NicKind } from '../env/nicKind.ts';
import type { ProviderBuilder } from '../env/providers/provider.ts';

/** A bug that `+DUT_FAULT=` plants in a model. */
export interface FaultEntry {
  readonly name: string;
  readonly description: string;
  /** Plusargs without which it does not act, beyond those of the entry's `stimulus`, or beyond many requests of all kinds. */
  readonly needs?: readonly string[];
  /** Report ids of which at least one must be seen; none: no check sees it yet. Default: any will do. */
  readonly caughtBy?: readonly string[];
}

/** The model that `+DUT=` names; undefined when there is none. */
export function nicNamed(nics: readonly NicEntry[], name: unknown): NicEntry | undefined {
  return nics.find((nic) => nic.name === name);
}

/** Limits of the model that `+DUT=` names, for `resolveParameters`. */
export function limitsAmong(nics: readonly NicEntry[]): {
  readonly limitsOf: (dut: string) => DeviceLimits | undefined;
} {
  return { limitsOf: (dut) => nicNamed(nics, dut)?.limits };
}

/** One kind of NIC of the registry. */
export interface NicEntry extends Omit<NicKind, 'provider'> {
  /** Value of `+DUT=`. */
  readonly name: string;
  readonly description: string;
  readonly faults: readonly FaultEntry[];
  /** File of arguments (`-f`) for a run of `test_direct_param` in which every fault shows, with what it `needs` before it. */
  readonly stimulus?: string;
  /** What `+NIC_<NAME>=` may set, of the NIC or of its software; empty for none. */
  readonly knobs: readonly NicKnob[];
  /** Builder of the NIC with the fault planted; '' = the NIC as it is. */
  nic(fault: string): NicBuilder;
  /** Builder of its host software, in which the fault may be as well. See `NicKind`. */
  provider(fault: string): ProviderBuilder;
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

/** What an environment is told of the kind of an entry with a fault planted. */
export function kindOf(entry: NicEntry, fault: string): NicKind {
  const { limits, profile, profileOf, layout, checks, places, ecnKnobs = {} } = entry;
  return {
    provider: () => entry.provider(fault),
    limits,
    profile,
    layout,
    ecnKnobs,
    ...(profileOf === undefined ? {} : { profileOf }),
    ...(checks === undefined ? {} : { checks }),
    ...(places === undefined ? {} : { places }),
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

/** What the programs know of a NIC model. */

import type { NicBuilder } from '../dut-model/nic.ts';
import type { NicKnob } from '../dut-model/nicKnob.ts';

/** A bug that `+DUT_FAULT=` plants in a model. */
export interface FaultEntry {
  readonly name: string;
  readonly description: string;
  /** Plusargs without which it does not act, beyond those of the entry's `stimulus`, or beyond many requests of all kinds. */
  readonly needs?: readonly string[];
  /** Report ids of which at least one must be seen. Default: any will do. */
  readonly caughtBy?: readonly string[];
}

/** The model that `+DUT=` names; undefined when there is none. */
export function nicNamed(nics: readonly NicEntry[], name: unknown): NicEntry | undefined {
  return nics.find((nic) => nic.name === name);
}

/** One NIC model of the registry. */
export interface NicEntry {
  /** Value of `+DUT=`. */
  readonly name: string;
  readonly description: string;
  readonly faults: readonly FaultEntry[];
  /** File of arguments (`-f`) for a run of `test_direct_param` in which every fault shows, with what it `needs` before it. */
  readonly stimulus?: string;
  /** What `+NIC_<NAME>=` may set; empty for none. */
  readonly knobs: readonly NicKnob[];
  /** Builder of the model with the fault planted; '' = the model as it is. */
  builder(fault: string): NicBuilder;
}

/**
 * The arguments of a run in which a bug shows, also without the bug; empty where they are not known. What overrides a file
 * stands before it.
 */
export function bugStimulus({ stimulus }: NicEntry, { needs = [] }: FaultEntry): readonly string[] {
  if (stimulus === undefined) return [];
  const test = needs.some((arg) => arg.startsWith('+UVM_TESTNAME=')) ? [] : ['+UVM_TESTNAME=test_direct_param'];
  return [...test, ...needs, '-f', stimulus];
}

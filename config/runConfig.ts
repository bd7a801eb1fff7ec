/** The resolved configuration of a run: every field set, so that nothing downstream asks whether it was given. */
import type { FaultPlan } from '../agents/link/faults/faultPlan.ts';
import type { SourcedInjection } from '../agents/link/inject/injectRule.ts';
import type { PcieFaultPlan } from '../agents/pcie/faults/pcieFaultPlan.ts';
import type { DeviceLimits } from '../env/deviceLimits.ts';
import type { CallScenario } from './scenario/calls/callScenario.ts';
import type { ExplicitScenario } from './scenario/file/explicitScenario.ts';
import { type HostValue, hostValuesText } from './hostValues.ts';
import { plainName } from '../uvm/cmdline/plainName.ts';
import { NIC_KNOB_PREFIX, PARAMETERS, type ParameterName, type ParameterValues } from './table/parameterTable.ts';

/** What `resolveParameters` makes of a command line. @public */
export interface RunConfig {
  readonly testName: string;
  /** Root seed, 32 bits. */
  readonly seed: number;
  /** What all NICs that +DUT names can hold. */
  readonly limits: DeviceLimits;
  readonly values: ParameterValues;
  /** Knobs for the NIC model, without the `NIC_` prefix, in lower case: `+NIC_MPT_CACHE=64` is `mpt_cache: 64`. */
  readonly nicKnobs: Readonly<Record<string, number>>;
  /** The same of the NIC of one host, by host: these count before the others. */
  readonly hostKnobs: HostKnobs;
  /** Name of the kind of NIC of each host, and of the bug that is planted in it, '' for none. */
  readonly duts: readonly string[];
  readonly plantedBugs: readonly HostValue[];
  /** What happens on the link. */
  readonly faults: FaultPlan;
  /** What happens on the PCIe ports. */
  readonly pcieFaults: PcieFaultPlan;
  /** Packets that no NIC has sent. */
  readonly injections: readonly SourcedInjection[];
  /** The scenario to be played, when +SCENARIO names a file; null when one is made. */
  readonly scenario: ExplicitScenario | null;
  /** The calls to be played, when that file has calls. */
  readonly calls: CallScenario | null;
  /** Arguments as typed that have no effect because the scenario brings its own. */
  readonly overridden: readonly string[];
  /** Where each value comes from. */
  readonly origin: Readonly<Record<ParameterName, ValueOrigin>>;
}

/** Typed by the user, taken from a scenario file, drawn from the seed, or left at its default. */
export type ValueOrigin = 'given' | 'scenario' | 'drawn' | 'default';

/** Bytes per scatter/gather entry: DATA_CNT in DATA_UNIT. */
export function sgBytes(values: ParameterValues): number {
  return values.DATA_CNT * unitBytes(values.DATA_UNIT);
}

/** Bytes of a DATA_UNIT. */
export function unitBytes(unit: string): number {
  return 1024 ** ['B', 'KB', 'MB', 'GB'].indexOf(unit);
}

/** Those that are kept in ps. */
const TIMES: ReadonlySet<string> = new Set(PARAMETERS.filter(({ kind }) => kind === 'time').map(({ name }) => name));

/** A value as it would be typed. */
export function argumentText(name: string, value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return TIMES.has(name) ? `${value}ps` : String(value);
}

/** Knobs of NICs of single hosts. */
export type HostKnobs = ReadonlyMap<number, Readonly<Record<string, number>>>;

/** Knobs by the names with which they are typed: `mpt_cache` is `NIC_MPT_CACHE`; of one that differs by host the text. */
export function typedKnobs({
  nicKnobs,
  hostKnobs,
}: Pick<RunConfig, 'nicKnobs' | 'hostKnobs'>): Record<string, number | string> {
  const values = new Map<string, HostValue[]>();
  const add = (name: string, value: number, host: number | null): void => {
    const typed = NIC_KNOB_PREFIX + name.toUpperCase();
    values.set(typed, [...(values.get(typed) ?? []), { value: String(value), host }]);
  };
  for (const [name, value] of Object.entries(nicKnobs)) add(name, value, null);
  for (const [host, knobs] of hostKnobs) for (const [name, value] of Object.entries(knobs)) add(name, value, host);
  const texts = [...values].map(([name, all]): [string, number | string] => {
    const [only] = all;
    return [name, all.length === 1 && only?.host === null ? Number(only.value) : hostValuesText(all)];
  });
  return Object.fromEntries(texts);
}

/** Knobs of the NIC of a host. */
export function knobsOfHost(
  { nicKnobs, hostKnobs }: Pick<RunConfig, 'nicKnobs' | 'hostKnobs'>,
  host: number,
): Readonly<Record<string, number>> {
  const own = hostKnobs.get(host);
  if (own === undefined) return nicKnobs;
  const known = new Set(Object.keys(own).map(plainName));
  return { ...Object.fromEntries(Object.entries(nicKnobs).filter(([name]) => !known.has(plainName(name)))), ...own };
}

/**
 * Every parameter of a run, in one table: what may be typed on the command line, in which range, what it means and
 * what it is when it is not typed. `resolveParameters` reads it, docs/parameters.md is made from it, and the names
 * in it are the names of the fields in `ParameterValues`. Adding a parameter means adding one row.
 */

import { BUS_PARAMETERS } from './busParameters.ts';
import { DEVICE_PARAMETERS } from './deviceParameters.ts';
import { FAULT_PARAMETERS } from './faultParameters.ts';
import { MEMORY_PARAMETERS } from './memoryParameters.ts';
import type { Parameter } from './parameter.ts';
import { PERF_PARAMETERS } from './perfParameters.ts';
import { RUN_PARAMETERS } from './runParameters.ts';
import { TOPOLOGY_PARAMETERS } from './topologyParameters.ts';
import { TRANSPORT_PARAMETERS } from './transportParameters.ts';
import { WORK_PARAMETERS } from './workParameters.ts';

export type { Parameter } from './parameter.ts';

/** All rows, in the order of the documentation. */
export const PARAMETERS = [
  ...TOPOLOGY_PARAMETERS,
  ...WORK_PARAMETERS,
  ...TRANSPORT_PARAMETERS,
  ...MEMORY_PARAMETERS,
  ...BUS_PARAMETERS,
  ...FAULT_PARAMETERS,
  ...DEVICE_PARAMETERS,
  ...RUN_PARAMETERS,
  ...PERF_PARAMETERS,
] as const satisfies readonly Parameter[];

type Row = (typeof PARAMETERS)[number];
type ValueOf<R extends Row> = R['kind'] extends 'int' | 'size' | 'percent' | 'decimal' | 'mtu' | 'time'
  ? number
  : R['kind'] extends 'switch'
    ? boolean
    : string;

/** Names of the parameters. */
export type ParameterName = Row['name'];
/** Resolved values, all set. Times are in picoseconds, `DATA_CNT` in `DATA_UNIT`, `PSN` is text. */
export type ParameterValues = { readonly [R in Row as R['name']]: ValueOf<R> };

/** Numbers of queue pairs, by service. */
export const QP_NUMBERS = ['RC_QP_NUM', 'UC_QP_NUM', 'UD_QP_NUM'] as const satisfies readonly ParameterName[];

/** Prefix of knobs that are passed to the NIC model unread. */
export const NIC_KNOB_PREFIX = 'NIC_';

/** Default of a parameter in a test, as it would be typed. @param lineage names of the test and those it extends */
export function defaultOf(parameter: Parameter, lineage: readonly string[]): string {
  const { per = {} } = parameter;
  const own = lineage.find((name) => Object.hasOwn(per, name));
  return (own === undefined ? undefined : per[own]) ?? parameter.default;
}

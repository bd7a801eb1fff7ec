/** Fields of the configuration database that hold objects and functions: read, and refused where they hold anything else. */

import { RunRecorder } from '../trace/runRecorder.ts';
import type { NicBuilder, NicKnobs } from '../../dut-model/nic.ts';
import { valueText } from '../../uvm/base/configDb.ts';
import type { Component } from '../../uvm/base/component.ts';
import type { EnvOptions } from '../envSettings.ts';
import type { NicKind, NicOfHost } from '../nicKind.ts';
import { HostApiError } from '../verbs/hostErrors.ts';

/** What such a field takes, and what the command line has instead. A number or text cannot take its place. */
export const OBJECT_FIELDS = {
  nic_builder: 'takes a function that builds a NIC, which a test sets; choose one with +DUT=<name>',
  nic_kind: 'takes an object with what belongs to a NIC, which a test sets; choose one with +DUT=<name>',
  nic_hosts: 'takes a NIC for each host, which the program sets; choose them with +DUT=0:<name>,1:<name>',
  nic_knobs: 'takes an object of numbers, such as { mpt_cache: 64 }, which a test sets; write +NIC_<NAME>=<number>',
  env_options: 'takes an object, which the test sets; give the parameters of the run, or override envOptions()',
  run_recorder: 'takes a recorder of events, which the program sets; read failure.md, or give +TRACE',
  call_observer: 'takes an observer of calls, which the program sets; give --dump-scenario, or --shrink a record',
  run_config: 'takes the resolved parameters, which the program sets; give the parameters themselves',
} as const;
type ObjectField = keyof typeof OBJECT_FIELDS;

/** The builder that is set for `inst` below a component; undefined if none is. @throws HostApiError when it is none */
export function nicBuilderOf(component: Component, inst = ''): NicBuilder | undefined {
  return checked(component, inst, 'nic_builder', (value) => typeof value === 'function') as NicBuilder | undefined;
}

/** The kind of NIC that is set for a component; undefined if none is. @throws HostApiError when it is none */
export function nicKindOf(component: Component): NicKind | undefined {
  return checked(component, '', 'nic_kind', isObject) as NicKind | undefined;
}

/** The NIC of each host, where they differ; undefined otherwise. @throws HostApiError when they are none */
export function nicHostsOf(component: Component): readonly NicOfHost[] | undefined {
  return checked(component, '', 'nic_hosts', Array.isArray) as readonly NicOfHost[] | undefined;
}

/** The knobs that are set for `inst` below a component; undefined if none are. @throws HostApiError when they are none */
export function nicKnobsOf(component: Component, inst = ''): NicKnobs | undefined {
  return checked(component, inst, 'nic_knobs', areKnobs) as NicKnobs | undefined;
}

/** The options that are set for an environment; undefined if none are. @throws HostApiError when they are none */
export function envOptionsFor(component: Component): EnvOptions | undefined {
  return checked(component, '', 'env_options', isObject) as EnvOptions | undefined;
}

/** What keeps the events of the run; undefined if nothing does. @throws HostApiError when it is no recorder */
export function recorderOf(component: Component): RunRecorder | undefined {
  const isRecorder = (value: unknown): boolean => value instanceof RunRecorder;
  return checked(component, '', 'run_recorder', isRecorder) as RunRecorder | undefined;
}

function checked(component: Component, inst: string, field: ObjectField, fits: (value: unknown) => boolean): unknown {
  const value = component.config<unknown>(field, inst);
  if (value === undefined || fits(value)) return value;
  const path = inst === '' ? component.fullName : `${component.fullName}.${inst}`;
  const setter = component.run.config.inForce(path, field)?.setter;
  const what = `the config field ${field} is ${valueText(value)}, set by ${setter}`;
  throw new HostApiError('ATTRIBUTE', path, what, `it ${OBJECT_FIELDS[field]}`, value);
}

function areKnobs(value: unknown): boolean {
  return isObject(value) && Object.values(value as object).every((knob) => typeof knob === 'number');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

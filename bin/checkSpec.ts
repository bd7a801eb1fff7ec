/** Finds everything wrong with a run before time 0. */

import { resolveParameters } from '../sequences/parameters.ts';
import { didYouMean } from '../uvm/cmdline/nearest.ts';
import { Plusargs } from '../uvm/cmdline/plusargs.ts';
import type { Registry } from './registry.ts';
import type { RunSpec } from './runSpec.ts';

/**
 * One message per mistake in names and values; empty when the run can start.
 * @param fromScenario parameters that the scenario file brings with it
 */
export function checkSpec(
  spec: RunSpec,
  registry: Registry,
  fromScenario: Readonly<Record<string, string>> = {},
): string[] {
  const plusargs = new Plusargs(spec.plusargs);
  const { config, problems } = resolveParameters(plusargs, spec.testName, spec.seed, fromScenario);
  return [...checkTest(spec.testName, registry), ...problems, ...checkNic(config.values, registry)];
}

function checkTest(name: string, registry: Registry): string[] {
  const names = registry.tests.map((test) => test.name);
  if (name === '') return ['no test is named; give +UVM_TESTNAME=<test>; --list-tests shows them'];
  if (names.includes(name)) return [];
  const hint = didYouMean(name, names) || '; --list-tests shows them';
  return [`+UVM_TESTNAME=${name}: there is no such test${hint}`];
}

function checkNic(values: { readonly DUT: string; readonly DUT_FAULT: string }, registry: Registry): string[] {
  const nic = registry.nics.find((entry) => entry.name === values.DUT);
  if (nic === undefined) {
    const names = registry.nics.map((entry) => entry.name);
    return [
      `+DUT=${values.DUT}: there is no such NIC model; allowed: ${names.join(', ')}${didYouMean(values.DUT, names)}`,
    ];
  }
  const faults = nic.faults.map((fault) => fault.name);
  if (values.DUT_FAULT === '' || faults.includes(values.DUT_FAULT)) return [];
  const hint = didYouMean(values.DUT_FAULT, faults) || '; --list-faults shows them';
  return [`+DUT_FAULT=${values.DUT_FAULT}: ${nic.name} has no such fault${hint}`];
}

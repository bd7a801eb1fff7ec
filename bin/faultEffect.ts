/**
 * What to make of a run that passes with a planted bug: either the bug never acted, or it did and no check noticed.
 * Playing the run again without the bug tells the two apart, because a run is the same as long as its NIC is.
 */

import type { RunRecord } from '../regress/runRecord.ts';
import type { TestCommand } from './cli/testCommand.ts';
import { type PlayOne, specOf } from './playCommand.ts';
import type { Registry } from './registry.ts';
import type { RunSpec } from './runSpec.ts';

/** Parameters that select the bug, and those that make the run write files. */
const LEFT_OUT = new Set(['DUT_FAULT', 'PCAP', 'DUMP_SCENARIO']);

/**
 * @param record of the run with the bug
 * @returns one line about the bug; undefined when the run has none, or did not pass
 */
export function faultEffect(
  command: TestCommand,
  record: RunRecord,
  registry: Registry,
  play: PlayOne,
): string | undefined {
  const { DUT, DUT_FAULT } = record.parameters;
  if (record.verdict !== 'passed' || DUT_FAULT === undefined || DUT_FAULT === '') return undefined;
  const without = play(specWithout(command), registry, { sink: () => {} });
  const name = `+DUT_FAULT=${DUT_FAULT}`;
  if (without.transcript.hash !== record.transcript.hash)
    return `${name} changed what crosses the ports of the NICs, and no check noticed: what it did was harmless here, or a check is missing`;
  const fault = registry.nics.find((nic) => nic.name === DUT)?.faults.find((entry) => entry.name === DUT_FAULT);
  const needs = fault?.needs ?? [];
  const hint = needs.length === 0 ? 'it needs more requests, or others' : `it needs a run with ${needs.join(' ')}`;
  return `${name} never acted, the run is the same without it: ${hint}`;
}

function specWithout(command: TestCommand): RunSpec {
  const spec = specOf(command, '');
  const nameOf = (arg: string): string => arg.slice(1).split('=')[0] as string;
  return { ...spec, plusargs: spec.plusargs.filter((arg) => !LEFT_OUT.has(nameOf(arg))) };
}

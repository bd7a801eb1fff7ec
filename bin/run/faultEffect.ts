/**
 * What to make of a run that passes with a planted bug: either the bug never acted, or it did and no check noticed.
 * Playing the run again without the bug tells the two apart, because a run is the same as long as its NIC is.
 */

import type { RunRecord } from '../../regress/runRecord.ts';
import { DEFAULT_TIMEOUT_SECONDS } from '../cli/seconds.ts';
import type { Interrupt, Interrupts } from './limits/interrupts.ts';
import { LateErrors } from './limits/lateErrors.ts';
import type { LoadedCommand } from './loadedCommand.ts';
import { type PlayOne, specOf } from './playCommand.ts';
import { hostValues } from '../../config/hostValues.ts';
import { nicsNamed } from '../nicEntry.ts';
import type { Registry } from '../registry.ts';
import type { OpenRun, RunResult, RunSpec } from './runSpec.ts';
import { limitText } from './limits/wallClockLimit.ts';

/** Parameters that select the bug, and those that make the run write files. */
const LEFT_OUT = new Set(['DUT_FAULT', 'PCAP', 'DUMP_SCENARIO']);

/** What the comparison has shown. */
export interface FaultEffect {
  /** One line. */
  readonly text: string;
  /** The signal that ended the comparison. */
  readonly interruptedBy?: Interrupt;
}

/**
 * @param record of the run with the bug
 * @param interrupts what may end the comparison; undefined: whatever ends the process
 * @param lateErrors of the process, where it plays more than this run
 * @returns what to say about the bug; undefined when the run has none, or did not pass
 */
export async function faultEffect(
  command: LoadedCommand,
  record: RunRecord,
  registry: Registry,
  play: PlayOne,
  interrupts: Interrupts | undefined,
  lateErrors = new LateErrors(),
): Promise<FaultEffect | undefined> {
  const { DUT_FAULT } = record.parameters;
  if (record.verdict !== 'passed' || DUT_FAULT === undefined || DUT_FAULT === '') return undefined;
  const seconds = command.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const breakOff = { afterMs: seconds * 1000, reason: limitText(seconds) };
  const hooks = {
    sink: () => {},
    breakOff,
    ...(interrupts === undefined ? {} : { interrupt: () => interrupts.seen }),
  };
  const begin = (): OpenRun => play(specWithout(command), registry, hooks);
  const { value, late } = await lateErrors.settle('comparison', begin);
  const without = value.conclude(late);
  const name = `+DUT_FAULT=${DUT_FAULT}`;
  const text = comparison(name, record, without, registry);
  return without.interruptedBy === undefined ? { text } : { text, interruptedBy: without.interruptedBy };
}

function comparison(name: string, record: RunRecord, without: RunResult, registry: Registry): string {
  const { DUT, DUT_FAULT } = record.parameters;
  if (without.verdict === 'error')
    return `${name} did nothing that a check noticed; the run without it, played for comparison, did not end: ${without.message}`;
  const switchedOff = (record.counts['errors_switched_off'] ?? 0) - (without.counts['errors_switched_off'] ?? 0);
  if (switchedOff > 0)
    return `${name} was noticed, by ${switchedOff} ${switchedOff === 1 ? 'error that is' : 'errors that are'} switched off`;
  if (without.transcript.hash !== record.transcript.hash)
    return `${name} changed what crosses the ports of the NICs, and no check noticed: what it did was harmless here, or a check is missing`;
  const bugs = (hostValues(String(DUT_FAULT)) ?? []).map(({ value }) => value);
  const faults = nicsNamed(registry.nics, DUT).flatMap((nic) => nic.faults);
  const fault = faults.find(({ name }) => bugs.includes(name));
  const needs = fault?.needs ?? [];
  const hint = needs.length === 0 ? 'it needs more requests, or others' : `it needs a run with ${needs.join(' ')}`;
  return `${name} never acted, the run is the same without it: ${hint}`;
}

/** The same run without its planted bug, and without the files that it writes. */
export function specWithout(command: LoadedCommand): RunSpec {
  const spec = specOf(command, '');
  const nameOf = (arg: string): string => arg.slice(1).split('=')[0] as string;
  return { ...spec, plusargs: spec.plusargs.filter((arg) => !LEFT_OUT.has(nameOf(arg))) };
}

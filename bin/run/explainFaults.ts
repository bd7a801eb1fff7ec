/** `--explain-faults`: the fault rules of a command with the frames that each would hit, from one run without faults. */

import { pcieExplanation } from '../../agents/pcie/faults/pcieFaultTexts.ts';
import { explanation } from '../../agents/link/faults/report/faultTexts.ts';
import { testProgram } from '../calledAs.ts';
import { DEFAULT_TIMEOUT_SECONDS } from '../cli/seconds.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import type { Registry } from '../registry.ts';
import { LateErrors } from './limits/lateErrors.ts';
import { limitText } from './limits/wallClockLimit.ts';
import type { LoadedCommand } from './loadedCommand.ts';
import { specOf } from './playCommand.ts';
import { openRun } from './runOne.ts';
import { EXIT, exitCodeOf, type RunResult } from './runSpec.ts';

/** Parameters that make a run write files. */
const LEFT_OUT = new Set(['PCAP', 'DUMP_SCENARIO']);

/** Plays a command that nothing speaks against, without its faults. @returns the exit code */
export async function explainFaults(
  command: LoadedCommand,
  registry: Registry,
  { out, err }: { readonly out: DescriptorOutput; readonly err: DescriptorOutput },
): Promise<number> {
  const result = await playWithout(command, registry);
  const { faults, pcieFaults } = result;
  if ((faults === undefined && pcieFaults === undefined) || result.verdict === 'error') {
    err.line(`${testProgram()}: ${result.message === '' ? NO_RULES : result.message}`);
    return result.message === '' ? EXIT.usage : exitCodeOf(result.verdict);
  }
  const lines = [...(faults === undefined ? [] : explanation(faults)), ...pcieExplanation(pcieFaults ?? [])];
  for (const line of lines) out.line(line);
  if (result.verdict !== 'passed') out.line(`the run without faults, played for this, did not pass: ${result.message}`);
  return EXIT.passed;
}

const NO_RULES =
  '--explain-faults: there is no rule to explain; give one by +NET_FAULT, --faults or a share such as +LOSS_PCT';

async function playWithout(command: LoadedCommand, registry: Registry): Promise<RunResult> {
  const spec = { ...specOf(command, ''), explainFaults: true };
  const plusargs = spec.plusargs.filter((arg) => !LEFT_OUT.has(arg.slice(1).split('=')[0] as string));
  const seconds = command.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const breakOff = { afterMs: seconds * 1000, reason: limitText(seconds) };
  const begin = () => openRun({ ...spec, plusargs }, registry, { sink: () => {}, breakOff });
  const { value, late } = await new LateErrors().settle('explanation', begin);
  return value.conclude(late);
}

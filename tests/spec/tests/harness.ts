import { type Registry, loadRegistry } from '../../../bin/registry.ts';
import { runOne } from '../../../bin/run/runOne.ts';
import type { RunResult } from '../../../bin/run/runSpec.ts';

/** A run and its log. */
export interface Played extends RunResult {
  readonly log: string;
}

/** Plays `+UVM_TESTNAME=<test>` with more plusargs, given as one text, on the default NIC. */
export async function play(
  test: string,
  line: string | readonly string[] = '',
  seed = 1,
  prepare?: (registry: Registry) => void,
): Promise<Played> {
  const registry = await loadRegistry();
  prepare?.(registry);
  return playOn(registry, test, line, seed);
}

/** The same with the types of a registry. */
export function playOn(registry: Registry, test: string, line: string | readonly string[] = '', seed = 1): Played {
  const log: string[] = [];
  const plusargs = [`+UVM_TESTNAME=${test}`, ...(typeof line === 'string' ? wordsOf(line) : line)];
  const result = runOne({ testName: test, seed, plusargs }, registry, { sink: (text) => log.push(text) });
  return { ...result, log: log.join('\n') };
}

function wordsOf(line: string): string[] {
  return line.split(/\s+/).filter((word) => word !== '');
}

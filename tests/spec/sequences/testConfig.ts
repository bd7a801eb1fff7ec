import { Plusargs } from '../../../uvm/cmdline/plusargs.ts';
import { type ResolvedParameters, resolveParameters } from '../../../config/parameters.ts';
import { HANGU_DEVICE_LIMITS } from '../../../dut-model/hangu/driver/kind/deviceLimits.ts';
import type { RunConfig } from '../../../config/runConfig.ts';

const HANGU = { limitsOf: () => HANGU_DEVICE_LIMITS };

/** Resolves a command line given as one text, for example `+RC_QP_NUM=2 +SG_NUM=3`, or as its words. */
export function resolve(
  line: string | readonly string[],
  testName = 'test_direct_param',
  seed = 1,
): ResolvedParameters {
  const words = typeof line === 'string' ? line.split(/\s+/).filter((w) => w !== '') : line;
  return resolveParameters(new Plusargs(words), testName, seed, HANGU);
}

/** The configuration of a command line that has no mistakes. */
export function configOf(line: string, testName = 'test_direct_param', seed = 1): RunConfig {
  const { config, problems } = resolve(line, testName, seed);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return config;
}

import { describeContract } from '../../support/farm/contract.ts';
import { LAUNCHERS } from '../../support/farm/launchers.ts';

/** The whole contract for every launcher takes a minute: `SPECS_FARM=1`, as a stage of its own in CI, plays the rest of it. */
const IS_REST = process.env['SPECS_FARM'] === '1';
const ALWAYS_WHOLE = ['local', 'template'];

for (const launcher of LAUNCHERS) {
  const isWhole = ALWAYS_WHOLE.includes(launcher.name);
  if (!IS_REST || !isWhole) describeContract(launcher, IS_REST || isWhole);
}

import { describeContract } from '../../support/farm/contract.ts';
import { LAUNCHERS } from '../../support/farm/launchers.ts';

/** The whole contract for every launcher takes a minute: `SPECS_FARM=1`, as a stage of its own in CI. */
const IS_WHOLE = process.env['SPECS_FARM'] === '1';
const ALWAYS_WHOLE = ['local', 'template'];

for (const launcher of LAUNCHERS) describeContract(launcher, IS_WHOLE || ALWAYS_WHOLE.includes(launcher.name));

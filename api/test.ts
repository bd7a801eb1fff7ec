/**
 * `rnic-verify/test`: what a test is written with (docs/writing-a-test.md), what it may change of the environment, and
 * what a covergroup of one's own samples (docs/writing-a-covergroup.md).
 *
 *   import { type EnvOptions, TestDirectParam } from 'rnic-verify/test';
 *
 * @packageDocumentation
 */

export { BaseTest } from '../tests/baseTest.ts';
export { ScenarioTest } from '../tests/scenarioTest.ts';
export { TestDirectParam } from '../tests/testDirectParam.ts';
export { TestRandom } from '../tests/testRandom.ts';
export { TestRandomVerbs } from '../tests/testRandomVerbs.ts';
export { TestSequence } from '../tests/testSequence.ts';
export { TestSmoke } from '../tests/testSmoke.ts';

// The environment.
export type { EnvOptions, EnvSettings } from '../env/envSettings.ts';
export { HcaEnv } from '../env/hcaEnv.ts';
export type { ObservedEnv } from '../env/observedEnv.ts';
export type { RunConfig } from '../config/runConfig.ts';

// What can be observed.
export type { VerbsObserver } from '../agents/verbs/verbsObserver.ts';
export { VerbsMonitor } from '../agents/verbs/verbsMonitor.ts';
export type { DecodedPacket } from '../agents/wire/decodedPacket.ts';
export { PcieBarItem } from '../agents/pcie/pcieBarItem.ts';
export { Scoreboard } from '../scoreboard/scoreboard.ts';

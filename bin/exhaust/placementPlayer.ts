/** Plays units of an exhaustive play in a worker process. The first argument of a job is its unit, the rest its scenario. */

import { type Job, NOTHING_PLAYED } from '../../regress/job.ts';
import type { Measured, PlayedJob, Player, PlayerSettings } from '../../regress/pool/player.ts';
import { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { Registries } from '../registries.ts';
import { loadRegistry } from '../registry.ts';
import { PlacedScenario } from './placedRun.ts';
import { parseUnit, playUnit } from './unit.ts';

/** Called by the worker process. */
export async function createPlayer({ testFolders }: PlayerSettings): Promise<Player> {
  const registries = new Registries(await loadRegistry(), () => {}, testFolders);
  const bytes = ByteStore.create();
  const scenarios = new Map<string, PlacedScenario>();
  return {
    async play({ argv, cwd, family }: Job): Promise<PlayedJob & Measured> {
      const [unit = '', ...words] = argv;
      if (process.cwd() !== cwd) process.chdir(cwd);
      const testPath = words.find((word) => word.startsWith('+TEST_PATH='))?.slice('+TEST_PATH='.length);
      const { registry } = await registries.open(testPath, cwd);
      const scenario = scenarios.get(family) ?? new PlacedScenario(words, cwd, registry, bytes);
      scenarios.set(family, scenario);
      const finding = playUnit(parseUnit(unit), scenario);
      const { testName: test, seed } = scenario.command;
      return {
        ...NOTHING_PLAYED,
        replay: '',
        status: finding.failures.length === 0 ? 'passed' : 'failed',
        test,
        seed,
        finding,
      };
    },
  };
}

import { redrawn } from '../config/draws/redraw.ts';
import type { RunConfig } from '../config/runConfig.ts';
import type { ScenarioSource } from '../config/scenario/scenario.ts';
import { RandomSource } from '../config/scenario/drawn/randomSource.ts';
import { endAfterErrors } from './quitCount.ts';
import { ScenarioTest } from './scenarioTest.ts';

/** Constrained random: every parameter that is not given is drawn from the seed, and so is every request. @public */
export class TestRandom extends ScenarioTest {
  static readonly typeName: string = 'test_random';
  static readonly description: string = 'constrained random: parameters that are not given are drawn from the seed';

  override buildPhase(): void {
    endAfterErrors(this);
    super.buildPhase();
  }

  protected override settingsAfter(turn: number): RunConfig {
    return redrawn(this.settings, this.run.random.key(this.fullName, 'restart', turn));
  }

  protected override generate(key: number): ScenarioSource {
    return new RandomSource(this.settings, key);
  }
}

import type { ScenarioSource } from '../config/scenario/scenario.ts';
import { DirectSource } from '../config/scenario/drawn/directSource.ts';
import { ScenarioTest } from './scenarioTest.ts';

/** The published directed test: equal requests on all queue pairs, as the parameters say. @public */
export class TestDirectParam extends ScenarioTest {
  static readonly typeName: string = 'test_direct_param';
  static readonly description: string = 'directed: equal requests on all queue pairs, set by plusargs';

  protected override generate(key: number): ScenarioSource {
    return new DirectSource(this.settings, key);
  }
}

import { endAfterErrors } from './quitCount.ts';
import { TestSequence } from './testSequence.ts';

/**
 * Calls of the host API in any order, in surroundings that are drawn from the seed as far as they are not given.
 * @public
 */
export class TestRandomVerbs extends TestSequence {
  static override readonly typeName: string = 'test_random_verbs';
  static override readonly description: string =
    'runs random_verbs with topology, buses, links and queues drawn from the seed';

  override buildPhase(): void {
    endAfterErrors(this);
    super.buildPhase();
  }
}

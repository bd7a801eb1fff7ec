import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import type { CallWatch } from './playedCalls.ts';

/** Whoever wants the calls of a run, or to know which of its calls have been played. */
export interface CallObserver {
  /** Called at the end of a run with what its software has asked of its NICs. */
  readonly recorded?: ((scenario: CallScenario) => void) | undefined;
  readonly watch?: CallWatch | undefined;
}

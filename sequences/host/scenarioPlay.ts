import type { ScenarioSource } from '../../config/scenario/scenario.ts';
import type { PlayEnv, PlayOptions } from './playEnv.ts';
import type { RunProgress } from './runProgress.ts';

/** What a scenario is played with. */
export interface ScenarioPlay {
  readonly source: ScenarioSource;
  readonly env: PlayEnv;
  readonly options: PlayOptions;
  readonly progress: RunProgress;
  /** Rate of the slowest part of the way from host to host, Gb/s. */
  readonly slowestRate: number;
}

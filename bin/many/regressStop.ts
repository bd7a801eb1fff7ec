/** Signals that stop a regression, and what was being played when one came. */

import { formatDuration } from '../../regress/report/formatDuration.ts';
import type { Launcher, PlayingJob } from '../../regress/launcher.ts';
import type { Interrupt } from '../run/limits/interrupts.ts';

/** Ctrl-C, a CI system that cancels, a terminal that is closed. */
const SIGNALS: readonly Interrupt[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Stops a launcher at the first signal; a second one ends the process as it always does. */
export class RegressStop {
  readonly #launcher: Pick<Launcher, 'playing' | 'stop'>;
  #by: Interrupt | undefined;
  #playing: readonly PlayingJob[] = [];

  constructor(launcher: Pick<Launcher, 'playing' | 'stop'>) {
    this.#launcher = launcher;
    for (const signal of SIGNALS) process.on(signal, this.#take);
  }

  /** The signal that has stopped it; undefined = none. */
  get by(): Interrupt | undefined {
    return this.#by;
  }

  /** Names the runs that were not over: one that hangs may be why somebody stopped it. */
  lines(): string[] {
    if (this.#by === undefined) return [];
    const longest = this.#playing.toSorted((a, b) => b.wallMs - a.wallMs);
    return longest.map(
      ({ id, wallMs }) => `stopped by ${this.#by}: ${id} was being played, for ${formatDuration(wallMs)}`,
    );
  }

  /** Signals do again what they always did. */
  close(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#take);
  }

  readonly #take = (signal: NodeJS.Signals): void => {
    this.close();
    this.#by = signal as Interrupt;
    this.#playing = this.#launcher.playing();
    this.#launcher.stop();
  };
}

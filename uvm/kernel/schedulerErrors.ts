/** What ends a run because events never end. */

import type { EventHandler, SimTime } from './eventHandler.ts';
import { formatTime } from './time.ts';

/** Events at an instant, once there were too many, by which those are named who have them. */
export const NAMED_EVENTS = 2000;
const MOST_NAMED = 5;

/**
 * Too many events at one instant: a zero-delay loop. `names` are the handlers seen most often, busiest first; `handlers`
 * all that were seen.
 */
export class DeltaLimitError extends Error {
  readonly time: SimTime;
  readonly names: readonly string[];
  readonly handlers: ReadonlySet<EventHandler>;

  /** @param counts how many of the last events each handler had, by its name */
  constructor(time: SimTime, limit: number, counts: ReadonlyMap<string, number>, handlers: ReadonlySet<EventHandler>) {
    const busiest = [...counts].sort((x, y) => y[1] - x[1]).slice(0, MOST_NAMED);
    const who = busiest.map(([name, count]) => `${name} (${count})`).join(', ');
    super(
      `more than ${limit} events at ${formatTime(time)} without time advancing: a loop with delays of 0? ` +
        `Of the last ${NAMED_EVENTS} most were of ${who}`,
    );
    this.time = time;
    this.names = busiest.map(([name]) => name);
    this.handlers = handlers;
  }
}

/** As many events are scheduled as can be told apart: a loop that schedules without end. */
export class EventLimitError extends Error {
  constructor(limit: number) {
    super(`${limit} events are scheduled, and another one is asked for: a loop that schedules and never waits?`);
    this.name = 'EventLimitError';
  }
}

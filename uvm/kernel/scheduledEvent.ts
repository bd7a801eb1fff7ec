import type { EventHandler, Region, SimTime } from './eventHandler.ts';

/** No event, in links between events, which are by `id`. */
export const NO_EVENT = -1;

/** Target of an event that was never used. */
const NOBODY: EventHandler = { fire() {} };

/** An event of the scheduler, or a free one: then `next` is the next free one. The fields hold until it is used again. */
export class ScheduledEvent {
  // A field that starts as what it will be is kept as that: small integers here, and a double.
  readonly id: number = 0;
  time: SimTime = Number.NaN;
  /** Next event of the slot, and of the slot's first event the last one. */
  next = NO_EVENT;
  last = 0;
  arg = 0;
  region: Region = 0;
  target: EventHandler = NOBODY;
  /** Stays with its owner, who schedules it with `scheduleOwn`. */
  own = false;
  /** Order of arrival among the far events. */
  sequence = 0;

  constructor(id: number) {
    this.id = id;
    this.last = id;
  }
}

/** True when `a` comes after an event `b` that is scheduled later. */
export function isLater(a: ScheduledEvent, b: ScheduledEvent): boolean {
  return a.time > b.time || (a.time === b.time && a.region > b.region);
}

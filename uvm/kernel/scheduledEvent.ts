import type { EventHandler, Region, SimTime } from './eventHandler.ts';

/**
 * Links between the events of a slot: the `id` of an event, and in so many bits how far into the slot it is, in ps. The
 * last id cannot be had, for the sake of `NO_EVENT`.
 */
export const LINK_BITS = 10;
export const OFFSET_MASK = (1 << LINK_BITS) - 1;
export const MOST_EVENTS = 2 ** (32 - LINK_BITS) - 1;

/** No event. */
export const NO_EVENT = -1;

/** Target of an event that was never used. */
const NOBODY: EventHandler = { fire() {} };

/** An event of the scheduler, or a free one: then `next` is the next free one. The fields hold until it is used again. */
export class ScheduledEvent {
  // A field that starts as what it will be is kept as that: small integers here, and a double.
  readonly id: number = 0;
  /** Of an event that is beyond the reach of the wheel. */
  time: SimTime = Number.NaN;
  /** The link that leads here, that of the next event of the slot, and of the slot's first event that of the last one. */
  link = 0;
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
  }
}

/** The link to an event that is at such a time, of which what lies above the slot is left out. */
export function linkOf(id: number, time: number): number {
  return (id << LINK_BITS) | (time & OFFSET_MASK);
}

/** True when `a` comes after an event `b` of the same slot that is scheduled later. */
export function isLater(a: ScheduledEvent, b: ScheduledEvent): boolean {
  const ahead = (a.link & OFFSET_MASK) - (b.link & OFFSET_MASK);
  return ahead > 0 || (ahead === 0 && a.region > b.region);
}

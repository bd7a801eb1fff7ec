/**
 * The event queue of a run: a timing wheel with sorted slots, FIFO among equals.
 *
 * Order of execution is total: by time, then by region, then by the order of the `schedule` calls. Nothing else
 * (no promise, no timer of the host machine) can run in between, so equal seeds give equal event orders everywhere.
 *
 * Layout: 16384 slots of 1024 ps cover the next 16.8 us; what lies further ahead waits in a binary heap and moves to
 * the wheel as soon as its slot comes within reach. Events are pooled objects named by their index, so that linking one
 * stores integers only: a reference stored in an old object would have to be reported to the garbage collector. A link
 * also holds where in its slot the event is, so that the time of the next one is known before the event is looked at.
 */

import { type EventHandler, REGION, type Region, type SimTime } from './eventHandler.ts';
import { FarEvents } from './farEvents.ts';
import { DeltaLimitError, EventLimitError, NAMED_EVENTS } from './schedulerErrors.ts';
import { isLater, LINK_BITS, linkOf, MOST_EVENTS, NO_EVENT, OFFSET_MASK, ScheduledEvent } from './scheduledEvent.ts';

export { type EventHandler, REGION, type Region, type ScheduledEvent, type SimTime };

export type StopReason = 'empty' | 'limit' | 'stopped';

/** A slot is what a link can tell apart. */
const SLOT_BITS = LINK_BITS;
const SLOTS = 1 << 14;
const SLOT_MASK = SLOTS - 1;
const SLOT_PS = 1 << SLOT_BITS;
/** How far the wheel reaches from the start of the current slot, ps. */
const REACH = SLOTS << SLOT_BITS;
const WORDS = SLOTS >> 5;
// The wheel is one array: the first event of each slot, then a bit for each slot that is not empty, then a bit for
// each word of those.
const MAP = SLOTS;
const SUM = MAP + WORDS;
const SUM_WORDS = WORDS >> 5;

/** @public */
export class Scheduler {
  /** Current simulated time. As all times, a double from the start: see the constructor. */
  now: SimTime = Number.NaN;
  /** Region of the event being executed. */
  region: Region = REGION.drive;
  /** Events executed since construction. */
  executed = 0;
  /** Events allowed at one instant before `DeltaLimitError`. */
  deltaLimit = 4_000_000;

  readonly #events: ScheduledEvent[] = [];
  /** First free event. */
  #free = NO_EVENT;

  readonly #wheel = new Int32Array(SUM + SUM_WORDS).fill(NO_EVENT, 0, SLOTS);
  /** The slot that holds `now`, how far in it `now` is, and the end of the wheel as seen from there. */
  #slot = 0;
  #offset = 0;
  #end: SimTime = Number.NaN;

  readonly #far = new FarEvents(this.#events);

  #stopped = false;
  #sameInstant = 0;

  readonly #mostEvents: number = 0;

  /** @param mostEvents how many may be scheduled or owned at once, at most 2^22 - 1 */
  constructor(mostEvents = MOST_EVENTS) {
    this.#mostEvents = Math.min(mostEvents, MOST_EVENTS);
    this.now = 0;
    this.#end = REACH;
  }

  /** Number of scheduled events. Counted when asked for, which is seldom. */
  get pending(): number {
    const wheel = this.#wheel;
    let count = this.#far.length;
    for (let b = 0; b < SLOTS; b++) {
      for (let link = wheel[b] as number; link !== NO_EVENT; link = this.#at(link).next) count++;
    }
    return count;
  }

  /**
   * Schedules `target.fire(arg)` after `delay` ps (0 = this instant, after what is already scheduled for it).
   * @throws RangeError when the delay is negative, fractional or not a number; EventLimitError
   */
  schedule(delay: SimTime, target: EventHandler, arg = 0, region: Region = REGION.drive): void {
    this.scheduleAt(this.now + delay, target, arg, region);
  }

  /** As `schedule`, at an absolute time that is not in the past. */
  scheduleAt(time: SimTime, target: EventHandler, arg = 0, region: Region = REGION.drive): void {
    const e = this.#take();
    // Often it is what it was: not storing a reference is cheaper than storing it.
    if (e.target !== target) e.target = target;
    e.arg = arg;
    e.region = region;
    this.#place(e, time);
  }

  /**
   * An event that stays with its owner, for `scheduleOwn`. Most events are for what is pooled itself: they need not be
   * looked for each time, and the few classes that they wake are called from a place of their own.
   */
  own(arg: number): ScheduledEvent {
    const e = this.#take();
    e.own = true;
    e.arg = arg;
    e.region = REGION.drive;
    return e;
  }

  /** As `scheduleAt`, by an event that the caller owns and that is not scheduled at the moment. */
  scheduleOwn(time: SimTime, target: EventHandler, e: ScheduledEvent): void {
    if (e.target !== target) e.target = target;
    this.#place(e, time);
  }

  /**
   * Executes events up to and including time `until`.
   * @returns 'empty' when nothing is left (`now` is the time of the last event), 'limit' when the next event lies
   *   beyond `until` (then `now` is `until`, if that is not in the past), 'stopped' after `stop()`.
   * @throws RangeError when `until` is fractional or not a number; DeltaLimitError; whatever a handler throws, after
   *   which `run` may be called again for the events that remain.
   */
  run(until: SimTime = Number.MAX_SAFE_INTEGER): StopReason {
    if (Math.floor(until) !== until) throw badTime(until, this.now);
    this.#stopped = false;
    while (!this.#stopped) {
      const b = this.#nextSlot();
      if (b < 0) {
        if (this.#far.length === 0) return 'empty';
        if (this.#far.time > until) return this.#limit(until);
        this.#jump(this.#far.time);
        this.#sameInstant = -1;
        continue;
      }
      const link = this.#wheel[b] as number;
      const offset = link & OFFSET_MASK;
      if (b !== this.#slot || offset !== this.#offset) {
        const time = this.#timeOf(b, offset);
        if (time > until) return this.#limit(until);
        this.now = time;
        this.#offset = offset;
        if (b !== this.#slot) this.#advance(b);
        this.#sameInstant = 0;
      } else if (++this.#sameInstant > this.deltaLimit) this.#deltaLimitHit();
      this.#execute(this.#at(link), b);
    }
    return 'stopped';
  }

  /** Ends `run` after the current event. */
  stop(): void {
    this.#stopped = true;
  }

  /** Time of the next event, or -1 when there is none. */
  nextTime(): SimTime {
    const b = this.#nextSlot();
    if (b >= 0) return this.#timeOf(b, (this.#wheel[b] as number) & OFFSET_MASK);
    return this.#far.length === 0 ? -1 : this.#far.time;
  }

  /** The event that a link leads to. */
  #at(link: number): ScheduledEvent {
    return this.#events[link >>> LINK_BITS] as ScheduledEvent;
  }

  /** The time of what is so far into slot `b`. */
  #timeOf(b: number, offset: number): SimTime {
    return this.#end + ((((b - this.#slot) & SLOT_MASK) << SLOT_BITS) + offset - REACH);
  }

  /** Takes the first event of slot `b`, whose time is `now`, and fires it. */
  #execute(e: ScheduledEvent, b: number): void {
    const wheel = this.#wheel;
    const { next } = e;
    wheel[b] = next;
    if (next === NO_EVENT) {
      const w = b >> 5;
      const left = (wheel[MAP + w] as number) & ~(1 << (b & 31));
      wheel[MAP + w] = left;
      if (left === 0) wheel[SUM + (w >> 5)] = (wheel[SUM + (w >> 5)] as number) & ~(1 << (w & 31));
    } else this.#at(next).last = e.last;
    this.region = e.region;
    this.executed++;
    if (e.own === true) e.target.fire(e.arg);
    else this.#wake(e);
  }

  /** Apart from the call for events that have an owner: where it has seen few classes, the engine calls directly. */
  #wake(e: ScheduledEvent): void {
    this.#giveBack(e);
    e.target.fire(e.arg);
  }

  /** The next event lies beyond the end of a run: time goes as far as that. */
  #limit(until: SimTime): StopReason {
    if (until > this.now) this.#jump(until);
    return 'limit';
  }

  /** Makes slot `b` the current one, and moves what comes within reach of the wheel out of the heap. */
  #advance(b: number): void {
    this.#end += ((b - this.#slot) & SLOT_MASK) << SLOT_BITS;
    this.#slot = b;
    if (this.#far.time < this.#end) this.#refill();
  }

  /** Moves `now` and the current slot to a time before which no slot has an event, as far as it may be. */
  #jump(time: SimTime): void {
    this.now = time;
    const slot = Math.floor(time / SLOT_PS);
    this.#slot = slot % SLOTS;
    this.#offset = time - slot * SLOT_PS;
    this.#end = slot * SLOT_PS + REACH;
    this.#refill();
  }

  #refill(): void {
    const end = this.#end;
    while (this.#far.time < end) {
      const e = this.#far.pop();
      this.#insert(e, e.time - end);
    }
  }

  /** Index of the first non-empty slot at or after the current one, or -1 when the wheel is empty. */
  #nextSlot(): number {
    const start = this.#slot;
    const word = start >> 5;
    const bits = (this.#wheel[MAP + word] as number) & (-1 << (start & 31));
    return bits !== 0 ? (word << 5) + 31 - Math.clz32(bits & -bits) : this.#scan(word);
  }

  /** As part of `nextSlot`: the words after the given one, and at last that one again. */
  #scan(word: number): number {
    const wheel = this.#wheel;
    const first = (word + 1) & (WORDS - 1);
    let s = first >> 5;
    let y = (wheel[SUM + s] as number) & (-1 << (first & 31));
    for (let i = 0; i <= SUM_WORDS; i++) {
      if (y !== 0) {
        const w = (s << 5) + ctz(y);
        return (w << 5) + ctz(wheel[MAP + w] as number);
      }
      s = (s + 1) & (SUM_WORDS - 1);
      y = wheel[SUM + s] as number;
    }
    return -1;
  }

  /** Puts an event so far behind the end of the wheel (ps, negative); nearly always it is the only one of its slot. */
  #insert(e: ScheduledEvent, beyond: number): void {
    const wheel = this.#wheel;
    // A negative number is as far round the wheel.
    const b = (this.#slot + (beyond >> SLOT_BITS)) & SLOT_MASK;
    const link = linkOf(e.id, beyond);
    const first = wheel[b] as number;
    e.link = link;
    if (first !== NO_EVENT) {
      this.#insertInto(e, b, first);
      return;
    }
    const w = b >> 5;
    const before = wheel[MAP + w] as number;
    e.next = NO_EVENT;
    e.last = link;
    wheel[b] = link;
    wheel[MAP + w] = before | (1 << (b & 31));
    if (before === 0) wheel[SUM + (w >> 5)] = (wheel[SUM + (w >> 5)] as number) | (1 << (w & 31));
  }

  /** Puts an event into a slot that has events: behind the last one, or before the first later one. */
  #insertInto(e: ScheduledEvent, b: number, first: number): void {
    const head = this.#at(first);
    const last = this.#at(head.last);
    if (!isLater(last, e)) {
      e.next = NO_EVENT;
      last.next = e.link;
      head.last = e.link;
      return;
    }
    if (isLater(head, e)) {
      e.next = first;
      e.last = head.last;
      this.#wheel[b] = e.link;
      return;
    }
    let before = head;
    for (;;) {
      const at = this.#at(before.next);
      if (isLater(at, e)) break;
      before = at;
    }
    e.next = before.next;
    before.next = e.link;
  }

  /** An event that is in no slot yet. */
  #take(): ScheduledEvent {
    if (this.#free < 0) this.#grow();
    const e = this.#events[this.#free] as ScheduledEvent;
    this.#free = e.next;
    return e;
  }

  /** For the next one who takes an event. */
  #giveBack(e: ScheduledEvent): void {
    e.next = this.#free;
    this.#free = e.id;
  }

  #grow(): void {
    const events = this.#events;
    const most = this.#mostEvents;
    if (events.length >= most) throw new EventLimitError(most);
    const end = Math.min(most, Math.max(1024, 2 * events.length));
    this.#free = NO_EVENT;
    for (let id = events.length; id < end; id++) {
      const e = new ScheduledEvent(id);
      e.next = this.#free;
      this.#free = id;
      events.push(e);
    }
  }

  /** Puts an event where its time belongs. */
  #place(e: ScheduledEvent, time: SimTime): void {
    const beyond = time - this.#end;
    const near = beyond | 0;
    // One comparison for all that is unusual: fractions, what is no number, and what does not fit 32 bits differ.
    if (near !== beyond || near >= 0 || time < this.now) this.#placeFar(e, time);
    else this.#insert(e, near);
  }

  /** As `place`, beyond the wheel. */
  #placeFar(e: ScheduledEvent, time: SimTime): void {
    if (time >= this.now && time <= Number.MAX_SAFE_INTEGER && Math.floor(time) === time) {
      e.time = time;
      this.#far.push(e);
      return;
    }
    if (!e.own) this.#giveBack(e);
    throw badTime(time, this.now);
  }

  /** Counts who runs during the next events of this instant, then throws. */
  #deltaLimitHit(): never {
    const counts = new Map<string, number>();
    const handlers = new Set<EventHandler>();
    for (let i = 0; i < NAMED_EVENTS; i++) {
      const b = this.#slot;
      const first = this.#wheel[b] as number;
      if (first === NO_EVENT || (first & OFFSET_MASK) !== this.#offset) break;
      const e = this.#at(first);
      const { target } = e;
      handlers.add(target);
      const name = target.fullName ?? nameOfClass(target);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      this.#execute(e, b);
    }
    throw new DeltaLimitError(this.now, this.deltaLimit, counts, handlers);
  }
}

function nameOfClass(handler: EventHandler): string {
  const { name } = handler.constructor;
  return name === 'Object' ? 'an object without a class' : name;
}

function ctz(v: number): number {
  return 31 - Math.clz32(v & -v);
}

function badTime(time: number, now: number): RangeError {
  return new RangeError(`event time ${time} ps is not an integer at or after the current time ${now} ps`);
}

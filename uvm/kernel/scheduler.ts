/**
 * The event queue of a run: a timing wheel with sorted slots, FIFO among equals.
 *
 * Order of execution is total: by time, then by region, then by the order of the `schedule` calls. Nothing else
 * (no promise, no timer of the host machine) can run in between, so equal seeds give equal event orders everywhere.
 *
 * Layout: 16384 slots of 1024 ps cover the next 16.8 us; what lies further ahead waits in a binary heap and moves to
 * the wheel as soon as its slot comes within reach. Events live in typed arrays; scheduling one allocates nothing.
 */

/** Simulated time in integer picoseconds, 0 .. 2^53 - 1 (about 2.5 hours). */
export type SimTime = number;

/** Order within one instant: stimulus, delta cycles, read-only observation, judgement. */
export const REGION = { drive: 0, settle: 1, observe: 2, check: 3 } as const;
export type Region = (typeof REGION)[keyof typeof REGION];

/** Anything that can be woken by the scheduler. `arg` is the number given at scheduling. */
export interface EventHandler {
  fire(arg: number): void;
  /** Name for deadlock and delta-limit reports. */
  readonly fullName?: string;
}

export type StopReason = 'empty' | 'limit' | 'stopped';

/** Too many events at one instant: a zero-delay loop. `names` are the handlers seen most often, busiest first. */
export class DeltaLimitError extends Error {
  readonly time: SimTime;
  readonly names: readonly string[];

  constructor(time: SimTime, names: readonly string[]) {
    super(`more than the allowed number of events at ${time} ps without time advancing; busiest: ${names.join(', ')}`);
    this.time = time;
    this.names = names;
  }
}

const SLOT_BITS = 10;
const SLOTS = 1 << 14;
const SLOT_MASK = SLOTS - 1;
const SLOT_PS = 1 << SLOT_BITS;
const WORDS = SLOTS >> 5;
const NAMED_EVENTS = 2000;

export class Scheduler {
  /** Current simulated time. */
  now: SimTime = 0;
  /** Region of the event being executed. */
  region: Region = REGION.drive;
  /** Events executed since construction. */
  executed = 0;
  /** Events allowed at one instant before `DeltaLimitError`. */
  deltaLimit = 4_000_000;

  #cap = 1024;
  #time = new Float64Array(this.#cap);
  #next = new Int32Array(this.#cap);
  #arg = new Float64Array(this.#cap);
  #region = new Uint8Array(this.#cap);
  #target: (EventHandler | undefined)[] = new Array<EventHandler | undefined>(this.#cap).fill(undefined);
  #free = 0;
  #pending = 0;

  readonly #head = new Int32Array(SLOTS).fill(-1);
  readonly #tail = new Int32Array(SLOTS).fill(-1);
  readonly #map = new Int32Array(WORDS);
  readonly #sum = new Int32Array(WORDS >> 5);
  /** Absolute number of the slot that holds `now`. */
  #slot = 0;

  #heap: Int32Array = new Int32Array(256);
  #heapSeq: Float64Array = new Float64Array(this.#cap);
  #heapLen = 0;
  #seq = 0;

  #stopped = false;
  #sameInstant = 0;

  constructor() {
    this.#linkFree(0, this.#cap);
  }

  /** Number of scheduled events. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Schedules `target.fire(arg)` after `delay` ps (0 = this instant, after what is already scheduled for it).
   * @throws RangeError when the delay is negative, fractional or not a number.
   */
  schedule(delay: SimTime, target: EventHandler, arg = 0, region: Region = REGION.drive): void {
    this.scheduleAt(this.now + delay, target, arg, region);
  }

  /** As `schedule`, at an absolute time that is not in the past. */
  scheduleAt(time: SimTime, target: EventHandler, arg = 0, region: Region = REGION.drive): void {
    if (!(time >= this.now && time <= Number.MAX_SAFE_INTEGER) || Math.floor(time) !== time)
      throw badTime(time, this.now);
    const e = this.#alloc();
    this.#time[e] = time;
    this.#arg[e] = arg;
    this.#region[e] = region;
    this.#target[e] = target;
    this.#pending++;
    const slot = Math.floor(time / SLOT_PS);
    if (slot - this.#slot < SLOTS) this.#insert(e, slot & SLOT_MASK);
    else this.#heapPush(e);
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
      const time = b < 0 ? this.#heapTime() : (this.#time[this.#head[b] as number] as number);
      if (time < 0) return 'empty';
      if (time > until) {
        if (until > this.now) this.#advance(until);
        return 'limit';
      }
      if (time !== this.now) {
        this.#advance(time);
        this.#sameInstant = 0;
      } else if (++this.#sameInstant > this.deltaLimit) this.#deltaLimitHit();
      this.#execute(b < 0 ? this.#slot & SLOT_MASK : b);
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
    return b < 0 ? this.#heapTime() : (this.#time[this.#head[b] as number] as number);
  }

  /** Takes the first event of slot `b`, whose time is `now`, and fires it. */
  #execute(b: number): void {
    const e = this.#head[b] as number;
    const next = this.#next[e] as number;
    this.#head[b] = next;
    if (next < 0) this.#clearSlot(b);
    const target = this.#target[e] as EventHandler;
    const arg = this.#arg[e] as number;
    this.region = this.#region[e] as Region;
    this.#target[e] = undefined;
    this.#next[e] = this.#free;
    this.#free = e;
    this.#pending--;
    this.executed++;
    target.fire(arg);
  }

  /** Moves `now`, and what comes within reach of the wheel out of the heap, before anything else can be inserted. */
  #advance(time: SimTime): void {
    this.now = time;
    const slot = Math.floor(time / SLOT_PS);
    if (slot === this.#slot) return;
    this.#slot = slot;
    while (this.#heapLen > 0) {
      const e = this.#heap[0] as number;
      const t = this.#time[e] as number;
      const s = Math.floor(t / SLOT_PS);
      if (s - slot >= SLOTS) break;
      this.#heapPop();
      this.#insert(e, s & SLOT_MASK);
    }
  }

  /** Index of the first non-empty slot at or after the current one, or -1 when the wheel is empty. */
  #nextSlot(): number {
    const start = this.#slot & SLOT_MASK;
    return (this.#head[start] as number) >= 0 ? start : this.#scan(start);
  }

  /** Time of the first event in the heap, or -1. */
  #heapTime(): SimTime {
    return this.#heapLen === 0 ? -1 : (this.#time[this.#heap[0] as number] as number);
  }

  #scan(start: number): number {
    const map = this.#map;
    const word = start >> 5;
    const bits = (map[word] as number) & (-1 << (start & 31));
    if (bits !== 0) return (word << 5) + ctz(bits);
    const sum = this.#sum;
    const words = sum.length;
    const first = (word + 1) & (WORDS - 1);
    let s = first >> 5;
    let y = (sum[s] as number) & (-1 << (first & 31));
    for (let i = 0; i <= words; i++) {
      if (y !== 0) {
        const w = (s << 5) + ctz(y);
        return (w << 5) + ctz(map[w] as number);
      }
      s = s + 1 < words ? s + 1 : 0;
      y = sum[s] as number;
    }
    return -1;
  }

  #clearSlot(b: number): void {
    this.#tail[b] = -1;
    const w = b >> 5;
    const left = (this.#map[w] as number) & ~(1 << (b & 31));
    this.#map[w] = left;
    if (left === 0) this.#sum[w >> 5] = (this.#sum[w >> 5] as number) & ~(1 << (w & 31));
  }

  /** Puts event `e` into slot `b`. Reads its time from the table: passed to a call, it would go on the heap. */
  #insert(e: number, b: number): void {
    const tail = this.#tail[b] as number;
    if (tail < 0) {
      this.#next[e] = -1;
      this.#head[b] = e;
      this.#tail[b] = e;
      const w = b >> 5;
      this.#map[w] = (this.#map[w] as number) | (1 << (b & 31));
      this.#sum[w >> 5] = (this.#sum[w >> 5] as number) | (1 << (w & 31));
      return;
    }
    const time = this.#time[e] as number;
    const region = this.#region[e] as number;
    const tt = this.#time[tail] as number;
    if (tt < time || (tt === time && (this.#region[tail] as number) <= region)) {
      this.#next[tail] = e;
      this.#next[e] = -1;
      this.#tail[b] = e;
      return;
    }
    this.#insertBefore(e, b);
  }

  /** Not the last of its slot: walk from the head to the first later event. */
  #insertBefore(e: number, b: number): void {
    const time = this.#time[e] as number;
    const region = this.#region[e] as number;
    let prev = -1;
    let at = this.#head[b] as number;
    for (;;) {
      const t = this.#time[at] as number;
      if (t > time || (t === time && (this.#region[at] as number) > region)) break;
      prev = at;
      at = this.#next[at] as number;
    }
    this.#next[e] = at;
    if (prev < 0) this.#head[b] = e;
    else this.#next[prev] = e;
  }

  #alloc(): number {
    if (this.#free < 0) this.#grow();
    const e = this.#free;
    this.#free = this.#next[e] as number;
    return e;
  }

  #grow(): void {
    const old = this.#cap;
    this.#cap = old * 2;
    this.#time = grown(this.#time, new Float64Array(this.#cap));
    this.#next = grown(this.#next, new Int32Array(this.#cap));
    this.#arg = grown(this.#arg, new Float64Array(this.#cap));
    this.#heapSeq = grown(this.#heapSeq, new Float64Array(this.#cap));
    this.#region = grown(this.#region, new Uint8Array(this.#cap));
    for (let i = old; i < this.#cap; i++) this.#target.push(undefined);
    this.#linkFree(old, this.#cap);
  }

  #linkFree(from: number, to: number): void {
    for (let i = from; i < to; i++) this.#next[i] = i + 1;
    this.#next[to - 1] = -1;
    this.#free = from;
  }

  #heapPush(e: number): void {
    this.#heapSeq[e] = this.#seq++;
    if (this.#heapLen === this.#heap.length) this.#heap = grown(this.#heap, new Int32Array(this.#heapLen * 2));
    const heap = this.#heap;
    let i = this.#heapLen++;
    while (i > 0) {
      const p = (i - 1) >> 1;
      const x = heap[p] as number;
      if (!this.#before(e, x)) break;
      heap[i] = x;
      i = p;
    }
    heap[i] = e;
  }

  #heapPop(): void {
    const heap = this.#heap;
    const n = --this.#heapLen;
    const last = heap[n] as number;
    let i = 0;
    for (;;) {
      let c = 2 * i + 1;
      if (c >= n) break;
      if (c + 1 < n && this.#before(heap[c + 1] as number, heap[c] as number)) c++;
      if (!this.#before(heap[c] as number, last)) break;
      heap[i] = heap[c] as number;
      i = c;
    }
    heap[i] = last;
  }

  #before(a: number, b: number): boolean {
    const ta = this.#time[a] as number;
    const tb = this.#time[b] as number;
    if (ta !== tb) return ta < tb;
    const ra = this.#region[a] as number;
    const rb = this.#region[b] as number;
    if (ra !== rb) return ra < rb;
    return (this.#heapSeq[a] as number) < (this.#heapSeq[b] as number);
  }

  /** Counts who runs during the next events of this instant, then throws. */
  #deltaLimitHit(): never {
    const counts = new Map<string, number>();
    for (let i = 0; i < NAMED_EVENTS; i++) {
      const b = this.#slot & SLOT_MASK;
      const e = this.#head[b] as number;
      if (e < 0 || this.#time[e] !== this.now) break;
      const target = this.#target[e] as EventHandler;
      const name = target.fullName ?? target.constructor.name;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      this.#execute(b);
    }
    const names = [...counts].sort((x, y) => y[1] - x[1]).map(([name]) => name);
    throw new DeltaLimitError(this.now, names.slice(0, 5));
  }
}

function ctz(v: number): number {
  return 31 - Math.clz32(v & -v);
}

function grown<T extends Float64Array | Int32Array | Uint8Array>(old: T, wider: T): T {
  wider.set(old);
  return wider;
}

function badTime(time: number, now: number): RangeError {
  return new RangeError(`event time ${time} ps is not an integer at or after the current time ${now} ps`);
}

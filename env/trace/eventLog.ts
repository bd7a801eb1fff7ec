/**
 * What happened, in one time order: the latest events of a run as numbers, in chunks that are used again. Text is made of
 * them only when somebody wants to read it, so that an event costs a dozen stores.
 *
 * A log may look closely: then it also takes events that there are ten times as many of. A close look is bounded. It ends
 * behind the first error, and what it has seen up to there is set apart; or it ends after so many events without an error.
 */

/** Events of a chunk, and 32-bit words of an event. */
const CHUNK_EVENTS = 2048;
export const EVENT_WORDS = 20;

/** Kind of an event; what its words are is said by `runRecorder.ts`, which writes them. */
export const EVENT = {
  postSend: 1,
  postRecv: 2,
  completion: 3,
  packet: 4,
  frame: 5,
  tlp: 6,
  answer: 7,
  barAccess: 8,
  /** Rare ones, in words. */
  command: 9,
  state: 10,
  asyncEvent: 11,
  report: 12,
  /** Seen only by a recorder that looks closely. */
  arrival: 13,
  loss: 14,
  entry: 15,
  doorbell: 16,
  commandBegin: 17,
  fate: 18,
  /** Data that a NIC has written are in memory. */
  stored: 19,
} as const;
export type EventKind = (typeof EVENT)[keyof typeof EVENT];

/** How far a log looks closely. */
export interface CloseLook {
  /** Events that are held at least while it looks closely: the latest ones; infinite = all. */
  readonly events: number;
  /** Events after which the look ends where no error has come. Default: it does not end. */
  readonly until?: number;
  /** Events behind the first error with which the look ends. Default: it does not end. */
  readonly behindError?: number;
}

class Chunk {
  readonly kinds = new Uint8Array(CHUNK_EVENTS);
  readonly hosts = new Uint8Array(CHUNK_EVENTS);
  readonly numbers = new Float64Array(CHUNK_EVENTS);
  readonly times = new Float64Array(CHUNK_EVENTS);
  readonly wires = new Float64Array(CHUNK_EVENTS);
  readonly words = new Int32Array(CHUNK_EVENTS * EVENT_WORDS);
  readonly texts = new Map<number, string>();
  used = 0;
  /** Number that the next event had when the chunk was begun. */
  first = 0;
}

/** One event, for readers. There are many, of which most are looked at for their kind alone. */
export class LoggedEvent {
  /** Place among the events that every recorder sees, from 0; -1 for those that only a close look shows. */
  readonly number: number;
  readonly kind: EventKind;
  readonly host: number;
  /** When it happened; of a packet also when its first bit is on the wire, else the same. ps */
  readonly time: number;
  readonly wire: number;
  readonly #chunk: Chunk;
  readonly #at: number;
  #words: Int32Array | undefined;

  constructor(chunk: Chunk, at: number) {
    this.number = chunk.numbers[at] as number;
    this.kind = chunk.kinds[at] as EventKind;
    this.host = chunk.hosts[at] as number;
    this.time = chunk.times[at] as number;
    this.wire = chunk.wires[at] as number;
    this.#chunk = chunk;
    this.#at = at;
  }

  get words(): Int32Array {
    this.#words ??= this.#chunk.words.subarray(this.#at * EVENT_WORDS, (this.#at + 1) * EVENT_WORDS);
    return this.#words;
  }

  /** Of kinds that are told in words, and what is added to others; '' for none. */
  get text(): string {
    return this.#chunk.texts.get(this.#at) ?? '';
  }
}

/** That no look is taken. */
const NO_LOOK = -1;

export class EventLog {
  /** Events so far that every recorder sees. */
  count = 0;
  /** Words of the chunk that is being filled. */
  words: Int32Array;
  /** Events that every recorder sees and that are held at least. */
  readonly #most: number;
  readonly #look: CloseLook | undefined;
  /** Events that the close look still takes. */
  #left: number;
  #hasError = false;
  /** What the close look has seen up to its end behind the first error. */
  #setApart: readonly Chunk[] = [];
  #chunks: Chunk[];
  #chunk: Chunk;

  /** @param events of those that every recorder sees, held at least: the latest ones; infinite = all */
  constructor(events: number, look?: CloseLook) {
    this.#most = events;
    this.#look = look;
    this.#left = look === undefined ? NO_LOOK : (look.until ?? Number.POSITIVE_INFINITY);
    this.#chunk = new Chunk();
    this.#chunks = [this.#chunk];
    this.words = this.#chunk.words;
  }

  /** Whether events are taken that only a close look shows. */
  get looksClosely(): boolean {
    return this.#left > 0;
  }

  /** Whether the close look has seen the first error, or everything so far. */
  get hasSeenClosely(): boolean {
    return this.#setApart.length > 0 || this.#left !== NO_LOOK;
  }

  /** The first error has come: the close look ends soon, so that nothing pushes out what has led to the error. */
  errorCame(): void {
    if (!this.looksClosely || this.#hasError) return;
    this.#hasError = true;
    this.#left = this.#look?.behindError ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Begins an event.
   * @param isCommon every recorder sees it; others are told of only while `looksClosely`
   * @returns where its words begin in `words`
   */
  add(kind: EventKind, host: number, time: number, isCommon: boolean): number {
    if (this.#left !== NO_LOOK) this.#countDown();
    if (this.#chunk.used === CHUNK_EVENTS) this.#turn();
    const chunk = this.#chunk;
    const at = chunk.used++;
    chunk.kinds[at] = kind;
    chunk.hosts[at] = host;
    chunk.times[at] = time;
    chunk.wires[at] = time;
    chunk.numbers[at] = isCommon ? this.count++ : -1;
    return at * EVENT_WORDS;
  }

  /** Of the event that was begun last: when it is on the wire. */
  onWire(time: number): void {
    this.#chunk.wires[this.#chunk.used - 1] = time;
  }

  /** An event in words. */
  say(kind: EventKind, host: number, time: number, isCommon: boolean, text: string): void {
    const at = this.add(kind, host, time, isCommon);
    this.words.fill(0, at, at + EVENT_WORDS);
    this.#chunk.texts.set(at / EVENT_WORDS, text);
  }

  /** Words for the event that was begun last. */
  tell(text: string): void {
    this.#chunk.texts.set(this.#chunk.used - 1, text);
  }

  /** What is held of a close look, if that has seen the first error or goes on, else of all; oldest first. */
  events(): LoggedEvent[] {
    return eventsOf(this.#setApart.length > 0 ? this.#setApart : this.#chunks, EVERY);
  }

  /** The latest of the events that every recorder sees, oldest first; default: as many as are held at least. */
  latest(most = this.#most): LoggedEvent[] {
    return eventsOf([...this.#setApart, ...this.#chunks], Math.max(0, this.count - most));
  }

  #countDown(): void {
    if (this.#left > 0) this.#left--;
    else this.#endLook();
  }

  #endLook(): void {
    this.#left = NO_LOOK;
    if (!this.#hasError) return;
    this.#setApart = this.#chunks;
    this.#chunks = [];
    this.#begin(new Chunk());
  }

  /** The oldest chunks are used again when there is enough without them. */
  #turn(): void {
    let free: Chunk | undefined;
    while (this.#isEnoughWithoutOldest()) free = this.#chunks.shift();
    this.#begin(free ?? new Chunk());
  }

  #isEnoughWithoutOldest(): boolean {
    const [, second] = this.#chunks;
    if (second === undefined) return false;
    if (this.#left !== NO_LOOK) return (this.#chunks.length - 1) * CHUNK_EVENTS >= (this.#look as CloseLook).events;
    return this.count - second.first >= this.#most;
  }

  #begin(chunk: Chunk): void {
    chunk.used = 0;
    chunk.first = this.count;
    if (chunk.texts.size > 0) chunk.texts.clear();
    this.#chunks.push(chunk);
    this.#chunk = chunk;
    this.words = chunk.words;
  }
}

/** Also of events that only a close look shows. */
const EVERY = -1;

/** @param from number of the first one */
function eventsOf(chunks: readonly Chunk[], from: number): LoggedEvent[] {
  const events: LoggedEvent[] = [];
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.used; at++)
      if ((chunk.numbers[at] as number) >= from) events.push(new LoggedEvent(chunk, at));
  }
  return events;
}

/**
 * What happened, in one time order: the latest events of a run as numbers, in chunks that are used again. Text is made of
 * them only when somebody wants to read it, so that an event costs a dozen stores.
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
} as const;
export type EventKind = (typeof EVENT)[keyof typeof EVENT];

/** One event, for readers. */
export interface LoggedEvent {
  /** Place among the events that every recorder sees, from 0; -1 for those that only a close look shows. */
  readonly number: number;
  readonly kind: EventKind;
  readonly host: number;
  /** When it happened; of a packet also when its first bit is on the wire, else the same. ps */
  readonly time: number;
  readonly wire: number;
  readonly words: Int32Array;
  /** Of kinds that are told in words, and what is added to others; '' for none. */
  readonly text: string;
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
}

export class EventLog {
  /** Events so far that every recorder sees. */
  count = 0;
  /** Words of the chunk that is being filled. */
  words: Int32Array;
  readonly #most: number;
  readonly #chunks: Chunk[];
  #chunk: Chunk;
  /** Events that are still taken; the log is closed behind them. */
  #left = Number.POSITIVE_INFINITY;

  /** @param events that are held at least: the latest ones; infinite = all */
  constructor(events: number) {
    this.#most = Math.ceil(events / CHUNK_EVENTS) + 1;
    this.#chunk = new Chunk();
    this.#chunks = [this.#chunk];
    this.words = this.#chunk.words;
  }

  /** Whether further events are taken. */
  get isOpen(): boolean {
    return this.#left > 0;
  }

  /** Takes so many further events and none behind them: what has led to something is not to be pushed out. */
  closeAfter(events: number): void {
    this.#left = Math.min(this.#left, events);
  }

  /**
   * Begins an event.
   * @param isCommon every recorder sees it
   * @returns where its words begin in `words`
   */
  add(kind: EventKind, host: number, time: number, isCommon: boolean): number {
    this.#left--;
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

  /** What is held, oldest first. */
  events(): LoggedEvent[] {
    return this.#chunks.flatMap((chunk) => Array.from({ length: chunk.used }, (_, at) => eventOf(chunk, at)));
  }

  /** The oldest chunk is used again when there are enough. */
  #turn(): void {
    const next = this.#chunks.length >= this.#most ? (this.#chunks.shift() as Chunk) : new Chunk();
    next.used = 0;
    if (next.texts.size > 0) next.texts.clear();
    this.#chunks.push(next);
    this.#chunk = next;
    this.words = next.words;
  }
}

function eventOf(chunk: Chunk, at: number): LoggedEvent {
  return {
    number: chunk.numbers[at] as number,
    kind: chunk.kinds[at] as EventKind,
    host: chunk.hosts[at] as number,
    time: chunk.times[at] as number,
    wire: chunk.wires[at] as number,
    words: chunk.words.subarray(at * EVENT_WORDS, (at + 1) * EVENT_WORDS),
    text: chunk.texts.get(at) ?? '',
  };
}

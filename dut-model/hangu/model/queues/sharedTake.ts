/** What the chip holds of shared receive queues besides their contexts: who uses them, and who waits for the reading of a receive. */
import type { DmaClient } from '../../../roce/dmaEngine.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';

/** How far a queue pair has come with a receive: `wanted`: it is counted out of its queue; `read`: and here. */
export const TAKE = { none: 0, wanted: 1, read: 2, failed: 3 } as const;

/** What queues and takes call back. */
export interface SharedEngine {
  readNext(queue: SharedQueue): void;
  hasRead(take: SharedTake, ok: boolean): void;
}

/** A queue pair's dealings with its shared queue, from its first one to its reset. It holds one receive at most. */
export class SharedTake implements DmaClient {
  readonly queue: SharedQueue;
  next: SharedTake | null = null;
  stage: number = TAKE.none;
  /** What is read of its receive, -1 = none; protection domain that opens it; byte of the ring that it begins at. */
  block = -1;
  pd = 0;
  offset = 0;
  waiter: Resumable | null = null;
  /** Software has been told that its last receive has completed. */
  toldLast = false;
  /** Its queue pair is so, and what comes is of no use. */
  forgotten = false;
  readonly #engine: SharedEngine;

  constructor(engine: SharedEngine, queue: SharedQueue) {
    this.#engine = engine;
    this.queue = queue;
  }

  /** Somebody has to wait until its receive is here, perhaps besides others. */
  awaitedBy(asker: Resumable): void {
    this.waiter = this.waiter === null ? asker : new Both(this.waiter, asker);
  }

  dmaDone(_arg: number, ok: boolean): void {
    this.#engine.hasRead(this, ok);
  }
}

/** Takes of a queue that wait for its memory, the one that is being read first. */
export class SharedQueue implements Resumable {
  readonly srqn: number;
  /** Queue pairs that are set up with it. */
  users = 0;
  head: SharedTake | null = null;
  tail: SharedTake | null = null;
  reading = false;
  pinned = false;
  /** Software has been told that it is in error. */
  failed = false;
  readonly #engine: SharedEngine;

  constructor(engine: SharedEngine, srqn: number) {
    this.#engine = engine;
    this.srqn = srqn;
  }

  append(take: SharedTake): void {
    if (this.tail === null) this.head = take;
    else this.tail.next = take;
    this.tail = take;
  }

  /** Takes the first one out. */
  shift(): SharedTake | null {
    const take = this.head;
    if (take === null) return null;
    this.head = take.next;
    if (this.head === null) this.tail = null;
    take.next = null;
    return take;
  }

  resume(): void {
    this.#engine.readNext(this);
  }
}

/** Two wait for the same. */
class Both implements Resumable {
  readonly #first: Resumable;
  readonly #second: Resumable;

  constructor(first: Resumable, second: Resumable) {
    this.#first = first;
    this.#second = second;
  }

  resume(): void {
    this.#first.resume();
    this.#second.resume();
  }
}

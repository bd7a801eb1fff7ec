import { FLOW, type FlowTable } from './flowTable.ts';
import { psnAdd, psnCompare } from '../../agents/wire/psnArithmetic.ts';

/** Words of an entry, from index `entry * READ_WORDS` of `ReadTable.words`. */
export const READ = {
  /** Next entry of the flow's list, -1 at its end; chains free entries too. */
  next: 0,
  psn: 1,
  /** PSNs that the answer takes. */
  packets: 2,
  /** Bytes asked for, unsigned. */
  length: 3,
  /** 1 for an atomic. */
  atomic: 4,
  /** Transmissions whose answers may still come. */
  pending: 5,
  /** 1 once an answer was complete, or when the request repeats an earlier one in part. */
  done: 6,
} as const;
const READ_WORDS = 8;

/** Entries of a flow beyond which answered ones are forgotten, oldest first, where nothing else is asked for. */
const KEPT = 1024;

/** READ and atomic requests that may still be answered: one list per flow, entries pooled. */
export class ReadTable {
  words = new Int32Array(64 * READ_WORDS);
  readonly #flows: FlowTable;
  readonly #kept: number;
  #free = -1;
  #used = 0;

  /** @param kept entries of a flow beyond which answered ones are forgotten, oldest first */
  constructor(flows: FlowTable, kept = KEPT) {
    this.#flows = flows;
    this.#kept = kept;
  }

  /** Word `field` (`READ`) of an entry. */
  get(entry: number, field: number): number {
    return this.words[entry * READ_WORDS + field] as number;
  }

  set(entry: number, field: number, value: number): void {
    this.words[entry * READ_WORDS + field] = value;
  }

  /** The newest entry of a flow for exactly this PSN, or -1. `flow` is an index of `FlowTable.state`. */
  at(flow: number, psn: number): number {
    let found = -1;
    let e = this.#flows.state[flow + FLOW.readHead] as number;
    for (; e >= 0; e = this.get(e, READ.next)) if (this.get(e, READ.psn) === psn) found = e;
    return found;
  }

  /** The oldest entry whose answer covers this PSN, or -1. */
  covering(flow: number, psn: number): number {
    let e = this.#flows.state[flow + FLOW.readHead] as number;
    while (e >= 0 && !this.#covers(e, psn)) e = this.get(e, READ.next);
    return e;
  }

  /** Whether an answer that this PSN belongs to was asked for more than once, as a whole or in part, or has been given. */
  isRepeated(flow: number, psn: number): boolean {
    let e = this.#flows.state[flow + FLOW.readHead] as number;
    for (; e >= 0; e = this.get(e, READ.next)) {
      const repeated = this.get(e, READ.pending) > 1 || this.get(e, READ.done) === 1;
      if (repeated && this.#covers(e, psn)) return true;
    }
    return false;
  }

  /** Whether a PSN belongs to the answer of a request, and is not that of any request. */
  isInside(flow: number, psn: number): boolean {
    return this.covering(flow, psn) >= 0 && this.at(flow, psn) < 0;
  }

  /** PSN of the oldest request that was never answered completely, or -1. */
  oldestUnanswered(flow: number): number {
    let e = this.#flows.state[flow + FLOW.readHead] as number;
    for (; e >= 0; e = this.get(e, READ.next)) if (this.get(e, READ.done) === 0) return this.get(e, READ.psn);
    return -1;
  }

  /** Number of requests that were never answered completely. */
  unanswered(flow: number): number {
    let n = 0;
    let e = this.#flows.state[flow + FLOW.readHead] as number;
    for (; e >= 0; e = this.get(e, READ.next)) if (this.get(e, READ.done) === 0) n++;
    return n;
  }

  /** Number of entries of a flow. */
  size(flow: number): number {
    let n = 0;
    let e = this.#flows.state[flow + FLOW.readHead] as number;
    for (; e >= 0; e = this.get(e, READ.next)) n++;
    return n;
  }

  /** Appends a request. `done` marks a repetition of part of an earlier one. */
  add(flow: number, psn: number, packets: number, length: number, atomic: boolean, done: boolean): void {
    const state = this.#flows.state;
    if (this.size(flow) >= this.#kept) this.#dropOldestDone(flow);
    const e = this.#take();
    this.set(e, READ.next, -1);
    this.set(e, READ.psn, psn);
    this.set(e, READ.packets, packets);
    this.set(e, READ.length, length | 0);
    this.set(e, READ.atomic, atomic ? 1 : 0);
    this.set(e, READ.pending, 1);
    this.set(e, READ.done, done ? 1 : 0);
    const tail = state[flow + FLOW.readTail] as number;
    if (tail < 0) state[flow + FLOW.readHead] = e;
    else this.set(tail, READ.next, e);
    state[flow + FLOW.readTail] = e;
  }

  /**
   * An answer was complete. Everything requested with lower PSNs has been executed too. The entry goes when no
   * further transmission of it awaits an answer.
   */
  answered(flow: number, entry: number): void {
    const end = this.#end(entry);
    const pending = this.get(entry, READ.pending) - 1;
    this.set(entry, READ.pending, pending);
    let e = this.#flows.state[flow + FLOW.readHead] as number;
    for (; e >= 0; e = this.get(e, READ.next)) if (psnCompare(this.#end(e), end) <= 0) this.set(e, READ.done, 1);
    if (pending <= 0) this.#drop(flow, entry);
  }

  /** Forgets all requests of a flow. */
  clear(flow: number): void {
    for (;;) {
      const head = this.#flows.state[flow + FLOW.readHead] as number;
      if (head < 0) return;
      this.#drop(flow, head);
    }
  }

  /** Whether the answer of an entry has this PSN. */
  #covers(entry: number, psn: number): boolean {
    const offset = psnCompare(psn, this.get(entry, READ.psn));
    return offset >= 0 && offset < this.get(entry, READ.packets);
  }

  #end(entry: number): number {
    return psnAdd(this.get(entry, READ.psn), this.get(entry, READ.packets));
  }

  /** Makes room in a long list: answers to lost transmissions of a request never come. */
  #dropOldestDone(flow: number): void {
    let e = this.#flows.state[flow + FLOW.readHead] as number;
    // What comes of the answer under way is judged by its entry.
    const busy = this.#flows.state[flow + FLOW.answerEntry] as number;
    while (e >= 0 && (this.get(e, READ.done) === 0 || e === busy)) e = this.get(e, READ.next);
    if (e >= 0) this.#drop(flow, e);
  }

  #drop(flow: number, entry: number): void {
    const state = this.#flows.state;
    let before = -1;
    for (let e = state[flow + FLOW.readHead] as number; e !== entry; e = this.get(e, READ.next)) before = e;
    const next = this.get(entry, READ.next);
    if (before < 0) state[flow + FLOW.readHead] = next;
    else this.set(before, READ.next, next);
    if (next < 0) state[flow + FLOW.readTail] = before;
    if (state[flow + FLOW.answerEntry] === entry) state[flow + FLOW.answerEntry] = -1;
    this.set(entry, READ.next, this.#free);
    this.#free = entry;
  }

  #take(): number {
    if (this.#free >= 0) {
      const e = this.#free;
      this.#free = this.get(e, READ.next);
      return e;
    }
    if ((this.#used + 1) * READ_WORDS > this.words.length) {
      const wider = new Int32Array(this.words.length * 2);
      wider.set(this.words);
      this.words = wider;
    }
    return this.#used++;
  }
}

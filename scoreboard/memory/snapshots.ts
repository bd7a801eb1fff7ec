/**
 * Copies of data that a request sends, of before software uses its buffer again. Inline data the NIC takes at posting, so
 * that the buffer is free at once; other data when the request has completed, although they may not have arrived then.
 * As long as the source is seeded memory nobody wrote, no copy is needed.
 */

import { SEND_FLAG } from '../../rdma/verbs.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { NOT_STORED } from './dataPages.ts';
import { OP_ATOMIC, OP_READ, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { Q_HOST, Q_PROCESS } from '../model/qps.ts';
import {
  FLAGS_SHIFT,
  OPCODE_MASK,
  R_NUM_SGE,
  R_QP,
  R_SGES,
  R_STATE,
  S_COMP,
  S_DATA,
  S_RECV,
  S_SNAPSHOT,
  SGE_WORDS,
} from '../model/requests.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { SideCursor } from './sideCursor.ts';

/** Largest inline message that is copied; no NIC takes more. */
const MOST_INLINE = 4096;
/** Largest other message that is copied; of larger ones it is open what arrives once their buffers are used again. */
const MOST_BYTES = 1 << 20;

export class Snapshots {
  readonly #s: OracleState;
  readonly #cursor = new SideCursor();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Copies the data of an inline request if a page of its source is stored. */
  take(r: number): void {
    const length = this.#s.requests.length(r);
    if (length > 0 && length <= MOST_INLINE && this.#anyStored(r, length)) this.#copy(r, length);
  }

  /** Software is about to write a range: copies what is there of data that are not judged yet. */
  keep(host: number, process: number, hi: number, lo: number, length: number): void {
    const { requests, qps } = this.#s;
    const m = requests.words;
    for (const r of requests.all()) {
      const size = requests.length(r);
      if (size === 0 || size > MOST_BYTES || !isFree(m[r + R_STATE] as number)) continue;
      const q = m[r + R_QP] as number;
      if (qps.words[q + Q_HOST] !== host || qps.words[q + Q_PROCESS] !== process) continue;
      if (this.#touches(r, hi, lo, length)) this.#copy(r, size);
    }
  }

  #touches(r: number, hi: number, lo: number, length: number): boolean {
    const { requests } = this.#s;
    const e = requests.sges.words;
    const first = requests.words[r + R_SGES] as number;
    const end = first + (requests.words[r + R_NUM_SGE] as number) * SGE_WORDS;
    for (let at = first; at < end; at += SGE_WORDS) {
      const from = ((e[at] as number) - hi) * TWO_32 + (((e[at + 1] as number) >>> 0) - (lo >>> 0));
      if (from < length && from + ((e[at + 2] as number) >>> 0) > 0) return true;
    }
    return false;
  }

  #anyStored(r: number, length: number): boolean {
    return this.#walk(r, length, -1);
  }

  #copy(r: number, length: number): void {
    const s = this.#s;
    const at = s.snapshotBlocks.take(length);
    this.#walk(r, length, at);
    s.snapshots.set(r, at);
    s.requests.words[r + R_STATE] = (s.requests.words[r + R_STATE] as number) | S_SNAPSHOT;
  }

  /** Copies to `to`, or with -1 only looks whether a source page is stored. */
  #walk(r: number, length: number, to: number): boolean {
    const { requests, qps, pages, bytes } = this.#s;
    const q = requests.words[r + R_QP] as number;
    const c = this.#cursor;
    const first = requests.words[r + R_SGES] as number;
    const count = requests.words[r + R_NUM_SGE] as number;
    c.startList(qps.words[q + Q_HOST] as number, qps.words[q + Q_PROCESS] as number, requests.sges.words, first, count);
    for (let done = 0; done < length && c.load(); ) {
      const n = Math.min(c.left, PAGE_BYTES - c.offset);
      if (!c.located) c.locate(pages);
      const stored = c.place !== NOT_STORED;
      if (to < 0 && stored) return true;
      if (to >= 0 && stored) bytes.copy(to + done, c.place + c.offset, n);
      if (to >= 0 && !stored) bytes.fillSeeded(pages.key(c.entry), c.offset, to + done, n);
      c.advance(n);
      done += n;
    }
    return false;
  }
}

/** Whether software may use the buffer of a request again whose data are not judged and not copied. */
function isFree(state: number): boolean {
  if ((state & (S_DATA | S_SNAPSHOT | S_RECV)) !== S_DATA) return false;
  if ((operationKind(state & OPCODE_MASK) & (OP_READ | OP_ATOMIC)) !== 0) return false;
  return (state & S_COMP) === 0 || ((state >> FLAGS_SHIFT) & SEND_FLAG.inline) !== 0;
}

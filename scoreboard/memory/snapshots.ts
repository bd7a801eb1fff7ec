/**
 * Copies of data that a request sends, of before software uses its buffer again. Inline data the NIC takes at posting, so
 * that the buffer is free at once; other data when the request has completed, although they may not have arrived then.
 * As long as the source is seeded memory nobody wrote, no copy is needed.
 */

import { Message, type AnyRequest } from '../model/work.ts';
import { SGE_WORDS } from '../model/messages.ts';
import { SEND_FLAG } from '../../rdma/verbs.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';
import { NOT_STORED } from './dataPages.ts';
import { OP_ATOMIC, OP_READ, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { BufferCursor } from './bufferCursor.ts';

/** Largest inline message that is copied; no NIC takes more. */
const MOST_INLINE = 4096;
/** Largest other message that is copied; of larger ones it is open what arrives once their buffers are used again. */
const MOST_BYTES = 1 << 20;

export class Snapshots {
  readonly #s: OracleState;
  readonly #cursor = new BufferCursor();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Copies the data of an inline request if a page of its source is stored. */
  take(r: Message): void {
    const length = r.length;
    if (length > 0 && length <= MOST_INLINE && this.#anyStored(r, length)) this.#copy(r, length);
  }

  /** Software is about to write a range: copies what is there of data that are not judged yet. */
  keep(host: number, process: number, hi: number, lo: number, length: number): void {
    const { requests } = this.#s;
    for (const r of requests.all()) {
      const size = r.length;
      if (size === 0 || size > MOST_BYTES || !isFree(r)) continue;
      const q = r.qp;
      if (q.host !== host || q.process !== process) continue;
      if (this.#touches(r, hi, lo, length)) this.#copy(r, size);
    }
  }

  #touches(r: Message, hi: number, lo: number, length: number): boolean {
    const { requests } = this.#s;
    const e = requests.sges.words;
    const first = r.sges;
    const end = first + r.numSge * SGE_WORDS;
    for (let at = first; at < end; at += SGE_WORDS) {
      const from = ((e[at] as number) - hi) * TWO_32 + (((e[at + 1] as number) >>> 0) - (lo >>> 0));
      if (from < length && from + ((e[at + 2] as number) >>> 0) > 0) return true;
    }
    return false;
  }

  #anyStored(r: Message, length: number): boolean {
    return this.#walk(r, length, -1);
  }

  #copy(r: Message, length: number): void {
    const s = this.#s;
    const at = s.snapshotBlocks.take(length);
    this.#walk(r, length, at);
    s.snapshots.set(r, at);
    r.snapshot = true;
  }

  /** Copies to `to`, or with -1 only looks whether a source page is stored. */
  #walk(r: Message, length: number, to: number): boolean {
    const { requests, pages, bytes } = this.#s;
    const q = r.qp;
    const c = this.#cursor;
    const first = r.sges;
    const count = r.numSge;
    c.startList(q.host, q.process, requests.sges.words, first, count);
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
function isFree(r: AnyRequest): r is Message {
  if (!(r instanceof Message) || !r.dataOpen || r.snapshot) return false;
  if ((operationKind(r.opcode) & (OP_READ | OP_ATOMIC)) !== 0) return false;
  return !r.outstanding || (r.flags & SEND_FLAG.inline) !== 0;
}

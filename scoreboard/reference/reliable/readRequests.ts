/**
 * The READ and atomic requests of one connection (roce-transport.md 3.9, 3.10): what each asked for, which of its transmissions may
 * still be answered, and what the first answer to an atomic was. A responder reads memory anew for a READ that comes again, and
 * does not execute an atomic again: every answer to that carries the value of the first.
 */

import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { psnAdd, psnCompare } from '../../../agents/wire/psnArithmetic.ts';
import { carried } from '../../../uvm/bytes/words.ts';

/** Requests that stay after the requester has heard the whole answer: copies of them, also injected ones, may come again. */
const KEPT = 32;
/** Requests of a connection beyond which answered ones are dropped, oldest first: answers to lost transmissions never come. */
const MOST = 1024;

/** A READ or atomic, or a transmission that asks for the rest of a READ only. */
export interface ReadRequest {
  readonly psn: number;
  /** PSNs that the answer takes. */
  readonly packets: number;
  /** Bytes that it asks for, unsigned. */
  readonly length: number;
  readonly atomic: boolean;
  readonly vaHi: number;
  readonly vaLo: number;
  readonly rkey: number;
  /** It asks for the rest of an earlier READ. */
  readonly isRest: boolean;
  /** Transmissions whose answers may still come. */
  pending: number;
  /** An answer was complete, or all of an answer that includes this one. */
  answered: boolean;
  /** What an atomic was answered first. */
  value: AtomicValue | null;
}

export interface AtomicValue {
  readonly hi: number;
  readonly lo: number;
}

/** Where in memory a part of the answer to a READ comes from. */
export interface ReadPart {
  readonly request: ReadRequest;
  /** Bytes of the READ before the part. */
  readonly skipped: number;
  /** READs and atomics that were sent first after it. */
  readonly behind: number;
  /** Where the part begins. */
  readonly hi: number;
  readonly lo: number;
}

export class ReadRequests {
  /** In the order in which they were sent. */
  readonly #requests: ReadRequest[] = [];
  readonly #most: number;
  #open = 0;
  /** Some that were answered have been dropped. */
  #hasDropped = false;

  /** The READ whose answer is under way, the PSN that must come next, and the bytes that are left. */
  current: ReadRequest | null = null;
  next = 0;
  left = 0;

  /** @param most requests beyond which answered ones are dropped, oldest first */
  constructor(most = MOST) {
    this.#most = most;
  }

  /** READs and atomics that were never answered completely. */
  get open(): number {
    return this.#open;
  }

  /** Requests that are remembered. */
  get size(): number {
    return this.#requests.length;
  }

  /** A READ or atomic that takes `packets` PSNs is sent for the first time; the requester has heard the answers to all before `heard`. */
  first(p: DecodedPacket, packets: number, atomic: boolean, heard: number): void {
    const requests = this.#requests;
    while (requests.length >= KEPT && this.#isPast(requests[0] as ReadRequest, heard)) this.#drop(0);
    if (requests.length >= this.#most) this.#dropOldestAnswered();
    requests.push(requestOf(p, packets, atomic, false));
    this.#open++;
  }

  /** One is sent again, as a whole or its rest. */
  again(p: DecodedPacket, packets: number, atomic: boolean): void {
    const same = this.#newest(({ psn }) => psn === p.psn);
    if (same !== undefined) {
      same.pending++;
      return;
    }
    if (this.#requests.length >= this.#most) this.#dropOldestAnswered();
    this.#requests.push(requestOf(p, packets, atomic, true));
  }

  /** Another copy of the one with this PSN is under way. */
  repeated(psn: number): void {
    const same = this.awaiting(psn);
    if (same !== undefined) same.pending++;
  }

  /** The newest one with exactly this PSN whose answer may still come. */
  awaiting(psn: number): ReadRequest | undefined {
    return this.#newest((request) => request.psn === psn && request.pending > 0);
  }

  /** The READ or atomic whose answer has this PSN. */
  covering(psn: number): ReadRequest | undefined {
    return this.#newest((request) => !request.isRest && covers(request, psn));
  }

  /** The part of a READ from packet `psn` on. */
  part(psn: number, mtu: number): ReadPart | undefined {
    let behind = 0;
    for (let i = this.#requests.length - 1; i >= 0; i--) {
      const request = this.#requests[i] as ReadRequest;
      if (request.isRest) continue;
      if (covers(request, psn)) return partOf(request, psnCompare(psn, request.psn) * mtu, behind);
      behind++;
    }
    return undefined;
  }

  /** Whether an answer that this PSN belongs to was asked for more than once, as a whole or in part, or has been given. */
  isRepeated(psn: number): boolean {
    return this.#newest((request) => (request.pending > 1 || request.answered) && covers(request, psn)) !== undefined;
  }

  /** Whether a PSN belongs to the answer of a request, and is not that of any request. */
  isInside(psn: number): boolean {
    return this.#newest((request) => covers(request, psn)) !== undefined && this.awaiting(psn) === undefined;
  }

  /**
   * Of a READ whose answer is under way, and has this PSN in it: the PSN of the answer that is missing, and that of the request.
   * Undefined where it is about no such READ.
   */
  underWay(psn: number): { readonly missing: number; readonly request: number } | undefined {
    const { current, next } = this;
    return current !== null && covers(current, psn) ? { missing: next, request: current.psn } : undefined;
  }

  /** The oldest one that was never answered completely. */
  get oldestOpen(): ReadRequest | undefined {
    return this.#open === 0 ? undefined : this.#requests.find(({ answered }) => !answered);
  }

  /** An answer was complete. Everything requested with lower PSNs has been executed too. */
  answered(request: ReadRequest): void {
    const requests = this.#requests;
    const end = endOf(request);
    request.pending--;
    for (let i = requests.length - 1; i >= 0; i--) {
      const other = requests[i] as ReadRequest;
      if (other.isRest || psnCompare(endOf(other), end) > 0) continue;
      if (other.answered) break;
      other.answered = true;
      this.#open--;
    }
    if (request.isRest && request.pending <= 0) this.#drop(requests.indexOf(request));
  }

  /** An atomic is answered. @returns what it was answered before, where that was another value */
  atomicAnswered(p: DecodedPacket): AtomicValue | undefined {
    const request = this.covering(p.psn);
    if (request === undefined) return undefined;
    const first = request.value;
    if (first === null) request.value = { hi: p.originalHi, lo: p.originalLo };
    return first === null || (first.hi === p.originalHi && first.lo === p.originalLo) ? undefined : first;
  }

  /** Whether the atomic with this PSN may have been answered: it was, or that is not remembered. */
  mayBeAnsweredAtomic(psn: number): boolean {
    const request = this.covering(psn);
    return request === undefined ? this.#hasDropped : request.atomic && request.value !== null;
  }

  #newest(is: (request: ReadRequest) => boolean): ReadRequest | undefined {
    for (let i = this.#requests.length - 1; i >= 0; i--) {
      const request = this.#requests[i] as ReadRequest;
      if (is(request)) return request;
    }
    return undefined;
  }

  /** Neither end deals with it any more. */
  #isPast(request: ReadRequest, heard: number): boolean {
    return request.answered && request.pending <= 0 && psnCompare(endOf(request), heard) <= 0;
  }

  #dropOldestAnswered(): void {
    // What comes of the answer under way is judged by its request.
    const i = this.#requests.findIndex((request) => request.answered && request !== this.current);
    if (i >= 0) this.#drop(i);
  }

  #drop(i: number): void {
    const [dropped] = this.#requests.splice(i, 1);
    this.#hasDropped = true;
    if (dropped === this.current) this.current = null;
  }
}

function requestOf(p: DecodedPacket, packets: number, atomic: boolean, isRest: boolean): ReadRequest {
  const { psn, vaHi, vaLo, rkey } = p;
  const state = { pending: 1, answered: isRest, value: null };
  return { psn, packets, length: p.dmaLength >>> 0, atomic, vaHi, vaLo, rkey, isRest, ...state };
}

/** Whether the answer to a request has this PSN. */
function covers({ psn: first, packets }: ReadRequest, psn: number): boolean {
  const offset = psnCompare(psn, first);
  return offset >= 0 && offset < packets;
}

function partOf(request: ReadRequest, skipped: number, behind: number): ReadPart {
  const low = (request.vaLo >>> 0) + skipped;
  return { request, skipped, behind, hi: carried(request.vaHi, low), lo: low | 0 };
}

/** PSN behind the answer to a request. */
function endOf({ psn, packets }: ReadRequest): number {
  return psnAdd(psn, packets);
}

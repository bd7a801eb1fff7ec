/**
 * What the driver of a host hands to its NIC, and what it knew then: chunks in send rings, and reports that it has taken out
 * of report rings (blue-rdma.md sections 4 and 5). Accesses of registers reach the NIC in the order in which the driver made
 * them, so a head that comes behind a tail was moved by a driver that had taken what the tail passes.
 */
import { DESCRIPTOR_WORDS, HEADER, SEND_0, SEND_1, SEND_OPCODE, WINDOW_REPORT } from '../layout/descriptors.ts';

/** A chunk that a NIC has been given: packets of one message of one queue pair. */
export interface Handover {
  readonly host: number;
  readonly qpn: number;
  readonly destQpn: number;
  /** PSN of its first packet. */
  readonly psn: number;
  readonly isRead: boolean;
  /** Lower half of the remote address, and bytes. */
  readonly remoteLo: number;
  readonly length: number;
  /** It was sent before. */
  readonly again: boolean;
  /** Counts what drivers did: of what was done before it has a smaller number. */
  readonly stamp: number;
}

/** Who is told. */
export interface HandoverUser {
  /** A number for what a driver does now; it grows. */
  stamp(): number;
  handed(handover: Handover): void;
  /** The driver of a host has taken a report by which all before a PSN of what the queue pair sends has been received. */
  told(host: number, qpn: number, psn: number): void;
  /** What the NIC of a host is given is not known from here on. */
  handoversUnknown(host: number): void;
}

/** Descriptors up to a position in the order of a ring, with something about them. */
interface UpTo<T> {
  readonly end: number;
  readonly what: T;
}

/** The queue pair whose packets are acknowledged, and the PSN behind them. */
interface Acknowledged {
  readonly qpn: number;
  readonly psn: number;
}

/** A send ring: heads with what was done before, and descriptors as they are fetched. */
export class SendRing {
  readonly #host: number;
  readonly #user: HandoverUser;
  #shown = 0;
  #fetched = 0;
  readonly #heads: UpTo<number>[] = [];
  readonly #first = new Int32Array(DESCRIPTOR_WORDS);
  #isHalf = false;
  readonly #depth: number;
  /** By slot: descriptors whose block has overtaken that of others before it. */
  readonly #early = new Map<number, Int32Array>();

  constructor(host: number, user: HandoverUser, depth: number) {
    this.#host = host;
    this.#user = user;
    this.#depth = depth;
  }

  /** The head shows so many descriptors more. */
  headMoves(count: number): void {
    this.#shown += count;
    this.#heads.push({ end: this.#shown, what: this.#user.stamp() });
  }

  /** The descriptor of a slot has reached the NIC: answers of reads may overtake each other. @param word reads a word of it */
  fetched(slot: number, word: (n: number) => number): void {
    if (slot !== this.#nextSlot) {
      this.#early.set(
        slot,
        Int32Array.from({ length: DESCRIPTOR_WORDS }, (_, n) => word(n)),
      );
      return;
    }
    this.#next(word);
    for (let early = this.#takeEarly(); early !== undefined; early = this.#takeEarly()) {
      const words = early;
      this.#next((n) => words[n] as number);
    }
  }

  get #nextSlot(): number {
    return this.#fetched & (this.#depth - 1);
  }

  #takeEarly(): Int32Array | undefined {
    const early = this.#early.get(this.#nextSlot);
    this.#early.delete(this.#nextSlot);
    return early;
  }

  #next(word: (n: number) => number): void {
    this.#fetched++;
    const hasNext = (word(HEADER.word) & HEADER.hasNext) !== 0;
    if (hasNext) for (let n = 0; n < DESCRIPTOR_WORDS; n++) this.#first[n] = word(n);
    else if (this.#isHalf) this.#pair(word);
    this.#isHalf = hasNext;
  }

  #pair(second: (n: number) => number): void {
    const first = (n: number): number => this.#first[n] as number;
    while (this.#heads.length > 1 && (this.#heads[0] as UpTo<number>).end < this.#fetched) this.#heads.shift();
    const opcode = (first(HEADER.word) >>> HEADER.opcodeShift) & HEADER.opcodeMask;
    const upper = (second(SEND_1.sourceAndMac) & 0xffff) << 8;
    this.#user.handed({
      host: this.#host,
      qpn: upper | (second(HEADER.word) & 0xff),
      destQpn: first(SEND_0.destQpn.word) >>> SEND_0.destQpn.shift,
      psn: first(SEND_0.psn.word) >>> SEND_0.psn.shift,
      isRead: opcode === SEND_OPCODE.read,
      remoteLo: first(SEND_0.remoteLo),
      length: second(SEND_1.length) >>> 0,
      again: (second(HEADER.word) & SEND_1.retry) !== 0,
      stamp: this.#heads[0]?.what ?? this.#user.stamp(),
    });
  }
}

/** A report ring: what acknowledgements of peers' drivers say, once the driver has taken them. */
export class ReportRing {
  readonly #host: number;
  readonly #user: HandoverUser;
  #written = 0;
  #taken = 0;
  readonly #waiting: UpTo<Acknowledged>[] = [];

  constructor(host: number, user: HandoverUser) {
    this.#host = host;
    this.#user = user;
  }

  /** The NIC has written the next descriptor. @param isWindow it reports of a bitmap, or of an acknowledgement */
  written(isWindow: boolean, word: (n: number) => number): void {
    this.#written++;
    const flags = word(HEADER.word);
    if (!isWindow || (flags & WINDOW_REPORT.byDriver) === 0) return;
    const { qpnLow, qpnHigh, psnNow, psnBefore } = WINDOW_REPORT;
    const qpn = ((word(qpnHigh.word) & qpnHigh.mask) << 16) | (word(qpnLow.word) >>> qpnLow.shift);
    const isPair = (flags & HEADER.hasNext) !== 0;
    const psn = isPair ? word(psnBefore.word) >>> psnBefore.shift : word(psnNow.word) >>> psnNow.shift;
    // The second of a pair is taken with the first.
    this.#waiting.push({ end: this.#written + (isPair ? 1 : 0), what: { qpn, psn } });
  }

  /** The tail passes so many descriptors more. */
  tailMoves(count: number): void {
    this.#taken += count;
    for (let next = this.#waiting[0]; next !== undefined && next.end <= this.#taken; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#user.told(this.#host, next.what.qpn, next.what.psn);
    }
  }
}

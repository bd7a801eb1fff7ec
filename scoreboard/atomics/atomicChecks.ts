/**
 * What happens to atomics in a run, one method an event, and the reports about them. See `wordAtomic.ts` for the room.
 *
 * A word is watched from the first request on that names it. A queue pair that has taken a packet which no NIC has sent is
 * no witness: what contradicts its results is counted as undecided.
 */

import type { SubjectPart } from '../../rdma/subject.ts';
import { BTH_OP } from '../../rdma/bth.ts';
import type { SendWr } from '../../agents/verbs/verbsItems.ts';
import { psnText } from '../../rdma/psnText.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { readBuffer } from '../memory/bufferBytes.ts';
import { BufferCursor } from '../memory/bufferCursor.ts';
import { startLocal } from '../memory/messageBuffers.ts';
import { PAGE_BYTES, PAGE_MASK, PAGE_SHIFT } from '../memory/scoreboardMemory.ts';
import { requestName } from '../model/names.ts';
import { ATOMIC_BYTES } from '../model/operations.ts';
import type { AtomicEvents } from '../model/atomicEvents.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { NONE, type Message, type QueuePair } from '../model/work.ts';
import { SCB } from '../report/reportIds.ts';
import { AtomicWords, littleEndian } from './atomicWords.ts';
import type { PossibleValues } from './possibleValues.ts';
import { RunAtomic, wordOf, wordText } from './runAtomic.ts';
import type { WordStep } from './wordProblem.ts';
import type { Contradiction, WordFindings, WordTimeline } from './wordTimeline.ts';
import { aBigValue, aMoment, aPsnRange } from '../../rdma/subjectParts.ts';
import { theQueuePair, theRequest, theWord } from '../report/subjects.ts';

/** Atomics of a queue pair that are known by their PSN: answers to others have no request any more. */
const KEPT = 1024;
/** Results that a report lists, at the most. */
const SHOWN = 8;

/** An atomic and the word that it names; of one that must be refused, none. */
interface Known {
  readonly atomic: RunAtomic;
  word: WordTimeline | undefined;
}

export class AtomicChecks implements AtomicEvents, WordFindings {
  readonly words: AtomicWords;
  readonly #s: OracleState;
  readonly #cursor = new BufferCursor();
  readonly #byRequest = new Map<Message, Known>();
  readonly #byPsn = new Map<QueuePair, Map<number, Known>>();
  /** By queue pair, the number of its life. */
  readonly #chains = new Map<QueuePair, number>();
  #lives = 0;
  readonly #altered = new Set<QueuePair>();
  #lingering: WordTimeline[] = [];
  /** Words of which no order could be found with so many states. */
  #undecided = 0;
  #count = 0;

  constructor(state: OracleState) {
    this.#s = state;
    this.words = new AtomicWords(state, this);
  }

  /** Atomics that were posted, and searches that ended undecided. */
  get counts(): { readonly posted: number; readonly undecided: number } {
    return { posted: this.#count, undecided: this.#undecided };
  }

  /** Whether anything is to be done for packets: cheap, for each of them. */
  get any(): boolean {
    return this.#count > 0;
  }

  // ---- what software and NICs do

  /** An atomic was posted; where it must be refused its request has no remote space. */
  posted(r: Message, wr: SendWr): void {
    const atomic = new RunAtomic(r, wr, this.#chainOf(r.qp), this.#count++);
    atomic.from = this.#s.clock.now;
    this.#byRequest.set(r, { atomic, word: this.#watch(r, atomic) });
  }

  /** What the request lacked when it was posted its peer permits now, or may: it may be executed. */
  granted(r: Message): void {
    const known = this.#byRequest.get(r);
    if (known === undefined || known.word !== undefined) return;
    known.word = this.#watch(r, known.atomic);
  }

  /** The packet of an atomic is sent for the first time. @returns what of its operands is not as posted */
  sent(r: Message, p: WirePacket): string | undefined {
    const known = this.#byRequest.get(r);
    if (known === undefined) return undefined;
    const { atomic } = known;
    atomic.psn = p.psn;
    atomic.from = p.time;
    let byPsn = this.#byPsn.get(r.qp);
    if (byPsn === undefined) {
      byPsn = new Map();
      this.#byPsn.set(r.qp, byPsn);
    }
    byPsn.delete(p.psn);
    byPsn.set(p.psn, known);
    if (byPsn.size > KEPT) byPsn.delete(byPsn.keys().next().value as number);
    return wrongOperands(atomic, p);
  }

  /** An atomic acknowledgement is sent. */
  answer(p: WirePacket): void {
    const q = this.#s.qps.find(p.to, p.destQp);
    if (!q.exists || q.remoteHost !== p.host) return;
    const known = this.#byPsn.get(q)?.get(p.psn);
    if (known === undefined || known.atomic.answer !== undefined) return;
    known.atomic.answered(wordOf(p.originalHi, p.originalLo), p.time);
    known.word?.answered();
  }

  /** A packet of an atomic arrives with other bytes than it was sent with: of its queue pair nothing is concluded any more. */
  altered({ opcode, host, to, destQp }: Pick<WirePacket, 'opcode' | 'host' | 'to' | 'destQp'>): void {
    const { qps } = this.#s;
    if (opcode === BTH_OP.atomicAcknowledge) this.#altered.add(qps.find(to, destQp));
    else if (opcode === BTH_OP.compareSwap || opcode === BTH_OP.fetchAdd)
      this.#altered.add(qps.senderTo(host, to, destQp));
  }

  /** A request has its completion, or will have none. Its local list is closed. */
  retired(r: Message, ok: boolean): void {
    const known = this.#byRequest.get(r);
    if (known === undefined) return;
    this.#byRequest.delete(r);
    const { atomic, word } = known;
    if (ok) this.#result(r, atomic);
    // What it returned nobody has seen, and others may write where it went.
    if (ok && atomic.answer === undefined) atomic.abandon(this.#s.clock.now);
    if (!ok) this.#abandon(atomic);
    word?.answered();
  }

  /** The word of an atomic is open for its NIC from this block of `OpenRanges` on. */
  opened(r: Message): void {
    const word = this.#byRequest.get(r)?.word;
    if (word !== undefined) word.open++;
  }

  /**
   * A request that opened `block` is about to be retired. Its write may still be on its way to memory, and without an
   * answer the request itself: one block of each word stays open until nothing is in flight.
   * @returns whether the block stays open
   */
  keeps(r: Message, block: number): boolean {
    const word = this.#byRequest.get(r)?.word;
    if (word === undefined) return false;
    if (word.lingering >= 0) {
      word.open--;
      return false;
    }
    word.lingering = block;
    this.#lingering.push(word);
    return true;
  }

  /** Nothing is in flight. @returns blocks that stay open no longer */
  lingering(): readonly number[] {
    const blocks = this.#lingering.map((word) => word.lingering);
    for (const word of this.#lingering) {
      word.lingering = -1;
      word.open--;
    }
    this.#lingering = [];
    return blocks;
  }

  /** The NIC of a host has written [from, to) of a page. */
  written(page: number, from: number, to: number): void {
    for (const word of this.words.in(page, from, to)) {
      const at = word.lo & (PAGE_BYTES - 1);
      const whole = from === at && to === at + ATOMIC_BYTES;
      word.written(this.#s.clock.now, this.words.valueOf(word), this.#writer(word, page, at, whole));
    }
  }

  /** Software has written [from, to) of a page. */
  hostWritten(page: number, from: number, to: number): void {
    for (const word of this.words.in(page, from, to))
      word.written(this.#s.clock.now, this.words.valueOf(word), 'other');
  }

  /** Nothing is in flight. */
  quiet(): void {
    if (!this.words.any) return;
    for (const word of this.words.all()) word.quiet(this.words.valueOf(word));
  }

  // ---- findings

  contradiction(word: WordTimeline, { results, answered, step, start }: Contradiction): void {
    if (results.some(({ qp }) => this.#isMisled(qp)) || this.#anyMisled(word) || this.#isLost(word)) {
      this.undecided(word);
      return;
    }
    this.#s.checks++;
    if (results.length === 0 && step !== undefined) this.#unexplained(word, step);
    else {
      const text = (): string => {
        const held = start.isAny ? 'anything' : (start.list ?? []).map(wordText).join(' or ');
        const change = step === undefined ? '' : `, and ${changeText(step)}`;
        const what =
          results.length > 0 ? 'no serial order has these results' : 'these were answered, and changed nothing';
        return `${nameOf(word)} held ${held}${change}; ${what}: ${listed(results.length > 0 ? results : answered)}`;
      };
      const contradicting = (results.length > 0 ? results : answered).map(theAtomic);
      this.#s.reporter.error(SCB.atomicOrder, text, [theWord(word), ...contradicting]);
    }
  }

  undecided(_word: WordTimeline): void {
    this.#undecided++;
    this.#s.undecided++;
  }

  isOver({ host }: WordTimeline, atomic: RunAtomic): boolean {
    return this.#s.options.wire.hasRested(host, atomic.endedAt);
  }

  holds(word: WordTimeline, value: bigint, possible: PossibleValues): void {
    const right = (possible.list ?? []).map(wordText).join(' or ');
    this.#s.reporter.error(
      SCB.atomicFinal,
      () => `${nameOf(word)} holds ${wordText(value)} where nothing is in flight any more; it should hold ${right}`,
      [theWord(word)],
    );
  }

  #unexplained(word: WordTimeline, step: WordStep): void {
    const text = (): string => `${nameOf(word)}: ${changeText(step)}, which no atomic explains`;
    this.#s.reporter.error(SCB.atomicWrite, text, [theWord(word), aMoment(step.at)]);
  }

  // ----

  /** The life of a queue pair: it ends with an error. */
  #chainOf(q: QueuePair): number {
    let chain = this.#chains.get(q);
    if (chain === undefined) {
      chain = this.#lives++;
      this.#chains.set(q, chain);
    }
    return chain;
  }

  #abandon(atomic: RunAtomic): void {
    const { qp } = atomic;
    this.#chains.delete(qp);
    atomic.abandon(this.#s.clock.now);
  }

  #watch(r: Message, atomic: RunAtomic): WordTimeline | undefined {
    if (r.remoteSpace === NONE || this.#s.options.level < CHECK_LEVEL.memory) return undefined;
    const word = this.words.of(r);
    word.sent(atomic);
    return word;
  }

  /** Who has written a word: requests of other kinds may have it open as well. */
  #writer(word: WordTimeline, page: number, at: number, whole: boolean): WordStep['by'] {
    const open = this.#s.openRanges.depth(page, at, at + ATOMIC_BYTES);
    if (open <= word.open && word.open > 0) return 'atomic';
    return whole && word.open > 0 ? 'either' : 'other';
  }

  /** What the requester holds is what it was answered. */
  #result(r: Message, atomic: RunAtomic): void {
    const s = this.#s;
    if (s.options.level < CHECK_LEVEL.memory || r.length !== ATOMIC_BYTES) return;
    if (this.#isShared(r)) {
      s.undecided++;
      return;
    }
    startLocal(s, this.#cursor, r);
    const value = littleEndian(readBuffer(s, this.#cursor, 0, ATOMIC_BYTES));
    s.checks++;
    if (atomic.answer === undefined) atomic.answered(value, s.clock.now);
    else if (value !== atomic.answer && !this.#isMisled(r.qp)) {
      const right = wordText(atomic.answer);
      s.reporter.error(
        SCB.atomicResult,
        () =>
          `${requestName(r)} left ${wordText(value)} in its list; its answer to PSN ${psnText(atomic.psn)} was ${right}`,
        [theRequest(r), theAtomic(atomic), aBigValue('word', value, atomic.answer)],
      );
    }
    this.#keep(r);
  }

  /** Whether others may write the list of a request, or what was written to it never came there. */
  #isShared(r: Message): boolean {
    const s = this.#s;
    const c = this.#cursor;
    startLocal(s, c, r);
    let shared = false;
    for (let done = 0; done < ATOMIC_BYTES && c.load(); ) {
      if (!c.located) c.locate(s.pages);
      const n = Math.min(c.left, PAGE_BYTES - c.offset);
      shared ||= s.openRanges.touches(c.entry, c.offset, c.offset + n);
      shared ||= s.lostWrites.any && s.lostWrites.touch(c.entry, c.offset, c.offset + n, r.postedAt);
      done += n;
      c.advance(n);
    }
    return shared;
  }

  /** The list holds its result from now on. */
  #keep(r: Message): void {
    const { pages, verified, hashes } = this.#s;
    const c = this.#cursor;
    startLocal(this.#s, c, r);
    while (c.load()) {
      if (!c.located) c.locate(pages);
      const to = c.offset + Math.min(c.left, PAGE_BYTES - c.offset);
      verified.insertHash(c.entry, c.offset, to, hashes.rehash(c.entry, c.offset, to));
      c.advance(to - c.offset);
    }
  }

  /** Whether a new value of a word never reached memory. */
  #isLost({ host, process, hi, lo }: WordTimeline): boolean {
    const { lostWrites, pages } = this.#s;
    if (!lostWrites.any) return false;
    const at = lo & PAGE_MASK;
    return lostWrites.touch(pages.at(host, process, hi, lo >>> PAGE_SHIFT), at, at + ATOMIC_BYTES, 0);
  }

  #isMisled(q: QueuePair): boolean {
    return this.#altered.has(q) || (this.#s.misled.size > 0 && this.#s.misled.has(q));
  }

  /** Whether a queue pair to the host of a word may have been told to do something to it that no NIC has sent. */
  #anyMisled({ host }: WordTimeline): boolean {
    for (const q of this.#altered) if (q.host === host || q.remoteHost === host) return true;
    for (const q of this.#s.misled) if (q.host === host || q.remoteHost === host) return true;
    return false;
  }
}

function listed(atomics: readonly RunAtomic[]): string {
  const texts = atomics.slice(0, SHOWN).map(({ story }) => story);
  if (atomics.length > SHOWN) texts.push(`and ${atomics.length - SHOWN} more`);
  return texts.join('; ');
}

function wrongOperands({ operation, operand, swap }: RunAtomic, p: WirePacket): string | undefined {
  const swaps = operation === 'compareSwap';
  if ((p.opcode === BTH_OP.compareSwap) !== swaps) return `is not the operation that was posted`;
  const first = swaps ? wordOf(p.compareHi, p.compareLo) : wordOf(p.swapHi, p.swapLo);
  if (first !== operand)
    return `carries ${wordText(first)} to ${swaps ? 'compare' : 'add'}, and ${wordText(operand)} was posted`;
  if (!swaps || wordOf(p.swapHi, p.swapLo) === swap) return undefined;
  return `carries ${wordText(wordOf(p.swapHi, p.swapLo))} to swap, and ${wordText(swap)} was posted`;
}

/** A request that only its PSN tells from others: its record is that of another one by now. */
function theAtomic({ qp, psn }: RunAtomic): SubjectPart {
  return psn === NONE ? theQueuePair(qp) : aPsnRange(qp.host, qp.qpn, psn);
}

function changeText({ at, before, after }: WordStep): string {
  return `at ${logTime(at)} ${wordText(before)} became ${wordText(after)}`;
}

function nameOf({ host, process, hi, lo }: WordTimeline): string {
  return `host ${host} process ${process}: the word at ${hexAddress(hi, lo)}`;
}

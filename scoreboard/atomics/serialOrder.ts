/**
 * Is there one order in which these atomics can have been executed? A pure function: it knows no run.
 *
 * Given are what the word may have held at first, the operations by queue pair, and, where writes to memory are seen, each
 * change of the word in the order in which it came to be: an order must account for every change then. An operation that was
 * answered before another was sent stands in front of that.
 *
 * The search goes forward by values: an operation can come next if the word holds what it returned. What changes nothing is
 * placed as soon as it can be, which takes no choice from anybody. Only where several may come next is there a choice to be
 * taken back; those are counted, and after `MOST_STATES` nothing is said.
 */

import { PossibleValues } from './possibleValues.ts';
import { effectOf, isOpen, type WordAtomic } from './wordAtomic.ts';

/** States in which several operations could come next, for one search. */
const MOST_STATES = 10_000;
/** An atomic may have read a word before this many writes of others that come in front of its own. */
const WRITES_BETWEEN = 16;

/** A change of a word in memory. */
export interface WordStep {
  /** When it was seen, ps. */
  readonly at: number;
  readonly before: bigint;
  readonly after: bigint;
  /** Who made it: an atomic, software or a request that certainly was none, or either. */
  readonly by: 'atomic' | 'other' | 'either';
}

export interface WordProblem {
  /** What the word may hold at first. */
  readonly start: PossibleValues;
  /** Those of one chain in its order. */
  readonly atomics: readonly WordAtomic[];
  /** All changes of the word, first to last; undefined where they are not seen. */
  readonly steps?: readonly WordStep[];
  /** Only the changes are to be accounted for: what was answered may also come later. */
  readonly prefix?: boolean;
}

interface Order {
  readonly found: 'order';
  /** As they were executed, without those that were not. */
  readonly order: readonly WordAtomic[];
  /** What the word may hold behind them. */
  readonly finals: PossibleValues;
  /** Another order may exist. */
  readonly tied: boolean;
}

export type SerialOrder =
  | Order
  | {
      readonly found: 'none';
      /** Changes that could be accounted for, at the most. */
      readonly explained: number;
    }
  | { readonly found: 'undecided' };

/** @param unheard operations whose results are not to be believed: they were executed, and returned something */
export function serialOrder(problem: WordProblem, unheard?: ReadonlySet<WordAtomic>): SerialOrder {
  return new Search(problem, unheard).run();
}

/** Operations of a queue pair, how many of them are placed, and how many must be. */
interface Chain {
  readonly atomics: readonly WordAtomic[];
  readonly must: number;
  /** By operation: the earliest answer of those from it on that must be placed, ps. */
  readonly until: readonly number[];
  placed: number;
}

/** Something that comes next: the next operation of a chain, or a write of others, `NOBODY`. */
interface Move {
  readonly chain: number;
  /** What the word holds then; undefined = not known. */
  readonly value: bigint | undefined;
  /** It accounts for the next change. */
  readonly steps: boolean;
}

/** What a move is taken back to. */
interface Taken {
  readonly move: Move;
  readonly value: bigint | undefined;
  readonly base: number;
  /** What else could have come next. */
  readonly others: Move[];
}

const NOBODY = -1;
const ANY = PossibleValues.any;

class Search {
  readonly #problem: WordProblem;
  readonly #unheard: ReadonlySet<WordAtomic> | undefined;
  readonly #chains: Chain[];
  readonly #steps: readonly WordStep[] | undefined;
  readonly #taken: Taken[] = [];
  readonly #seen = new Set<string>();
  /** What the word holds, as far as that is known; next change; first change behind that of the latest atomic. */
  #value: bigint | undefined;
  #step = 0;
  #base = 0;
  #furthest = 0;
  #states = 0;
  #tied = false;

  constructor(problem: WordProblem, unheard: ReadonlySet<WordAtomic> | undefined) {
    this.#problem = problem;
    this.#unheard = unheard;
    this.#steps = problem.steps;
    const byChain = new Map<number, WordAtomic[]>();
    for (const atomic of problem.atomics) {
      const list = byChain.get(atomic.chain);
      if (list === undefined) byChain.set(atomic.chain, [atomic]);
      else list.push(atomic);
    }
    this.#chains = [...byChain.values()].map(chainOf);
  }

  run(): SerialOrder {
    let order: Order | undefined;
    for (const start of this.#starts()) {
      this.#begin(start);
      const next = this.#from();
      if (next.found === 'undecided') return next;
      if (next.found === 'order')
        order = order === undefined ? next : { ...order, finals: order.finals.or(next.finals), tied: true };
    }
    return order ?? { found: 'none', explained: this.#furthest };
  }

  #starts(): readonly (bigint | undefined)[] {
    const first = this.#steps?.[0];
    if (first !== undefined) return this.#problem.start.has(first.before) ? [first.before] : [];
    return this.#problem.start.list ?? [undefined];
  }

  #begin(start: bigint | undefined): void {
    this.#value = start;
    this.#step = 0;
    this.#base = 0;
    this.#seen.clear();
    this.#taken.length = 0;
    for (const chain of this.#chains) chain.placed = 0;
  }

  /** Goes on until everything is placed, or no choice is left. Where changes are not seen, every end is looked for. */
  #from(): SerialOrder {
    let order: Order | undefined;
    for (;;) {
      const done = this.#isDone();
      if (done) {
        order = this.#found(order);
        if (this.#steps !== undefined || order.finals.isAny) return order;
      }
      const moves = this.#moves();
      if (moves.length > 1 && this.#isKnown()) moves.length = 0;
      if (this.#states > MOST_STATES) return order === undefined ? { found: 'undecided' } : { ...order, finals: ANY };
      if (moves.length > 0) {
        if (moves.length > 1) this.#tied = true;
        this.#take(moves.shift() as Move, moves);
      } else if (!this.#takeBack()) return order ?? { found: 'none', explained: this.#furthest };
    }
  }

  #found(before: Order | undefined): Order {
    const ends = this.#value;
    const finals = ends === undefined ? ANY : PossibleValues.of(ends);
    if (before !== undefined) return { ...before, finals: before.finals.or(finals), tied: true };
    const order: WordAtomic[] = [];
    const placed = this.#chains.map(() => 0);
    for (const { move } of this.#taken) {
      if (move.chain === NOBODY) continue;
      const chain = this.#chains[move.chain] as Chain;
      order.push(chain.atomics[placed[move.chain] as number] as WordAtomic);
      placed[move.chain] = (placed[move.chain] as number) + 1;
    }
    return { found: 'order', order, finals, tied: this.#tied };
  }

  #isDone(): boolean {
    const steps = this.#steps;
    if (steps !== undefined && this.#step < steps.length) return false;
    if (this.#problem.prefix === true) return this.#quiet() === undefined;
    return this.#chains.every(({ placed, must }) => placed >= must);
  }

  /** What can come next. What returned the value that the word has, and leaves it, comes before all choices. */
  #moves(): Move[] {
    const quiet = this.#quiet();
    if (quiet !== undefined) return [quiet];
    return this.#steps === undefined ? this.#movesByValue() : this.#movesByStep(this.#steps);
  }

  #quiet(): Move | undefined {
    const value = this.#value;
    if (value === undefined) return undefined;
    const latest = this.#latest();
    const ends = this.#steps?.[this.#step]?.at ?? Number.POSITIVE_INFINITY;
    for (let chain = 0; chain < this.#chains.length; chain++) {
      const next = this.#next(chain, latest);
      if (next === undefined || next.from > ends || this.#returned(next) !== value) continue;
      if (next.operation !== 'write' && effectOf(next, value) === value) return { chain, value, steps: false };
    }
    return undefined;
  }

  #movesByValue(): Move[] {
    const moves: Move[] = [];
    const value = this.#value;
    const latest = this.#latest();
    for (let chain = 0; chain < this.#chains.length; chain++) {
      const next = this.#next(chain, latest);
      if (next === undefined) continue;
      const returned = this.#returned(next);
      if (returned !== undefined && value !== undefined && returned !== value) continue;
      const found = returned ?? value;
      const becomes = found === undefined ? knownEnd(next) : effectOf(next, found);
      moves.push({ chain, value: becomes, steps: false });
    }
    return moves;
  }

  /** Those that account for the next change, or, of which nothing is known, make none. */
  #movesByStep(steps: readonly WordStep[]): Move[] {
    const moves: Move[] = [];
    const step = steps[this.#step];
    if (step?.by === 'other') return [{ chain: NOBODY, value: step.after, steps: true }];
    const latest = this.#latest();
    for (let chain = 0; chain < this.#chains.length; chain++) {
      const next = this.#next(chain, latest);
      if (next === undefined || next.operation === 'write') continue;
      const returned = this.#returned(next);
      if (step !== undefined && next.from <= step.at && this.#makes(next, returned, steps, step.after))
        moves.push({ chain, value: step.after, steps: true });
      // One whose result is not known, and that must have been, may have left the word as it is.
      const value = this.#value as bigint;
      const mustBe = (this.#chains[chain] as Chain).placed < (this.#chains[chain] as Chain).must;
      if (returned === undefined && mustBe && next.from <= (step?.at ?? Infinity) && effectOf(next, value) === value)
        moves.push({ chain, value, steps: false });
    }
    if (step?.by === 'either') moves.push({ chain: NOBODY, value: step.after, steps: true });
    return moves;
  }

  /** Whether an atomic can have written `after`: others may have written since it read the word. */
  #makes(atomic: WordAtomic, returned: bigint | undefined, steps: readonly WordStep[], after: bigint): boolean {
    const oldest = Math.max(this.#base, this.#step - WRITES_BETWEEN);
    for (let k = this.#step; k >= oldest; k--) {
      const { before } = steps[k] as WordStep;
      if ((returned === undefined || returned === before) && effectOf(atomic, before) === after) return true;
    }
    return false;
  }

  /** The next operation of a chain, if nothing that was answered before it was sent is still to be placed. */
  #next(chain: number, latest: number): WordAtomic | undefined {
    const { atomics, placed } = this.#chains[chain] as Chain;
    const next = atomics[placed];
    return next === undefined || next.from > latest ? undefined : next;
  }

  /** The earliest answer of what is still to be placed, ps. */
  #latest(): number {
    let latest = Number.POSITIVE_INFINITY;
    for (const { until, placed, must } of this.#chains) {
      if (placed < must) latest = Math.min(latest, until[placed] as number);
    }
    return latest;
  }

  #returned(atomic: WordAtomic): bigint | undefined {
    return this.#unheard?.has(atomic) === true ? undefined : atomic.returned;
  }

  /** Whether the search has been in this state before. */
  #isKnown(): boolean {
    this.#states++;
    const places = this.#chains.map(({ placed }) => placed).join();
    const key = `${this.#step} ${this.#base} ${this.#value ?? ''} ${places}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  #take(move: Move, others: Move[]): void {
    this.#taken.push({ move, value: this.#value, base: this.#base, others });
    this.#value = move.value;
    if (move.chain !== NOBODY) (this.#chains[move.chain] as Chain).placed++;
    if (!move.steps) return;
    this.#step++;
    this.#furthest = Math.max(this.#furthest, this.#step);
    if (move.chain !== NOBODY) this.#base = this.#step;
  }

  /** Goes back to the latest choice and takes the next of it. @returns false when there is none */
  #takeBack(): boolean {
    for (let last = this.#taken.pop(); last !== undefined; last = this.#taken.pop()) {
      const { move, value, base, others } = last;
      this.#value = value;
      this.#base = base;
      if (move.chain !== NOBODY) (this.#chains[move.chain] as Chain).placed--;
      if (move.steps) this.#step--;
      const other = others.shift();
      if (other === undefined) continue;
      this.#states++;
      this.#take(other, others);
      return true;
    }
    return false;
  }
}

function chainOf(atomics: readonly WordAtomic[]): Chain {
  // Certainly executed are all up to the last that was answered.
  const must = atomics.findLastIndex((atomic) => !isOpen(atomic)) + 1;
  const until = atomics.slice(0, must).map((atomic) => atomic.until);
  for (let i = must - 2; i >= 0; i--) until[i] = Math.min(until[i] as number, until[i + 1] as number);
  return { atomics, must, until, placed: 0 };
}

/** What it leaves whatever it finds; undefined where that depends. */
function knownEnd({ operation, swap }: WordAtomic): bigint | undefined {
  return operation === 'write' ? swap : undefined;
}
